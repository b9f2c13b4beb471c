#include "data/documents/mail_headers.h"

#include <algorithm>
#include <array>

#include "data/documents/html_tokens.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

constexpr std::array<std::string_view, 13> kOfMails = {
    "from",         "to",           "cc",          "subject",  "date",
    "message-id",   "received",     "return-path", "reply-to", "mime-version",
    "content-type", "delivered-to", "in-reply-to"};

/// The length of a header's name; 0: not a header.
std::size_t header_name(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || colon == 0) return 0;
  const auto is_part = [](char c) { return c > ' ' && c < 0x7F; };
  return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), is_part)
             ? colon
             : 0;
}

bool begins_with_space(std::string_view line) {
  return line.starts_with(' ') || line.starts_with('\t');
}

/// The value of a parameter "; name=value" without quotes, within `value`.
std::optional<SourceRange> parameter(std::string_view value, std::string_view name) {
  const std::string low = lower_ascii(value);
  for (std::size_t at = low.find(';'); at != low.npos; at = low.find(';', at + 1)) {
    std::size_t begin = std::min(low.find_first_not_of(" \t\r\n", at + 1), low.size());
    if (!std::string_view(low).substr(begin).starts_with(name)) continue;
    begin = std::min(low.find_first_not_of(" \t", begin + name.size()), low.size());
    if (begin == low.size() || low[begin] != '=') continue;
    begin = std::min(low.find_first_not_of(" \t", begin + 1), low.size());
    const bool is_quoted = begin < low.size() && low[begin] == '"';
    begin += is_quoted ? 1 : 0;
    return SourceRange{
        begin, std::min(value.find_first_of(is_quoted ? "\"" : "; \t\r\n", begin), low.size())};
  }
  return {};
}

std::string parameter_text(std::string_view value, std::string_view name) {
  const std::optional<SourceRange> found = parameter(value, name);
  return found ? std::string(found->of(value)) : std::string();
}

/// Also in the forms of RFC 2231.
bool has_file_name(std::string_view value, const std::string& name) {
  return parameter(value, name) || parameter(value, name + "*") || parameter(value, name + "*0") ||
         parameter(value, name + "*0*");
}

SourceRange first_word(std::string_view value) {
  const std::size_t begin = std::min(value.find_first_not_of(" \t\r\n"), value.size());
  return {begin, std::min(value.find_first_of("; \t\r\n", begin), value.size())};
}

bool is_ascii_name(std::string_view charset) {
  return charset.empty() || charset == "us-ascii" || charset == "ascii";
}

void note(MailHeaders& headers, std::string_view bytes, std::string_view name, SourceRange value) {
  const std::string low = lower_ascii(name);
  if (std::find(kOfMails.begin(), kOfMails.end(), low) != kOfMails.end()) headers.is_mail = true;
  const std::string_view text = value.of(bytes);
  if (low == "subject" && !headers.subject) headers.subject = value;
  const auto in_bytes = [&](SourceRange range) {
    return SourceRange{value.begin + range.begin, value.begin + range.end};
  };
  const SourceRange word = first_word(text);
  if (low == "mime-version") headers.declared.has_version = true;
  if (low == "content-transfer-encoding") {
    headers.encoding = lower_ascii(word.of(text));
    headers.declared.encoding = in_bytes(word);
  }
  if (low == "content-disposition") {
    headers.is_attachment = headers.is_attachment || lower_ascii(word.of(text)) == "attachment" ||
                            has_file_name(text, "filename");
  }
  if (low == "content-type") {
    headers.type = lower_ascii(word.of(text));
    headers.charset = lower_ascii(parameter_text(text, "charset"));
    headers.boundary = parameter_text(text, "boundary");
    headers.flowed = lower_ascii(parameter_text(text, "format")) == "flowed";
    headers.is_attachment = headers.is_attachment || has_file_name(text, "name");
    headers.declared.type = in_bytes(word);
    headers.declared.charset = parameter(text, "charset");
    if (headers.declared.charset) headers.declared.charset = in_bytes(*headers.declared.charset);
  }
}

}  // namespace

MailHeaders read_mail_headers(std::string_view bytes, SourceRange range) {
  MailHeaders headers;
  std::size_t at = headers.declared.end = range.begin;
  while (at < range.end) {
    const SourceLine line = line_at(bytes, at);
    const std::string_view text = line.of(bytes);
    if (text.empty()) {
      at = line.next;
      break;
    }
    const std::size_t name = header_name(text);
    if (name == 0) break;
    std::size_t end = line.end;
    at = line.next;
    while (at < range.end && begins_with_space(bytes.substr(at))) {
      const SourceLine folded = line_at(bytes, at);
      if (is_blank_line(folded.of(bytes))) break;
      end = folded.end;
      at = folded.next;
    }
    note(headers, bytes, text.substr(0, name), {line.begin + name + 1, end});
    if (at < range.end && begins_with_space(bytes.substr(at))) at = line_at(bytes, at).next;
    headers.declared.end = std::min(at, range.end);
  }
  headers.end = std::min(at, range.end);
  return headers;
}

std::vector<DocumentEdit> edits_for_utf8(std::string_view bytes, const MailDeclaration& declared,
                                         bool is_text, bool is_mail, std::string_view line_end) {
  std::vector<DocumentEdit> edits;
  std::string missing;  // headers
  const auto add_header = [&](std::string_view header) { missing.append(header).append(line_end); };
  if (is_mail && !declared.has_version) add_header("MIME-Version: 1.0");
  if (is_text && !declared.type) {
    add_header("Content-Type: text/plain; charset=utf-8");
  } else if (is_text && !declared.charset) {
    edits.push_back({declared.type->end, declared.type->end, "; charset=utf-8"});
  } else if (is_text && is_ascii_name(lower_ascii(declared.charset->of(bytes)))) {
    edits.push_back({declared.charset->begin, declared.charset->end, "utf-8"});
  }
  if (!declared.encoding) {
    add_header("Content-Transfer-Encoding: 8bit");
  } else if (const std::string now = lower_ascii(declared.encoding->of(bytes));
             now.empty() || now == "7bit") {
    edits.push_back({declared.encoding->begin, declared.encoding->end, "8bit"});
  }
  if (!missing.empty()) edits.push_back({declared.end, declared.end, std::move(missing)});
  std::sort(edits.begin(), edits.end(),
            [](const DocumentEdit& a, const DocumentEdit& b) { return a.begin < b.begin; });
  return edits;
}

std::string encoded_words(std::string_view text, std::string_view line_end) {
  constexpr std::string_view kBegin = "=?UTF-8?Q?", kEnd = "?=", kDigits = "0123456789ABCDEF";
  constexpr std::size_t kLongest = 75;
  std::string all, word(kBegin);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text[at]);
    std::string spelled;
    for (const char byte : text.substr(at, length)) {
      const auto code = static_cast<unsigned char>(byte);
      const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                         (byte >= 'a' && byte <= 'z');
      if (plain) {
        spelled += byte;
      } else if (byte == ' ') {
        spelled += '_';
      } else {
        spelled += {'=', kDigits[code / 16], kDigits[code % 16]};
      }
    }
    if (word.size() + spelled.size() + kEnd.size() > kLongest) {
      all.append(word).append(kEnd).append(line_end).append(" ");
      word = kBegin;
    }
    word += spelled;
    at += length;
  }
  return all.append(word).append(kEnd);
}

}  // namespace kette
