// One line of Tiddle (Sadowski 2012, Part VII), with ravel's extensions, as text and as values.
//
//   rd|wr T x [v]          ld|st|rmw T x [order] [v]   rrd|rwr T x [order] time    fence T order
//   acq|racq T l [try]     rel|rrel|req T l            arrive|leave T b
//   wait|wake|notify|notifyall T c                     fork|join T U
//   beg|end|call|ret T [label]                         start|exit T
//   alloc|free T 0xADDRESS SIZE    objbeg T 0xADDRESS SIZE [class]           objend T 0xADDRESS SIZE [v]
//   sync T l               short for acq T l, rd T lVar, wr T lVar, rel T l
//
// then optionally a location: @17, @file:12, @file:12:function or @? (none), and a comment: # to the end of
// the line. A variable, lock, condition or barrier is a name or 0xADDRESS:WIDTH.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "event/event.h"
#include "event/place.h"
#include "event/result.h"

namespace ravel {

/// Behind the lock of an acquire: it was only tried, or asked for with a time limit.
inline constexpr std::string_view kTriedWord = "try";

/// Where a line says that its event happened. Views into the line.
struct TiddleLocation {
  enum class Form : std::uint8_t { Implied, Unknown, Given };
  Form form = Form::Implied;  ///< Implied: the line says nothing, so it is the line itself
  std::string_view file;
  std::uint64_t line = 0;
  std::string_view function;
};

/// One operation, its names not yet interned. Views into the line.
struct TiddleOperation {
  EventKind kind = EventKind::Read;
  bool sync = false;  ///< the whole of `sync`; kind is Acquire
  std::uint64_t thread = 0;
  std::uint64_t other_thread = 0;
  std::string_view name;                 ///< of the target, if it has one
  std::optional<std::uint64_t> address;  ///< instead of a name
  std::uint32_t width = 0;
  MemoryOrder order = MemoryOrder::None;
  std::optional<std::uint64_t> value;
  std::optional<std::string_view> object_class;
  TiddleLocation location;
};

/// One line: an operation, a comment, both or neither.
struct TiddleLine {
  std::optional<TiddleOperation> operation;
  std::string_view comment;  ///< without '#' and the white space around it
};

/// The error has no file and line: the caller knows them.
Result<TiddleLine> parse_tiddle_line(std::string_view line);

/// Whether `name` can stand as a name in a Tiddle line: no white space, '#', '@', and not the form of an
/// address.
bool is_tiddle_name(std::string_view name);

/// "file:12:function", such that the location parses back to `place`; nothing if there is no such text.
std::optional<std::string> tiddle_location(const Place& place);

/// Decimal (signed) or 0x hexadecimal, 64 bits.
std::optional<std::uint64_t> parse_tiddle_value(std::string_view text);

/// Decimal, no sign, no leading zero: a thread's number as the writer prints it.
std::optional<std::uint64_t> parse_thread_number(std::string_view text);

}  // namespace ravel
