// The token masks of all texts in a search, with whatever constraints, in one table. A kernel
// selects one row of the table for each row of the batch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "decode/constraint.h"
#include "tensor/decoding.h"

namespace kette {

/// A mask of all tokens, then the constraint's masks, [masks][vocabulary]. All exclude `excluded`.
std::vector<std::vector<bool>> allowed_tokens(std::int64_t vocabulary,
                                              const std::vector<std::int32_t>& excluded,
                                              const Constraint* constraint);

class MaskTable {
 public:
  explicit MaskTable(std::int64_t vocabulary) : vocabulary_(vocabulary) {}

  /// The index of the first mask of these arguments; -1: not in the table. Constraints with equal
  /// masks share them.
  std::int64_t find(const std::vector<std::int32_t>& excluded, const Constraint* constraint) const;
  /// Adds the masks unless they are in the table. Returns the index of the first.
  std::int64_t add(const std::vector<std::int32_t>& excluded,
                   std::shared_ptr<const Constraint> constraint);
  void clear();
  /// TokenMasks::words, uploaded again after masks were added.
  const Tensor& words(Device device);

 private:
  struct Entry {
    std::vector<std::int32_t> excluded;
    std::shared_ptr<const Constraint> constraint;  // owned, so that its address is not reused
    std::vector<std::vector<bool>> masks;          // of the constraint
    std::int64_t first;
  };
  std::int64_t vocabulary_;
  std::vector<Entry> entries_;
  std::vector<std::vector<bool>> masks_;
  Tensor words_;
};

}  // namespace kette
