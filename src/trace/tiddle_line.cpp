#include "trace/tiddle_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <tao/pegtl.hpp>

#include "trace/line_reader.h"

namespace ravel {
namespace {

// More words than the longest operation has, so that too many are noticed.
constexpr std::size_t kMostOperands = 5;

struct Words {
  std::string_view mnemonic;
  std::array<std::string_view, kMostOperands> operands;
  std::size_t count = 0;  ///< may exceed kMostOperands
  std::optional<std::string_view> location;
  std::string_view comment;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

namespace grammar {
using namespace tao::pegtl;

struct BlankCharacter : one<' ', '\t'> {};
struct Blanks : plus<BlankCharacter> {};
struct Printable : not_range<'\0', '\x1f'> {};
struct WordCharacter : seq<not_at<one<' ', '#', '@', '\x7f'>>, Printable> {};
struct Mnemonic : plus<WordCharacter> {};
struct Operand : plus<WordCharacter> {};
struct LocationText : star<not_at<one<'#'>>, sor<Printable, one<'\t'>>> {};
struct Location : seq<one<'@'>, LocationText> {};
struct CommentText : star<not_one<'\0'>> {};
struct Comment : seq<one<'#'>, CommentText> {};
struct Operation : seq<Mnemonic, star<Blanks, Operand>, opt<Blanks>, opt<Location>> {};
struct Line : seq<opt<Blanks>, opt<Operation>, opt<Blanks>, opt<Comment>, eof> {};

template <typename Rule>
struct Store : nothing<Rule> {};
template <>
struct Store<Mnemonic> {
  static void apply(const auto& in, Words& words) { words.mnemonic = in.string_view(); }
};
template <>
struct Store<Operand> {
  static void apply(const auto& in, Words& words) {
    if (words.count < kMostOperands) words.operands[words.count] = in.string_view();
    ++words.count;
  }
};
template <>
struct Store<LocationText> {
  static void apply(const auto& in, Words& words) { words.location = trimmed(in.string_view()); }
};
template <>
struct Store<CommentText> {
  static void apply(const auto& in, Words& words) { words.comment = trimmed(in.string_view()); }
};
}  // namespace grammar

/// The line does not match the grammar: either a character that belongs nowhere, or a location on its own.
std::unexpected<Error> explain(std::string_view line) {
  const auto is_wrong = [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
  };
  const auto wrong = std::ranges::find_if(line, is_wrong);
  if (wrong != line.end()) return fail("unexpected character " + quoted({&*wrong, 1}));
  return fail("a location without an operation: " + quoted(line));
}

std::optional<EventKind> kind_of(std::string_view word) {
  for (int i = 0; i < kEventKindCount; ++i) {
    const auto kind = static_cast<EventKind>(i);
    if (!mnemonic(kind).empty() && mnemonic(kind) == word) return kind;
  }
  return std::nullopt;
}

std::optional<MemoryOrder> order_of(std::string_view word) {
  if (word == "none") return MemoryOrder::None;
  for (auto order = MemoryOrder::Relaxed;; order = static_cast<MemoryOrder>(static_cast<int>(order) + 1)) {
    if (order_name(order) == word) return order;
    if (order == MemoryOrder::SeqCst) return std::nullopt;
  }
}

/// The whole of `text` as an unsigned number.
template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Block {
  std::uint64_t address;
  std::uint32_t width;
};

/// 0xADDRESS below the synthetic ones.
std::optional<std::uint64_t> parse_address(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  const auto address = parse_number<std::uint64_t>(text.substr(2), 16);
  return address && !is_synthetic(*address) ? address : std::nullopt;
}

/// 0xADDRESS:WIDTH by its form alone; whether the numbers are in range is parse_block's question.
bool looks_like_block(std::string_view text) {
  const std::size_t colon = text.find(':');
  return text.starts_with("0x") && colon != std::string_view::npos && colon > 2 && colon + 1 < text.size() &&
         text.substr(2, colon - 2).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos &&
         text.substr(colon + 1).find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Block> parse_block(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto address = parse_address(text.substr(0, colon));
  const auto width = parse_number<std::uint32_t>(text.substr(colon + 1), 10);
  if (!address || !width) return std::nullopt;
  return Block{*address, *width};
}

std::string_view usage(EventKind kind) {
  switch (target_space(kind)) {
    case TargetSpace::Variable:
      if (is_atomic(kind)) return "THREAD VARIABLE [ORDER] [VALUE]";
      return kRetroAccesses.has(kind) ? "THREAD VARIABLE [ORDER] TIME" : "THREAD VARIABLE [VALUE]";
    case TargetSpace::Lock:
      return is_acquire(kind) ? "THREAD LOCK [try]" : "THREAD LOCK";
    case TargetSpace::Condition:
      return "THREAD CONDITION";
    case TargetSpace::Barrier:
      return "THREAD BARRIER";
    case TargetSpace::Thread:
      return kind == EventKind::After ? "THREAD THREAD [relaxed] TIME" : "THREAD THREAD";
    case TargetSpace::Unit:
      return "THREAD [LABEL]";
    case TargetSpace::Range:
      if (kind == EventKind::ObjectBegin) return "THREAD 0xADDRESS SIZE [CLASS]";
      return kind == EventKind::ObjectEnd ? "THREAD 0xADDRESS SIZE [VALUE]" : "THREAD 0xADDRESS SIZE";
    case TargetSpace::None:
      if (kind == EventKind::Elapse) return "THREAD STEPS";
      return kind == EventKind::Fence ? "THREAD ORDER" : "THREAD";
  }
  CHECK(false, "unknown target space");
}

std::optional<TiddleLocation> parse_location(std::string_view text) {
  TiddleLocation location;
  location.form = TiddleLocation::Form::Given;
  if (text == "?") {
    location.form = TiddleLocation::Form::Unknown;
    return location;
  }
  if (auto number = parse_number<std::uint64_t>(text, 10)) {
    location.line = *number;
    return location;
  }
  // A file name may have colons: its end is the first one that a number follows.
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const std::string_view rest = text.substr(colon + 1);
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const auto number = parse_number<std::uint64_t>(rest.substr(0, end), 10);
    if (!number) continue;
    location.file = text.substr(0, colon);
    location.line = *number;
    if (end == rest.size()) return location;
    location.function = rest.substr(end + 1);
    if (location.function.empty()) return std::nullopt;
    return location;
  }
  return std::nullopt;
}

/// Takes the operands of one operation in turn.
class Operands {
 public:
  explicit Operands(const Words& words) : words_(words) {}

