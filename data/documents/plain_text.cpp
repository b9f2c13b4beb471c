#include "data/documents/plain_text.h"

#include <algorithm>
#include <utility>

#include "data/documents/markdown_spans.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

/// The bytes of a list item's marker, with the white space after it; 0: none.
std::size_t item_sign(std::string_view line) {
  std::size_t sign = 0;
  for (const std::string_view one : {"-", "*", "+", "\u2022", "\u2013", "\u00B7"}) {
    if (line.starts_with(one)) sign = one.size();
  }
  if (sign == 0) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    if (digits == 0 || digits > 3 || digits == line.size()) return 0;
    if (line[digits] != '.' && line[digits] != ')') return 0;
    sign = digits + 1;
  }
  const std::size_t text = std::min(line.find_first_not_of(" \t", sign), line.size());
  return text > sign ? text : 0;
}

/// Whether a line is a rule such as "-----", or the border of a table: not text.
bool is_rule(std::string_view line) {
  if (line.starts_with("+-")) return true;
  for (std::size_t at = 0; at < line.size(); at += utf8_length(line[at])) {
    const char32_t character = utf8_character(line, at).code_point;
    if (is_letter(character) || is_number(character)) return false;
  }
  return true;
}

/// Without the white space at its ends.
SourceRange trimmed(std::string_view bytes, SourceRange line) {
  const auto is_gap = [&](std::size_t at) { return bytes[at] == ' ' || bytes[at] == '\t'; };
  while (line.begin < line.end && is_gap(line.begin)) ++line.begin;
  while (line.end > line.begin && is_gap(line.end - 1)) --line.end;
  return line;
}

}  // namespace

std::string as_it_is(std::string_view character) { return std::string(character); }

void add_plain_text(InlineText& block, std::string_view bytes, SourceRange range) {
  const std::string_view text = bytes.substr(0, range.end);
  constexpr std::string_view kFirst = "hfw@";
  const auto next_sign = [&](std::size_t from) {
    return std::min(text.find_first_of(kFirst, from), range.end);
  };
  std::size_t at = range.begin, sign = next_sign(at);
  SourceRange address;  // the next one
  const auto find_address = [&] {
    for (address = {range.end, range.end}; sign < range.end; sign = next_sign(sign + 1)) {
      if (text[sign] == '@') {
        const MailAddress mail = bare_mail_address(text, sign, at);
        if (mail.begin == sign) continue;
        address = {mail.begin, mail.end};
      } else {
        const std::size_t end = after_bare_address(text, sign);
        if (end == text.npos) continue;
        address = {sign, end};
      }
      sign = next_sign(address.end);
      return;
    }
  };
  for (find_address(); at < range.end;) {
    const std::size_t begin = at;
    if (at == address.begin) {
      at = address.end;
      block.mark(Mark::Kind::stands, begin, at);
      find_address();
    } else if (text[at] == ' ' || text[at] == '\t') {
      at = std::min(text.find_first_not_of(" \t", at), range.end);
      block.space(begin, at);
    } else {
      at += utf8_length(text[at]);
      block.character(text.substr(begin, at - begin), begin, at);
    }
  }
}

void Paragraphs::add_line(SourceRange line) {
  line = trimmed(bytes_, line);
  const std::string_view text = line.of(bytes_);
  if (is_rule(text)) return end();
  if (text.starts_with('|')) return add_cells(line);
  if (const std::size_t sign = item_sign(text)) {
    end();
    line.begin += sign;
  }
  if (line.begin == line.end) return;
  if (end_ > 0) block_.space(end_, line.begin);
  add_plain_text(block_, bytes_, line);
  end_ = line.end;
}

void Paragraphs::add_cells(SourceRange row) {
  end();
  while (row.begin < row.end) {
    const std::size_t bar = std::min(bytes_.find('|', row.begin), row.end);
    add_plain_text(block_, bytes_, {row.begin, bar});
    end();
    row.begin = bar + 1;
  }
}

void Paragraphs::end() {
  end_ = 0;
  std::optional<InlineText::Found> found = block_.take();
  if (found && found->has_letter) sink_(std::move(*found));
}

}  // namespace kette
