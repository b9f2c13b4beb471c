// Which odd pairs are left out of a text to learn from.
#pragma once

#include <string>
#include <vector>

#include "data/checks/oddity.h"
#include "data/files/parallel_text.h"

namespace kette {

struct PairFilterOptions {
  std::vector<Oddity>
      oddities{};  ///< in the order of oddities(); a pair is left out for the first that it has
  std::vector<ParallelText> held_out{};  ///< for the overlaps, which need some

  bool wants(Oddity oddity) const;
  /// Throws unless they go together.
  void check() const;
  /// Names them and what they depend on.
  std::string made_of() const;
};

}  // namespace kette