  bool empty() const { return next_ >= words_.count; }
  std::string_view take() {
    const std::string_view word = next_ < std::min(words_.count, kMostOperands) ? words_.operands[next_] : "";
    ++next_;
    return word;
  }
  /// Neither missing nor left over.
  bool balanced() const { return next_ == words_.count; }

 private:
  const Words& words_;
  std::size_t next_ = 0;
};

Result<void> parse_target(Operands& operands, TiddleOperation& operation) {
  switch (target_space(operation.kind)) {
    case TargetSpace::Variable:
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier: {
      const std::string_view word = operands.take();
      if (looks_like_block(word)) {
        const auto block = parse_block(word);
        if (!block)
          return fail(quoted(word) + " is not an address below 0x8000000000000000 with a 32-bit width");
        operation.address = block->address;
        operation.width = block->width;
      } else {
        operation.name = word;
        if (target_space(operation.kind) == TargetSpace::Variable) operation.width = kSyntheticWidth;
      }
      return {};
    }
    case TargetSpace::Thread: {
      const std::string_view word = operands.take();
      const auto number = parse_number<std::uint64_t>(word, 10);
      if (!number && !word.empty()) return fail(quoted(word) + " is not a thread number");
      operation.other_thread = number.value_or(0);
      return {};
    }
    case TargetSpace::Unit:
      if (!operands.empty()) operation.name = operands.take();
      return {};
    case TargetSpace::Range: {
      const std::string_view address = operands.take(), size = operands.take();
      if (size.empty()) return {};  // the caller sees that an operand is missing
      operation.address = parse_address(address);
      if (!operation.address) return fail(quoted(address) + " is not an address below 0x8000000000000000");
      const auto width = parse_number<std::uint32_t>(size, 10);
      if (!width) return fail(quoted(size) + " is not a 32-bit size");
      operation.width = *width;
      return {};
    }
    case TargetSpace::None:
      return {};
  }
  CHECK(false, "unknown target space");
}

/// How many steps, or up to when.
Result<void> parse_told_order(Operands& operands, TiddleOperation& operation) {
  std::string_view word = operands.take();
  if (operation.kind == EventKind::After && word == order_name(MemoryOrder::Relaxed)) {
    operation.order = MemoryOrder::Relaxed;
    word = operands.take();
  }
  if (word.empty()) return {};  // the caller sees that an operand is missing
  const auto number = parse_number<std::uint32_t>(word, 10);
  if (!number || *number == 0) return fail(quoted(word) + " is not a 32-bit number above 0");
  operation.value = *number;
  return {};
}

/// Memory order, value, class: what may follow the target.
Result<void> parse_rest(Operands& operands, TiddleOperation& operation) {
  const EventKind kind = operation.kind;
  if (kind == EventKind::Fence) {
    const std::string_view word = operands.take();
    const auto order = order_of(word);
    if (!order && !word.empty()) return fail(quoted(word) + " is not a memory order");
    operation.order = order.value_or(MemoryOrder::None);
    return {};
  }
  if (is_acquire(kind) && !operation.sync) {
    if (operands.empty()) return {};
    if (const std::string_view word = operands.take(); word != kTriedWord)
      return fail(fmt::format("{} is not \"{}\"", quoted(word), kTriedWord));
    operation.order = kTried;
    return {};
  }
  if (kind == EventKind::ObjectBegin) {
    if (!operands.empty()) operation.object_class = operands.take();
    return {};
  }
  if (kToldOrder.has(kind)) return parse_told_order(operands, operation);
  const bool optional_value = kPlainAccesses.has(kind) || is_atomic(kind) || kind == EventKind::ObjectEnd;
  if (!optional_value && !kRetroAccesses.has(kind)) return {};
  if (is_atomic(kind)) operation.order = MemoryOrder::SeqCst;
  if (operands.empty() && optional_value) return {};
  std::string_view word = operands.take();
  const bool may_be_atomic = !kPlainAccesses.has(kind) && is_access(kind);
  if (may_be_atomic) {
    if (const auto order = order_of(word)) {
      operation.order = *order;
      if (operands.empty() && optional_value) return {};
      word = operands.take();
    }
  }
  operation.value = parse_tiddle_value(word);
  if (!operation.value && !word.empty())
    return fail(quoted(word) + (may_be_atomic ? " is neither a memory order nor" : " is not") +
                " a 64-bit number");
  return {};
}

Result<TiddleOperation> parse_operation(const Words& words) {
  TiddleOperation operation;
  operation.sync = words.mnemonic == "sync";
  const auto kind = operation.sync ? EventKind::Acquire : kind_of(words.mnemonic);
  if (!kind) return fail("unknown operation " + quoted(words.mnemonic));
  operation.kind = *kind;

  Operands operands(words);
  const std::string_view thread = operands.take();
  const auto number = parse_number<std::uint64_t>(thread, 10);
  if (!number && !thread.empty()) return fail(quoted(thread) + " is not a thread number");
  operation.thread = number.value_or(0);
  if (auto parsed = parse_target(operands, operation); !parsed) return std::unexpected(parsed.error());
  if (auto parsed = parse_rest(operands, operation); !parsed) return std::unexpected(parsed.error());
  if (!operands.balanced())
    return fail(fmt::format("wrong number of operands; expected: {} {}", words.mnemonic, usage(*kind)));

  if (operation.sync && operation.address) return fail("sync needs the name of a lock");

  if (words.location) {
    const auto location = parse_location(*words.location);
    if (!location) return fail(quoted(*words.location) + " is not a location; expected: @LINE or @FILE:LINE");
    operation.location = *location;
  }
  return operation;
}

}  // namespace

Result<TiddleLine> parse_tiddle_line(std::string_view text) {
  Words words;
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy> input(text.data(), text.data() + text.size(), "");
  if (!tao::pegtl::parse<grammar::Line, grammar::Store>(input, words)) return explain(text);
  TiddleLine line;
  line.comment = words.comment;
  if (words.mnemonic.empty()) return line;
  auto operation = parse_operation(words);
  if (!operation) return std::unexpected(operation.error());
  line.operation = *operation;
  return line;
}

bool is_tiddle_name(std::string_view name) {
  const auto is_wrong = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '#' || c == '@';
  };
  return !name.empty() && std::ranges::none_of(name, is_wrong) && !looks_like_block(name);
}

std::optional<std::string> tiddle_location(const Place& place) {
  const bool numbered = place.file.empty() && place.function.empty();
  std::string text = numbered ? std::to_string(place.line) : fmt::format("{}:{}", place.file, place.line);
  if (!place.function.empty()) text += ":" + place.function;
  const auto is_wrong = [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '#'; };
  if (std::ranges::any_of(text, is_wrong) || trimmed(text) != text) return std::nullopt;
  const auto location = parse_location(text);
  if (!location || location->file != place.file || location->line != place.line ||
      location->function != place.function)
    return std::nullopt;
  return text;
}

std::optional<std::uint64_t> parse_tiddle_value(std::string_view text) {
  if (text.starts_with("0x")) return parse_number<std::uint64_t>(text.substr(2), 16);
  const auto number = parse_number<std::int64_t>(text, 10);
  return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

std::optional<std::uint64_t> parse_thread_number(std::string_view text) {
  const auto number = parse_number<std::uint64_t>(text, 10);
  return number && std::to_string(*number) == text ? number : std::nullopt;
}

}  // namespace ravel
