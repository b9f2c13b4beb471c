// This program with other arguments, as a process of its own: what takes long then leaves no memory behind, fails alone,
// and can be at work beside others.
#pragma once

#include <string>
#include <vector>

#include "train/interrupt.h"

namespace kette::cli {

struct ProcessOutcome {
  int code = 0;           ///< 128 + N after signal N
  std::string last_line;  ///< of stdout
};

/// Waits for its end. label: what each line that it writes to stderr begins with; empty: stderr is shared, and so a
/// terminal's status lines are. Signals reach it by the relay alone, each of them once.
ProcessOutcome run_own_process(std::vector<std::string> words, const std::string& label,
                               InterruptRelay& relay);

}  // namespace kette::cli
