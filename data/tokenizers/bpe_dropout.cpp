#include "data/tokenizers/bpe_dropout.h"

#include <cstddef>
#include <queue>
#include <utility>

#include "data/files/utf8.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

/// A span of text, linked to its neighbours; merging leaves the right one empty.
struct Symbol {
  std::string_view text;
  std::ptrdiff_t left, right;
};

/// Two neighbours that together are a piece of the vocabulary, in queue order: score, then place.
struct Candidate {
  float score;
  std::ptrdiff_t left, right;
  std::size_t size;

  bool operator<(const Candidate& other) const {
    return score != other.score ? score < other.score : left > other.left;
  }
};

std::vector<Symbol> characters(std::string_view text) {
  std::vector<Symbol> symbols;
  symbols.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, utf8_length(text[at]));
    const auto i = static_cast<std::ptrdiff_t>(symbols.size());
    symbols.push_back({character, i - 1, i + 1});
    at += character.size();
  }
  if (!symbols.empty()) symbols.back().right = -1;
  return symbols;
}

}  // namespace

BpeMerger::BpeMerger(std::int32_t unknown_id, std::vector<std::int32_t> byte_ids)
    : unknown_id_(unknown_id), byte_ids_(std::move(byte_ids)) {}

std::vector<std::int32_t> BpeMerger::encode(std::string_view text, double dropout,
                                            std::uint64_t seed) const {
  std::vector<Symbol> symbols = characters(text);
  const auto symbol = [&](std::ptrdiff_t i) -> Symbol& { return symbols[i]; };

  std::priority_queue<Candidate> candidates;
  const auto consider = [&](std::ptrdiff_t left, std::ptrdiff_t right) {
    if (left < 0 || right < 0) return;
    const std::size_t size = symbol(left).text.size() + symbol(right).text.size();
    const auto piece = pieces_.find(std::string_view(symbol(left).text.data(), size));
    if (piece != pieces_.end()) candidates.push({piece->second.score, left, right, size});
  };
  for (std::size_t i = 1; i < symbols.size(); ++i) {
    consider(static_cast<std::ptrdiff_t>(i) - 1, static_cast<std::ptrdiff_t>(i));
  }

  std::uint64_t draws = 0;
  while (!candidates.empty()) {
    const Candidate candidate = candidates.top();
    candidates.pop();
    Symbol& left = symbol(candidate.left);
    Symbol& right = symbol(candidate.right);
    const bool outdated = left.text.empty() || right.text.empty() ||
                          left.text.size() + right.text.size() != candidate.size;
    if (outdated) continue;
    if (dropout > 0 && unit_interval(hash_of(seed, draws++)) < dropout) continue;

    left.text = std::string_view(left.text.data(), candidate.size);
    right.text = {};
    left.right = right.right;
    if (right.right >= 0) symbol(right.right).left = candidate.left;
    consider(left.left, candidate.left);
    consider(candidate.left, left.right);
  }

  std::vector<std::int32_t> ids;
  for (std::ptrdiff_t i = symbols.empty() ? -1 : 0; i >= 0; i = symbol(i).right) {
    append(symbol(i).text, ids);
  }
  return ids;
}

void BpeMerger::append(std::string_view symbol, std::vector<std::int32_t>& ids) const {
  const auto piece = pieces_.find(symbol);
  if (piece != pieces_.end()) {
    ids.push_back(piece->second.id);
  } else if (!byte_ids_.empty()) {
    for (const char byte : symbol) ids.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
  } else if (ids.empty() || ids.back() != unknown_id_) {
    // SentencePiece gives one unknown piece to a run of unknown characters.
    ids.push_back(unknown_id_);
  }
}

}  // namespace kette
