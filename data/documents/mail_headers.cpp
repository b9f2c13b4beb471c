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

/// The value of a parameter "; name=value"; empty: there is none.
std::string parameter(std::string_view value, std::string_view name) {
  const std::string low = lower_ascii(value);
  for (std::size_t at = low.find(';'); at != low.npos; at = low.find(';', at + 1)) {
    std::size_t begin = std::min(low.find_first_not_of(" \t\r\n", at + 1), low.size());
    if (!std::string_view(low).substr(begin).starts_with(name)) continue;
    begin = std::min(low.find_first_not_of(" \t", begin + name.size()), low.size());
    if (begin == low.size() || low[begin] != '=') continue;
    begin = std::min(low.find_first_not_of(" \t", begin + 1), low.size());
    if (begin < low.size() && low[begin] == '"') {
      return std::string(value.substr(begin + 1, value.find('"', begin + 1) - begin - 1));
    }
    return std::string(value.substr(begin, value.find_first_of("; \t\r\n", begin) - begin));
  }
  return {};
}

std::string first_word(std::string_view value) {
  const std::size_t begin = std::min(value.find_first_not_of(" \t\r\n"), value.size());
  return lower_ascii(value.substr(begin, value.find_first_of("; \t\r\n", begin) - begin));
}

void note(MailHeaders& headers, std::string_view bytes, std::string_view name, SourceRange value) {
  const std::string low = lower_ascii(name);
  if (std::find(kOfMails.begin(), kOfMails.end(), low) != kOfMails.end()) headers.is_mail = true;
  const std::string_view text = value.of(bytes);
  if (low == "subject" && !headers.subject) headers.subject = value;
  if (low == "content-transfer-encoding") headers.encoding = first_word(text);
  if (low == "content-type") {
    headers.type = first_word(text);
    headers.charset = lower_ascii(parameter(text, "charset"));
    headers.boundary = parameter(text, "boundary");
    headers.flowed = lower_ascii(parameter(text, "format")) == "flowed";
  }
}

}  // namespace

MailHeaders read_mail_headers(std::string_view bytes, SourceRange range) {
  MailHeaders headers;
  std::size_t at = range.begin;
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
  }
  headers.end = std::min(at, range.end);
  return headers;
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
