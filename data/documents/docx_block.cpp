#include "data/documents/docx_block.h"

#include <algorithm>

#include "data/documents/document_bytes.h"
#include "data/documents/xml_tokens.h"
#include "data/files/unicode.h"
#include "tensor/error.h"

namespace kette {

using ItemKind = DocxItem::Kind;

void DocxBlock::add() {
  if (!find_text()) return;
  find_ends();
  next_ = begin_;
  frame_.usual_format = wanted_ = usual_format();
  frame_.begin = state_ = begin_ < first_ ? state_of(items_[begin_]) : DocxPart::State::text;
  frame_.first_format = format_ = items_[begin_].format;
  if (begin_ == first_) {
    frame_.prefix = bytes_.substr(items_[first_].tag, solid_begin_ - items_[first_].tag);
  }
  InlineText text(bytes_, &markup_escaped);
  std::size_t behind = begin_ < first_ ? items_[begin_].begin : solid_begin_;
  for (std::size_t i = first_; i <= last_; ++i) {
    if (items_[i].kind != ItemKind::text) continue;
    const std::size_t from = i == first_ ? solid_begin_ : items_[i].begin;
    const std::size_t to = i == last_ ? solid_end_ : items_[i].end;
    end_gap(i, text.size(), bytes_.substr(behind, from - behind));
    read_characters(text, from, to);
    behind = to;
  }
  frame_.last_format = items_[end_].format;
  const std::size_t end = end_ > last_ ? items_[end_].end : solid_end_;
  end_gap(kNone, text.size(), bytes_.substr(behind, end - behind));
  std::optional<InlineText::Found> found = text.take();
  if (!found || !found->has_letter || !set_partners()) return;
  found->block.marks = std::move(marks_);
  const std::size_t begin = begin_ < first_ ? items_[begin_].begin : items_[first_].tag;
  part_.add(std::move(found->block), begin, end);
  part_.frames_.push_back(std::move(frame_));
}

bool DocxBlock::find_text() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].kind != ItemKind::text) continue;
    for (std::size_t at = items_[i].begin; at < items_[i].end;) {
      const XmlCharacter one = xml_character(bytes_, at);
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

/// Drops marks at the ends, except those whose partner is inside.
void DocxBlock::find_ends() {
  const auto is_within = [&](std::size_t item) { return item > first_ && item < last_; };
  for (begin_ = 0; begin_ < first_ && !is_within(items_[begin_].partner);) ++begin_;
  for (end_ = items_.size() - 1; end_ > last_ && !is_within(items_[end_].partner);) --end_;
}

/// The format of most of the text.
std::size_t DocxBlock::usual_format() const {
  std::unordered_map<std::size_t, std::size_t> bytes;
  std::size_t usual = items_[first_].format, most = 0;
  for (std::size_t i = first_; i <= last_; ++i) {
    if (items_[i].kind != ItemKind::text) continue;
    const std::size_t count = bytes[items_[i].format] += items_[i].end - items_[i].begin;
    if (count <= most) continue;
    most = count;
    usual = items_[i].format;
  }
  return usual;
}

void DocxBlock::read_characters(InlineText& text, std::size_t begin, std::size_t end) const {
  for (std::size_t at = begin; at < end;) {
    const XmlCharacter one = xml_character(bytes_, at);
    const std::size_t next = at + one.bytes;
    // Word shows a line end as a blank: a blank with this spelling.
    const bool is_space = one.plain < 0x80 && is_markup_space(static_cast<char>(one.plain));
    text.character(is_space ? " " : encode_utf8(std::u32string_view(&one.plain, 1)), at, next);
    at = next;
  }
}

DocxPart::State DocxBlock::state_of(const DocxItem& item) const {
  const std::size_t name = item.bytes[1] == '/' ? 2 : 1;
  const std::size_t end = std::min(item.bytes.find_first_of(" />\t\r\n", name), item.bytes.size());
  const bool is_outer = part_.outer_.contains(item.bytes.substr(name, end - name));
  return is_outer ? DocxPart::State::outside : DocxPart::State::run;
}

void DocxBlock::push(Mark::Kind kind, std::size_t at, const std::string& bytes) {
  part_.mark_bytes_ += bytes.size();
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  KETTE_CHECK(part_.mark_bytes_ <= kSmall + 4 * bytes_.size(),
              "docx: expected formats that take at most four times the bytes of their part, given "
              "more (it looks like a bomb)");
  marks_.push_back({kind, at, bytes, Mark::kNoPartner});
}

void DocxBlock::push_items(std::size_t until, std::size_t at) {
  for (std::size_t i = next_; i < until; ++i) {
    if (items_[i].kind == ItemKind::text)
      continue;  // blanks before the first word or after the last
    mark_of_.emplace(i, marks_.size());
    const auto kind = items_[i].kind == ItemKind::opens    ? Mark::Kind::opens
                      : items_[i].kind == ItemKind::closes ? Mark::Kind::closes
                                                           : Mark::Kind::stands;
    push(kind, at, items_[i].bytes);
  }
}

/// Ends the gap between the text before and that of an item (kNone: the end of the block).
void DocxBlock::end_gap(std::size_t item, std::size_t at, std::string_view bytes) {
  const std::size_t first_mark = marks_.size();
  const bool is_end = item == kNone;
  const std::size_t until = !is_end ? item : end_ > last_ ? end_ + 1 : last_;
  bool is_split = is_end;
  for (std::size_t i = next_; i < until; ++i) {
    is_split |= items_[i].kind == ItemKind::opens || items_[i].kind == ItemKind::closes;
  }
  const std::size_t wanted = is_end ? frame_.usual_format : items_[item].format;
  if (open_format_ != kNone && (is_split || wanted != wanted_)) {
    marks_[open_format_].partner = marks_.size();
    push(Mark::Kind::closes, at, "");
    marks_.back().partner = open_format_;
    open_format_ = kNone;
  }
  push_items(until, at);
  if (open_format_ == kNone && wanted != frame_.usual_format) {
    open_format_ = marks_.size();
    push(Mark::Kind::opens, at, part_.formats_[wanted]);
  }
  // Two runs of one format.
  if (marks_.size() == first_mark && !bytes.empty()) push(Mark::Kind::stands, at, "");
  wanted_ = wanted;
  next_ = is_end ? until : item + 1;
  if (marks_.size() == first_mark) return;
  DocxPart::Gap gap;
  gap.key = DocxPart::key(state_, format_, &marks_[first_mark], marks_.size() - first_mark, wanted);
  gap.bytes = bytes;
  if (is_end && end_ > last_) frame_.end = state_of(items_[end_]);
  gap.state = state_ = is_end ? frame_.end : DocxPart::State::text;
  gap.format = format_ = is_end ? items_[end_].format : wanted;
  if (!is_end && item > first_) {
    std::size_t before = item - 1;
    while (items_[before].kind != ItemKind::text) --before;
    gap.stays = items_[before].tag == items_[item].tag;
  }
  frame_.gaps.push_back(std::move(gap));
}

/// False if a mark has no partner in the block, which cannot happen in a well-formed paragraph.
bool DocxBlock::set_partners() {
  for (const auto& [item, mark] : mark_of_) {
    if (items_[item].kind == ItemKind::stands) continue;
    const auto partner = mark_of_.find(items_[item].partner);
    if (partner == mark_of_.end()) return false;
    marks_[mark].partner = partner->second;
  }
  return true;
}

}  // namespace kette
