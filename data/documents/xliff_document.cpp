#include "data/documents/xliff_document.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "data/documents/document_bytes.h"
#include "data/documents/escaped_tags.h"
#include "data/documents/html_tokens.h"
#include "data/documents/inline_text.h"
#include "data/documents/xml_tokens.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

using XmlKind = XmlToken::Kind;

std::string in_cdata(std::string_view character) { return std::string(character); }

/// The parts of a unit, or of a segment.
struct XliffUnit {
  std::size_t depth = 0;             // of its content
  std::optional<XmlToken> source{};  // its start tag
  std::size_t content = 0, content_end = 0, source_end = 0;
  std::vector<InlineText::Found> found{};
  bool is_cdata = false;
  bool has_target = false, is_filled = false;
  std::optional<std::size_t> left{};  // CDATA with words beside other text, which is a mark
  bool is_new = false;                // by its state: a text in its target may be the source
  std::size_t target = 0, target_tag_end = 0, target_end = 0;
};

class XliffDocument : public DocumentOfBytes {
 public:
  XliffDocument(std::string all, const std::string& name)
      : DocumentOfBytes(std::move(all)), name_(name), reader_(bytes(), name) {
    for (XmlToken token; reader_.next(token);) {
      if (token.kind == XmlKind::start || token.kind == XmlKind::empty) begin_element(token);
      if (token.kind == XmlKind::end) end_element(token);
    }
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> all = left_.notes();
    if (needs_language_ && !blocks().empty()) {
      all.push_back(document_place(bytes(), root_, name_) +
                    ": expected trgLang in <xliff>, as XLIFF 2 requires with targets, given none "
                    "(add the language of the translation, such as trgLang=\"de\")");
    }
    return all;
  }

 protected:
  std::string escaped(std::string_view character, bool) const override {
    return markup_escaped(character);
  }
  std::string written(std::size_t index, const TextBlock& translation) const override {
    if (!is_cdata_[index]) return DocumentOfBytes::written(index, translation);
    // Nothing is escaped in CDATA, and "]]>" would end it.
    std::string out;
    std::size_t at = 0;
    for (const Mark& mark : translation.marks) {
      if (mark.at < at) continue;
      out.append(translation.text, at, mark.at - at).append(mark.bytes);
      at = mark.at + (mark.kind == Mark::Kind::breaks ? 1 : 0);
    }
    out.append(translation.text, std::min(at, translation.text.size()));
    for (std::size_t end = 0; (end = out.find("]]>", end)) != std::string::npos; end += 12) {
      out.replace(end, 3, "]]]]><![CDATA[>");
    }
    return out;
  }
  /// A unit that is only copied is not said to be translated.
  std::string before(std::size_t index, const std::vector<TextBlock>& translations) const override {
    const auto unit = copies_.find(index);
    bool is_copy = unit != copies_.end();
    for (std::size_t i = index; is_copy && i < index + unit->second.blocks; ++i) {
      is_copy = translations[i].text == blocks()[i].text;
    }
    return is_copy ? unit->second.before : DocumentOfBytes::before(index, translations);
  }

 private:
  /// What is before a unit's first block if the texts of all its blocks are copied.
  struct Copy {
    std::size_t blocks = 0;
    std::string before{};
  };

  std::string_view of(const XmlToken& token) const {
    return std::string_view(bytes()).substr(token.begin, token.end - token.begin);
  }

