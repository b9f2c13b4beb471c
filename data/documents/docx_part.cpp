#include "data/documents/docx_part.h"

#include <algorithm>
#include <optional>

#include "data/documents/document_bytes.h"
#include "data/documents/docx_block.h"
#include "data/documents/xml_tokens.h"

namespace kette {
namespace {

using XmlKind = XmlToken::Kind;

}  // namespace

/// Finds the paragraphs of a part.
class DocxReader {
 public:
  DocxReader(DocxPart& part, const std::string& name)
      : part_(part), bytes_(part.bytes()), reader_(part.bytes(), name) {
    find_text_boxes(name);
    for (XmlToken token; reader_.next(token);) {
      if (token.kind == XmlKind::end) {
        end_element(token);
      } else if (token.kind == XmlKind::start || token.kind == XmlKind::empty) {
        begin_element(token);
      }
    }
  }

 private:
  struct Field {
    std::size_t item, open;  // open: number of open links and the like
  };
  /// A paragraph, or an element in it with its own paragraphs.
  struct Level {
    std::size_t depth = 0;
    bool is_paragraph = false;
    std::size_t run = 0;  // the depth of the run that is open; 0: none
    std::size_t format = 0;
    std::vector<DocxItem> items{};
    std::vector<std::size_t> open{};  // links and the like
    std::vector<Field> fields{};      // whose result this is
    std::size_t field = 0;            // whose instructions these are
    std::size_t instructions = 0;     // fields in one another there
  };

  std::string_view of(std::size_t begin, std::size_t end) const {
    return bytes_.substr(begin, end - begin);
  }
  bool is(const XmlToken& token, std::string_view local) const {
    return token.name.size() == part_.w_.size() + local.size() &&
           token.name.substr(0, part_.w_.size()) == part_.w_ &&
           token.name.substr(part_.w_.size()) == local;
  }
  bool is_any(const XmlToken& token, std::initializer_list<std::string_view> locals) const {
    return std::any_of(locals.begin(), locals.end(), [&](auto local) { return is(token, local); });
  }

  /// Finds the elements that contain text boxes, and the namespace's prefix.
  void find_text_boxes(const std::string& name) {
    XmlReader reader(bytes_, name);
    std::vector<std::size_t> open;
    bool has_prefix = false;
    for (XmlToken token; reader.next(token);) {
      if (token.kind == XmlKind::end) open.pop_back();
      if (token.kind != XmlKind::start) continue;
      if (!has_prefix) {
        for (const char* space : {"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
                                  "http://purl.oclc.org/ooxml/wordprocessingml/main"}) {
          const auto prefix = xml_prefix(of(token.begin, token.end), space);
          if (prefix) part_.w_ = *prefix;
        }
        has_prefix = true;
      }
      open.push_back(token.begin);
      if (!is(token, "txbxContent")) continue;
      for (std::size_t i = open.size(); i > 0 && with_boxes_.insert(open[i - 1]).second; --i) {
      }
    }
  }

  void skip(const XmlToken& token) {
    if (token.kind == XmlKind::start) reader_.skip_element();
  }

  void begin_element(const XmlToken& token) {
    Level* level = levels_.empty() ? nullptr : &levels_.back();
    if (level == nullptr || !level->is_paragraph) {
      if (token.kind == XmlKind::start && is(token, "p")) push(true);
    } else if (level->run == 0) {
      begin_in_paragraph(*level, token);
    } else {
      begin_in_run(*level, token);
    }
  }

  void push(bool is_paragraph) {
    levels_.emplace_back();
    levels_.back().depth = reader_.depth();
    levels_.back().is_paragraph = is_paragraph;
  }

