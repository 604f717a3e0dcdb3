#include "trace/rvl_names.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace ravel::rvl {
namespace {

using nlohmann::json;

constexpr std::size_t kNamesPerBlockBytes = 1 << 20;

constexpr std::array<std::string_view, 3> kFilterNames = {"none", "segment", "owner"};
constexpr std::array<std::string_view, 2> kAccessOrderNames = {"exact", "hook"};
constexpr std::array<std::string_view, 3> kValueNames = {"exact", "sampled", "none"};

json text_to_json(const std::string& text) {
  json plain = text;
  const std::string dumped = plain.dump(-1, ' ', false, json::error_handler_t::ignore);
  if (json::parse(dumped, nullptr, false) == plain) return plain;
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return {{"hex", hex}};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool text_from_json(const json& from, std::string& text) {
  if (from.is_string()) {
    text = from.get_ref<const std::string&>();
    return true;
  }
  if (!from.is_object() || !from.contains("hex") || !from["hex"].is_string()) return false;
  const auto& hex = from["hex"].get_ref<const std::string&>();
  if (hex.size() % 2 != 0) return false;
  text.clear();
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = hex_digit(hex[i]);
    const int low = hex_digit(hex[i + 1]);
    if (high < 0 || low < 0) return false;
    text += static_cast<char>(high * 16 + low);
  }
  return true;
}

json texts_to_json(const std::vector<std::string>& texts) {
  json array = json::array();
  for (const std::string& text : texts) array.push_back(text_to_json(text));
  return array;
}

/// Reads fields of a JSON object; absent ones keep their default, so that fields can be added to the format.
class FieldReader {
 public:
  explicit FieldReader(const json& object) : object_(object) {}

  template <typename Enum>
  void field(const char* name, std::span<const std::string_view> names, Enum& value) {
    const json* const found = find(name);
    if (found == nullptr) return;
    for (std::size_t i = 0; found->is_string() && i < names.size(); ++i) {
      if (found->get_ref<const std::string&>() == names[i]) {
        value = static_cast<Enum>(i);
        return;
      }
    }
    wrong_ = name;
  }

  void field(const char* name, std::string& value) {
    const json* const found = find(name);
    if (found != nullptr && !text_from_json(*found, value)) wrong_ = name;
  }

  void field(const char* name, std::vector<std::string>& values) {
    const json* const found = find(name);
    if (found == nullptr) return;
    if (!found->is_array()) {
      wrong_ = name;
      return;
    }
    for (const json& element : *found) {
      if (!text_from_json(element, values.emplace_back())) wrong_ = name;
    }
  }

  void field(const char* name, bool& value) {
    const json* const found = find(name);
    if (found == nullptr) return;
    if (found->is_boolean())
      value = found->get<bool>();
    else
      wrong_ = name;
  }

  /// The field that was not what it should be; empty: none.
  const std::string& wrong() const { return wrong_; }

 private:
  const json* find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const json& object_;
  std::string wrong_;
};

// The order in a names block, and in NamesSeen. The others have shapes of their own and come last, in an
// order in which each refers only to what came before.
constexpr std::array<TargetSpace, 6> kNamedSpaces = {TargetSpace::Thread,    TargetSpace::Unit,
                                                     TargetSpace::Variable,  TargetSpace::Lock,
                                                     TargetSpace::Condition, TargetSpace::Barrier};
constexpr std::size_t kModules = kNamedSpaces.size();
constexpr std::size_t kPlaces = kModules + 1;
constexpr std::size_t kStacks = kPlaces + 1;
static_assert(std::tuple_size_v<decltype(NamesSeen::counts)> == kStacks + 1);

/// One section: index of its first entry, number of entries, entries. As many as `limit` bytes of payload
/// allow.
template <typename Entry, typename Append>
void encode_section(const std::vector<Entry>& entries, std::size_t& seen, Bytes& payload, Append append) {
  const std::size_t first = seen;
  Bytes body;
  while (seen < entries.size() && payload.size() + body.size() < kNamesPerBlockBytes)
    append(body, entries[seen++]);
  append_varint(payload, first);
  append_varint(payload, seen - first);
  payload.insert(payload.end(), body.begin(), body.end());
}

template <typename Entry, typename Take>
bool decode_section(ByteCursor& cursor, std::size_t& seen, std::vector<Entry>& entries, Take take) {
  if (cursor.varint() != seen) return false;
  const std::uint64_t count = cursor.varint();
  for (std::uint64_t i = 0; i < count && cursor.ok(); ++i) {
    Entry entry = take(cursor);
    if (!cursor.ok()) return false;
    if (seen++ >= entries.size()) entries.push_back(std::move(entry));
  }
  return cursor.ok();
}

void append_module(Bytes& out, const Module& module) {
  append_string(out, module.path);
  append_string(out, module.build_id);
  for (const std::uint64_t number : {module.base, module.bias, module.size}) append_varint(out, number);
}

Module take_module(ByteCursor& cursor) {
  Module module;
  module.path = cursor.string();
  module.build_id = cursor.string();
  for (std::uint64_t* number : {&module.base, &module.bias, &module.size}) *number = cursor.varint();
  return module;
}

/// An id that may be invalid, as a small number.
template <typename Tag>
void append_id(Bytes& out, Id<Tag> id) {
  append_varint(out, id.value + 1);
}

/// Ids from `limit` on do not exist: they spoil the cursor.
template <typename SomeId>
SomeId take_id(ByteCursor& cursor, std::size_t limit) {
  const std::uint64_t number = cursor.varint();
  if (number > limit) cursor.take(cursor.left() + 1);
  return SomeId(static_cast<std::uint32_t>(number) - 1);
}

// The file of code in a module is the module's path: an empty one stands for it.
void append_place(Bytes& out, const Place& place, const std::vector<Module>& modules) {
  append_id(out, place.module);
  if (place.module.valid()) append_varint(out, place.offset);
  const bool known = place.module.valid() && place.file == modules[place.module.index()].path;
  append_string(out, known ? std::string_view() : place.file);
  append_varint(out, place.module.valid() ? std::uint64_t{place.one_of_several} : place.line);
  append_string(out, place.function);
}

Place take_place(ByteCursor& cursor, const std::vector<Module>& modules) {
  Place place;
  place.module = take_id<ModuleId>(cursor, modules.size());
  if (!cursor.ok()) return place;
  std::uint64_t one_of_several = 0;
  if (place.module.valid()) place.offset = cursor.varint();
  place.file = cursor.string();
  if (place.module.valid() && place.file.empty()) place.file = modules[place.module.index()].path;
  (place.module.valid() ? one_of_several : place.line) = cursor.varint();
  place.one_of_several = one_of_several != 0;
  place.function = cursor.string();
  return place;
}

}  // namespace

