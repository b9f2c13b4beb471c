// BPE with dropout (Provilkov, Emelianenko and Voita 2020): the merges of byte-pair encoding
// (Sennrich, Haddow and Birch 2016), best score first, where each candidate merge is skipped with
// probability p. A skipped pair gets a new chance only after one of its halves has changed, as in
// SentencePiece. SentencePiece itself draws from a hidden generator per thread; here the draws are
// a hash of the seed, so the pieces depend only on (sentence, p, seed).
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

  /// byte_ids: the ids of the 256 byte pieces, for characters outside the vocabulary; empty without
  /// byte fallback.
  BpeMerger(std::int32_t unknown_id, std::vector<std::int32_t> byte_ids);

  void add(const std::string& text, Piece piece) { pieces_.emplace(text, piece); }

  /// text: normalised by SentencePiece, with U+2581 for spaces.
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
