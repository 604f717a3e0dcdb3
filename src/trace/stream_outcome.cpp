#include "trace/stream_outcome.h"

#include "trace/note_words.h"

namespace ravel::stream {
namespace {

using PlaceOf = std::function<PlaceId(std::uint32_t)>;

/// [OPERATION] ADDRESS CODE, after the thread.
bool read_claim(std::string_view words, bool waits, const PlaceOf& place, RunOutcome::Claim& claim) {
  std::uint32_t thread = 0;
  std::uint32_t code = 0;
  if (!parse_number(take_word(words), thread, 10)) return false;
  if (waits) claim.operation = unescape(take_word(words));
  if (!parse_number(take_word(words), claim.object, 16) || !parse_number(take_word(words), code, 16))
    return false;
  claim.thread = ThreadId(thread);
  claim.place = place(code);
  return true;
}

void read_line(std::string_view words, const PlaceOf& place, RunOutcome& outcome) {
  const std::string_view what = take_word(words);
  if (what == "outcome") {
    outcome.kind = unescape(take_word(words));
    parse_number(take_word(words), outcome.step, 10);
  } else if (what == "waiting" || what == "holding") {
    const bool waits = what == "waiting";
    RunOutcome::Claim claim;
    if (read_claim(words, waits, place, claim))
      (waits ? outcome.waiting : outcome.holding).push_back(std::move(claim));
  } else if (what == "departed") {
    RunOutcome::Departure departure;
    if (!parse_number(take_word(words), departure.step, 10)) return;
    departure.thread = unescape(take_word(words));
    departure.expected = unescape(take_word(words));
    departure.found = unescape(take_word(words));
    outcome.departure = std::move(departure);
  }
}

}  // namespace

RunOutcome read_outcome(std::string_view notes, const PlaceOf& place) {
  RunOutcome outcome;
  while (!notes.empty()) {
    const std::size_t end = notes.find('\n');
    if (end == std::string_view::npos) break;
    read_line(notes.substr(0, end), place, outcome);
    notes.remove_prefix(end + 1);
  }
  return outcome;
}

}  // namespace ravel::stream
