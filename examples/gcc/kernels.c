/* Ten small kernels, as compilers meet them: each prints its name and a number that depends on all its work.

   The numbers are in expected.txt. Integers wrap as unsigned ones, and doubles are added in the order of the source, so
   that every flag that keeps the meaning of C gives the same text. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* A product of matrices whose inner loop walks down a column. */
enum { SIDE = 72 };
static double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];

static uint64_t multiply(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            left[i][j] = random32() % 100;
            right[i][j] = random32() % 100;
        }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            product[i][j] = 0.0;
            for (int k = 0; k < SIDE; k++)
                product[i][j] += left[i][k] * right[k][j];
        }
    double trace = 0.0;
    for (int i = 0; i < SIDE; i++)
        trace += product[i][(7 * i) % SIDE];
    return (uint64_t)trace;
}

/* Heat on a rod: three neighbours, again and again. */
enum { CELLS = 600, STEPS = 250 };
static double heat[2][CELLS];

static uint64_t diffuse(void)
{
    for (int i = 0; i < CELLS; i++)
        heat[0][i] = random32() % 1000;
    for (int t = 0; t < STEPS; t++) {
        const double *now = heat[t % 2];
        double *next = heat[(t + 1) % 2];
        next[0] = now[0];
        next[CELLS - 1] = now[CELLS - 1];
        for (int i = 1; i < CELLS - 1; i++)
            next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
    }
    double sum = 0.0;
    for (int i = 0; i < CELLS; i++)
        sum += heat[STEPS % 2][i];
    return (uint64_t)(1000.0 * sum);
}

/* The longest common subsequence of two texts over four letters. */
enum { LETTERS = 400 };

static uint64_t common_subsequence(void)
{
    static char a[LETTERS], b[LETTERS];
    static int longest[LETTERS + 1][LETTERS + 1];
    for (int i = 0; i < LETTERS; i++) {
        a[i] = "acgt"[random32() % 4];
        b[i] = "acgt"[random32() % 4];
    }
    for (int i = 1; i <= LETTERS; i++)
        for (int j = 1; j <= LETTERS; j++) {
            int up = longest[i - 1][j], back = longest[i][j - 1];
            int best = up > back ? up : back;
            if (a[i - 1] == b[j - 1] && longest[i - 1][j - 1] + 1 > best)
                best = longest[i - 1][j - 1] + 1;
            longest[i][j] = best;
        }
    return (uint64_t)longest[LETTERS][LETTERS];
}

/* Quicksort with the order given as a function. */
enum { KEYS = 9000 };
typedef int (*Order)(uint32_t, uint32_t);

static int by_low_bits(uint32_t a, uint32_t b)
{
    uint32_t x = a & 0xffff, y = b & 0xffff;
    return x < y ? -1 : x > y ? 1 : a < b ? -1 : a > b;
}

static void sort(uint32_t *keys, int count, Order order)
{
    while (count > 1) {
        uint32_t pivot = keys[count / 2];
        int i = 0, j = count - 1;
        while (i <= j) {
            while (order(keys[i], pivot) < 0)
                i++;
            while (order(keys[j], pivot) > 0)
                j--;
            if (i <= j) {
                uint32_t swapped = keys[i];
                keys[i++] = keys[j];
                keys[j--] = swapped;
            }
        }
        sort(keys, j + 1, order);
        keys += i;
        count -= i;
    }
}

static uint64_t sorted(void)
{
    static uint32_t keys[KEYS];
    for (int i = 0; i < KEYS; i++)
        keys[i] = random32();
    sort(keys, KEYS, by_low_bits);
    uint64_t sum = 0;
    for (int i = 0; i < KEYS; i++)
        sum = 31 * sum + keys[i];
    return sum;
}

/* Queens on a board, by backtracking. */
static uint64_t queens(int size, uint32_t columns, uint32_t rising, uint32_t falling)
{
    uint32_t full = (1u << size) - 1;
    if (columns == full)
        return 1;
    uint64_t count = 0;
    for (uint32_t free = full & ~(columns | rising | falling); free; free &= free - 1) {
        uint32_t queen = free & -free;
        count += queens(size, columns | queen, (rising | queen) << 1, (falling | queen) >> 1);
    }
    return count;
}

/* A machine with a stack and a switch. */
enum Code { PUSH, ADD, MULTIPLY, XOR, DUPLICATE, SWAP, DECREMENT, JUMP_UNLESS_ZERO, ROTATE, HALT };

