// The processors that the program may use.
#pragma once

namespace ravel::rt {

/// All threads share one processor from now on: handing over is much faster there. The program still sees
/// those it had.
void use_one_processor();
/// Of the calling process again, before it becomes another program.
void use_all_processors();

}  // namespace ravel::rt
