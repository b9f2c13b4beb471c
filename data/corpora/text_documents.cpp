#include "data/corpora/text_documents.h"

#include <algorithm>
#include <utility>

#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/tokenizers/special_tokens.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::string_view kBlank = " \t\r\v\f";
constexpr std::string_view kBlankLines = "\n \t\r\v\f";
constexpr std::size_t kLongestPiece = 16;  // in pieces of the usual length

/// Where the last character of a text that is not empty begins.
std::size_t last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && text.size() - at < 4 && continues_utf8(text[at])) --at;
  return at;
}

bool ends_in_space(std::string_view text) {
  const std::string_view last = text.substr(last_character(text));
  return first_invalid_utf8(last) == std::string_view::npos && is_space(decode_utf8(last).back());
}

/// The last place where one of these spaces follows a character that is none; 0 if there is none.
std::size_t last_end_of_word(std::string_view text, std::string_view spaces) {
  std::size_t at = text.find_last_of(spaces);
  while (at != std::string_view::npos && at > 0 && ends_in_space(text.substr(0, at))) {
    at = text.find_last_of(spaces, at - 1);
  }
  return at == std::string_view::npos ? 0 : at;
}

}  // namespace

TextDocuments::TextDocuments(const std::filesystem::path& path, DocumentKind kind,
                             std::size_t piece_bytes)
    : name_(path.string()), file_(path), kind_(kind), piece_bytes_(piece_bytes) {
  do fill();
  while (!at_end_ && buffer_.size() < kByteOrderMark.size());
  KETTE_CHECK(!buffer_.empty(), name_, ": expected text, given an empty file (leave it out)");
  if (buffer_.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
  offset_ = static_cast<std::int64_t>(begin_);
}

std::optional<TextPiece> TextDocuments::next() {
  for (;; fill()) {
    if (!inside_document_) skip_blank_documents();
    if (rest().empty() && at_end_ && !inside_document_) return std::nullopt;
    if (const std::optional<End> end = document_end()) return take(*end, true);
    if (const std::size_t at = cut()) return take({at, at}, false);
  }
}

void TextDocuments::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + piece_bytes_);
  const std::size_t count = file_.read(buffer_.data() + before, piece_bytes_);
  buffer_.resize(before + count);
  at_end_ = count == 0;
}

void TextDocuments::skip_blank_lines() {
  if (kind_ == DocumentKind::file) return;
  const std::string_view text = rest();
  const std::size_t content = text.find_first_not_of(kBlankLines);
  const bool only_blank = content == std::string_view::npos;
  // The blanks in front of content belong to its line, which may not have been read yet.
  const std::size_t line =
      only_blank && at_end_ ? text.size() : text.substr(0, content).rfind('\n') + 1;
  begin_ += line;
  offset_ += static_cast<std::int64_t>(line);
}

void TextDocuments::skip_blank_documents() {
  skip_blank_lines();
  while (kind_ == DocumentKind::endoftext) {
    const std::size_t content = std::min(rest().find_first_not_of(kBlank), rest().size());
    if (!rest().substr(content).starts_with(kEndOfTextPiece)) break;
    begin_ += content + kEndOfTextPiece.size();
    offset_ += static_cast<std::int64_t>(content + kEndOfTextPiece.size());
    skip_blank_lines();
  }
}

std::optional<TextDocuments::End> TextDocuments::mark_end() const {
  const std::string_view text = rest();
  const std::size_t mark = text.find(kEndOfTextPiece);
  if (mark == std::string_view::npos && !at_end_) return std::nullopt;
  const std::size_t end = std::min(mark, text.size());
  const std::size_t blank = text.substr(0, end).find_last_not_of(kBlankLines) + 1;
  const std::size_t line_end = std::min(text.find('\n', blank), end);
  const bool has_return = line_end > 0 && line_end < end && text[line_end - 1] == '\r';
  return End{line_end - (has_return ? 1 : 0),
             mark < text.size() ? end + kEndOfTextPiece.size() : end};
}

std::optional<TextDocuments::End> TextDocuments::document_end() const {
  if (kind_ == DocumentKind::endoftext) return mark_end();
  const std::string_view text = rest();
  const auto without_return = [&](std::size_t end) {
    return end > 0 && text[end - 1] == '\r' ? end - 1 : end;
  };
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = kind_ == DocumentKind::file ? kNone : text.find('\n');
  while (kind_ == DocumentKind::paragraph && at != kNone) {
    const std::size_t content = text.find_first_not_of(kBlank, at + 1);
    if (content == kNone) {
      if (!at_end_) return std::nullopt;
      break;
    }
    if (text[content] == '\n') break;
    at = text.find('\n', content);
  }
  if (at != kNone) return End{without_return(at), at + 1};
  if (!at_end_) return std::nullopt;
  if (kind_ == DocumentKind::file) return End{text.size(), text.size()};
  return End{without_return(text.size()), text.size()};
}

std::size_t TextDocuments::cut() const {
  const std::string_view text = rest();
  if (text.size() < piece_bytes_) return 0;
  for (const std::string_view spaces : {"\n", " ", "\t\r"}) {
    if (const std::size_t at = last_end_of_word(text, spaces)) return at;
  }
  const std::size_t longest = std::max(kLongestPiece * piece_bytes_, 2 * kEndOfTextPiece.size());
  if (text.size() < longest) return 0;
  // What may be the first part of a mark is kept.
  const std::size_t kept = kind_ == DocumentKind::endoftext ? kEndOfTextPiece.size() + 1 : 0;
  return last_character(text.substr(0, text.size() - kept));
}

TextPiece TextDocuments::take(End end, bool ends_document) {
  TextPiece piece{std::string(rest().substr(0, end.text)), offset_, ends_document};
  begin_ += end.next;
  offset_ += static_cast<std::int64_t>(end.next);
  inside_document_ = !ends_document;
  return piece;
}

}  // namespace kette
