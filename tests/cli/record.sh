# ravel record: the program behaves as it does alone, and its trace is kept whatever becomes of it.
source "$RAVEL_SOURCE_DIR/tests/cli/support/programs.bash"

# has_race TRACE...: the race is in each of them, and each is well-formed.
has_race() {
  for trace in "$@"; do
    expect 66 "$RAVEL" analyze "$trace"
    out_has 'observed: data race on shared'
  done
}
# A recording that ended before the program did says so; others must not.
complete() { ! grep -qE 'no end|not complete' err || fail 'said to be incomplete'; }

# Output is the program's own, notes go elsewhere, and the next command is named.
expect 0 "$RAVEL" record -o t.rvl -- ./race out err
[[ $(<out) == 'to stdout' ]] || fail 'stdout'
err_has 'to stderr'
err_has 'ravel analyze t.rvl'
complete
has_race t.rvl
expect 0 "$RAVEL" record -q -o t.rvl -- ./race
[[ ! -s err ]] || fail '--quiet is not quiet'
printf 'a\nb' >input
"$RAVEL" record -q -o t.rvl -- ./race cat <input >copy
cmp input copy || fail 'stdin'
expect 0 "$RAVEL" record -- ./race
has_race race.rvl

# Exit codes, also of programs that leave no time to say goodbye. Every trace is there.
for end in 'exit 3' '_exit 4'; do
  # shellcheck disable=SC2086
  expect "${end#* }" "$RAVEL" record -o t.rvl -- ./race $end
  complete
  has_race t.rvl
done
for signal in 6 9 11 15; do
  expect $((128 + signal)) "$RAVEL" record -o t.rvl -- ./race kill "$signal"
  err_has 'killed or has crashed'
  has_race t.rvl
done
expect 66 "$RAVEL" record -o t.rvl -- ./race exit 66

refuses_bad_programs "$RAVEL" record -o t.rvl
refuse 'nowhere' "$RAVEL" record -o nowhere/t.rvl -- ./race out
! compgen -G '.ravel-*' >/dev/null || fail 'something was left behind'

# A trace for each process and each image.
mkdir family
expect 0 "$RAVEL" record -o family/t.rvl -- ./race fork
err_has '2 processes'
[[ $(find family -name 't.*.rvl' | wc -l) == 1 ]] || fail "traces: $(ls family)"
has_race family/*.rvl
mkdir images
expect 5 "$RAVEL" record -o images/t.rvl -- ./race exec ./clean 5
complete
[[ $(find images -name '*.rvl' | wc -l) == 2 ]] || fail "traces: $(ls images)"
has_race images/t.rvl
expect 0 "$RAVEL" analyze "$(find images -name 't.*.rvl')"
# What a child becomes does not replace what it was.
mkdir both
expect 0 "$RAVEL" record -o both/t.rvl -- ./race fork exec ./race
[[ $(find both -name '*.rvl' | wc -l) == 3 ]] || fail "traces: $(ls both)"
has_race both/*.rvl
mkdir chain
expect 0 "$RAVEL" record -o chain/t.rvl -- ./race exec ./race exec ./race
[[ $(find chain -name 't.*-1.rvl' | wc -l) == 1 && $(find chain -name '*.rvl' | wc -l) == 3 ]] || fail "traces: $(ls chain)"
has_race chain/*.rvl

# Every filter keeps the race.
for filter in owner segment none; do
  expect 0 "$RAVEL" record --filter="$filter" -o "$filter.rvl" -- ./race
  complete
  has_race "$filter.rvl"
done
refuse "'few' is none of owner, segment, none" "$RAVEL" record --filter=few -- ./race

# A recording that has become too large ends for all threads at once; the program goes on. What there is can be read,
# and what is missing makes no races. Without a reader beside it, which would make room, it is certain to become so.
./busy >plain_output
mkdir large
RAVEL_OPTIONS=record=large:filter=none:max-size=5M expect 0 ./busy
cmp out plain_output || fail 'the output changed'
err_has 'largest size'
expect 0 "$RAVEL" analyze --lenient large/*.rvl
err_has 'not complete'
# With one it depends on who is faster.
expect 0 "$RAVEL" record --max-size 5M --filter=none -o t.rvl -- ./busy
cmp out plain_output || fail 'the output changed'
expect 0 "$RAVEL" analyze --lenient t.rvl

# Uninstrumented: locks are seen, accesses are not, and the user is told.
expect 0 "$RAVEL" record -o t.rvl -- ./plain
err_has './plain: none of its code was compiled with ravel-cc or ravel-c++'
expect 0 "$RAVEL" convert t.rvl t.tid
grep -q '^acq' t.tid || fail 'no lock in the trace'
! grep -qE '^(rd|wr) ' t.tid || fail 'accesses of a program without instrumentation'
expect 0 "$RAVEL" record -o t.rvl -- ./race
! grep -q 'none of its code' err || fail 'called uninstrumented'
# Of what a shell starts, the instrumented part is enough.
expect 0 "$RAVEL" record -o t.rvl -- sh -c './race; true'
! grep -q 'none of its code' err || fail 'called uninstrumented'

# Without ravel around it: a recording for each process, which analyze takes.
mkdir self
RAVEL_OPTIONS=record=self expect 3 ./race fork exit 3
[[ ! -s err && $(find self -name 'race.*.rvl' | wc -l) == 2 ]] || fail "recordings: $(ls self)"
has_race self/*.rvl