static uint64_t interpret(const int *program)
{
    uint32_t stack[16] = {0};
    int top = -1;
    for (int at = 0;; at++) {
        uint32_t a;
        switch ((enum Code)program[at]) {
        case PUSH: stack[++top] = (uint32_t)program[++at]; break;
        case ADD: a = stack[top--]; stack[top] += a; break;
        case MULTIPLY: a = stack[top--]; stack[top] *= a; break;
        case XOR: a = stack[top--]; stack[top] ^= a; break;
        case DUPLICATE: a = stack[top]; stack[++top] = a; break;
        case SWAP: a = stack[top]; stack[top] = stack[top - 1]; stack[top - 1] = a; break;
        case DECREMENT: stack[top]--; break;
        case JUMP_UNLESS_ZERO: a = (uint32_t)program[++at]; if (stack[top]) at = (int)a - 1; break;
        case ROTATE: stack[top] = stack[top] << 5 | stack[top] >> 27; break;
        case HALT: return stack[top - 1];
        }
    }
}

static uint64_t machine(void)
{
    static const int program[] = {
        PUSH, 12345, PUSH, 20000,
        SWAP, DUPLICATE, ROTATE, XOR, PUSH, 1664525, MULTIPLY, PUSH, 1013904223, ADD, SWAP,
        DECREMENT, JUMP_UNLESS_ZERO, 4, HALT,
    };
    return interpret(program);
}

/* A checksum by table, bit by bit at first. */
static uint64_t checksum(void)
{
    uint32_t table[256], crc = ~0u;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
    }
    for (int i = 0; i < 60000; i++)
        crc = crc >> 8 ^ table[(crc ^ (uint32_t)(i * i)) & 255];
    return ~crc;
}

/* Words counted in a table of linked lists. */
struct Word {
    struct Word *next;
    char text[8];
    int count;
};

/* The library's strcmp would count differently for texts that are aligned differently on the stack. */
static int equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static uint64_t count_words(void)
{
    static struct Word words[4096], *table[512];
    int used = 0;
    for (int n = 0; n < 12000; n++) {
        char text[8] = {0};
        int length = 1 + (int)(random32() % 3);
        uint32_t hash = 5381;
        for (int i = 0; i < length; i++) {
            text[i] = (char)('a' + random32() % 12);
            hash = 33 * hash ^ (uint32_t)text[i];
        }
        struct Word *word = table[hash % 512];
        while (word && !equal(word->text, text))
            word = word->next;
        if (!word) {
            word = &words[used++];
            memcpy(word->text, text, sizeof text);
            word->next = table[hash % 512];
            table[hash % 512] = word;
        }
        word->count++;
    }
    uint64_t sum = (uint64_t)used;
    for (int i = 0; i < used; i++)
        sum += (uint64_t)words[i].count * (uint64_t)words[i].count;
    return sum;
}

/* Primes by the sieve. */
static uint64_t primes(void)
{
    static unsigned char composite[100000];
    uint64_t count = 0;
    for (uint32_t i = 2; i < sizeof composite; i++)
        if (!composite[i]) {
            count++;
            for (uint32_t j = 2 * i; j < sizeof composite; j += i)
                composite[j] = 1;
        }
    return count;
}

/* Bodies that attract each other in a plane, by value in a struct. */
struct Vector {
    double x, y;
};

static struct Vector plus(struct Vector a, struct Vector b) { return (struct Vector){a.x + b.x, a.y + b.y}; }
static struct Vector times(double a, struct Vector b) { return (struct Vector){a * b.x, a * b.y}; }

static uint64_t bodies(void)
{
    enum { COUNT = 12 };
    struct Vector place[COUNT], speed[COUNT];
    for (int i = 0; i < COUNT; i++) {
        place[i] = (struct Vector){random32() % 1000, random32() % 1000};
        speed[i] = (struct Vector){0.0, 0.0};
    }
    for (int step = 0; step < 250; step++) {
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < COUNT; j++) {
                struct Vector apart = plus(place[j], times(-1.0, place[i]));
                double square = apart.x * apart.x + apart.y * apart.y + 100.0;
                speed[i] = plus(speed[i], times(10.0 / square, apart));
            }
        for (int i = 0; i < COUNT; i++)
            place[i] = plus(place[i], times(0.1, speed[i]));
    }
    double sum = 0.0;
    for (int i = 0; i < COUNT; i++)
        sum += place[i].x * place[i].x + place[i].y * place[i].y;
    return (uint64_t)(1e6 * sum);
}

static void report(const char *name, uint64_t result) { printf("%s %llu\n", name, (unsigned long long)result); }

int main(void)
{
    report("multiply", multiply());
    report("diffuse", diffuse());
    report("common_subsequence", common_subsequence());
    report("sorted", sorted());
    report("queens", queens(8, 0, 0, 0));
    report("machine", machine());
    report("checksum", checksum());
    report("count_words", count_words());
    report("primes", primes());
    report("bodies", bodies());
    return 0;
}