std::string encode_header(const TraceHeader& header) {
  const json object = {
      {"filter", kFilterNames[static_cast<std::size_t>(header.filter)]},
      {"access_order", kAccessOrderNames[static_cast<std::size_t>(header.access_order)]},
      {"values", kValueNames[static_cast<std::size_t>(header.values)]},
      {"command", texts_to_json(header.command)},
      {"directory", text_to_json(header.directory)},
      {"environment", texts_to_json(header.environment)},
      {"build_ids", texts_to_json(header.build_ids)},
      {"input_hash", text_to_json(header.input_hash)},
      {"instrumented", header.instrumented},
      {"unseen_libraries", texts_to_json(header.unseen_libraries)},
  };
  return object.dump();
}

std::expected<TraceHeader, std::string> decode_header(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return std::unexpected("it is not a JSON object");
  TraceHeader header;
  FieldReader reader(object);
  reader.field("filter", kFilterNames, header.filter);
  reader.field("access_order", kAccessOrderNames, header.access_order);
  reader.field("values", kValueNames, header.values);
  reader.field("command", header.command);
  reader.field("directory", header.directory);
  reader.field("environment", header.environment);
  reader.field("build_ids", header.build_ids);
  reader.field("input_hash", header.input_hash);
  reader.field("instrumented", header.instrumented);
  reader.field("unseen_libraries", header.unseen_libraries);
  if (!reader.wrong().empty())
    return std::unexpected(fmt::format("its field '{}' is malformed", reader.wrong()));
  return header;
}

bool encode_names(const Tables& tables, NamesSeen& seen, Bytes& payload) {
  const NamesSeen before = seen;
  payload.clear();
  for (std::size_t i = 0; i < kNamedSpaces.size(); ++i) {
    encode_section(tables.names(kNamedSpaces[i]), seen.counts[i], payload,
                   [](Bytes& out, const std::string& name) { append_string(out, name); });
  }
  encode_section(tables.modules, seen.counts[kModules], payload, append_module);
  encode_section(tables.places, seen.counts[kPlaces], payload,
                 [&](Bytes& out, const Place& place) { append_place(out, place, tables.modules); });
  encode_section(tables.stacks, seen.counts[kStacks], payload, [](Bytes& out, const StackFrame& frame) {
    append_id(out, frame.parent);
    append_id(out, frame.call);
  });
  return !(seen == before);
}

std::expected<void, std::string> decode_names(ByteSpan payload, NamesSeen& seen, Tables& tables) {
  ByteCursor cursor(payload);
  bool good = true;
  for (std::size_t i = 0; good && i < kNamedSpaces.size(); ++i) {
    good = decode_section(cursor, seen.counts[i], tables.names(kNamedSpaces[i]),
                          [](ByteCursor& from) { return std::string(from.string()); });
  }
  good = good && decode_section(cursor, seen.counts[kModules], tables.modules, take_module);
  good = good && decode_section(cursor, seen.counts[kPlaces], tables.places,
                                [&](ByteCursor& from) { return take_place(from, tables.modules); });
  const std::size_t& next_stack = seen.counts[kStacks];
  good = good && decode_section(cursor, seen.counts[kStacks], tables.stacks, [&](ByteCursor& from) {
           const auto parent = take_id<StackId>(from, next_stack);
           return StackFrame{parent, take_id<PlaceId>(from, tables.places.size())};
         });
  if (!good || cursor.left() != 0) return std::unexpected("its names are malformed or not the next ones");
  return {};
}

}  // namespace ravel::rvl
