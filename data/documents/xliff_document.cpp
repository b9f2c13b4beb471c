#include "data/documents/xliff_document.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "data/documents/document_bytes.h"
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
  std::optional<InlineText::Found> found{};
  bool is_cdata = false;
  bool has_target = false, is_filled = false;
  std::size_t target = 0, target_tag_end = 0, target_end = 0;
};

class XliffDocument : public DocumentOfBytes {
 public:
  XliffDocument(std::string all, const std::string& name)
      : DocumentOfBytes(std::move(all)), reader_(bytes(), name) {
    for (XmlToken token; reader_.next(token);) {
      if (token.kind == XmlKind::start || token.kind == XmlKind::empty) begin_element(token);
      if (token.kind == XmlKind::end) end_element(token);
    }
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

 private:
  std::string_view of(const XmlToken& token) const {
    return std::string_view(bytes()).substr(token.begin, token.end - token.begin);
  }

  void begin_element(const XmlToken& token) {
    const std::string_view name = token.local_name();
    if (!version_) {
      const std::string version = xml_attribute(of(token), "version").value_or("1.2");
      version_ = version.substr(0, 1);
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
    const std::string_view content =
        std::string_view(bytes()).substr(token.end, unit_->target_end - token.end);
    const std::size_t other = content.find_first_not_of(" \t\r\n");
    unit_->is_filled = content.substr(other, 2) != "</";
  }

  void read_source(const XmlToken& token) {
    unit_->source = token;
    unit_->content = token.end;
    unit_->source_end = token.end;
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
    unit_->found = text.take();
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

  void read_text(InlineText& text, std::size_t begin, std::size_t end) const {
    for (std::size_t at = begin; at < end;) {
      const std::size_t from = at;
      while (at < end && is_markup_space(bytes()[at])) ++at;
      if (at > from) {
        text.space(from, at);
        continue;
      }
      const bool is_raw = unit_->is_cdata;
      const XmlCharacter one =
          is_raw ? XmlCharacter{utf8_length(bytes()[at]), utf8_character(bytes(), at).code_point}
                 : xml_character(bytes(), at);
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
    const auto kind = opens ? Mark::Kind::opens : closes ? Mark::Kind::closes : Mark::Kind::stands;
    text.mark(kind, part.begin, reader_.at(), opens || closes ? pair_of(part) : std::string());
  }

  /// The start tag of the target; an existing one keeps its attributes.
  std::string target_tag(const std::string& prefix) const {
    const std::string state = version_ == "1" ? "state=\"translated\"" : "";
    if (!unit_->has_target)
      return "<" + prefix + "target" + (state.empty() ? "" : " ") + state + ">";
    std::string tag = bytes().substr(unit_->target, unit_->target_tag_end - unit_->target);
    tag.resize(tag.find_last_not_of(" \t\r\n/>") + 1);
    if (version_ == "1") {
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
    if (!unit_->source || !unit_->found || unit_->is_filled) return;
    const std::string_view source_name = unit_->source->name;
    const std::string prefix(source_name.substr(0, source_name.size() - 6));
    const std::string_view all = bytes();
    InlineText::Found& found = *unit_->found;
    std::string before, after;
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
      if (all[line] == '\n' || all[line] == '\r') before = all.substr(line, source - line);
    }
    before += target_tag(prefix);
    before += all.substr(unit_->content, found.begin - unit_->content);
    after = all.substr(found.end, unit_->content_end - found.end);
    after += "</" + prefix + "target>";
    add(std::move(found.block), begin, end, std::move(before), std::move(after));
    is_cdata_.push_back(unit_->is_cdata);
  }

  XmlReader reader_;
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