  void end_element(const XmlToken& token) {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (reader_.depth() < level.depth) {
      if (level.is_paragraph) end_paragraph(level);
      levels_.pop_back();
    } else if (level.run > 0) {
      if (reader_.depth() < level.run) level.run = 0;
    } else if (level.is_paragraph && level.open.empty()) {
      end_paragraph(level);  // a link that has a text box in it
    } else if (level.is_paragraph) {
      DocxItem item{DocxItem::Kind::closes, token.begin, token.end};
      item.bytes = of(token.begin, token.end);
      item.partner = level.open.back();
      level.items[item.partner].partner = level.items.size();
      level.open.pop_back();
      level.items.push_back(std::move(item));
      while (!level.fields.empty() && level.fields.back().open > level.open.size()) {
        level.fields.pop_back();  // marks nest
      }
    }
  }

  /// An element with text boxes ends the block, and its paragraphs are read; any other is a mark.
  void stand(Level& level, const XmlToken& token) {
    if (with_boxes_.contains(token.begin)) {
      end_paragraph(level);
      return push(false);
    }
    skip(token);
    DocxItem item{DocxItem::Kind::stands, token.begin, reader_.at(), 0, level.format};
    item.bytes = of(item.begin, item.end);
    if (level.run == 0) part_.outer_.emplace(token.name);
    level.items.push_back(std::move(item));
  }

  void begin_in_paragraph(Level& level, const XmlToken& token) {
    const bool is_start = token.kind == XmlKind::start;
    if (is_start && is(token, "r")) {
      level.run = reader_.depth();
      level.format = 0;
    } else if (is(token, "pPr")) {
      skip(token);
    } else if (is_any(token, {"sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr"}) &&
               !level.open.empty()) {
      skip(token);
      level.items.back().bytes += of(token.begin, reader_.at());
    } else if (is_start && is_any(token, {"hyperlink", "ins", "moveTo", "smartTag", "sdt",
                                          "sdtContent", "customXml", "dir", "bdo"})) {
      DocxItem item{DocxItem::Kind::opens, token.begin, token.end};
      item.bytes = of(token.begin, token.end);
      part_.outer_.emplace(token.name);
      level.open.push_back(level.items.size());
      level.items.push_back(std::move(item));
    } else {
      stand(level, token);
    }
  }

  void begin_in_run(Level& level, const XmlToken& token) {
    if (is(token, "rPr")) {
      skip(token);
      level.format = part_.format_of(normal(std::string(of(token.begin, reader_.at()))));
    } else if (is(token, "t") && level.instructions == 0) {
      if (token.kind == XmlKind::start) read_text(level, token);
    } else if (is(token, "fldChar") && !with_boxes_.contains(token.begin)) {
      read_field(level, token);
    } else if (level.instructions > 0) {
      skip(token);
      level.items[level.field].bytes += of(token.begin, reader_.at());
    } else if (is_any(token, {"br", "cr", "tab", "ptab"})) {
      // The lines of an address, a caption and its page: sentences rarely go on there.
      end_paragraph(level);
      skip(token);
    } else {
      stand(level, token);
    }
  }

  /// A run's properties without invisible ones.
  std::string normal(std::string format) const {
    for (const char* local : {"lang", "noProof", "webHidden"}) {
      const std::string tag = "<" + part_.w_ + local;
      for (std::size_t at = 0; (at = format.find(tag, at)) != std::string::npos;) {
        const std::size_t end = format.find('>', at);
        const char next = format[at + tag.size()];
        if (format[end - 1] != '/' || (next != ' ' && next != '/')) {
          ++at;
        } else {
          format.erase(at, end + 1 - at);
        }
      }
    }
    const std::string name = part_.w_ + "rPr";
    const bool is_none = format == "<" + name + "/>" || format == "<" + name + "></" + name + ">";
    return is_none ? std::string() : format;
  }

