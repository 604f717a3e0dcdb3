# Bad input of every kind is one line on standard error and exit code 2.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"

"$RAVEL" convert race.tid good.rvl
size=$(stat -c %s good.rvl)

# damaged/N: good.rvl with byte N inverted.
mkdir damaged
python3 - <<'P'
good = open("good.rvl", "rb").read()
for at in range(len(good)):
    open(f"damaged/{at}", "wb").write(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1:])
P
# Every single byte of the file matters. (The first blocks' sizes may make it look cut off: that is told as a note and the
# part before it is used, but then no event may be invented.)
expect 66 "$RAVEL" analyze --json good.rvl
cp out good.json
sed -i 's/good.rvl/bad.rvl/' good.json
cp damaged/4 version.rvl
for ((byte = 0; byte < size; byte++)); do
  mv "damaged/$byte" bad.rvl
  code=0
  "$RAVEL" analyze --json bad.rvl >out 2>err || code=$?
  case $code in
  2) [[ ! -s out && $(wc -l <err) == 1 ]] || fail "byte $byte: more than one line" ;;
  0) grep -q '^ravel: note: bad.rvl: the trace ' err || fail "byte $byte: accepted in silence" ;;
  66) grep -q '^ravel: note: bad.rvl: the trace ' err && cmp -s out good.json || fail "byte $byte: accepted in silence" ;;
  *) fail "byte $byte: exit code $code" ;;
  esac
done

# The same for a file that was cut: an error, or a note that says so.
for ((length = 0; length < size; length++)); do
  head -c "$length" good.rvl >bad.rvl
  code=0
  "$RAVEL" analyze bad.rvl >out 2>err || code=$?
  [[ $code == 2 || $code == 0 || $code == 66 ]] || fail "$length bytes: exit code $code"
  [[ $(wc -l <err) == 1 ]] || fail "$length bytes: not exactly one line of error or note"
done

head -c 20 good.rvl >bad.rvl
refuse 'bad.rvl: ' "$RAVEL" analyze bad.rvl
refuse 'version.rvl: ' "$RAVEL" analyze version.rvl
printf 'no trace at all, but long enough to hold a header' >bad.rvl
refuse 'bad.rvl: ' "$RAVEL" analyze bad.rvl

head -c 10000000 /dev/zero | tr '\0' a >long.tid
refuse 'long.tid:1: the line is longer than' "$RAVEL" analyze long.tid
cp long.tid long.std
refuse 'long.std:1: the line is longer than' "$RAVEL" analyze long.std
printf '%s\n' 'wr 1 x' 'frobnicate 1 x' >unknown.tid
refuse "unknown.tid:2: unknown operation 'frobnicate'" "$RAVEL" analyze unknown.tid
printf '%s\n' 'wr 1 x' 'rel 1 m' >release.tid
refuse 'release.tid:2: thread 1 releases a lock that it does not hold' "$RAVEL" analyze release.tid
mkdir folder.tid
refuse 'folder.tid: cannot read: it is a directory' "$RAVEL" analyze folder.tid
refuse 'missing.tid: cannot read: no such file' "$RAVEL" analyze missing.tid
refuse 'race.xyz: its name does not tell the trace format' "$RAVEL" analyze race.xyz

# root may read everything, so become somebody else if there is a way.
mkdir locked
cp race.tid locked/race.tid
chmod 0 locked
if ((EUID != 0)); then
  refuse 'locked/race.tid: cannot read: ' "$RAVEL" analyze locked/race.tid
elif command -v setpriv >/dev/null; then
  cp "$RAVEL" ravel && chmod 755 . ravel
  # Only where nobody may go through all directories above, or the program itself could not be started.
  if setpriv --reuid=65534 --clear-groups "$TMP/ravel" --version >/dev/null 2>&1; then
    refuse 'locked/race.tid: cannot read: ' setpriv --reuid=65534 --clear-groups "$TMP/ravel" analyze locked/race.tid
  fi
fi
chmod 700 locked

# A failed conversion leaves nothing behind.
refuse 'unknown.tid:2: ' "$RAVEL" convert unknown.tid made.rvl
[[ ! -e made.rvl && -z $(compgen -G 'made*') ]] || fail 'a failed conversion left a file'
