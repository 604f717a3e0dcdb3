# ravel replay: a schedule is followed, from anywhere, and a program that cannot follow it is told.
source "$RAVEL_SOURCE_DIR/tests/cli/support/schedules.bash"

deadly=$(seed_for 66 ./dead)
"$RAVEL" record -q --schedule=random --seed "$deadly" -o dead.rvl -- ./dead 2>/dev/null || true

# The same outcome, each time and from another directory.
expect 66 "$RAVEL" replay dead.schedule.json
out_has 'failing: deadlock on left, right'
err_has 'deadlock, as expected'
mkdir elsewhere
(cd elsewhere && expect 66 "$RAVEL" replay --runs 3 ../dead.schedule.json)
err_has '(3 of 3 runs)'
# It is the decisions that are followed, not the seed.
sed 's/"seed": [0-9]*/"seed": 12345/; s/"strategy": "random"/"strategy": "non-preemptive"/' dead.schedule.json >other.schedule.json
expect 66 "$RAVEL" replay other.schedule.json

# The program's own ends are passed on.
for end in 'exit 3:3' 'kill 6:134' 'exit 0:0'; do
  # shellcheck disable=SC2086
  "$RAVEL" record -q --schedule=random -o end.rvl -- ./world ${end%:*} || true
  expect "${end#*:}" "$RAVEL" replay end.schedule.json
  err_has "as expected"
done
sed 's/"exit 0"/"signal 6"/' end.schedule.json >wrong.schedule.json
expect 0 "$RAVEL" replay wrong.schedule.json
err_has 'exit 0 instead of signal 6'

# A trace of it.
expect 66 "$RAVEL" replay -o kept.rvl dead.schedule.json
expect 66 "$RAVEL" analyze kept.rvl
out_has 'observed: deadlock on left, right'

# Constraints by places: each thread has its first lock before the other one wants it.
line() { echo "dead.cpp:$(grep -n "$1" dead.cpp | sed -n "${2}p" | cut -d: -f1)"; }
step() { printf '{"place": "%s", "occurrence": 1}' "$1"; }
constraints() { printf '{"version": 1, "command": ["./dead"], "constraints": [[%s, %s], [%s, %s]]}' "$@"; }
constraints "$(step "$(line 'one(left)' 1)")" "$(step "$(line 'two(left)' 1)")" \
  "$(step "$(line 'one(right)' 1)")" "$(step "$(line 'two(right)' 1)")" >places.json
expect 66 "$RAVEL" replay places.json
out_has 'failing: deadlock on left, right'
sed "s/$(line 'one(left)' 1)/dead.cpp:999/" places.json >nowhere.json
refuse 'dead: no code at dead.cpp:999, which the schedule names' "$RAVEL" replay nowhere.json
sed 's/"occurrence": 1/"occurrence": 99/g' places.json >never.json
refuse 'should come, but the program has ended' "$RAVEL" replay never.json

# Another program: one line says where it goes another way.
refuse 'dead.schedule.json: the schedule does not fit the program: at step ' "$RAVEL" replay -q dead.schedule.json -- ./world exit 0
sed '/two(right)/d; /two(left)/d' dead.cpp >less.cpp
"$wrapper" -g -O1 -pthread less.cpp -o less
refuse 'should lock, but is about to unlock at ' "$RAVEL" replay -q dead.schedule.json -- ./less
err_has 'less.cpp:'

# Standard input belongs to the run.
printf 'a\nb' >given
"$RAVEL" record -q --schedule=random -o cat.rvl -- ./world cat <given >copy
cmp given copy || fail 'stdin'
cmp given cat.input || fail 'the input was not kept'
for _ in 1 2; do
  "$RAVEL" replay -q --with hb cat.schedule.json >copy </dev/null
  [[ $(head -2 copy) == $'a\nbSUMMARY: no findings' ]] || fail 'stdin of a replay'
done
printf 'other' >cat.input
refuse 'was made with other input' "$RAVEL" replay cat.schedule.json
rm cat.input
expect 0 "$RAVEL" replay cat.schedule.json <given
refuse 'was made with other input' "$RAVEL" replay cat.schedule.json <dead.cpp

# Input of an earlier run is not that of this one.
"$RAVEL" record -q --schedule=random -o cat.rvl -- ./world cat <given >copy
: >empty
"$RAVEL" record -q --schedule=random -o cat.rvl -- ./world cat <empty
expect 0 "$RAVEL" replay cat.schedule.json

# In gdb: the runtime is in the program, not in gdb.
mkdir fake
cat >fake/gdb <<'END'
#!/bin/sh
printf '%s\n' "$LD_PRELOAD" "$@"
END
chmod +x fake/gdb
expect 0 env PATH="$PWD/fake:$PATH" "$RAVEL" replay --gdb dead.schedule.json
out_has 'break ravel_decisive_step'
grep -q "^set exec-wrapper env .*LD_PRELOAD=.*RAVEL_OPTIONS=.*schedule=$PWD/dead.schedule.json" out || fail 'wrapper'
[[ $(head -1 out) != *ravel* ]] || fail 'gdb is preloaded'
refuse 'gdb: cannot run it: No such file' env PATH="$PWD/elsewhere" "$RAVEL" replay --gdb dead.schedule.json
if command -v gdb >/dev/null; then
  echo backtrace >commands
  expect 0 "$RAVEL" replay --gdb dead.schedule.json <commands
  grep -qE '(forth|back) \(\) at dead.cpp' out || fail 'no stop at the last step'
fi

# What is no schedule.
printf '{"version": 1,\n' >half.json
refuse 'half.json:2: ' "$RAVEL" replay half.json
refuse 'no.json' "$RAVEL" replay no.json
sed 's/"strategy": "[a-z]*"/"strategy": "chance"/' dead.schedule.json >chance.json
refuse "chance.json: unknown strategy 'chance'" "$RAVEL" replay chance.json
sed 's/"command": .*/"command": [],/' dead.schedule.json >nothing.json
refuse 'nothing.json: the schedule has no command' "$RAVEL" replay nothing.json
