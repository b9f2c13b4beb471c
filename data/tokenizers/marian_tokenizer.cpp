#include "data/tokenizers/marian_tokenizer.h"

#include <algorithm>

#include "data/files/text_file.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/tokenizers/added_tokens.h"
#include "data/tokenizers/sentencepiece_model.h"
#include "data/tokenizers/vocabulary_json.h"
#include "tensor/error.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = "source.spm";
constexpr const char* kTarget = "target.spm";
constexpr const char* kVocabulary = "vocab.json";
constexpr std::string_view kCodeBegin = ">>", kCodeEnd = "<<";

/// What stands between the marks of a code.
std::string_view language_in(std::string_view code) {
  return code.substr(kCodeBegin.size(), code.size() - kCodeBegin.size() - kCodeEnd.size());
}

bool is_code(std::string_view piece) {
  return piece.size() > kCodeBegin.size() + kCodeEnd.size() && piece.starts_with(kCodeBegin) &&
         piece.ends_with(kCodeEnd);
}

/// As ">>deu<<" and ">>zho_Hans<<". Other words between such marks are a quotation.
bool has_form_of_code(std::string_view code) {
  const std::string_view text = language_in(code);
  const std::string_view language = text.substr(0, text.find('_'));
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_letter = [&](char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_'; };
  return (language.size() == 2 || language.size() == 3) &&
         std::all_of(language.begin(), language.end(), is_lower) &&
         std::all_of(text.begin(), text.end(), is_letter);
}

/// str.strip() of Python.
std::string stripped(const std::string& text) {
  if (first_invalid_utf8(text) != std::string::npos) return text;  // cut within a character
  const std::u32string characters = decode_utf8(text);
  std::u32string_view kept = strip_right(characters);
  while (!kept.empty() && is_space(kept.front())) kept.remove_prefix(1);
  return encode_utf8(kept);
}

}  // namespace

MarianTokenizer::MarianTokenizer(const fs::path& folder)
    : source_(std::make_unique<sentencepiece::SentencePieceProcessor>()),
      target_(std::make_unique<sentencepiece::SentencePieceProcessor>()),
      table_(read_vocabulary_json(folder / kVocabulary)),
      vocabulary_json_(read_text(folder / kVocabulary)) {
  load_sentencepiece(read_text(folder / kSource), (folder / kSource).string(), *source_);
  load_sentencepiece(read_text(folder / kTarget), (folder / kTarget).string(), *target_);
  const auto find = [&](const char* piece) {
    const std::int32_t found = table_.find(piece);
    KETTE_CHECK(found != TokenTable::kNone, (folder / kVocabulary).string(),
                ": expected the piece ", piece, ", given a vocabulary without it");
    return found;
  };
  const std::int32_t pad = find("<pad>");
  special_ = {pad, find("<unk>"), pad, find("</s>")};
  std::vector<std::pair<std::string, std::int32_t>> marks = {
      {"<pad>", pad}, {"<unk>", special_.unknown}, {"</s>", special_.end}};
  for (std::int32_t id = 0; id < table_.size(); ++id) {
    const std::string_view piece = table_.text(id);
    if (!is_code(piece)) continue;
    marks.emplace_back(piece, id);
    languages_.emplace_back(language_in(piece));
  }
  expect_no_added_tokens(folder, kVocabulary, marks);
}

MarianTokenizer::~MarianTokenizer() = default;

std::string MarianTokenizer::piece(std::int32_t id) const {
  check_ids({&id, 1});
  return std::string(table_.text(id));
}

std::vector<std::pair<std::string, std::string>> MarianTokenizer::files() const {
  return {{kSource, source_->serialized_model_proto()},
          {kTarget, target_->serialized_model_proto()},
          {kVocabulary, vocabulary_json_}};
}

std::vector<std::int32_t> MarianTokenizer::encode_text(std::string_view text, Side side) const {
  std::vector<std::int32_t> ids;
  if (const std::string_view code = code_before(text); !code.empty()) {
    ids.push_back(id_of(code));
    text.remove_prefix(code.size());
  }
  std::vector<std::string> pieces;
  check_encoded((side == Side::target ? target_ : source_)->Encode(text, &pieces));
  for (const std::string& piece : pieces) ids.push_back(id_of(piece));
  return ids;
}

std::string MarianTokenizer::decode(std::span<const std::int32_t> ids) const {
  check_ids(ids);
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) {
    const bool stands_for_text = id != special_.pad && id != special_.unknown && id != special_.end;
    if (stands_for_text) pieces.emplace_back(table_.text(id));
  }
  std::string text;
  check_encoded(target_->Decode(pieces, &text));
  // target.spm returns unknown pieces, such as those of source.spm only, unchanged.
  for (std::size_t at = 0; (at = text.find(kSpaceMark, at)) != std::string::npos; ++at) {
    text.replace(at, kSpaceMark.size(), " ");
  }
  return stripped(text);
}

std::optional<std::int32_t> MarianTokenizer::tag_of(const std::string& language) const {
  std::string code(kCodeBegin);
  code.append(language).append(kCodeEnd);
  const std::int32_t found = is_code(code) ? table_.find(code) : TokenTable::kNone;
  return found == TokenTable::kNone ? std::nullopt : std::optional(found);
}

WrittenTag MarianTokenizer::written_tag(std::string_view text) const {
  const std::string_view code = code_before(text);
  if (languages_.empty() || code.empty()) return {};
  const std::size_t behind = text.find_first_not_of(" \t\r\n", code.size());
  return {std::string(language_in(code)), std::min(behind, text.size())};
}

bool MarianTokenizer::is_written_tag(std::int32_t id) const { return is_code(table_.text(id)); }

std::string_view MarianTokenizer::code_before(std::string_view text) const {
  const std::size_t end = text.find(kCodeEnd);
  if (!text.starts_with(kCodeBegin) || end == std::string_view::npos) return {};
  const std::string_view code = text.substr(0, end + kCodeEnd.size());
  const bool is_one =
      is_code(code) && (table_.find(code) != TokenTable::kNone || has_form_of_code(code));
  return is_one ? code : std::string_view();
}

std::int32_t MarianTokenizer::id_of(std::string_view piece) const {
  const std::int32_t found = table_.find(piece);
  return found == TokenTable::kNone ? special_.unknown : found;
}

}  // namespace kette
