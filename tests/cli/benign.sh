# Races that the program itself calls harmless (ravel/annotate.h) are listed, with the reason, but are no failure.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"
: >"$TMP/out" >"$TMP/err"
wrapper=$(dirname "$RAVEL")/ravel-c++

cat >counts.cpp <<'END'
#include <ravel/annotate.h>

#include <thread>

int hits, misses;

int main(int arguments, char**) {
  RAVEL_BENIGN_RACE(&hits, sizeof hits, "statistics only");
  const auto count = [arguments] {
    hits = 1;
    if (arguments > 1) misses = 1;
  };
  std::thread one(count), two(count);
  one.join();
  two.join();
}
END
"$wrapper" -g -O1 -pthread -I "$RAVEL_SOURCE_DIR/include" counts.cpp -o counts

expect 0 "$RAVEL" run -- ./counts
out_has 'race on hits'
out_has 'harmless: the program says so: statistics only'
expect 0 "$RAVEL" record -q -o t.rvl -- ./counts
expect 0 "$RAVEL" analyze t.rvl
out_has 'harmless: the program says so: statistics only'
expect 0 "$RAVEL" analyze --json t.rvl
out_has '"benign": "the program says so: statistics only"'

# Only those bytes.
expect 66 "$RAVEL" run -- ./counts all
out_has 'race on misses'
[[ $(grep -c harmless out) == 1 ]] || fail 'which one is harmless'
