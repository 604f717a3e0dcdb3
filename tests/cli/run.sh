# ravel run: the program behaves as it does alone; findings come after it.
source "$RAVEL_SOURCE_DIR/tests/cli/support/programs.bash"

# The exit code: 66 for findings, else the program's own. JSON tells both.
target_exit() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["target_exit"], "race" if d["findings"] else "none")' "$1"; }
expect 66 "$RAVEL" run -- ./race out err
[[ $(head -1 out) == 'to stdout' ]] || fail 'stdout'
out_has 'observed: data race on shared'
out_has 'observed by hb in ./race out err:'
[[ $(<err) == 'to stderr' ]] || fail 'stderr'
expect 0 "$RAVEL" run -- ./clean
expect 3 "$RAVEL" run -- ./clean 3
expect 66 "$RAVEL" run -- ./clean 66
expect 3 "$RAVEL" run --fail-on confirmed -- ./race exit 3
expect 66 "$RAVEL" run --json -o f.json -- ./race out exit 3
[[ $(<out) == 'to stdout' && $(target_exit f.json) == '3 race' ]] || fail 'target_exit'
expect 66 "$RAVEL" run --json -o f.json -- ./clean 66
[[ $(target_exit f.json) == '66 none' ]] || fail 'target_exit of 66'
for signal in 6 9 15; do
  expect 66 "$RAVEL" run --json -o f.json -- ./race kill "$signal"
  [[ $(target_exit f.json) == "$((128 + signal)) race" ]] || fail "signal $signal"
  err_has 'killed or has crashed'
done
expect 137 "$RAVEL" run --fail-on confirmed -- ./race kill 9
printf 'a\nb' >input
"$RAVEL" run -q --fail-on failing -o f.txt -- ./race cat <input >copy
cmp input copy || fail 'stdin'

refuses_bad_programs "$RAVEL" run
refuse 'nowhere' env TMPDIR=/nowhere "$RAVEL" run -- ./race out
refuse 'nowhere/f.json' "$RAVEL" run --json -o nowhere/f.json -- ./clean

# Findings of children and of what a program becomes belong to the run.
expect 66 "$RAVEL" run -- sh -c './race; true'
out_has 'data race on shared'
expect 66 "$RAVEL" run -- ./race exec ./clean
expect 66 "$RAVEL" run -- ./race fork

# The race is found, and the recording has an end, with every filter; also when the program is ahead of its analyses.
for filter in owner segment none; do
  expect 66 "$RAVEL" run --filter="$filter" -- ./race exit 0
  [[ ! -s err ]] || fail "notes of a complete recording ($filter)"
  expect 0 "$RAVEL" run --filter="$filter" -- ./busy
  [[ ! -s err ]] || fail "notes of a complete recording ($filter)"
done
expect 0 "$RAVEL" run --max-size 5M --filter=none -- ./busy
[[ $(head -1 out) == $(./busy) ]] || fail 'the output changed'

expect 0 "$RAVEL" run -- ./plain
err_has './plain: none of its code was compiled with ravel-cc or ravel-c++'
expect 0 "$RAVEL" run -q -- ./plain
[[ ! -s err ]] || fail '--quiet is not quiet'

# Ctrl-C reaches the whole group: the program's handler runs, its trace is complete, and ravel goes on to the findings.
cat >ctrl_c.py <<'END'
import os, signal, subprocess, sys
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
assert run.stdout.readline() == b"ready\n"
os.killpg(run.pid, signal.SIGINT)
out, err = run.communicate()
sys.stdout.buffer.write(out)
sys.stderr.buffer.write(err)
sys.exit(run.returncode)
END
expect 66 python3 ctrl_c.py "$RAVEL" run -- ./race wait
[[ $(head -1 out) == handled && ! -s err ]] || fail 'the handler did not run, or the recording has no end'
out_has 'data race on shared'
expect 0 python3 ctrl_c.py "$RAVEL" record -o t.rvl -- ./race wait
expect 66 "$RAVEL" analyze t.rvl

! compgen -G "$TMP/.ravel-*" >/dev/null || fail 'something was left behind'
