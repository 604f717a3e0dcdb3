# What the scripts of tests/cli share; they source it by its path from $RAVEL_SOURCE_DIR.

fail() {
  printf 'FAILED: %s\n' "$1" >&2
  printf -- '-- out:\n' >&2 && head -c 2000 "$TMP/out" >&2
  printf -- '-- err:\n' >&2 && head -c 2000 "$TMP/err" >&2
  exit 1
}

# expect CODE COMMAND...: runs the command, which must end with this code; its output is in $TMP/out and $TMP/err.
expect() {
  local want=$1 code=0
  shift
  "$@" >"$TMP/out" 2>"$TMP/err" || code=$?
  [[ $code == "$want" ]] || fail "'$*' ended with $code, not $want"
}

# can_link COMPILER OPTIONS...: whether the compiler itself can. A linker of another version cannot read what clang leaves
# for link-time optimization.
can_link() { echo 'int main() {}' | "$1" "${@:2}" -x c++ - -o "$TMP/can_link" 2>/dev/null; }

# The last command's output (or error) has this line or text.
out_has() { grep -qF -- "$1" "$TMP/out" || fail "not in the output: $1"; }
err_has() { grep -qF -- "$1" "$TMP/err" || fail "not in the errors: $1"; }

# refuse TEXT COMMAND...: wrong input or usage: code 2, nothing on standard output, one line with TEXT on standard error.
refuse() {
  local text=$1
  shift
  expect 2 "$@"
  [[ ! -s $TMP/out ]] || fail "'$*' printed something in spite of the error"
  [[ $(wc -l <"$TMP/err") == 1 ]] || fail "'$*' did not print exactly one line of error"
  err_has "$text"
}

# The ids of the findings in a trace, sorted.
ids() {
  expect 66 "$RAVEL" analyze --json "$@"
  python3 -c 'import json, sys; print("\n".join(sorted(f["id"] for f in json.load(sys.stdin)["findings"])))' <"$TMP/out"
}

# A race on x, and the same two accesses under one lock.
race=$TMP/race.tid
printf '%s\n' 'wr 1 x' 'rd 2 x' >"$race"
quiet=$TMP/quiet.tid
printf '%s\n' 'acq 1 m' 'wr 1 x' 'rel 1 m' 'acq 2 m' 'rd 2 x' 'rel 2 m' >"$quiet"
