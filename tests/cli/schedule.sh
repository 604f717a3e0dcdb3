# Controlled runs: the same seed is the same run, its schedule is kept, and runs that cannot go on are findings.
source "$RAVEL_SOURCE_DIR/tests/cli/support/schedules.bash"

deadly=$(seed_for 66 ./dead)
harmless=$(seed_for 0 ./dead)

# The same seed is the same run; the trace can be analysed.
for name in first second; do
  expect 0 "$RAVEL" record --schedule=random --seed "$harmless" -o "$name.rvl" -- ./dead
  err_has "seed $harmless"
  err_has "again: ravel replay $name.schedule.json"
  expect 0 "$RAVEL" convert -q "$name.rvl" "$name.tid"
done
cmp first.tid second.tid || fail 'other events'
[[ $(field first.schedule.json decisions) == "$(field second.schedule.json decisions)" ]] || fail 'other decisions'
[[ $(field first.schedule.json decisions) == *lock* ]] || fail 'no decisions'
[[ $(field first.schedule.json outcome) == 'exit 0' ]] || fail 'outcome'
expect 0 "$RAVEL" analyze first.rvl

# Without --seed it is a new one, which is kept.
"$RAVEL" record -q --schedule=random -o new.rvl -- ./world exit 0
"$RAVEL" record -q --schedule=random --seed "$(field new.schedule.json seed)" -o again.rvl -- ./world exit 0
[[ $(field new.schedule.json decisions) == "$(field again.schedule.json decisions)" ]] || fail 'the seed is not the one'

# OpenMP's threads shall not spin before they wait, unless the user wants that.
policy() { "$RAVEL" record -q "$@" -o t.rvl -- sh -c 'echo "${GOMP_SPINCOUNT-none} ${KMP_BLOCKTIME-none}"'; }
[[ $(policy) == 'none none' ]] || fail 'variables of a free run'
[[ $(policy --schedule=random) == '0 0' ]] || fail 'variables of a controlled run'
[[ $(KMP_BLOCKTIME=7 policy --schedule=random --env GOMP_SPINCOUNT=5) == '5 7' ]] || fail "the user's variables"

# Every strategy and every kind of switch runs the program to its end.
for strategy in random round-robin non-preemptive; do
  expect 3 "$RAVEL" record --schedule="$strategy" -o t.rvl -- ./world exit 3
  [[ $(field t.schedule.json strategy) == "$strategy" ]] || fail 'strategy'
done
for points in sync shared all; do
  expect 3 "$RAVEL" record --schedule=random --switch-at="$points" -o t.rvl -- ./world exit 3
  [[ $(field t.schedule.json switch_at) == "$points" ]] || fail 'switch_at'
done

# A deadlock: who waits for what, and since where it is held.
waits_right=dead.cpp:$(grep -n 'waits for right' dead.cpp | cut -d: -f1)
expect 66 "$RAVEL" record --schedule=random --seed "$deadly" -o t.rvl -- ./dead
err_has './dead: deadlock: thread'
grep -qE "waits for right at .*$waits_right, held by thread T[12] since .*dead.cpp:" err || fail 'who waits for what'
[[ $(field t.schedule.json outcome) == deadlock ]] || fail 'outcome'
expect 66 "$RAVEL" run --schedule=random --seed "$deadly" -- ./dead
out_has 'failing: deadlock on left, right'
out_has 'next: ravel replay dead.schedule.json'
out_has '#'
expect 66 "$RAVEL" run --json -o f.json --schedule=random --seed "$deadly" -- ./dead
python3 - <<'END'
import json
findings = json.load(open("f.json"))["findings"]
assert [f["kind"] for f in findings if f["verdict"] == "failing"] == ["deadlock"], findings
assert findings[0]["evidence"][0]["schedule"] == "dead.schedule.json"
END
expect 0 "$RAVEL" run --schedule=random --seed "$harmless" -- ./dead
expect 66 "$RAVEL" run -q --schedule=random --seed "$(seed_for 66 ./world lost)" -- ./world lost
out_has 'failing: lost wake-up on condition'

