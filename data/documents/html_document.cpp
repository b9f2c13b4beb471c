#include "data/documents/html_document.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/documents/document_bytes.h"
#include "data/documents/html_elements.h"
#include "data/documents/html_tokens.h"
#include "data/documents/inline_text.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

using HtmlKind = HtmlToken::Kind;

/// The charset that a tag <meta> declares, in lower case; empty: none.
std::string charset_of(std::string_view tag) {
  const auto charset = html_attribute(tag, "charset");
  if (charset) return lower_ascii(*charset);
  const auto says = html_attribute(tag, "http-equiv"), content = html_attribute(tag, "content");
  if (!says || !content || lower_ascii(*says) != "content-type") return {};
  const std::string text = lower_ascii(*content);
  const std::size_t at = text.find("charset=");
  if (at == std::string::npos) return {};
  const std::size_t begin = text.find_first_not_of(" \"'", at + 8);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_first_of(" ;\"'", begin) - begin);
}

/// Looks only at the first bytes, as browsers do.
void check_charset(std::string_view bytes, const std::string& name) {
  constexpr std::size_t kLooked = 4096;
  for (std::size_t at = 0; at < std::min(kLooked, bytes.size());) {
    const HtmlToken token = html_token(bytes, at);
    at = token.end;
    const std::string_view tag = bytes.substr(token.begin, token.end - token.begin);
    std::string charset;
    if (token.kind == HtmlKind::start && token.name == "meta") charset = charset_of(tag);
    if (tag.substr(0, 5) == "<?xml" && token.begin <= kByteOrderMark.size()) {
      charset = lower_ascii(html_attribute(tag, "encoding").value_or(std::string_view()));
    }
    const bool is_fine = charset.empty() || charset == "utf-8" || charset == "utf8" ||
                         charset == "us-ascii" || charset == "ascii";
    KETTE_CHECK(is_fine, document_place(bytes, token.begin, name),
                ": expected HTML in UTF-8, given the charset ", charset,
                " (convert the document with iconv, and change what it says)");
    if (!charset.empty()) return;  // the first one counts
    if (token.kind == HtmlKind::start && is_html_raw(token.name)) {
      at = end_of_raw_text(bytes, at, token.name);
    }
  }
}

class HtmlDocument : public DocumentOfBytes {
 public:
  explicit HtmlDocument(std::string all)
      : DocumentOfBytes(std::move(all)), text_(bytes(), &markup_escaped) {
    const std::string_view start = std::string_view(bytes()).substr(0, 8);
    is_xml_ = start.find("<?xml") != std::string_view::npos;
    if (start.substr(0, 3) == kByteOrderMark) at_ = 3;
    while (at_ < bytes().size()) {
      const HtmlToken token = html_token(bytes(), at_);
      at_ = token.end;
      if (token.kind == HtmlKind::text) read_text(token.begin, token.end);
      if (token.kind == HtmlKind::start) begin_element(token);
      if (token.kind == HtmlKind::end) end_element(token);
      if (token.kind == HtmlKind::other) stand(token.begin);
    }
    end_block();
  }

 protected:
  std::string escaped(std::string_view character, bool) const override {
    return markup_escaped(character);
  }
  bool reads_back(std::size_t index, std::string_view spelled,
                  std::string_view rest) const override {
    if (spelled == "<" && titles_.contains(index)) {
      return end_of_raw_text("<" + std::string(rest.substr(0, 7)), 0, "title") != 0;
    }
    if (spelled == "<") {
      return rest.empty() ||
             html_token("<" + std::string(rest.substr(0, 2)), 0).kind == HtmlKind::text;
    }
    if (spelled[0] != '&') return true;
    constexpr std::size_t kLonger = 40;  // than any reference
    const HtmlReference found =
        html_reference(std::string(spelled).append(rest.substr(0, kLonger)), 0);
    return found.bytes == (spelled == "&" ? 0 : spelled.size());
  }

 private:
  void end_block() {
    after_line_break_ = false;
    std::optional<InlineText::Found> found = text_.take();
    if (found && found->has_letter) add(std::move(found->block), found->begin, found->end);
  }

  /// Makes the bytes from `begin` to at_ a single mark.
  void stand(std::size_t begin) { text_.mark(Mark::Kind::stands, begin, at_); }

  void read_text(std::size_t begin, std::size_t end) {
    const std::string_view all = bytes();
    for (std::size_t at = begin; at < end;) {
      const std::size_t from = at;
      while (at < end && is_markup_space(all[at])) ++at;
      if (at > from) {
        text_.space(from, at);
        continue;
      }
      const HtmlReference reference =
          all[at] == '&' ? html_reference(all.substr(0, end), at) : HtmlReference();
      at += reference.bytes > 0 ? reference.bytes : utf8_length(all[at]);
      after_line_break_ = false;
      if (reference.bytes == 0) {
        text_.character(all.substr(from, at - from), from, at);
      } else if (reference.plain.size() > 1 || reference.plain[0] == U'\uFFFD') {
        text_.mark(Mark::Kind::stands, from, at);
      } else if (reference.plain[0] < 0x80 &&
                 is_markup_space(static_cast<char>(reference.plain[0]))) {
        text_.space(from, at);
      } else {
        text_.character(encode_utf8(reference.plain), from, at);
      }
    }
  }

