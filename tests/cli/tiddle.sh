# ravel tiddle: the programs build and run, and run the trace.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"
build() { "${CXX:-c++}" -std=c++20 -pthread -Wall -Wextra -Werror "$@"; }

cat >trace.tid <<'T'
wr 1 x 7
acq 1 m
wr 1 y
rel 1 m
acq 2 m
rd 2 y
rel 2 m
rd 2 x 7
T
expect 0 "$RAVEL" tiddle compile trace.tid -o trace.cpp
[[ ! -s out ]] || fail 'the program is in the file'
build trace.cpp -o program
expect 0 ./program --print
diff <(grep -v '^fork\|^join' out) <(cat trace.tid)
expect 0 "$RAVEL" tiddle compile trace.tid
cmp out trace.cpp

for mode in free yield sleep; do
  expect 0 "$RAVEL" tiddle compile --mode "$mode" "$quiet"
  cp out "$mode.cpp"
  build "$mode.cpp" -o "$mode"
  expect 0 "./$mode"
done
refuse 'missing.tid: cannot read' "$RAVEL" tiddle compile missing.tid
printf '%s\n' 'alloc 1 p 8' >heap.tid
expect 2 "$RAVEL" tiddle compile heap.tid
err_has 'ravel: heap.tid'

# Two independent operations after the forks: swapping them, and each with the other thread's fork.
expect 0 "$RAVEL" tiddle equivalents "$race"
grep -qx 'wr 1 x' out
printf '%s\n' '# no implied forks' 'wr 0 a' 'fork 0 1' 'rd 0 b' 'rd 1 c' >free.tid
expect 0 "$RAVEL" tiddle equivalents free.tid
[[ $(grep -c '^# equivalent' out) == 2 ]] || fail 'rd 0 b and rd 1 c can be swapped, nothing else'
[[ ! -s err ]] || fail 'complete'
expect 0 "$RAVEL" tiddle equivalents --limit 1 free.tid
[[ $(grep -c '^# equivalent' out) == 1 ]] || fail 'limit'
err_has 'ravel: note: free.tid: there are more than 1 (see --limit)'

# Each of them is a trace again.
"$RAVEL" tiddle equivalents free.tid | awk 'BEGIN { RS = "" } { print > ("part" NR ".tid") }'
expect 0 "$RAVEL" analyze part1.tid part2.tid

expect 0 "$RAVEL" tiddle equivalents --compile free.tid -o all.cpp
build all.cpp -o all
expect 0 ./all --print
[[ $(grep -cx 'rd 1 c' out) == 2 ]] || fail 'both traces run'