  void begin_element(const XmlToken& token) {
    const std::string_view name = token.local_name();
    if (!version_) {
      const std::string version = xml_attribute(of(token), "version").value_or("1.2");
      version_ = version.substr(0, 1);
      root_ = token.begin;
      needs_language_ = version_ == "2" && !xml_attribute(of(token), "trgLang");
      if (name != "xliff" || (version_ != "1" && version_ != "2")) {
        reader_.fail_at(token.begin, "expected <xliff version=\"1.2\"> or \"2.0\", given <" +
                                         std::string(token.name) + "> of version \"" + version +
                                         "\" (is this another kind of file?)");
      }
    }
    if (token.kind == XmlKind::start) {
      const auto says = xml_attribute(of(token), "translate");
      const bool is_no = says ? *says == "no" : !is_left_.empty() && is_left_.back();
      is_left_.push_back(is_no);
    }
    const bool is_child = unit_ && reader_.depth() - (token.kind == XmlKind::start) == unit_->depth;
    if (!unit_ && token.kind == XmlKind::start &&
        name == (version_ == "1" ? "trans-unit" : "segment")) {
      if (is_left_.back()) return;
      unit_.emplace();
      unit_->depth = reader_.depth();
      unit_->is_new = xml_attribute(of(token), "state") == "initial";
    } else if (is_child && name == "source") {
      read_source(token);
    } else if (is_child && name == "seg-source") {
      skip(token);
      unit_->source_end = reader_.at();
    } else if (is_child && name == "target") {
      read_target(token);
    } else if (is_child) {
      skip(token);  // alternatives, notes
    }
  }

  void end_element(const XmlToken&) {
    is_left_.pop_back();
    if (!unit_ || reader_.depth() >= unit_->depth) return;
    add_unit();
    unit_.reset();
  }

  void skip(const XmlToken& token) {
    if (token.kind != XmlKind::start) return;
    reader_.skip_element();
    is_left_.pop_back();
  }

  void read_target(const XmlToken& token) {
    unit_->has_target = true;
    unit_->target = token.begin;
    unit_->target_tag_end = token.end;
    skip(token);
    unit_->target_end = reader_.at();
    if (token.kind == XmlKind::empty) return;
    const auto trimmed = [&](std::size_t begin, std::size_t end) {
      const std::string_view all = std::string_view(bytes()).substr(begin, end - begin);
      const std::size_t first = std::min(all.find_first_not_of(" \t\r\n"), all.size());
      return all.substr(first, all.find_last_not_of(" \t\r\n") + 1 - first);
    };
    const std::string_view content = trimmed(token.end, bytes().rfind("</", unit_->target_end - 1));
    const bool is_new = unit_->is_new || is_new_state(of(token));
    const bool is_copy = is_new && content == trimmed(unit_->content, unit_->content_end);
    unit_->is_filled = !content.empty() && !is_copy;
  }

  /// Whether a target of XLIFF 1 waits for its text. Tools put the source there.
  static bool is_new_state(std::string_view tag) {
    const auto state = xml_attribute(tag, "state");
    return state == "new" || state == "needs-translation";
  }

  void read_source(const XmlToken& token) {
    unit_->source = token;
    unit_->content = unit_->content_end = unit_->source_end = token.end;
    unit_->found.clear();  // those of a source before, which is not valid
    if (token.kind == XmlKind::empty) return;
    is_left_.pop_back();
    unit_->is_cdata = is_one_cdata(token.end);
    InlineText text(bytes(), unit_->is_cdata ? &in_cdata : &markup_escaped);
    const std::size_t depth = reader_.depth();
    for (XmlToken part; reader_.next(part);) {
      if (reader_.depth() < depth) {
        unit_->content_end = part.begin;
        unit_->source_end = part.end;
        break;
      }
      if (part.kind == XmlKind::text) {
        read_text(text, part.begin, part.end);
      } else if (part.kind == XmlKind::cdata && unit_->is_cdata) {
        read_text(text, part.begin + 9, part.end - 3);
      } else {
        read_inline(text, part);
      }
    }
    end_block(text);
  }

  void end_block(InlineText& text) {
    if (auto found = text.take()) unit_->found.push_back(std::move(*found));
  }

  /// Whether the content that begins at `at` is one CDATA section and white space.
  bool is_one_cdata(std::size_t at) const {
    const std::string_view all = bytes();
    at = std::min(all.find_first_not_of(" \t\r\n", at), all.size());
    if (all.substr(at, 9) != "<![CDATA[") return false;
    const std::size_t end = all.find("]]>", at);
    if (end == std::string_view::npos) return false;
    const std::size_t next = std::min(all.find_first_not_of(" \t\r\n", end + 3), all.size());
    return all.substr(next, 2) == "</";
  }

