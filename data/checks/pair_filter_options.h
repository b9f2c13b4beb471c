// Which odd pairs to drop from training text.
#pragma once

#include <string>
#include <vector>

#include "data/checks/oddity.h"
#include "data/files/parallel_text.h"

namespace kette {

struct PairFilterOptions {
  std::vector<Oddity> oddities{};  ///< in the order of oddities(); a pair counts for its first one
  std::vector<ParallelText> held_out{};  ///< needed for overlaps

  bool wants(Oddity oddity) const;
  /// Throws unless the options fit together.
  void check() const;
  /// A text of the options and of what they depend on.
  std::string made_of() const;
};

}  // namespace kette
