#!/bin/sh
# Compile kernels.c with -O2 and the given flags, check what it prints, and count the instructions that it executes.
#
#     ./count.sh PROGRAM FLAG...       PROGRAM is the file to compile to, in a folder of its own
#
# It fails where gcc refuses the flags, where the program does not end well, or where it prints anything but
# expected.txt. The program is linked statically and started with an empty environment, since the loader's work and the
# size of the environment would be counted, too.
set -u
program=$1
shift
here=$(pwd)
gcc -O2 "$@" -static kernels.c -o "$program" || exit 1
cd "$(dirname "$program")" || exit 1
env -i PATH="$PATH" valgrind --tool=callgrind --callgrind-out-file=/dev/null "./${program##*/}" >printed 2>counted
code=$?
if [ $code -ne 0 ]; then
    cat counted >&2
    exit $code
fi
diff "$here/expected.txt" printed >&2 || exit 1
cat counted
