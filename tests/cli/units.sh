# Units of work that a program marks itself (ravel/annotate.h), from the source to a trace that people can read.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"
: >"$TMP/out" >"$TMP/err"
wrapper=$(dirname "$RAVEL")/ravel-c++

cat >units.cpp <<'END'
#include <pthread.h>
#include <ravel/annotate.h>

#include <cstdio>
#include <stdexcept>

void* nested(void*) {
  RAVEL_UNIT_BEGIN("bank::transfer");
  for (int i = 0; i < 2; ++i) {
    char label[20];  // a label need not stay
    std::snprintf(label, sizeof label, "step-%d", i);
    RAVEL_UNIT(label);
    RAVEL_UNIT(label);
  }
  RAVEL_UNIT_END("bank::transfer");
  return nullptr;
}

void fail_in_scope() {
  RAVEL_UNIT("scope");
  throw std::runtime_error("left");
}
void fail_between_marks() {
  RAVEL_UNIT_BEGIN("marked");
  throw std::runtime_error("left");
}

void* exceptions(void*) {
  RAVEL_UNIT_BEGIN("around");
  for (auto* fails : {fail_in_scope, fail_between_marks}) {
    try {
      fails();
    } catch (const std::exception&) {
    }
  }
  RAVEL_UNIT_END("around");
  RAVEL_UNIT_END("around");  // once too often
  RAVEL_UNIT_END("never-begun");
  RAVEL_UNIT("after");
  return nullptr;
}

void* left_open(void*) {
  RAVEL_UNIT_BEGIN("open");
  return nullptr;
}

void* unwound(void*) {
  RAVEL_UNIT("unwound");
  pthread_exit(nullptr);
}

/// More units within each other than the runtime keeps.
void* deep(void* depth) {
  RAVEL_UNIT("deep");
  if (depth != nullptr) deep(static_cast<char*>(depth) - 1);
  return nullptr;
}

int main() {
  const auto run = [](void* (*work)(void*), void* argument = nullptr) {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, argument);
    pthread_join(thread, nullptr);
  };
  for (auto* work : {nested, exceptions, left_open, unwound}) run(work);
  run(deep, reinterpret_cast<void*>(100));
}
END
cat >expected <<'END'
beg 1 bank::transfer
beg 1 step-0
beg 1 step-0
end 1 step-0
end 1 step-0
beg 1 step-1
beg 1 step-1
end 1 step-1
end 1 step-1
end 1 bank::transfer
beg 2 around
beg 2 scope
end 2 scope
beg 2 marked
end 2 marked
end 2 around
beg 2 after
end 2 after
beg 3 open
beg 4 unwound
end 4 unwound
END
for _ in {1..64}; do printf 'beg 5 deep\n' >>expected; done
for _ in {1..64}; do printf 'end 5 deep\n' >>expected; done

for compiler in g++ clang++-19; do
  expect 0 "$wrapper" "--ravel-compiler=$compiler" -I"$RAVEL_SOURCE_DIR/include" -g -O1 -pthread units.cpp -o units
  expect 0 ./units
  expect 0 "$RAVEL" record -q -o units.rvl -- ./units
  expect 0 "$RAVEL" convert units.rvl units.tid
  awk '$1 == "beg" || $1 == "end" { print $1, $2, $3 }' units.tid >units.txt
  diff expected units.txt || fail "$compiler: other units"
  # What was written can be read, and breaks no rule.
  for trace in units.rvl units.tid; do expect 0 "$RAVEL" analyze "$trace"; done
done

# Labels are any text, but Tiddle has only words for names.
sed -i 's/"around"/"all around"/' units.cpp
expect 0 "$wrapper" -I"$RAVEL_SOURCE_DIR/include" -g -O1 -pthread units.cpp -o units
expect 0 "$RAVEL" record -q -o units.rvl -- ./units
expect 0 "$RAVEL" analyze units.rvl
refuse "Tiddle cannot name the label 'all around'" "$RAVEL" convert units.rvl refused.tid
[[ ! -e refused.tid ]] || fail 'a refused file is there'