# However the program ends, its steps are kept.
for end in 'exit 3:3:exit 3' 'kill 6:134:signal 6' 'kill 9:137:signal 9'; do
  IFS=: read -r words code outcome <<<"$end"
  # shellcheck disable=SC2086
  expect "$code" "$RAVEL" record --schedule=random -o t.rvl -- ./world $words
  [[ $(field t.schedule.json outcome) == "$outcome" && $(field t.schedule.json decisions) == *lock* ]] || fail "$outcome"
done
# If ravel itself is killed, the schedule that it wrote first repeats the run.
mkfifo ready
setsid "$RAVEL" record -q --schedule=random --seed 5 -o killed.rvl -- ./world hang >ready </dev/null &
ravel=$!
read -r line <ready
[[ $line == ready ]] || fail 'it does not hang'
kill -KILL "$ravel"
wait "$ravel" || true
kill -KILL -- "-$ravel"
[[ $(field killed.schedule.json seed) == 5 && $(field killed.schedule.json decisions) == '[]' ]] || fail 'schedule before the run'

# A livelock: all that the threads do is wait for each other. Those that work are none, however long they do.
expect 66 "$RAVEL" run -q --schedule=random --seed 1 --step-limit 300000 -- ./world spin
out_has 'failing: livelock'
grep -qE "thread main .*world.cpp:$(grep -n 'nobody sets it' world.cpp | cut -d: -f1)" out || fail 'who spins'
[[ $(field world.schedule.json outcome) == livelock ]] || fail 'outcome'
expect 137 "$RAVEL" run -q --schedule=random --seed 1 --step-limit 300000 -- ./world work
[[ $(field world.schedule.json outcome) == step-limit ]] || fail 'outcome'

# Without accesses the steps are the same, and so is what comes of them.
expect 0 "$RAVEL" record -q --filter=all --schedule=random --seed "$harmless" -o bare.rvl -- ./dead
[[ $(field first.schedule.json decisions) == "$(field bare.schedule.json decisions)" ]] || fail 'other decisions'
expect 66 "$RAVEL" run -q --filter=all --schedule=random --seed "$deadly" -- ./dead
out_has 'failing: deadlock on left, right'
expect 66 "$RAVEL" run -q --filter=all --schedule=random --seed 1 --step-limit 300000 -- ./world spin
out_has 'failing: livelock'
refuse '--filter=all goes with --switch-at=sync only' "$RAVEL" run --filter=all --schedule=random --switch-at=all -- ./dead

# Limits.
expect 137 "$RAVEL" record --schedule=random --step-limit 4 -o t.rvl -- ./dead
err_has '--step-limit'
[[ $(field t.schedule.json outcome) == step-limit ]] || fail 'outcome'
for schedule in free random; do
  expect 137 "$RAVEL" run --time-limit 0.3 --schedule="$schedule" -- ./world hang
  err_has '--time-limit'
done
[[ $(field world.schedule.json outcome) == time-limit ]] || fail 'outcome'

# Whether it is deterministic.
expect 0 "$RAVEL" record --schedule=random --check-determinism -o t.rvl -- ./world exit 0
err_has 'two runs did the same: '
expect 66 "$RAVEL" record --schedule=random --check-determinism -o t.rvl -- ./world count
err_has 'two runs of one schedule differ at step '
err_has 'likely cause: '

# Options that mean nothing alone.
for option in '--seed 3' --switch-at=all --real-time --real-random '--step-limit 5'; do
  # shellcheck disable=SC2086
  refuse "${option%%[ =]*} needs --schedule" "$RAVEL" run $option -- ./dead
done
refuse '--check-determinism needs --schedule' "$RAVEL" record --check-determinism -- ./dead
refuse "'chance' is none of free, " "$RAVEL" run --schedule=chance -- ./dead
refuse './missing: cannot run it' "$RAVEL" record --schedule=random -- ./missing
[[ ! -e missing.schedule.json ]] || fail 'a schedule of a program that did not run'
! compgen -G "$TMP/.ravel-*/again*" >/dev/null || fail 'something was left behind'
