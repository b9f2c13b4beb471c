#include "data/documents/po_document.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "data/documents/document_bytes.h"
#include "data/documents/escaped_tags.h"
#include "data/documents/html_tokens.h"
#include "data/documents/inline_text.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

std::string po_escaped(std::string_view character) {
  if (character == "\"") return "\\\"";
  if (character == "\\") return "\\\\";
  if (character == "\n") return "\\n";
  if (character == "\t") return "\\t";
  return std::string(character);
}

/// Adjacent strings, from the first quote to the last.
struct PoStrings {
  std::size_t begin = 0, end = 0;
  bool is_empty = true;
};
struct PoEntry {
  bool is_fuzzy = false;
  std::optional<PoStrings> id{}, plural{};
  std::vector<std::pair<bool, PoStrings>> translations{};  // first: for the singular
};

class PoDocument : public DocumentOfBytes {
 public:
  PoDocument(std::string all, std::string name)
      : DocumentOfBytes(std::move(all)), name_(std::move(name)), text_(bytes(), &po_escaped) {
    // First the charset, since its error says more than one about a byte.
    for (const bool is_first : {true, false}) {
      entry_ = {};
      at_ = bytes().substr(0, 3) == kByteOrderMark ? 3 : 0;
      while (at_ < bytes().size() && !(is_first && had_header_)) read_line();
      end_entry();
      if (is_first) check_document_bytes(bytes(), name_);
      had_header_ = true;
    }
  }

 protected:
  std::string escaped(std::string_view character, bool) const override {
    return po_escaped(character);
  }
  bool keeps_empty_lines() const override { return false; }

 private:
  [[noreturn]] void fail_at(std::size_t at, const std::string& what) const {
    fail(document_place(bytes(), at, name_), ": ", what);
  }

  void skip_blanks() {
    while (at_ < bytes().size() && is_markup_space(bytes()[at_])) ++at_;
  }

  void read_line() {
    skip_blanks();
    if (at_ == bytes().size()) return;
    if (bytes()[at_] == '#') return read_comment();
    const std::size_t begin = at_;
    while (at_ < bytes().size() &&
           (bytes()[at_] == '_' || (bytes()[at_] >= 'a' && bytes()[at_] <= 'z'))) {
      ++at_;
    }
    const std::string keyword = bytes().substr(begin, at_ - begin);
    if (keyword == "domain" || keyword == "msgctxt" || keyword == "msgid") {
      if (!entry_.translations.empty() || keyword == "domain") end_entry();
      const PoStrings strings = read_strings();
      if (keyword != "msgid") return;
      if (entry_.id) fail_at(begin, "expected a msgstr before the next msgid, given none");
      entry_.id = strings;
    } else if (keyword == "msgid_plural" && entry_.id) {
      entry_.plural = read_strings();
    } else if (keyword == "msgstr" && entry_.id) {
      const bool is_single = read_number() == 0;
      entry_.translations.emplace_back(is_single, read_strings());
    } else {
      fail_at(begin,
              "expected msgctxt, msgid, msgid_plural, msgstr or a comment, given something "
              "else (is this a PO file?)");
    }
  }

  void read_comment() {
    const std::size_t end = std::min(bytes().find('\n', at_), bytes().size());
    const std::string_view line = std::string_view(bytes()).substr(at_, end - at_);
    at_ = end;
    if (line.substr(0, 2) == "#~") return;
    if (!entry_.translations.empty()) end_entry();
    if (line.substr(0, 2) != "#,") return;
    const std::size_t fuzzy = line.find("fuzzy");
    if (fuzzy != std::string_view::npos) entry_.is_fuzzy = true;
  }

