# What surrounds a run: environment, directory, commands before and after, standard input, the number of the run.
source "$RAVEL_SOURCE_DIR/tests/cli/support/schedules.bash"

# {run} in arguments, --env and the commands.
expect 0 "$RAVEL" record --env 'NAME=n{run}' --before 'echo before {run}' --after 'echo after {run}' -o t.rvl -- \
  ./world where 'word{run}'
printf '%s\n' 'before 0' "$PWD" n0 word0 'after 0' | cmp - out || fail 'surroundings'
rm made

# The schedule keeps the environment and the words as they were given.
expect 0 "$RAVEL" run --schedule=random --env 'NAME=n{run}' --fresh-cwd --before 'pwd >&2; touch before' --after 'ls >&2' -- \
  ./world where 'word{run}'
[[ ! -e made && ! -e before ]] || fail 'it ran here'
err_has 'made'
err_has 'before'
! compgen -G "$TMP/.ravel-*" >/dev/null || fail 'the directory was not removed'
expect 0 "$RAVEL" replay --runs 2 --fresh-cwd world.schedule.json
out_has n1
out_has word1
expect 0 env NAME=other "$RAVEL" replay -q --fresh-cwd world.schedule.json
out_has n0

# A command before the run that fails: there is no run.
refuse 'false: the command before the run failed with exit code 1' "$RAVEL" run --before false -- ./world exit 0
expect 0 "$RAVEL" run --after false -- ./world exit 0
err_has 'false: the command after the run failed with exit code 1'
refuse "'NAME' is not NAME=VALUE" "$RAVEL" run --env NAME -- ./world exit 0

# Each run gets standard input from its beginning.
printf 'input\n' | expect 0 "$RAVEL" record -q --schedule=random --check-determinism -o t.rvl -- ./world cat
[[ $(<out) == $'input\ninput' ]] || fail 'standard input of two runs'
# Without a schedule it is the program's own, and need not end.
mkfifo pipe
exec 5<>pipe
expect 0 "$RAVEL" record -q -o t.rvl -- ./world exit 0 <&5
exec 5>&-
