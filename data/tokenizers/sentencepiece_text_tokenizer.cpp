#include "data/tokenizers/sentencepiece_text_tokenizer.h"

#include <algorithm>
#include <cstdio>

#include "data/files/encoding.h"
#include "data/files/line_sample.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// Spaces at both ends and in runs, a ligature, letters to compose, and a tab: what every
/// normalisation but the identity changes.
constexpr std::string_view kProbe = "  a  \xEF\xAC\x81 A\xCC\x8A\t ";

std::string byte_piece(int byte) {
  char piece[8];
  std::snprintf(piece, sizeof piece, "<0x%02X>", static_cast<unsigned>(byte));
  return piece;
}

/// How many bytes from `at` on the model must not see: a newline, a NUL, a space mark, which it
/// would take for a space, and what is not UTF-8, which it would replace. 0 for all other text.
std::size_t foreign(std::string_view text, std::size_t at) {
  if (text[at] == '\n' || text[at] == '\0') return 1;
  if (static_cast<unsigned char>(text[at]) < 0x80) return 0;
  if (text.substr(at, Tokenizer::kSpaceMark.size()) == Tokenizer::kSpaceMark)
    return Tokenizer::kSpaceMark.size();
  return utf8_character(text, at).bytes == 0 ? 1 : 0;
}

/// The trainer passes over longer lines, so they are cut: after a space, else between characters.
void append_line(std::string_view line, std::vector<std::string_view>& lines) {
  while (line.size() > Tokenizer::kLongestLine) {
    std::size_t end = line.rfind(' ', Tokenizer::kLongestLine - 1) + 1;
    if (end == 0) {
      end = Tokenizer::kLongestLine;
      while (end > 1 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
    }
    lines.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  lines.push_back(line);
}

}  // namespace

SentencePieceTextTokenizer::SentencePieceTextTokenizer(Tokenizer model) : model_(std::move(model)) {
  find_bytes();
  lossless_ = !spelt_.empty() && spell(model_.encode(kProbe)) == kProbe;
}

std::shared_ptr<const SentencePieceTextTokenizer> SentencePieceTextTokenizer::load(
    const std::filesystem::path& folder) {
  return std::make_shared<SentencePieceTextTokenizer>(Tokenizer::load(folder / Tokenizer::kFile));
}

std::shared_ptr<const SentencePieceTextTokenizer> SentencePieceTextTokenizer::train(
    std::string_view text, TokenizerOptions options) {
  check_not_utf16(text, "Tokenizer");
  const std::size_t invalid = first_invalid_utf8(text);
  KETTE_CHECK(invalid == std::string_view::npos, "Tokenizer: ",
              expected_utf8(text, text[invalid], " at byte offset " + std::to_string(invalid)));
  options.normalization = TokenizerOptions::Normalization::lossless;
  LineSample sample(static_cast<std::int64_t>(text.size()), options.sample_bytes);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    append_line(text.substr(0, end), lines);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::erase_if(lines, [&](std::string_view) { return !sample.takes_next(); });
  return std::make_shared<SentencePieceTextTokenizer>(Tokenizer::train(lines, options));
}

/// Fills byte_ids_ and spelt_ if the model has a piece for every byte.
void SentencePieceTextTokenizer::find_bytes() {
  for (int byte = 0; byte < 256; ++byte) {
    byte_ids_[static_cast<std::size_t>(byte)] = model_.id(byte_piece(byte));
    if (byte_ids_[static_cast<std::size_t>(byte)] == model_.special().unknown) return;
  }
  spelt_.resize(static_cast<std::size_t>(vocabulary()));
  for (std::int32_t id = model_.special().end + 1; id < vocabulary(); ++id) {
    std::string& spelt = spelt_[static_cast<std::size_t>(id)];
    spelt = model_.piece(id);
    for (std::size_t at = 0; (at = spelt.find(Tokenizer::kSpaceMark, at)) != std::string::npos;
         ++at) {
      spelt.replace(at, Tokenizer::kSpaceMark.size(), " ");
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    const auto id = static_cast<std::size_t>(byte_ids_[static_cast<std::size_t>(byte)]);
    spelt_[id] = std::string(1, static_cast<char>(byte));
  }
}

std::vector<std::int32_t> SentencePieceTextTokenizer::encode(std::string_view text) const {
  return lossless_ ? encode_parts(text) : model_.encode(text);
}

/// The parts between foreign bytes on all threads, and these by their byte pieces.
std::vector<std::int32_t> SentencePieceTextTokenizer::encode_parts(std::string_view text) const {
  std::vector<std::string_view> parts, gaps;  // in turn, a part first; either may be empty
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && foreign(text, end) > 0) end += foreign(text, end);
    if (end == at) {
      at += utf8_length(text[at]);
      continue;
    }
    parts.push_back(text.substr(start, at - start));
    gaps.push_back(text.substr(at, end - at));
    start = at = end;
  }
  parts.push_back(text.substr(start));
  gaps.emplace_back();

  std::vector<std::int32_t> ids;
  const std::vector<std::vector<std::int32_t>> encoded = model_.encode_all(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ids.insert(ids.end(), encoded[i].begin(), encoded[i].end());
    for (const char byte : gaps[i]) ids.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
  }
  return ids;
}

std::string SentencePieceTextTokenizer::spell(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += spelt_[static_cast<std::size_t>(id)];
  return text;
}

std::string SentencePieceTextTokenizer::decode(std::span<const std::int32_t> ids) const {
  check_ids(ids);
  return lossless_ ? spell(ids) : model_.decode(ids);
}

std::vector<std::pair<std::string, std::string>> SentencePieceTextTokenizer::files() const {
  return {{Tokenizer::kFile, model_.bytes()}};
}

}  // namespace kette
