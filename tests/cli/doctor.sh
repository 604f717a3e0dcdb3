# ravel doctor: what recording needs is there, or it says what is missing.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"
unset RAVEL_COMPILER

# health NAME: of the check in the last output, which is JSON; several of one name: the first.
health() { python3 -c 'import json, sys; print(next(c["health"] for c in json.load(open("out"))["checks"] if c["name"] == sys.argv[1]))' "$1"; }
works() { python3 -c 'import json; print(json.load(open("out"))["works"])'; }

expect 0 "$RAVEL" doctor
grep -q '^ok  *trial: with .*found$' out || fail 'no trial'
grep -q '^ok  *debug-information' out || fail 'no debug information'
! grep -q '^problem' out || fail 'a problem where everything works'
out_has 'Recording works'

expect 0 "$RAVEL" doctor --json
[[ $(works) == True && $(health trial) == ok && $(health runtime) == ok ]] || fail 'JSON'
! compgen -G "$TMP/ravel-doctor-*" >/dev/null || fail 'something was left behind'

# The address space is limited: a problem with its remedy, and the trial notices by itself.
(ulimit -Sv 8000000 && expect 2 "$RAVEL" doctor --json)
[[ $(works) == False && $(health address-space) == problem && $(health trial) == problem ]] || fail 'limit not noticed'
out_has 'ulimit -v'

# No compiler.
expect 2 env PATH=/nowhere "$RAVEL" doctor --json
[[ $(health compiler) == problem && $(health g++) == note ]] || fail 'no compiler, not noticed'
expect 2 env RAVEL_COMPILER=no-such-g++ "$RAVEL" doctor
out_has 'RAVEL_COMPILER'

# A compiler that does not compile.
mkdir broken && printf '%s\n' '#!/bin/sh' 'echo "out of order" >&2' 'exit 1' >broken/g++ && chmod +x broken/g++
expect 2 env RAVEL_COMPILER="$TMP/broken/g++" "$RAVEL" doctor
grep -q '^problem  *trial: .*cannot be compiled: out of order' out || fail 'the broken compiler was not noticed'

# No place for temporary files.
expect 2 env TMPDIR=/nowhere "$RAVEL" doctor
out_has 'set TMPDIR'

# A copy of ravel without what belongs beside it.
mkdir -p alone/bin && cp "$RAVEL" alone/bin/ravel
expect 2 alone/bin/ravel doctor --json
[[ $(health ravel-c++) == problem && $(health runtime) == problem ]] || fail 'not noticed: nothing beside ravel'