  XmlCharacter character_at(std::size_t at) const {
    return unit_->is_cdata
               ? XmlCharacter{utf8_length(bytes()[at]), utf8_character(bytes(), at).code_point}
               : xml_character(bytes(), at);
  }

  /// A text that may have tags, else none.
  UnescapedText unescaped(std::size_t begin, std::size_t end) const {
    UnescapedText text;
    const std::string_view all = std::string_view(bytes()).substr(begin, end - begin);
    if (all.find(unit_->is_cdata ? '<' : '&') == std::string_view::npos) return text;
    for (std::size_t at = begin; at < end;) {
      const XmlCharacter one = character_at(at);
      text.add(encode_utf8(std::u32string_view(&one.plain, 1)), at, at + one.bytes);
      at += one.bytes;
    }
    return text;
  }

  void read_text(InlineText& text, std::size_t begin, std::size_t end) {
    EscapedTags tags(escaped_tags(unescaped(begin, end)));
    for (std::size_t at = begin; at < end;) {
      const std::size_t from = at;
      at = tags.read(at, text, [&] { end_block(text); });
      if (at > from) continue;
      while (at < end && is_markup_space(bytes()[at])) ++at;
      if (at > from) {
        text.space(from, at);
        continue;
      }
      const XmlCharacter one = character_at(at);
      at += one.bytes;
      if (one.plain < 0x80 && is_markup_space(static_cast<char>(one.plain))) {
        text.space(from, at);
      } else {
        text.character(encode_utf8(std::u32string_view(&one.plain, 1)), from, at);
      }
    }
  }

  /// The id that links an opening and a closing tag.
  std::string pair_of(const XmlToken& part) const {
    for (const char* name : {"rid", "startRef", "id"}) {
      if (const auto id = xml_attribute(of(part), name)) return "#" + *id;
    }
    return "#";
  }

  void read_inline(InlineText& text, const XmlToken& part) {
    const std::string_view name = part.local_name();
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (part.kind == XmlKind::end) {
      return text.mark(Mark::Kind::closes, part.begin, part.end, part.name);
    }
    const bool is_tag = part.kind == XmlKind::start || part.kind == XmlKind::empty;
    const bool opens = is_tag && is_one_of({"bx", "bpt", "sc", "sm"});
    const bool closes = is_tag && is_one_of({"ex", "ept", "ec", "em"});
    const bool is_whole =
        part.kind == XmlKind::start && (opens || closes || is_one_of({"ph", "it", "x", "cp"}) ||
                                        xml_attribute(of(part), "mtype") == "protected" ||
                                        xml_attribute(of(part), "translate") == "no");
    if (part.kind == XmlKind::start && !is_whole) {
      return text.mark(Mark::Kind::opens, part.begin, part.end, part.name);
    }
    if (is_whole) reader_.skip_element();
    if (is_tag && !opens && !closes && is_line_break(of(part))) {
      if (text.has_open()) return text.space(part.begin, reader_.at());
      return end_block(text);
    }
    if (part.kind == XmlKind::cdata && !unit_->left && has_words(part)) unit_->left = part.begin;
    const auto kind = opens ? Mark::Kind::opens : closes ? Mark::Kind::closes : Mark::Kind::stands;
    text.mark(kind, part.begin, reader_.at(), opens || closes ? pair_of(part) : std::string());
  }

  static bool is_line_break(std::string_view tag) {
    const auto is = [&](const char* name, std::string_view value) {
      const auto given = xml_attribute(tag, name);
      return given && lower_ascii(*given).substr(0, value.size()) == value;
    };
    return xml_attribute(tag, "ctype") == "lb" || is("ctype", "x-html-br") ||
           xml_attribute(tag, "subType") == "xlf:lb" || is("id", "line_break") ||
           is("equiv", "line_break");
  }

