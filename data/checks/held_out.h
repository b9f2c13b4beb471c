// Held-out pairs (validation and test), and whether training text has them, too.
#pragma once

#include <array>

#include "data/checks/line_table.h"
#include "data/checks/pair_oddities.h"

namespace kette {

class HeldOut {
 public:
  static constexpr std::int64_t kNowhere = -1;
  /// How pairs are compared.
  enum Key : std::size_t { of_pair, of_normalised_pair, of_source, of_target };

  /// Ignores pairs with an empty side.
  void add(const CheckedPair& pair) {
    if (pair.has_empty_side()) return;
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].put(keys_of(pair)[i], kNowhere);
  }
  void find_in_training(const CheckedPair& pair, std::int64_t place) {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      std::int64_t* found = tables_[i].find(keys_of(pair)[i]);
      if (found != nullptr && *found == kNowhere) *found = place;
    }
  }
  /// Where in training a held-out pair first occurs, or kNowhere.
  std::int64_t place(Key key, const CheckedPair& of) {
    return *tables_[key].find(keys_of(of)[key]);
  }
  /// Whether any held-out pair has the same key.
  bool has(Key key, const CheckedPair& of) {
    return !of.has_empty_side() && tables_[key].find(keys_of(of)[key]) != nullptr;
  }

 private:
  static std::array<std::uint64_t, 4> keys_of(const CheckedPair& pair) {
    return {pair.exact(), pair.normalised(), pair.source.facts.normalised,
            pair.target.facts.normalised};
  }

  std::array<LineTable, 4> tables_;
};

}  // namespace kette
