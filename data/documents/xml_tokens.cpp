#include "data/documents/xml_tokens.h"

#include <algorithm>
#include <cstdint>

#include "data/documents/document_bytes.h"
#include "data/documents/html_tokens.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

using XmlKind = XmlToken::Kind;

constexpr bool is_xml_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

constexpr bool begins_xml_name(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         byte == ':' || static_cast<unsigned char>(byte) >= 0x80;
}

constexpr bool is_in_xml_name(char byte) {
  return begins_xml_name(byte) || (byte >= '0' && byte <= '9') || byte == '-' || byte == '.';
}

bool is_xml_character(char32_t one) {
  return one == U'\t' || one == U'\n' || one == U'\r' || (one >= 0x20 && one < 0xD800) ||
         (one >= 0xE000 && one <= 0xFFFD) || (one >= 0x10000 && one <= 0x10FFFF);
}

/// The next attribute of a well-formed tag; false after the last.
bool next_xml_attribute(std::string_view tag, std::size_t& at, std::string_view& name,
                        std::string_view& value) {
  while (at < tag.size() && is_xml_space(tag[at])) ++at;
  if (at >= tag.size() || !begins_xml_name(tag[at])) return false;
  const std::size_t begin = at;
  while (at < tag.size() && is_in_xml_name(tag[at])) ++at;
  name = tag.substr(begin, at - begin);
  at = tag.find_first_of("\"'", at);
  if (at == std::string_view::npos) return false;
  const std::size_t end = tag.find(tag[at], at + 1);
  if (end == std::string_view::npos) return false;
  value = tag.substr(at + 1, end - at - 1);
  at = end + 1;
  return true;
}

std::size_t behind_tag_name(std::string_view tag) {
  std::size_t at = 1;
  while (at < tag.size() && (is_in_xml_name(tag[at]) || tag[at] == '?')) ++at;
  return at;
}

struct FoundAttribute {
  std::string_view written, value;  // name="value", and what stands between the quotes
};

std::optional<FoundAttribute> find_attribute(std::string_view tag, std::string_view name) {
  std::string_view found, value;
  for (std::size_t at = behind_tag_name(tag); next_xml_attribute(tag, at, found, value);) {
    const auto begin = static_cast<std::size_t>(found.data() - tag.data());
    if (found == name) return FoundAttribute{tag.substr(begin, at - begin), value};
  }
  return std::nullopt;
}

std::string plain_value(std::string_view value) {
  std::string plain;
  for (std::size_t at = 0; at < value.size();) {
    const XmlCharacter one = xml_character(value, at);
    if (one.bytes == 0) return std::string(value);
    plain += encode_utf8(std::u32string_view(&one.plain, 1));
    at += one.bytes;
  }
  return plain;
}

}  // namespace

