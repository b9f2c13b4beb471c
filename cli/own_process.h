// Runs this program with other arguments as a child process. So long work frees its memory, fails alone, and can run in
// parallel.
#pragma once

#include <string>
#include <vector>

#include "train/interrupt.h"

namespace kette::cli {

struct ProcessOutcome {
  int code = 0;           ///< 128 + N after signal N
  std::string last_line;  ///< of stdout
};

/// Waits for its end. label: the prefix of each line on stderr; empty: it shares stderr, and shows status lines on a
/// terminal. It gets signals only from the relay, each once.
ProcessOutcome run_own_process(std::vector<std::string> words, const std::string& label,
                               InterruptRelay& relay);

}  // namespace kette::cli
