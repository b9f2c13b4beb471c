#include "data/tokenizers/tokenizer.h"

#include <algorithm>
#include <exception>

#include "data/files/atomic_file.h"
#include "data/files/block_checksums.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/tokenizers/added_tokens.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/gpt2_tokenizer.h"
#include "data/tokenizers/marian_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/tokenizer_json.h"
#include "data/tokenizers/tree_tokenizer.h"
#include "data/tokenizers/word_tokenizer.h"
#include "data/tokenizers/wordpiece_tokenizer.h"
#include "tensor/error.h"
#include "tensor/parallel_error.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

struct TokenizerKind {
  std::string name;
  std::vector<std::string> signs;  // it is known by one of these files
  SharedTokenizer (*load)(const fs::path& folder);
};

/// vocab.json and tokenizer.model are of two kinds each, and the one with another file beside it comes first.
const std::vector<TokenizerKind>& kinds() {
  using Folder = const fs::path&;
  static const std::vector<TokenizerKind> kinds = {
      {"marian",
       {"source.spm"},
       [](Folder folder) -> SharedTokenizer { return std::make_shared<MarianTokenizer>(folder); }},
      {"tree",
       {TreeTokenizer::kFile},
       [](Folder folder) -> SharedTokenizer { return TreeTokenizer::load(folder); }},
      {"sentencepiece",
       {SentencePieceTokenizer::kFile},
       [](Folder folder) -> SharedTokenizer {
         return SentencePieceTokenizer::load(folder / SentencePieceTokenizer::kFile);
       }},
      {"gpt2",
       {"vocab.json", "encoder.json"},
       [](Folder folder) -> SharedTokenizer { return Gpt2Tokenizer::load(folder); }},
      {"wordpiece",
       {"vocab.txt"},
       [](Folder folder) -> SharedTokenizer { return WordPieceTokenizer::load(folder); }},
      {"character",
       {"characters.json"},
       [](Folder folder) -> SharedTokenizer { return CharacterTokenizer::load(folder); }},
      {"word",
       {WordTokenizer::kFile},
       [](Folder folder) -> SharedTokenizer { return WordTokenizer::load(folder); }},
      {"byte", {}, [](Folder) -> SharedTokenizer { return std::make_shared<ByteTokenizer>(); }}};
  return kinds;
}

const TokenizerKind& kind_named(const std::string& name) {
  std::vector<std::string> names;
  for (const TokenizerKind& kind : kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  fail("tokenizer: expected one of ", joined(names), ", given ", name, did_you_mean(name, names));
}

const TokenizerKind& kind_in(const fs::path& folder) {
  std::vector<std::string> signs;
  for (const TokenizerKind& kind : kinds()) {
    for (const std::string& sign : kind.signs) {
      if (fs::exists(folder / sign)) return kind;
      signs.push_back(sign);
    }
  }
  const fs::path json = folder / kTokenizerJson;  // of either of two kinds
  if (fs::exists(json)) return kind_named(kind_of_tokenizer_json(json));
  fail(folder.string(), ": expected a folder with the files of a tokenizer (one of ", joined(signs),
       ", ", kTokenizerJson, "), given one with none of them");
}

}  // namespace

