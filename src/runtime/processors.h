// The processors that the program may use.
#pragma once

namespace ravel::rt {

/// All threads share one processor from now on: handing over is much faster there. The program still sees
/// those it had.
void use_one_processor();
/// Of the calling thread again, before it becomes another program or starts one.
void use_all_processors();
/// It has not become one.
void use_one_processor_again();

}  // namespace ravel::rt
