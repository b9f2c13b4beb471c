// Many token sequences in one flat array: sequence i is ids[offsets[i] .. offsets[i + 1]). Millions
// of sentences cost 4 bytes a token and 8 a sentence, and a batch is a few memory copies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kette {

class TokenLists {
 public:
  void add(std::span<const std::int32_t> ids) {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    offsets_.push_back(tokens());
  }

  /// Room for this many in all, so that no memory is wasted on growth.
  void reserve(std::int64_t sequences, std::int64_t tokens) {
    ids_.reserve(tokens);
    offsets_.reserve(static_cast<std::size_t>(sequences) + 1);
  }

  std::int64_t size() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::int64_t tokens() const { return static_cast<std::int64_t>(ids_.size()); }
  std::int64_t length(std::int64_t i) const { return offset(i + 1) - offset(i); }
  std::span<const std::int32_t> operator[](std::int64_t i) const {
    return std::span(ids_).subspan(static_cast<std::size_t>(offset(i)),
                                   static_cast<std::size_t>(length(i)));
  }

 private:
  std::int64_t offset(std::int64_t i) const { return offsets_[i]; }

  std::vector<std::int32_t> ids_;
  std::vector<std::int64_t> offsets_{0};
};

}  // namespace kette
