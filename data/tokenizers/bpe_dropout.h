// BPE with dropout (Provilkov, Emelianenko and Voita 2020): the merges of byte-pair encoding
// (Sennrich, Haddow and Birch 2016), best score first, where each candidate merge is refused with
// probability p when its turn comes. A refused pair gets a new chance only once one of its halves
// has changed, as in SentencePiece. SentencePiece's own version draws from a generator hidden in
// each thread; here the draws are a hash of the seed, so the pieces of a sentence depend on
// (sentence, p, seed) and on nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kette {

class BpeMerger {
 public:
  struct Piece {
    std::int32_t id;
    float score;
  };

  /// byte_ids: the pieces of the 256 bytes, for characters outside the vocabulary; empty without
  /// byte fallback.
  BpeMerger(std::int32_t unknown_id, std::vector<std::int32_t> byte_ids);

  void add(const std::string& text, Piece piece) { pieces_.emplace(text, piece); }

  /// text as SentencePiece normalises it, with U+2581 for spaces.
  std::vector<std::int32_t> encode(std::string_view text, double dropout, std::uint64_t seed) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
  };

  void append(std::string_view symbol, std::vector<std::int32_t>& ids) const;

  std::int32_t unknown_id_;
  std::vector<std::int32_t> byte_ids_;
  std::unordered_map<std::string, Piece, Hash, std::equal_to<>> pieces_;
};

}  // namespace kette