std::string_view XmlToken::local_name() const {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

XmlCharacter xml_character(std::string_view bytes, std::size_t at) {
  if (bytes[at] != '&') {
    const Utf8Character one = utf8_character(bytes, at);
    return {one.bytes, one.code_point};
  }
  constexpr std::size_t kLongest = 32;
  const std::size_t end = bytes.substr(at, kLongest).find(';');
  if (end == std::string_view::npos) return {};
  const std::string_view name = bytes.substr(at + 1, end - 1);
  if (name.substr(0, 1) == "#") {
    const bool is_hex = name.substr(1, 1) == "x";
    const std::string_view digits = name.substr(is_hex ? 2 : 1);
    const char* allowed = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
    if (digits.empty() || digits.find_first_not_of(allowed) != std::string_view::npos) return {};
    const HtmlReference found = html_reference(bytes, at);  // the same, except for numbers
    std::uint64_t number = 0;
    for (const char digit : digits) {
      const int value = digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
      number = std::min<std::uint64_t>(number * (is_hex ? 16 : 10) + static_cast<unsigned>(value),
                                       0x110000);
    }
    if (!is_xml_character(static_cast<char32_t>(number))) return {};
    return {found.bytes, static_cast<char32_t>(number)};
  }
  constexpr std::pair<std::string_view, char32_t> kNames[] = {
      {"amp", U'&'}, {"lt", U'<'}, {"gt", U'>'}, {"quot", U'"'}, {"apos", U'\''}};
  for (const auto& [known, plain] : kNames) {
    if (name == known) return {end + 1, plain};
  }
  return {};
}

std::optional<std::string> xml_attribute(std::string_view tag, std::string_view name) {
  const std::optional<FoundAttribute> found = find_attribute(tag, name);
  return found ? std::optional(plain_value(found->value)) : std::nullopt;
}

std::string_view xml_attribute_as_written(std::string_view tag, std::string_view name) {
  const std::optional<FoundAttribute> found = find_attribute(tag, name);
  return found ? found->written : std::string_view();
}

std::optional<std::string> xml_prefix(std::string_view tag, std::string_view space) {
  std::string_view found, value;
  for (std::size_t at = behind_tag_name(tag); next_xml_attribute(tag, at, found, value);) {
    if (value != space) continue;
    if (found == "xmlns") return std::string();
    if (found.substr(0, 6) == "xmlns:") return std::string(found.substr(6)) + ":";
  }
  return std::nullopt;
}

XmlReader::XmlReader(std::string_view bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {
  if (starts(0, kByteOrderMark)) at_ = kByteOrderMark.size();
  if (starts(at_, "<?xml")) {
    const std::string_view tag = bytes_.substr(at_, bytes_.find('>', at_) - at_);
    const std::string encoding = lower_ascii(xml_attribute(tag, "encoding").value_or("utf-8"));
    const bool is_fine = encoding == "utf-8" || encoding == "utf8" || encoding == "us-ascii";
    if (!is_fine) {
      fail_at(at_, "expected XML in UTF-8, given the encoding " + encoding +
                       " (convert the document with iconv, and change what it says)");
    }
  }
  check_document_bytes(bytes_, name_);
}

void XmlReader::fail_at(std::size_t at, const std::string& what) const {
  fail(document_place(bytes_, at, name_), ": ", what);
}

bool XmlReader::starts(std::size_t at, std::string_view what) const {
  return at <= bytes_.size() && bytes_.substr(at, what.size()) == what;
}

std::size_t XmlReader::behind(std::size_t from, std::string_view what, const char* is) const {
  const std::size_t found = bytes_.find(what, from);
  if (found == std::string_view::npos) {
    fail_at(at_, std::string("expected ") + std::string(what) + " at the end of " + is +
                     " that begins here, given none (is the document cut off?)");
  }
  return found + what.size();
}

std::size_t XmlReader::end_of_name(std::size_t at) const {
  if (at >= bytes_.size() || !begins_xml_name(bytes_[at])) {
    fail_at(std::min(at, bytes_.size()),
            "expected a name, given something else (a bare < is &lt;)");
  }
  while (at < bytes_.size() && is_in_xml_name(bytes_[at])) ++at;
  return at;
}

void XmlReader::check_reference(std::size_t at) const {
  if (xml_character(bytes_, at).bytes > 0) return;
  fail_at(at, "expected a reference such as &amp; or &#8364;, given another one or a bare &");
}

void XmlReader::check_text(std::size_t begin, std::size_t end) const {
  for (std::size_t at = begin; at < end; ++at) {
    const auto byte = static_cast<unsigned char>(bytes_[at]);
    if (byte == '&') check_reference(at);
    if (byte < 0x20 && !is_xml_space(bytes_[at])) {
      fail_at(at, "expected text, given a control character, which XML does not know");
    }
  }
}

void XmlReader::read_attributes(std::size_t& at) const {
  std::vector<std::string_view> names;
  for (;;) {
    const std::size_t gap = at;
    while (at < bytes_.size() && is_xml_space(bytes_[at])) ++at;
    if (at == bytes_.size()) {
      fail_at(at_, "expected > at the end of a tag that begins here, given none");
    }
    if (bytes_[at] == '>' || bytes_[at] == '/') break;
    if (at == gap) fail_at(at, "expected a space before an attribute, given none");
    const std::size_t begin = at;
    at = end_of_name(at);
    names.push_back(bytes_.substr(begin, at - begin));
    while (at < bytes_.size() && is_xml_space(bytes_[at])) ++at;
    if (!starts(at, "=")) fail_at(at, "expected = behind an attribute's name, given none");
    ++at;
    while (at < bytes_.size() && is_xml_space(bytes_[at])) ++at;
    if (at == bytes_.size() || (bytes_[at] != '"' && bytes_[at] != '\'')) {
      fail_at(at, "expected an attribute's value in quotes, given none");
    }
    const std::size_t end = bytes_.find(bytes_[at], at + 1);
    if (end == std::string_view::npos) {
      fail_at(at, "expected the end of an attribute's value that begins here, given none");
    }
    const std::size_t less = bytes_.substr(at, end - at).find('<');
    if (less != std::string_view::npos) {
      fail_at(at + less, "expected &lt; in an attribute's value, given a bare <");
    }
    check_text(at + 1, end);
    at = end + 1;
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    fail_at(at_, "expected each attribute once, given two of the name " + std::string(*twice));
  }
}

void XmlReader::read_tag(XmlToken& token) {
  const bool is_end = starts(at_ + 1, "/");
  const std::size_t name = at_ + (is_end ? 2 : 1);
  std::size_t at = end_of_name(name);
  token.name = bytes_.substr(name, at - name);
  if (is_end) {
    while (at < bytes_.size() && is_xml_space(bytes_[at])) ++at;
    if (open_.empty() || open_.back() != token.name) {
      fail_at(at_, "expected " +
                       (open_.empty() ? std::string("no end tag")
                                      : "</" + std::string(open_.back()) + ">") +
                       ", given </" + std::string(token.name) + ">");
    }
    if (!starts(at, ">")) fail_at(at, "expected > at the end of a tag, given something else");
    open_.pop_back();
    token.kind = XmlKind::end;
    token.end = at + 1;
    return;
  }
  if (open_.empty() && had_root_) {
    fail_at(at_, "expected one root element, given a second one");
  }
  had_root_ = true;
  read_attributes(at);
  const bool is_empty = bytes_[at] == '/';
  if (is_empty && !starts(at, "/>")) fail_at(at, "expected /> at the end of a tag, given / alone");
  token.kind = is_empty ? XmlKind::empty : XmlKind::start;
  token.end = at + (is_empty ? 2 : 1);
  if (is_empty) return;
  if (open_.size() == kDeepest) {
    fail_at(at_, "expected elements that nest at most " + std::to_string(kDeepest) +
                     " deep, given deeper ones");
  }
  open_.push_back(token.name);
}

void XmlReader::read_doctype(XmlToken& token) {
  std::size_t at = at_;
  for (std::size_t brackets = 0; at < bytes_.size(); ++at) {
    const char byte = bytes_[at];
    if (starts(at, "<!ENTITY")) {
      fail_at(at,
              "expected a document type without entities of its own, given <!ENTITY (write their "
              "text in their place)");
    }
    if (starts(at, "<!--")) at = behind(at, "-->", "a comment") - 1;
    if (byte == '[') ++brackets;
    if (byte == ']' && brackets > 0) --brackets;
    if (byte == '"' || byte == '\'') at = std::min(bytes_.find(byte, at + 1), bytes_.size());
    if (byte == '>' && brackets == 0) break;
  }
  if (at >= bytes_.size()) {
    fail_at(at_, "expected > at the end of a document type that begins here, given none");
  }
  token.end = at + 1;
}

bool XmlReader::next(XmlToken& token) {
  if (at_ == bytes_.size()) {
    if (!open_.empty()) {
      fail_at(at_, "expected </" + std::string(open_.back()) +
                       ">, given the end of the document (is it cut off?)");
    }
    if (!had_root_) fail_at(at_, "expected an XML document, given no element");
    return false;
  }
  token = {XmlKind::other, at_, at_};
  if (bytes_[at_] != '<') {
    token.kind = XmlKind::text;
    token.end = std::min(bytes_.find('<', at_), bytes_.size());
    check_text(at_, token.end);
    const std::string_view text = bytes_.substr(at_, token.end - at_);
    const std::size_t other = text.find_first_not_of(" \t\r\n");
    if (open_.empty() && other != std::string_view::npos) {
      fail_at(at_ + other, "expected no text outside the root element, given some");
    }
  } else if (starts(at_, "<!--")) {
    token.end = behind(at_ + 4, "-->", "a comment");
  } else if (starts(at_, "<![CDATA[") && !open_.empty()) {
    token.kind = XmlKind::cdata;
    token.end = behind(at_ + 9, "]]>", "a CDATA section");
  } else if (starts(at_, "<?")) {
    token.end = behind(at_ + 2, "?>", "an instruction");
  } else if (starts(at_, "<!DOCTYPE") && !had_root_) {
    read_doctype(token);
  } else {
    read_tag(token);
  }
  at_ = token.end;
  return true;
}

void XmlReader::skip_element() {
  const std::size_t outside = depth() - 1;
  for (XmlToken token; depth() > outside && next(token);) {
  }
}

}  // namespace kette
