// Which tokens the rows of a search may go on with: the masks of all texts that are searched for at once, whatever
// their constraints, as one table that a kernel chooses rows of.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "decode/constraint.h"
#include "tensor/decoding.h"

namespace kette {

/// The mask of all tokens, then the constraint's, without the excluded tokens in any of them.
std::vector<std::vector<bool>> allowed_tokens(std::int64_t vocabulary,
                                              const std::vector<std::int32_t>& excluded,
                                              const Constraint* constraint);

class MaskTable {
 public:
  explicit MaskTable(std::int64_t vocabulary) : vocabulary_(vocabulary) {}

  /// Where the masks of these stand in the table, the first of them; -1: they do not. Constraints with the same masks
  /// share them.
  std::int64_t find(const std::vector<std::int32_t>& excluded, const Constraint* constraint) const;
  /// Adds them, unless they are there.
  std::int64_t add(const std::vector<std::int32_t>& excluded,
                   std::shared_ptr<const Constraint> constraint);
  void clear();
  /// TokenMasks::words, made anew where masks have been added.
  const Tensor& words(Device device);

 private:
  struct Entry {
    std::vector<std::int32_t> excluded;
    std::shared_ptr<const Constraint> constraint;  // keeps its address from being another's
    std::vector<std::vector<bool>> masks;          // the constraint's
    std::int64_t first;
  };
  std::int64_t vocabulary_;
  std::vector<Entry> entries_;
  std::vector<std::vector<bool>> masks_;
  Tensor words_;
};

}  // namespace kette
