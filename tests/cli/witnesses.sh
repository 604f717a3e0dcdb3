# ravel analyze --witnesses: how a race or deadlock that the run did not show can come about, as a trace and as a schedule that
# ravel replay follows.
source "$RAVEL_SOURCE_DIR/tests/cli/support/schedules.bash"

# one_finding FILE: id, verdict, and the evidence by `witness` of the only finding, each in a line.
one_finding() {
  python3 - "$1" <<'P'
import json, sys
(finding,) = json.load(open(sys.argv[1]))["findings"]
(witness,) = [one for one in finding["evidence"] if one["analysis"] == "witness"]
print(finding["id"], finding["verdict"], witness["guarantee"], witness["schedule"], sep="\n")
P
}

# A trace by hand: the sections of m hide the race. The witness is a trace that has it; there is no program to drive.
printf '%s\n' 'wr 1 x' 'acq 1 m' 'rel 1 m' 'acq 2 m' 'rel 2 m' 'wr 2 x' >hidden.tid
expect 0 "$RAVEL" analyze --with hb hidden.tid
for analysis in cp wcp syncp; do
  expect 66 "$RAVEL" analyze --with $analysis --witnesses "by/$analysis" --json -o f.json hidden.tid
  mapfile -t found < <(one_finding f.json)
  [[ ${found[1]} == predicted && ${found[2]} == 'a checked reordering of 6 events in '*'; no schedule: '* ]] || fail "$analysis"
  [[ -z ${found[3]} && ! -e by/$analysis/${found[0]}.json ]] || fail 'a schedule of no program'
  expect 66 "$RAVEL" analyze --with hb "by/$analysis/${found[0]}.tid"
  out_has 'observed: data race on x'
done
# All of them are one finding, and nothing is written without the option.
expect 66 "$RAVEL" analyze --with all hidden.tid
out_has 'SUMMARY: 1 finding'
out_has 'predicted by syncp'
out_has 'predicted by witness in hidden.tid: a checked reordering of 6 events'
[[ $(echo *.json) == f.json ]] || fail 'something was written'

# What cp only suspects, because a lock is released out of order, is predicted once there is a witness.
printf '%s\n' 'wr 1 x' 'acq 1 p' 'acq 1 q' 'rel 1 p' 'rel 1 q' 'acq 2 p' 'rel 2 p' 'wr 2 x' >crossed.tid
expect 66 "$RAVEL" analyze --with cp crossed.tid
out_has 'predicted by witness'
out_has 'suspected by cp'
# Only another order of the sections shows this one: they are few enough to try all.
printf '%s\n' 'acq 1 m' 'wr 1 x' 'rel 1 m' 'acq 2 m' 'rel 2 m' 'wr 2 x' >swapped.tid
expect 0 "$RAVEL" analyze --with syncp swapped.tid
expect 66 "$RAVEL" analyze --with cp swapped.tid
out_has 'predicted by witness'

# A deadlock that the recorded run did not have happens in the program.
expect 0 "$RAVEL" record -q --schedule=non-preemptive --filter=segment -o dead.rvl -- ./dead
expect 66 "$RAVEL" analyze --witnesses found --json -o f.json dead.rvl
mapfile -t found < <(one_finding f.json)
[[ ${found[1]} == predicted && ${found[3]} == "found/${found[0]}.json" ]] || fail 'no schedule'
expect 66 "$RAVEL" analyze --witnesses found dead.rvl
out_has 'predicted: deadlock on left, right'
out_has "next: ravel replay found/${found[0]}.json"
expect 66 "$RAVEL" replay "${found[3]}"
out_has 'failing: deadlock on left, right'
err_has 'deadlock, as expected'

# A race that the recorded run hides is observed when the program follows the witness.
expect 0 "$wrapper" -g -O1 -std=c++20 -pthread "$RAVEL_SOURCE_DIR/tests/programs/predictable/polar_coord.cpp" -o polar
expect 0 "$RAVEL" record -q --schedule=non-preemptive --filter=segment -o polar.rvl -- ./polar
expect 0 "$RAVEL" analyze --with hb polar.rvl
for analysis in cp syncp; do
  expect 66 "$RAVEL" analyze --with $analysis --witnesses found --json -o f.json polar.rvl
  mapfile -t found < <(one_finding f.json)
  expect 66 "$RAVEL" replay --with hb "${found[3]}"
  out_has 'observed: data race on point.count'
  out_has "${found[0]}"
done

# A recording that lacks what a witness needs says how to make one that does not; so does an analysis.
expect 0 "$RAVEL" record -q --schedule=non-preemptive -o owner.rvl -- ./polar
expect 0 "$RAVEL" analyze --with syncp owner.rvl
err_has 'the recorder dropped accesses that syncp needs: record with --filter=segment'
expect 66 "$RAVEL" analyze --witnesses none owner.rvl
out_has 'no witness: the recorder dropped accesses that it depends on; record with --filter=segment'
[[ ! -e none ]] || fail 'an empty directory was made'
expect 0 "$RAVEL" record -q --schedule=non-preemptive -o owner.rvl -- ./dead
expect 0 "$RAVEL" analyze --show-all owner.rvl
out_has 'suspected by deadlock in owner.rvl: no witness: the recorder dropped'

# Where it cannot write.
: >file
refuse 'file/below: cannot make the directory' "$RAVEL" analyze --witnesses file/below hidden.tid
