// The merges of byte-pair encoding (Sennrich, Haddow and Birch 2016, algorithm 1) applied to one
// piece of text. The neighbours whose merge was learnt first are merged everywhere, from left to
// right, until no neighbours have a merge. Short pieces are scanned; long ones keep their pairs in
// a heap, so n bytes take O(n log n).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kette {

class BytePairMerges {
 public:
  struct Merge {
    std::int32_t left, right, result;
  };

  BytePairMerges() = default;
  /// byte_ids: the ids of the 256 bytes. merges: in the order learnt, at most one per pair.
  BytePairMerges(const std::array<std::int32_t, 256>& byte_ids, const std::vector<Merge>& merges);

  /// Appends the ids of a piece.
  void encode(std::string_view piece, std::vector<std::int32_t>& ids) const;

 private:
  using Rank = std::int32_t;
  struct Slot {
    std::uint64_t pair = kNoPair;
    Rank rank = kNoMerge;
  };
  static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};
  static constexpr Rank kNoMerge = 0x7FFFFFFF;
  static constexpr std::size_t kShort = 64;

  std::size_t home(std::uint64_t pair) const {
    return static_cast<std::size_t>(pair * 0x9E3779B97F4A7C15ull >> shift_);
  }
  Rank rank(std::int32_t left, std::int32_t right) const;
  void encode_short(std::string_view piece, std::vector<std::int32_t>& ids) const;
  void encode_long(std::string_view piece, std::vector<std::int32_t>& ids) const;

  std::array<std::int32_t, 256> byte_ids_{};
  std::vector<std::int32_t> results_;               // by rank
  std::vector<Slot> slots_ = std::vector<Slot>(2);  // open addressing; a power of two
  int shift_ = 63;
};

}  // namespace kette
