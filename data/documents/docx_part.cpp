#include "data/documents/docx_part.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "data/documents/document_bytes.h"
#include "data/documents/inline_text.h"
#include "data/documents/xml_tokens.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

using XmlKind = XmlToken::Kind;

/// A piece of a paragraph.
struct Item {
  enum class Kind { text, stands, opens, closes } kind = Kind::stands;
  std::size_t begin = 0, end = 0;  // in the part; of text its characters
  std::size_t tag = 0;             // of text: where its <w:t> begins
  std::string format{};            // that of its run
  std::string bytes{};             // of all others: the mark's
  std::size_t partner = Mark::kNoPartner;  // among the items
};

constexpr bool is_blank(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

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
    std::size_t item, open;  // how many links and the like were open
  };
  /// A paragraph, or what in it has paragraphs of its own.
  struct Level {
    std::size_t depth = 0;
    bool is_paragraph = false;
    std::size_t run = 0;  // the depth of the run that is open; 0: none
    std::string format{};
    std::vector<Item> items{};
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

  /// Notes the elements that have text boxes in them, and the namespace's prefix.
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
      Item item{Item::Kind::closes, token.begin, token.end};
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

  /// What has text boxes ends the block, and its paragraphs are read; all else is a mark.
  void stand(Level& level, const XmlToken& token) {
    if (with_boxes_.contains(token.begin)) {
      end_paragraph(level);
      return push(false);
    }
    skip(token);
    Item item{Item::Kind::stands, token.begin, reader_.at(), 0, level.format};
    item.bytes = of(item.begin, item.end);
    if (level.run == 0) part_.outer_.emplace(token.name);
    level.items.push_back(std::move(item));
  }

  void begin_in_paragraph(Level& level, const XmlToken& token) {
    const bool is_start = token.kind == XmlKind::start;
    if (is_start && is(token, "r")) {
      level.run = reader_.depth();
      level.format.clear();
    } else if (is(token, "pPr")) {
      skip(token);
    } else if (is_any(token, {"sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr"}) &&
               !level.open.empty()) {
      skip(token);
      level.items.back().bytes += of(token.begin, reader_.at());
    } else if (is_start &&
               is_any(token, {"hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent",
                              "customXml", "dir", "bdo"})) {
      Item item{Item::Kind::opens, token.begin, token.end};
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
      level.format = normal(std::string(of(token.begin, reader_.at())));
    } else if (is(token, "t") && level.instructions == 0) {
      if (token.kind == XmlKind::start) read_text(level, token);
    } else if (is(token, "fldChar") && !with_boxes_.contains(token.begin)) {
      read_field(level, token);
    } else if (level.instructions > 0) {
      skip(token);
      level.items[level.field].bytes += of(token.begin, reader_.at());
    } else {
      stand(level, token);
    }
  }

  /// A run's properties without those that do not show.
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
    for (XmlToken token; reader_.next(token) && reader_.depth() >= depth;) {
      if (token.kind != XmlKind::text) continue;
      Item item{Item::Kind::text, token.begin, token.end, tag.begin, level.format};
      level.items.push_back(std::move(item));
    }
    if (keeps || level.items.size() == first) return;
    // Word does not show blanks at the ends of other texts.
    Item& front = level.items[first];
    while (front.begin < front.end && is_blank(bytes_[front.begin])) ++front.begin;
    Item& back = level.items.back();
    while (back.begin < back.end && is_blank(bytes_[back.end - 1])) --back.end;
    const auto is_empty = [](const Item& item) {
      return item.kind == Item::Kind::text && item.begin == item.end;
    };
    level.items.erase(std::remove_if(level.items.begin() + static_cast<std::ptrdiff_t>(first),
                                     level.items.end(), is_empty),
                      level.items.end());
  }

  /// begin, instructions and separate open a field, end closes it.
  void read_field(Level& level, const XmlToken& token) {
    const std::string type = xml_attribute(of(token.begin, token.end), part_.w_ + "fldCharType").value_or("");
    skip(token);
    Item item{Item::Kind::stands, token.begin, reader_.at(), 0, level.format};
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
        item.kind = Item::Kind::closes;
        item.partner = field.item;
        level.items[field.item].kind = Item::Kind::opens;
        level.items[field.item].partner = level.items.size();
      }
    }
    level.items.push_back(std::move(item));
  }

  void end_paragraph(Level& level) {
    add_block(level.items);
    level.items.clear();
    level.open.clear();
    level.fields.clear();
    level.instructions = 0;
  }

  class BlockMaker;
  void add_block(std::vector<Item>& items);
  std::string usual_format(const std::vector<Item>& items, std::size_t first, std::size_t last) const;
  void read_characters(InlineText& text, std::size_t begin, std::size_t end) const;

  DocxPart& part_;
  std::string_view bytes_;
  XmlReader reader_;
  std::unordered_set<std::size_t> with_boxes_;  // where elements begin
  std::vector<Level> levels_;
};