  /// The number in brackets; 0: none.
  std::size_t read_number() {
    skip_blanks();
    if (at_ == bytes().size() || bytes()[at_] != '[') return 0;
    const std::size_t begin = at_++;
    std::size_t number = 0;
    while (at_ < bytes().size() && bytes()[at_] >= '0' && bytes()[at_] <= '9') {
      number =
          std::min<std::size_t>(number * 10 + static_cast<std::size_t>(bytes()[at_++] - '0'), 1000);
    }
    if (at_ == bytes().size() || bytes()[at_] != ']' || at_ == begin + 1) {
      fail_at(begin, "expected msgstr[0] or another number, given none");
    }
    ++at_;
    return number;
  }

  PoStrings read_strings() {
    skip_blanks();
    if (at_ == bytes().size() || bytes()[at_] != '"') {
      fail_at(at_, "expected a string in quotes, given none");
    }
    PoStrings strings{at_, at_};
    for (; at_ < bytes().size() && bytes()[at_] == '"'; skip_blanks()) {
      const std::size_t begin = at_++;
      while (at_ < bytes().size() && bytes()[at_] != '"' && bytes()[at_] != '\n') {
        const bool escapes =
            bytes()[at_] == '\\' && at_ + 1 < bytes().size() && bytes()[at_ + 1] != '\n';
        at_ += escapes ? 2 : 1;
      }
      if (at_ >= bytes().size() || bytes()[at_] != '"') {
        fail_at(begin,
                "expected a quote at the end of a string that begins here, given none in its "
                "line");
      }
      strings.is_empty = strings.is_empty && at_ == begin + 1;
      strings.end = ++at_;
    }
    return strings;
  }

  void end_entry() {
    const PoEntry entry = std::move(entry_);
    entry_ = {};
    if (!entry.id || entry.is_fuzzy) return;
    if (entry.id->is_empty) return check_header(entry);
    if (!had_header_) return;
    for (const auto& [is_single, strings] : entry.translations) {
      if (strings.is_empty) fill(is_single || !entry.plural ? *entry.id : *entry.plural, strings);
    }
  }

  void check_header(const PoEntry& entry) {
    if (entry.translations.empty()) return;
    had_header_ = true;
    const PoStrings& header = entry.translations.front().second;
    const std::string text =
        lower_ascii(std::string_view(bytes()).substr(header.begin, header.end - header.begin));
    std::size_t at = text.find("charset=");
    if (at == std::string::npos) return;
    at += 8;
    const std::string charset = text.substr(at, text.find_first_of(" \\\"", at) - at);
    if (charset != "utf-8" && charset != "utf8" && charset != "ascii" && charset != "us-ascii" &&
        charset != "charset") {
      fail_at(header.begin, "expected a PO file in UTF-8, given the charset " + charset +
                                " (convert it: msgconv --to-code=UTF-8)");
    }
  }

  void end_block() {
    if (auto found = text_.take()) found_.push_back(std::move(*found));
  }

