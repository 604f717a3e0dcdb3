// Units of work by their labels.
#pragma once

namespace ravel::rt {

/// In a new stream: says again which unit has which number.
void note_units_again();

}  // namespace ravel::rt
