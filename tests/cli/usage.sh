# Wrong usage is one line that names the remedy; help is on standard output.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"

refuse 'ravel: which command? (see ravel --help)' "$RAVEL"
refuse "ravel: unknown command 'ravel anlayze'; did you mean 'analyze'? (see ravel --help)" "$RAVEL" anlayze x
refuse "ravel: unknown command 'ravel tiddle comple'; did you mean 'compile'?" "$RAVEL" tiddle comple x
refuse 'ravel: which command? (see ravel tiddle --help)' "$RAVEL" tiddle
refuse 'ravel: TRACE is required (see ravel analyze --help)' "$RAVEL" analyze
refuse "unknown option '--jsn'; did you mean '--json'?" "$RAVEL" analyze --jsn race.tid
refuse "unexpected argument 'c'" "$RAVEL" convert a b c
refuse "'probable' is none of suspected, predicted, observed, confirmed, failing" "$RAVEL" analyze --fail-on probable race.tid
refuse "unknown analysis 'magic'" "$RAVEL" analyze --with magic race.tid
refuse "'0' is no whole number from 1 on" "$RAVEL" tiddle equivalents --limit 0 race.tid
refuse "nothing is called 'racee'; did you mean 'race'?" "$RAVEL" explain racee
refuse "'tcsh' is none of bash, zsh, fish" "$RAVEL" completions tcsh

expect 0 "$RAVEL" --version
[[ $(<out) =~ ^ravel\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail 'version'

# Each command that --help lists has a page of its own with an example.
expect 0 "$RAVEL" --help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out)
[[ $commands == *analyze*tiddle* ]] || fail 'commands'
for command in $commands 'tiddle compile' 'tiddle equivalents'; do
  # shellcheck disable=SC2086
  expect 0 "$RAVEL" $command --help
  out_has "Usage: ravel $command"
  grep -q '^Examples\?:' out || fail "no example: $command"
  [[ $(wc -L <out) -le 110 ]] || fail "lines too long: $command"
done

# Everything that explain lists can be explained.
expect 0 "$RAVEL" explain
topics=$(sed -n 's/^ [ *] \([a-z0-9-]*\) *.*/\1/p' out)
[[ $(wc -w <<<"$topics") -gt 40 ]] || fail 'topics'
for topic in $topics; do
  expect 0 "$RAVEL" explain "$topic"
  [[ $(wc -l <out) -ge 3 ]] || fail "explains too little: $topic"
done
