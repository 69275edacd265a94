/* lp_solve under a limit of simplex iterations rather than of seconds: the same configuration gives the same answer.
 *
 *     limited LIMIT SECONDS MODEL PARAMETERS
 *
 * Every improved solution is printed as the program lp_solve prints it; the exit code is what solve() returns.
 * Whatever happens, the process ends after SECONDS. Declared here are the few functions of liblpsolve55.so that it needs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct lprec lprec;
extern lprec *read_LP(char *file, int verbosity, char *name);
extern unsigned char read_params(lprec *lp, char *file, char *options);
extern void set_print_sol(lprec *lp, unsigned char improved, int columns);
extern void put_abortfunc(lprec *lp, int (*abort)(lprec *lp, void *limit), void *limit);
extern long long get_total_iter(lprec *lp);
extern int solve(lprec *lp);

enum { SILENT = 1, USAGE = 64, NO_INPUT = 66 }; /* exit codes as in sysexits.h: solve() returns none of them */

/* The library seeds by the clock, and more than once; the program's own symbol comes before that of the C library. */
void srand(unsigned seed) {
    (void)seed;
    srandom(12345u);
}

static int enough(lprec *lp, void *limit) {
    return get_total_iter(lp) >= *(long long *)limit;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: limited LIMIT SECONDS MODEL PARAMETERS\n");
        return USAGE;
    }
    long long limit = atoll(arguments[1]);
    alarm((unsigned)atoi(arguments[2]));
    lprec *lp = read_LP(arguments[3], SILENT, "corridor");
    if (lp == NULL || !read_params(lp, arguments[4], "-h Default")) {
        fprintf(stderr, "Unable to read %s or %s\n", arguments[3], arguments[4]);
        return NO_INPUT;
    }
    set_print_sol(lp, 1, 0);
    put_abortfunc(lp, enough, &limit);
    return solve(lp);
}