  void read_text(Level& level, const XmlToken& tag) {
    const bool keeps = xml_attribute(of(tag.begin, tag.end), "xml:space") == "preserve";
    const std::size_t first = level.items.size(), depth = reader_.depth();
    bool has_elements = false;
    for (XmlToken token; reader_.next(token) && reader_.depth() >= depth;) {
      has_elements |= token.kind == XmlKind::start || token.kind == XmlKind::empty;
      if (token.kind != XmlKind::text) continue;
      DocxItem item{DocxItem::Kind::text, token.begin, token.end, tag.begin, level.format};
      level.items.push_back(std::move(item));
    }
    if (has_elements) {  // no text of ISO/IEC 29500
      level.items.resize(first);
      DocxItem item{DocxItem::Kind::stands, tag.begin, reader_.at(), 0, level.format};
      item.bytes = of(item.begin, item.end);
      level.items.push_back(std::move(item));
      return;
    }
    if (keeps || level.items.size() == first) return;
    // Word does not show blanks at the ends of other texts.
    DocxItem& front = level.items[first];
    while (front.begin < front.end && is_markup_space(bytes_[front.begin])) ++front.begin;
    DocxItem& back = level.items.back();
    while (back.begin < back.end && is_markup_space(bytes_[back.end - 1])) --back.end;
    const auto is_empty = [](const DocxItem& item) {
      return item.kind == DocxItem::Kind::text && item.begin == item.end;
    };
    level.items.erase(std::remove_if(level.items.begin() + static_cast<std::ptrdiff_t>(first),
                                     level.items.end(), is_empty),
                      level.items.end());
  }

  /// begin, instructions and separate open a field, end closes it.
  void read_field(Level& level, const XmlToken& token) {
    const std::string type =
        xml_attribute(of(token.begin, token.end), part_.w_ + "fldCharType").value_or("");
    skip(token);
    DocxItem item{DocxItem::Kind::stands, token.begin, reader_.at(), 0, level.format};
    item.bytes = of(item.begin, item.end);
    if (level.instructions > 0) {
      level.items[level.field].bytes += item.bytes;
      if (type == "begin") ++level.instructions;
      const bool is_open = type == "separate" && level.instructions == 1;
      if (is_open) level.fields.push_back({level.field, level.open.size()});
      if (type == "end" || is_open) --level.instructions;
      return;
    }
    if (type == "begin") {
      level.instructions = 1;
      level.field = level.items.size();
    }
    if (type == "end" && !level.fields.empty()) {
      const Field field = level.fields.back();
      level.fields.pop_back();
      if (field.open == level.open.size()) {
        item.kind = DocxItem::Kind::closes;
        item.partner = field.item;
        level.items[field.item].kind = DocxItem::Kind::opens;
        level.items[field.item].partner = level.items.size();
      }
    }
    level.items.push_back(std::move(item));
  }

  void end_paragraph(Level& level) {
    DocxBlock(part_, level.items, level.run > 0).add();
    level.items.clear();
    level.open.clear();
    level.fields.clear();
    level.instructions = 0;
  }

  DocxPart& part_;
  std::string_view bytes_;
  XmlReader reader_;
  std::unordered_set<std::size_t> with_boxes_;  // where elements begin
  std::vector<Level> levels_;
};

DocxPart::DocxPart(std::string all, const std::string& name) : DocumentOfBytes(std::move(all)) {
  format_of("");
  const DocxReader reader(*this, name);
}

std::string DocxPart::escaped(std::string_view character, bool) const {
  return markup_escaped(character);
}

std::size_t DocxPart::format_of(const std::string& properties) {
  const auto [found, is_new] = format_numbers_.emplace(properties, formats_.size());
  if (is_new) formats_.push_back(properties);
  return found->second;
}

std::string DocxPart::key(State state, std::size_t format, const Mark* marks, std::size_t count,
                          std::size_t wanted) {
  std::string key = std::to_string(static_cast<int>(state)) + ' ' + std::to_string(format);
  for (std::size_t i = 0; i < count; ++i) {
    key += '\0';
    key += static_cast<char>('0' + static_cast<int>(marks[i].kind));
    key += marks[i].bytes;
  }
  return key + '\0' + std::to_string(wanted);
}

}  // namespace kette