/// What most of the text has.
std::string DocxReader::usual_format(const std::vector<Item>& items, std::size_t first,
                                     std::size_t last) const {
  std::unordered_map<std::string_view, std::size_t> bytes;
  std::string_view usual;
  std::size_t most = 0;
  for (std::size_t i = first; i <= last; ++i) {
    if (items[i].kind != Item::Kind::text) continue;
    const std::size_t count = bytes[items[i].format] += items[i].end - items[i].begin;
    if (count <= most) continue;
    most = count;
    usual = items[i].format;
  }
  return std::string(usual);
}

void DocxReader::read_characters(InlineText& text, std::size_t begin, std::size_t end) const {
  for (std::size_t at = begin; at < end;) {
    const XmlCharacter one = xml_character(bytes_, at);
    const std::size_t next = at + one.bytes;
    // Word shows a line end as a blank; it is a blank that is spelled so.
    const bool is_space = one.plain < 0x80 && is_blank(static_cast<char>(one.plain));
    text.character(is_space ? " " : encode_utf8(std::u32string_view(&one.plain, 1)), at, next);
    at = next;
  }
}

/// The marks of a paragraph's items, and what its bytes are between them.
class DocxReader::BlockMaker {
 public:
  BlockMaker(DocxPart& part, std::vector<Item>& items) : part_(part), items_(items) {}