  /// Whether CDATA has text between its tags.
  bool has_words(const XmlToken& part) const {
    const std::string_view text =
        std::string_view(bytes()).substr(part.begin + 9, part.end - part.begin - 12);
    for (std::size_t at = 0; at < text.size();) {
      const HtmlToken token = html_token(text, at);
      at = token.end;
      if (token.kind != HtmlToken::Kind::text) continue;
      const std::u32string words = decode_utf8(text.substr(token.begin, token.end - token.begin));
      if (std::any_of(words.begin(), words.end(), is_letter)) return true;
    }
    return false;
  }

  /// The start tag of the target; an existing one keeps its other attributes. is_copy: of the
  /// source, so that it keeps a state that says so.
  std::string target_tag(const std::string& prefix, bool is_copy) const {
    const std::string state = version_ != "1" ? ""
                              : is_copy       ? "state=\"needs-translation\""
                                              : "state=\"translated\"";
    if (!unit_->has_target)
      return "<" + prefix + "target" + (state.empty() ? "" : " ") + state + ">";
    std::string tag = bytes().substr(unit_->target, unit_->target_tag_end - unit_->target);
    tag.resize(tag.find_last_not_of(" \t\r\n/>") + 1);
    if (version_ == "1" && !(is_copy && is_new_state(tag + ">"))) {
      const std::string_view before = xml_attribute_as_written(tag, "state");
      if (before.empty()) {
        tag += " " + state;
      } else {
        tag.replace(static_cast<std::size_t>(before.data() - tag.data()), before.size(), state);
      }
    }
    return tag + ">";
  }

  void add_unit() {
    if (!unit_->source || unit_->found.empty() || unit_->is_filled) return;
    if (unit_->left) left_.add(bytes(), *unit_->left, name_, "CDATA beside other text");
    const std::string_view source_name = unit_->source->name;
    const std::string prefix(source_name.substr(0, source_name.size() - 6));
    const std::string_view all = bytes();
    std::string line_before;
    std::size_t begin = unit_->source_end, end = begin;
    if (unit_->has_target) {
      begin = unit_->target;
      end = unit_->target_end;
    } else {  // on a line of its own, if the source is
      const std::size_t source = unit_->source->begin;
      std::size_t line = source;
      while (line > 0 && (all[line - 1] == ' ' || all[line - 1] == '\t')) --line;
      if (line > 0 && all[line - 1] == '\n') --line;
      if (line > 0 && all[line] == '\n' && all[line - 1] == '\r') --line;
      if (all[line] == '\n' || all[line] == '\r') line_before = all.substr(line, source - line);
    }
    const std::size_t first = blocks().size();
    bool has_letter = false;
    std::size_t done = unit_->content;  // bytes of the source between its blocks are written, too
    for (std::size_t i = 0; i < unit_->found.size(); ++i) {
      InlineText::Found& found = unit_->found[i];
      has_letter = has_letter || found.has_letter;
      std::string before(all.substr(done, found.begin - done)), after;
      done = found.end;
      if (i == 0) {
        copies_[first] = {unit_->found.size(), line_before + target_tag(prefix, true) + before};
        before = line_before + target_tag(prefix, false) + before;
      }
      if (i + 1 == unit_->found.size()) {
        after = all.substr(done, unit_->content_end - done);
        after += "</" + prefix + "target>";
      }
      add(std::move(found.block), i == 0 ? begin : end, end, std::move(before), std::move(after));
      is_cdata_.push_back(unit_->is_cdata);
    }
    if (!has_letter || version_ != "1") copies_.erase(first);
  }

  std::string name_;
  XmlReader reader_;
  LeftParts left_;
  std::size_t root_ = 0;
  bool needs_language_ = false;                   // the root says no trgLang
  std::unordered_map<std::size_t, Copy> copies_;  // by the unit's first block
  std::optional<std::string> version_;
  std::vector<bool> is_left_;  // of each open element: its text is unchanged
  std::optional<XliffUnit> unit_;
  std::vector<bool> is_cdata_;  // of each block
};

}  // namespace

std::unique_ptr<Document> read_xliff(std::string bytes, const std::string& name) {
  return std::make_unique<XliffDocument>(std::move(bytes), name);
}

}  // namespace kette
