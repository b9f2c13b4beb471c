#include "data/tokenizers/gpt2_tokenizer.h"

#include <bit>

#include "data/tokenizers/gpt2_pieces.h"
#include "tensor/parallel_for.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::size_t kPartBytes = 1 << 19;  // what one thread takes at a time
constexpr std::size_t kBytesPerKnown = 64;   // of text, for each piece that is remembered

/// The place of the ids of an earlier, equal piece: text repeats its words.
struct Known {
  std::string_view piece;
  std::size_t begin = 0, end = 0;
};

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end =
        text.size() > kPartBytes ? gpt2_safe_cut(text, kPartBytes) : text.size();
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return parts;
}

}  // namespace

Gpt2Tokenizer::Gpt2Tokenizer(Gpt2Vocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)), merges_(vocabulary_.byte_ids, vocabulary_.merges) {
  const TokenTable& tokens = vocabulary_.tokens;
  is_whole_.reserve(tokens.size());
  Ids ids;
  for (std::int32_t id = 0; id < tokens.size(); ++id) {
    ids.clear();
    merges_.encode(tokens.text(id), ids);
    is_whole_.push_back(ids.size() == 1 && ids[0] == id);
  }
  std::vector<std::string> whole;
  for (const std::int32_t id : vocabulary_.found_whole) whole.emplace_back(tokens.text(id));
  found_whole_ = TextSearch(whole);
}

std::shared_ptr<const Gpt2Tokenizer> Gpt2Tokenizer::load(const std::filesystem::path& folder) {
  return std::make_shared<Gpt2Tokenizer>(read_gpt2_vocabulary(folder));
}

Ids Gpt2Tokenizer::encode_part(std::string_view text) const {
  Ids ids;
  ids.reserve(text.size() / 3);
  std::vector<Known> known(std::bit_ceil(text.size() / kBytesPerKnown + 1));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = gpt2_piece_end(text, at);
    const std::string_view piece = text.substr(at, end - at);
    at = end;
    const std::uint64_t hash = hash_bytes(piece);
    const std::int32_t id = vocabulary_.tokens.find(piece, hash);
    if (id != TokenTable::kNone && is_whole_[id]) {
      ids.push_back(id);
      continue;
    }
    Known& earlier = known[hash & (known.size() - 1)];
    if (earlier.piece == piece) {
      for (std::size_t i = earlier.begin; i < earlier.end; ++i) ids.push_back(ids[i]);
    } else {
      const std::size_t begin = ids.size();
      merges_.encode(piece, ids);
      earlier = {piece, begin, ids.size()};
    }
  }
  return ids;
}

std::vector<std::int32_t> Gpt2Tokenizer::encode_text(std::string_view text, Side) const {
  if (found_whole_.is_empty()) return encode_plain(text);
  Ids ids;
  for (std::size_t at = 0; at < text.size();) {
    const auto [begin, token] = found_whole_.find(text, at);
    const Ids before = encode_plain(text.substr(at, begin - at));
    ids.insert(ids.end(), before.begin(), before.end());
    at = begin;
    if (token == TokenTable::kNone) break;
    ids.push_back(vocabulary_.found_whole[token]);
    at += found_whole_.string(token).size();
  }
  return ids;
}

std::vector<std::int32_t> Gpt2Tokenizer::encode_plain(std::string_view text) const {
  const std::vector<std::string_view> parts = parts_of(text);
  std::vector<Ids> ids(parts.size());
  parallel_for(std::ssize(parts), 1, [&](std::int64_t i) { ids[i] = encode_part(parts[i]); });
  if (ids.size() == 1) return std::move(ids[0]);
  Ids all;
  for (const Ids& part : ids) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::string Gpt2Tokenizer::piece(std::int32_t id) const {
  check_ids({&id, 1});
  return std::string(vocabulary_.tokens.text(id));
}

std::string Gpt2Tokenizer::decode(std::span<const std::int32_t> ids) const {
  check_ids(ids);
  std::string text;
  for (const std::int32_t id : ids) {
    if (id != vocabulary_.end_of_text) text += vocabulary_.tokens.text(id);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> Gpt2Tokenizer::files() const {
  return gpt2_files(vocabulary_);
}

}  // namespace kette
