# ravel analyze: exit codes, what is printed where, several traces.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"

printf '%s\n' 'wr 1 y' 'wr 2 y' >other.tid
expect 66 "$RAVEL" analyze race.tid
out_has 'observed: data race on x'
out_has '  next: ravel analyze --with all --show-all race.tid'
out_has 'race.tid:1: warning: write of x by thread 1 and read by thread 2 at race.tid:2 are not ordered (observed by hb) [race]'
[[ ! -s err ]] || fail 'a clean run has nothing to say on standard error'

expect 0 "$RAVEL" analyze quiet.tid
out_has 'SUMMARY: no findings'
printf '' >empty.tid
expect 0 "$RAVEL" analyze empty.tid
out_has 'SUMMARY: no findings'

# Below --fail-on: counted, not shown, no code 66.
expect 0 "$RAVEL" analyze --fail-on confirmed race.tid
out_has '1 observed finding not shown'
expect 0 "$RAVEL" analyze --fail-on confirmed --show-all race.tid
out_has 'observed: data race on x'
expect 66 "$RAVEL" analyze --with lockset --fail-on suspected --from tiddle - <other.tid
printf '%s\n' 'wr 0 y' 'fork 0 1' 'wr 1 y' >forked.tid
expect 0 "$RAVEL" analyze --with lockset forked.tid
out_has '1 suspected finding not shown'
expect 66 "$RAVEL" analyze --with lockset other.tid
out_has 'suspected by lockset'
out_has 'predicted by witness'

# After all analyses there is nothing deeper than the explanation.
expect 66 "$RAVEL" analyze --with all race.tid
out_has '  next: ravel explain race'
expect 0 "$RAVEL" explain race
out_has 'Two threads access the same memory'

# Several traces, one report; a bad one is named and nothing is printed.
expect 66 "$RAVEL" analyze race.tid quiet.tid other.tid
out_has 'SUMMARY: 2 findings'
out_has 'data race on x'
out_has 'data race on y'
expect 66 "$RAVEL" analyze race.tid race.tid
out_has 'SUMMARY: 1 finding'
refuse 'missing.tid: cannot read: no such file' "$RAVEL" analyze race.tid missing.tid

# Broken rules: an error with its line, or dropped and counted; --quiet does not count aloud.
printf '%s\n' 'wr 1 x' 'rel 1 m' 'wr 2 x' >broken.tid
refuse 'broken.tid:2: thread 1 releases a lock that it does not hold: m' "$RAVEL" analyze broken.tid
expect 66 "$RAVEL" analyze --lenient broken.tid
err_has 'ravel: note: broken.tid: 1 releases by a thread that does not hold the lock were dropped'
expect 66 "$RAVEL" analyze --lenient --quiet broken.tid
[[ ! -s err ]] || fail '--quiet'

# JSON, and a file that appears complete.
expect 66 "$RAVEL" analyze --json race.tid -o findings.json
[[ ! -s out ]] || fail 'with -o the report is in the file alone'
python3 - <<'P'
import json
report = json.load(open("findings.json"))
assert report["version"] == 1, report
(finding,) = report["findings"]
assert finding["kind"] == "race" and finding["verdict"] == "observed" and finding["object"] == "x", finding
assert finding["places"] == ["race.tid:1", "race.tid:2"], finding
P
[[ $(echo findings.json*) == findings.json ]] || fail 'something was left beside the output'
expect 0 "$RAVEL" report findings.json
out_has 'observed: data race on x'
expect 0 "$RAVEL" report --format json findings.json
cmp out findings.json
refuse 'race.tid:1: not JSON' "$RAVEL" report race.tid
refuse 'nowhere/f: cannot write' "$RAVEL" analyze race.tid -o nowhere/f

# Standard output that cannot be written to.
code=0
"$RAVEL" analyze race.tid >/dev/full 2>err || code=$?
[[ $code == 2 && $(<err) == 'ravel: cannot write to standard output: No space left on device' ]] || fail "/dev/full: $code"
code=0
"$RAVEL" analyze race.tid 2>err >&- || code=$?
[[ $code == 2 && $(wc -l <err) == 1 ]] || fail "closed standard output: $code"
code=0
(trap '' PIPE; exec 3> >(exit 0); wait $!; "$RAVEL" explain >&3 2>err) || code=$?
[[ $code == 141 && ! -s err ]] || fail "closed pipe: $code, $(<err)"