  void fill(const PoStrings& id, const PoStrings& target) {
    found_.clear();
    line_ = 0;
    EscapedTags tags(escaped_tags(unescaped(id)));
    for (std::size_t at = id.begin + 1; at < id.end - 1;) {
      const std::size_t behind_tag = tags.read(at, text_, [&] { end_block(); });
      at = behind_tag > at ? behind_tag : read_piece(at, id.end - 1);
    }
    end_block();
    std::size_t done = id.begin;  // in the msgid; bytes between its blocks are written, too
    const std::string_view all = bytes();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const InlineText::Found& found = found_[i];
      std::string before(all.substr(done, found.begin - done)), after;
      done = found.end;
      if (i + 1 == found_.size()) after = all.substr(done, id.end - done);
      add(found.block, i == 0 ? target.begin : target.end, target.end, std::move(before),
          std::move(after));
    }
  }

  /// The place after the border of two strings; `at` if there is none.
  std::size_t behind_border(std::size_t at, std::size_t end) const {
    if (at >= end || bytes()[at] != '"') return at;
    const std::size_t quote = bytes().find('"', at + 1);
    return quote + 1;
  }

  /// The text of strings that may have tags, else none.
  UnescapedText unescaped(const PoStrings& strings) const {
    UnescapedText text;
    const std::size_t end = strings.end - 1;
    std::size_t at = strings.begin + 1;
    if (std::string_view(bytes()).substr(at, end - at).find('<') == std::string_view::npos) {
      return text;
    }
    while (at < end) {
      const std::size_t border = behind_border(at, end);
      if (border > at) {
        at = border;
        continue;
      }
      const std::size_t begin = at;
      const bool escapes = bytes()[at] == '\\';
      at += escapes ? 2 : 1;
      const bool is_space = escapes && std::strchr("ntr", bytes()[at - 1]) != nullptr;
      text.add(is_space ? " " : std::string_view(bytes()).substr(at - 1, 1), begin, at);
    }
    return text;
  }

  /// Reads a character, an escape or a border at a byte of a msgid. Returns the place after it.
  std::size_t read_piece(std::size_t at, std::size_t end) {
    const char byte = bytes()[at];
    const std::size_t border = behind_border(at, end);
    if (border > at) {
      const bool is_space = border < end && bytes()[border] == ' ';
      if (is_space) text_.space(at, border + 1);
      if (!is_space) text_.mark(Mark::Kind::stands, at, border);
      return border + (is_space ? 1 : 0);
    }
    ++line_;
    if (byte == ' ' && behind_border(at + 1, end) > at + 1) {
      text_.space(at, behind_border(at + 1, end));
      return behind_border(at + 1, end);
    }
    if (byte == '\\') return read_escape(at, end);
    if (byte == '\t' || byte == '\r') {
      if (byte == '\t') end_block();
      if (byte == '\r') text_.space(at, at + 1);
      return at + 1;
    }
    const std::size_t next = at + utf8_length(byte);
    text_.character(std::string_view(bytes()).substr(at, next - at), at, next);
    return next;
  }

  std::size_t read_escape(std::size_t at, std::size_t end) {
    const char escape = bytes()[at + 1];
    std::size_t next = at + 2;
    if (escape == '"' || escape == '\\') {
      text_.character(std::string_view(bytes()).substr(at + 1, 1), at, next);
    } else if (escape == 'n') {
      next = behind_border(next, end);
      // A line that was broken for its length continues; others are a list, a table, a paragraph.
      constexpr std::size_t kLong = 40;
      const bool goes_on = line_ > kLong && next < end && bytes()[at - 1] != ':' &&
                           is_letter(utf8_character(bytes(), next).code_point);
      line_ = 0;
      if (goes_on) text_.space(at, next);
      if (!goes_on) end_block();
    } else if (escape == 'r') {
      text_.space(at, next);
    } else if (escape == 't' || escape == 'v' || escape == 'f') {
      end_block();  // columns: an entry of a menu and its key
    } else {
      const bool is_hex = escape == 'x';
      const auto is_digit = [&](char digit) {
        return (digit >= '0' && digit <= (is_hex ? '9' : '7')) ||
               (is_hex && (digit | 0x20) >= 'a' && (digit | 0x20) <= 'f');
      };
      if (is_hex || is_digit(escape)) {
        while (next < end && is_digit(bytes()[next]) && (is_hex || next < at + 4)) ++next;
      } else {
        next = at + 1 + utf8_length(escape);
      }
      text_.mark(Mark::Kind::stands, at, next);
    }
    return next;
  }

  std::string name_;
  InlineText text_;
  std::size_t at_ = 0;
  bool had_header_ = false;
  PoEntry entry_;
  std::size_t line_ = 0;  // characters of the msgid's line so far
  std::vector<InlineText::Found> found_;
};

}  // namespace

std::unique_ptr<Document> read_po(std::string bytes, const std::string& name) {
  return std::make_unique<PoDocument>(std::move(bytes), name);
}

}  // namespace kette