std::vector<std::vector<std::int32_t>> Tokenizer::encode_all(
    std::span<const std::string_view> lines, Side side) const {
  std::vector<std::vector<std::int32_t>> ids(lines.size());
  std::vector<std::exception_ptr> errors(lines.size());  // that of the first line is told
  ParallelError error;
#pragma omp parallel
  {
    std::function<std::vector<std::int32_t>(std::string_view)> encode_line;
    error.guard([&] { encode_line = line_encoder(side); });
#pragma omp for schedule(dynamic, 64)
    for (std::size_t i = 0; i < lines.size(); ++i) {
      error.guard([&] {
        try {
          ids[i] = encode_line(lines[i]);
        } catch (const Error&) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  error.rethrow();
  for (const std::exception_ptr& each : errors) {
    if (each) std::rethrow_exception(each);
  }
  return ids;
}

std::function<std::vector<std::int32_t>(std::string_view)> Tokenizer::line_encoder(
    Side side) const {
  return [this, side](std::string_view line) { return encode_text(line, side); };
}

std::vector<std::int32_t> Tokenizer::resegment(std::span<const std::int32_t>, double,
                                               std::uint64_t) const {
  fail("BPE-dropout: expected a SentencePiece BPE model, given a tokenizer of the kind ", kind());
}

std::optional<std::int32_t> Tokenizer::tag_of(const std::string&) const { return std::nullopt; }

std::int32_t Tokenizer::expected_tag_of(const std::string& language) const {
  const std::optional<std::int32_t> tag = tag_of(language);
  const std::vector<std::string> known = languages();
  KETTE_CHECK(tag || known.empty(), "language: expected one of ", joined(known), ", given ",
              language);
  KETTE_CHECK(
      tag, "language ", language,
      ": expected a vocabulary with a tag for it, given one without (train one model on the languages, with --languages)");
  return *tag;
}

std::int32_t Tokenizer::expected_mask() const {
  const std::optional<std::int32_t> id = mask();
  KETTE_CHECK(id, "tokenizer: expected one with a piece for masked words, given ", kind(),
              " without (train one with --objective masked, as sentencepiece or character, or take "
              "a vocab.txt with ",
              kMaskPiece, ")");
  return *id;
}

std::vector<std::string> Tokenizer::marks() const {
  const SpecialTokens ids = special();
  std::vector<std::int32_t> all = {ids.pad, ids.unknown, ids.begin, ids.end};
  all.push_back(mask().value_or(SpecialTokens::kNone));
  for (const std::string& language : languages()) {
    const std::int32_t tag = *tag_of(language);
    if (!is_written_tag(tag)) all.push_back(tag);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<std::string> written;
  for (const std::int32_t id : all) {
    std::string mark = id == SpecialTokens::kNone ? "" : piece(id);
    if (!mark.empty()) written.push_back(std::move(mark));
  }
  return written;
}

WordEdges Tokenizer::edges(std::int32_t id) const {
  const std::string text = piece(id);
  if (text.empty()) return {};
  std::size_t last = text.size() - 1;
  while (last > 0 && continues_utf8(text[last])) --last;
  const auto is_inside = [&](std::size_t at) {
    const Utf8Character character = utf8_character(text, at);  // of a part of one: of a letter
    return character.bytes == 0 || is_letter(character.code_point) ||
           is_number(character.code_point);
  };
  return {is_inside(0), is_inside(last)};
}

void Tokenizer::put_tag_before(std::vector<std::int32_t>& ids, const std::string& language) const {
  const bool has_own = !ids.empty() && is_written_tag(ids.front());
  if (language.empty()) {
    KETTE_CHECK(ids.empty() || has_own || !needs_language(),
                "language: expected the one to translate to, of ", joined(languages()),
                ", given none (--to NAME; of a text to train on, --languages)");
    return;
  }
  const std::int32_t tag = expected_tag_of(language);
  if (!ids.empty() && !has_own) ids.insert(ids.begin(), tag);
}

std::vector<std::int32_t> Tokenizer::encode_source(std::string_view text,
                                                   const std::string& language) const {
  std::vector<std::int32_t> ids = encode(text, Side::source);
  put_tag_before(ids, language);
  return ids;
}

std::string Tokenizer::fingerprint() const {
  std::uint32_t sum = 0;
  for (const auto& [name, content] : files()) sum = checksum_of(content, checksum_of(name, sum));
  return kind() + " " + std::to_string(vocabulary()) + " " + hexadecimal(sum);
}

void Tokenizer::save(const fs::path& folder) const {
  for (const auto& [name, content] : files()) write_file_atomically(folder / name, content);
}

void Tokenizer::check_ids(std::span<const std::int32_t> ids) const {
  for (const std::int32_t id : ids) {
    KETTE_CHECK(id >= 0 && id < vocabulary(), kind(), " tokenizer: expected an id from 0 to ",
                vocabulary() - 1, ", given ", id);
  }
}

SharedTokenizer load_tokenizer(const fs::path& path, const std::string& kind) {
  if (kind.empty() && !fs::is_directory(path)) return SentencePieceTokenizer::load(path);
  return (kind.empty() ? kind_in(path) : kind_named(kind)).load(path);
}

}  // namespace kette
