#include "decode/mask_table.h"

#include <utility>

#include "tensor/error.h"

namespace kette {

std::vector<std::vector<bool>> allowed_tokens(std::int64_t vocabulary,
                                              const std::vector<std::int32_t>& excluded,
                                              const Constraint* constraint) {
  std::vector<std::vector<bool>> all = {
      std::vector<bool>(static_cast<std::size_t>(vocabulary), true)};
  if (constraint != nullptr) {
    for (std::vector<bool>& mask : constraint->masks()) {
      KETTE_CHECK(std::ssize(mask) == vocabulary, "constraint: expected masks of ", vocabulary,
                  " tokens, the vocabulary, given one of ", mask.size());
      all.push_back(std::move(mask));
    }
  }
  for (std::vector<bool>& mask : all) {
    for (const std::int32_t token : excluded) mask.at(static_cast<std::size_t>(token)) = false;
  }
  return all;
}

std::int64_t MaskTable::find(const std::vector<std::int32_t>& excluded,
                             const Constraint* constraint) const {
  for (const Entry& entry : entries_) {
    if (entry.constraint.get() == constraint && entry.excluded == excluded) return entry.first;
  }
  if (constraint == nullptr) return -1;
  const std::vector<std::vector<bool>> masks = constraint->masks();
  for (const Entry& entry : entries_) {
    if (entry.excluded == excluded && entry.masks == masks) return entry.first;
  }
  return -1;
}

std::int64_t MaskTable::add(const std::vector<std::int32_t>& excluded,
                            std::shared_ptr<const Constraint> constraint) {
  std::int64_t first = find(excluded, constraint.get());
  if (first >= 0) return first;
  first = std::ssize(masks_);
  for (std::vector<bool>& mask : allowed_tokens(vocabulary_, excluded, constraint.get())) {
    masks_.push_back(std::move(mask));
  }
  std::vector<std::vector<bool>> masks;
  if (constraint) masks = constraint->masks();
  entries_.push_back({excluded, std::move(constraint), std::move(masks), first});
  words_ = {};
  return first;
}

void MaskTable::clear() {
  entries_.clear();
  masks_.clear();
  words_ = {};
}

const Tensor& MaskTable::words(Device device) {
  if (!words_.defined() && !masks_.empty()) words_ = TokenMasks::pack(masks_, device);
  return words_;
}

}  // namespace kette