  void line_break(std::size_t begin) {
    if (!text_.has_open() || after_line_break_) return end_block();
    text_.space(begin, at_);
    after_line_break_ = true;
  }

  void begin_element(const HtmlToken& token) {
    const std::string& name = token.name;
    if (name == "br") return line_break(token.begin);
    const bool is_block = is_html_block(name);
    if (is_block) end_block();
    const bool is_empty = is_html_void(name) || (is_xml_ && token.closes_itself);
    if (!is_empty && name == "title") {
      const std::size_t end = end_of_raw_text(bytes(), at_, name);
      read_text(at_, end);
      at_ = end;
      const std::size_t index = blocks().size();
      end_block();
      if (blocks().size() > index) titles_.insert(index);  // which has no tags
      return;
    }
    const bool is_left = is_html_raw(name) || is_html_code(name) || says_no(token);
    if (is_left && !is_empty) at_ = end_of_element(token);
    if (is_block) return;
    if (is_left || is_empty) return stand(token.begin);
    text_.mark(Mark::Kind::opens, token.begin, token.end, name);
  }

  void end_element(const HtmlToken& token) {
    if (token.name == "br") return line_break(token.begin);
    if (is_html_block(token.name)) return end_block();
    text_.mark(Mark::Kind::closes, token.begin, token.end, token.name);
  }

  bool says_no(const HtmlToken& token) const {
    const std::string_view tag =
        std::string_view(bytes()).substr(token.begin, token.end - token.begin);
    const auto translate = html_attribute(tag, "translate");
    if (translate && lower_ascii(*translate) == "no") return true;
    const std::string_view classes = html_attribute(tag, "class").value_or(std::string_view());
    for (std::size_t at = 0; at < classes.size();) {
      const std::size_t end = std::min(classes.find_first_of(" \t\n\r\f", at), classes.size());
      if (classes.substr(at, end - at) == "notranslate") return true;
      at = end + 1;
    }
    return false;
  }

  /// The end of the element with this start tag, or where it ends without an end tag.
  std::size_t end_of_element(const HtmlToken& element) const {
    const std::string& name = element.name;
    std::size_t at = element.end;
    if (is_html_raw(name)) {
      at = end_of_raw_text(bytes(), at, name);
      return at < bytes().size() ? html_token(bytes(), at).end : at;
    }
    const bool is_foreign = name == "svg" || name == "math";
    std::vector<std::string> open;
    std::unordered_map<std::string, std::size_t> counts;  // of what is open
    const auto is_open = [&](const char* one) { return counts.contains(one) && counts[one] > 0; };
    while (at < bytes().size()) {
      const HtmlToken token = html_token(bytes(), at, is_foreign);
      at = token.end;
      if (token.kind == HtmlKind::start) {
        if (open.empty() && ends_before(name, token.name)) return token.begin;
        // Browsers assume a forgotten end tag here, except where HTML may be inside.
        if (is_foreign && is_html_block(token.name) && token.name != "title" &&
            !is_open("foreignobject") && !is_open("annotation-xml")) {
          return token.begin;
        }
        if (is_html_void(token.name) || (token.closes_itself && (is_foreign || is_xml_))) continue;
        if (is_html_raw(token.name) && !is_foreign) {
          at = end_of_raw_text(bytes(), at, token.name);
          continue;  // an end tag without a start
        }
        open.push_back(token.name);
        ++counts[token.name];
      } else if (token.kind == HtmlKind::end) {
        std::size_t& count = counts[token.name];
        if (count > 0) {
          for (bool is_it = false; !is_it;) {
            is_it = open.back() == token.name;
            --counts[open.back()];
            open.pop_back();
          }
        } else if (token.name == name) {
          return token.end;
        } else if (is_html_block(token.name) && !is_html_raw(token.name)) {
          return token.begin;  // the end of the parent
        }
      }
    }
    return at;
  }

  InlineText text_;
  std::unordered_set<std::size_t> titles_;  // blocks
  std::size_t at_ = 0;
  bool is_xml_ = false;            // XHTML: <name/> is an element
  bool after_line_break_ = false;  // within an inline element
};

}  // namespace

std::unique_ptr<Document> read_html(std::string bytes, const std::string& name) {
  check_charset(bytes, name);
  check_document_bytes(bytes, name);
  return read_html_within(std::move(bytes));
}

std::unique_ptr<DocumentOfBytes> read_html_within(std::string bytes) {
  return std::make_unique<HtmlDocument>(std::move(bytes));
}

}  // namespace kette
