# ravel convert: there and back, and what a finding is called in each format.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"

# What all three formats can say: explicit forks, plain accesses, locks, bare locations.
cat >first.tid <<'T'
# no implied forks
fork 0 1 @1
fork 0 2 @2
acq 1 m @3
wr 1 x @4
rel 1 m @5
rd 2 x @6
acq 2 m @7
wr 2 y @8
rel 2 m @9
join 0 1 @10
join 0 2 @11
T
"$RAVEL" convert first.tid first.rvl
"$RAVEL" convert first.rvl first.std
"$RAVEL" convert first.std second.tid
cmp first.tid second.tid
"$RAVEL" convert second.tid second.rvl
cmp first.rvl second.rvl
"$RAVEL" convert second.rvl second.std
cmp first.std second.std

# What is lost is said.
printf '%s\n' 'wr 1 x 5' 'rd 1 x 5' >values.tid
expect 0 "$RAVEL" convert values.tid values.std
err_has 'ravel: note: values.std: lost: '
refuse 'can be read but not written' "$RAVEL" convert first.tid first.data
expect 0 "$RAVEL" convert --to rvl first.std other
cmp other first.rvl

# The id of a finding does not depend on the format, on comments above it, or on where the trace lies.
want=$(ids first.tid)
[[ -n $want ]]
for format in rvl std; do [[ $(ids "first.$format") == "$want" ]] || fail "other ids from .$format"; done
cat >own.tid <<'T'
wr 1 x
rd 1 z
wr 2 x
wr 2 z
T
want=$(ids own.tid)
[[ $(wc -w <<<"$want") == 2 ]] || fail 'two races'
{
  for i in 1 2 3 4 5 6 7 8 9 10; do echo "# comment $i"; done
  cat own.tid
} >moved.tid
[[ $(ids moved.tid) == "$want" ]] || fail 'comments changed the ids'
"$RAVEL" convert own.tid own.rvl
"$RAVEL" convert -q own.tid own.std
for format in rvl std; do [[ $(ids "own.$format") == "$want" ]] || fail "other ids from .$format"; done
mkdir elsewhere
cp own.tid elsewhere/renamed.tid
[[ $(ids elsewhere/renamed.tid) == "$want" ]] || fail 'the directory changed the ids'
[[ $(cd elsewhere && ids renamed.tid) == "$want" ]] || fail 'the current directory changed the ids'

# A signal in the middle leaves no file behind. The input is a pipe that says nothing more, so ravel surely
# waits; it holds less than what was written, so the conversion is under way.
mkfifo pipe.std
"$RAVEL" convert pipe.std stopped.rvl &
pid=$!
exec 4>pipe.std
python3 -c 'print("1|w(x)|1\n" * 1000000)' >&4
compgen -G 'stopped.rvl*' >/dev/null || fail 'the conversion never began'
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
exec 4>&-
[[ $code == 143 ]] || fail "ended with $code, not by the signal"
[[ -z $(compgen -G 'stopped.rvl*') ]] || fail 'a half-written file is left'