  void add(const DocxReader& reader) {
    if (!find_text(reader)) return;
    find_ends();
    frame_.usual_format = reader.usual_format(items_, first_, last_);
    state_ = frame_.begin = begin_ < first_ ? state_of(items_[begin_]) : DocxPart::State::text;
    format_ = frame_.first_format = items_[begin_].format;
    if (begin_ == first_) frame_.prefix = reader.of(items_[first_].tag, solid_begin_);
    InlineText text(reader.bytes_, &markup_escaped);
    std::size_t behind = begin_ < first_ ? items_[begin_].begin : solid_begin_;
    for (std::size_t i = begin_; i <= end_; ++i) {
      const Item& item = items_[i];
      if (item.kind != Item::Kind::text || i > last_) continue;
      const std::size_t from = i == first_ ? solid_begin_ : item.begin;
      const std::size_t to = i == last_ ? solid_end_ : item.end;
      end_gap(i, text.size(), reader.of(behind, from));
      reader.read_characters(text, from, to);
      behind = to;
    }
    end_gap(kNone, text.size(),
            end_ > last_ ? reader.of(behind, items_[end_].end) : std::string_view());
    std::optional<InlineText::Found> found = text.take();
    if (!found || !found->has_letter || !set_partners()) return;
    found->block.marks = std::move(marks_);
    part_.add(std::move(found->block), begin_ < first_ ? items_[begin_].begin : items_[first_].tag,
              end_ > last_ ? items_[end_].end : solid_end_);
    part_.frames_.push_back(std::move(frame_));
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// The first and the last character that is no white space.
  bool find_text(const DocxReader& reader) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].kind != Item::Kind::text) continue;
      for (std::size_t at = items_[i].begin; at < items_[i].end;) {
        const XmlCharacter one = xml_character(reader.bytes_, at);
        if (!is_white_space(one.plain)) {
          if (solid_end_ == 0) {
            solid_begin_ = at;
            first_ = i;
          }
          solid_end_ = at + one.bytes;
          last_ = i;
        }
        at += one.bytes;
      }
    }
    return solid_end_ > 0;
  }

  /// Marks at the ends are none, but for those whose partner is within.
  void find_ends() {
    const auto is_within = [&](std::size_t item) { return item > first_ && item < last_; };
    for (begin_ = 0; begin_ < first_ && !is_within(items_[begin_].partner);) ++begin_;
    for (end_ = items_.size() - 1; end_ > last_ && !is_within(items_[end_].partner);) --end_;
  }

  DocxPart::State state_of(const Item& item) const {
    const std::size_t end = std::min(item.bytes.find_first_of(" />\t\r\n", 2), item.bytes.size());
    const std::size_t name = item.bytes[1] == '/' ? 2 : 1;
    return part_.outer_.contains(item.bytes.substr(name, end - name)) ? DocxPart::State::outside
                                                                      : DocxPart::State::run;
  }

  void push(Mark::Kind kind, std::size_t at, std::string bytes) {
    marks_.push_back({kind, at, std::move(bytes), Mark::kNoPartner});
  }

  /// The marks between the text before and that of an item (kNone: the end).
  void end_gap(std::size_t item, std::size_t at, std::string_view bytes) {
    const std::size_t first_mark = marks_.size();
    const bool is_end = item == kNone;
    const std::size_t until = is_end ? end_ + 1 : item;
    bool is_split = is_end;
    for (std::size_t i = next_; i < until; ++i) is_split |= items_[i].kind != Item::Kind::stands;
    const std::string& wanted = is_end ? frame_.usual_format : items_[item].format;
    if (open_format_ != kNone && (is_split || wanted != format_wanted_)) {
      marks_[open_format_].partner = marks_.size();
      push(Mark::Kind::closes, at, "");
      marks_.back().partner = open_format_;
      open_format_ = kNone;
    }
    for (std::size_t i = next_; i < until; ++i) {
      Item& one = items_[i];
      mark_of_.resize(items_.size(), kNone);
      mark_of_[i] = marks_.size();
      item_of_.emplace(marks_.size(), i);
      const auto kind = one.kind == Item::Kind::opens    ? Mark::Kind::opens
                        : one.kind == Item::Kind::closes ? Mark::Kind::closes
                                                         : Mark::Kind::stands;
      push(kind, at, one.bytes);
    }
    if (open_format_ == kNone && wanted != frame_.usual_format) {
      open_format_ = marks_.size();
      push(Mark::Kind::opens, at, wanted);
    }
    if (marks_.size() == first_mark && !bytes.empty()) push(Mark::Kind::stands, at, "");
    format_wanted_ = wanted;
    next_ = is_end ? until : item + 1;
    if (marks_.size() == first_mark) return;
    DocxPart::Gap gap;
    gap.key = DocxPart::key(state_, format_, &marks_[first_mark], marks_.size() - first_mark, wanted);
    gap.bytes = bytes;
    if (is_end && end_ > last_) frame_.end = state_of(items_[end_]);
    gap.state = state_ = is_end ? frame_.end : DocxPart::State::text;
    gap.format = format_ = is_end ? items_[end_].format : items_[item].format;
    frame_.gaps.push_back(std::move(gap));
  }

  /// False where one of them has none, which no well-formed paragraph has.
  bool set_partners() {
    for (const auto& [mark, item] : item_of_) {
      if (items_[item].kind == Item::Kind::stands) continue;
      const std::size_t partner = items_[item].partner;
      if (partner >= mark_of_.size() || mark_of_[partner] == kNone) return false;
      marks_[mark].partner = mark_of_[partner];
    }
    return true;
  }

  DocxPart& part_;
  std::vector<Item>& items_;
  DocxPart::Frame frame_;
  std::size_t first_ = 0, last_ = 0, solid_begin_ = 0, solid_end_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // items
  std::size_t next_ = 0;
  DocxPart::State state_ = DocxPart::State::text;
  std::string format_, format_wanted_;
  std::size_t open_format_ = kNone;
  std::vector<Mark> marks_;
  std::vector<std::size_t> mark_of_;                      // of each item
  std::unordered_map<std::size_t, std::size_t> item_of_;  // of a mark
};

void DocxReader::add_block(std::vector<Item>& items) { BlockMaker(part_, items).add(*this); }

DocxPart::DocxPart(std::string all, const std::string& name) : DocumentOfBytes(std::move(all)) {
  DocxReader(*this, name);
}

std::string DocxPart::escaped(std::string_view character, bool) const {
  return markup_escaped(character);
}

std::string DocxPart::key(State state, const std::string& format, const Mark* marks,
                          std::size_t count, const std::string& wanted) {
  std::string key = std::to_string(static_cast<int>(state)) + format;
  for (std::size_t i = 0; i < count; ++i) {
    key += '\0';
    key += static_cast<char>('0' + static_cast<int>(marks[i].kind));
    key += marks[i].bytes;
  }
  return key + '\0' + wanted;
}

}  // namespace kette
