# Completion scripts and the man page.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"

"$RAVEL" completions bash >ravel.bash
[[ $(bash -c 'source ravel.bash; complete -p ravel') == *'-F _ravel ravel' ]]

# complete WORD...: what bash offers for the last word.
complete_words() {
  # shellcheck disable=SC2016
  bash -c 'source ravel.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ravel; echo "${COMPREPLY[*]}"' bash "$@"
}
[[ $(complete_words ravel an) == analyze ]]
[[ $(complete_words ravel tiddle eq) == equivalents ]]
[[ $(complete_words ravel analyze --fail-on pre) == predicted ]]
[[ $(complete_words ravel analyze --fail-on = pre) == predicted ]]
[[ $(complete_words ravel analyze --with lockset,h) == lockset,hb ]]
[[ $(complete_words ravel convert --from ti) == tiddle ]]
[[ $(complete_words ravel explain observ) == observed ]]
[[ $(complete_words ravel tiddle compile --mo) == --mode ]]
[[ $(complete_words ravel analyze rac) == '' ]] # file names are bash's own matter

"$RAVEL" completions zsh >_ravel
"$RAVEL" completions fish >ravel.fish
if command -v zsh >/dev/null; then zsh -n _ravel; fi
if command -v fish >/dev/null; then fish --no-execute ravel.fish; fi
for word in analyze convert explain tiddle equivalents fail-on predicted; do
  grep -q -- "$word" _ravel && grep -q -- "$word" ravel.fish
done

"$RAVEL" man >ravel.1
cmp ravel.1 <("$RAVEL" --man)
if command -v man >/dev/null; then
  warnings=$(MANROFFSEQ='' LC_ALL=C.UTF-8 man --warnings=all -l ravel.1 2>&1 >page)
  [[ -z $warnings ]] || { printf '%s\n' "$warnings"; exit 1; }
  for text in 'ravel analyze \[OPTIONS\] TRACE...' '--fail-on VERDICT' 'ravel tiddle equivalents' '66  a finding'; do
    grep -q -- "$text" page
  done
fi
