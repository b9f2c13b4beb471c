#include "decode/text_assembly.h"

#include <algorithm>

#include "decode/mark_placement.h"

namespace kette {
namespace {

bool is_inside(std::string_view text, std::size_t at) {
  constexpr const char* kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank), last = text.find_last_not_of(kBlank);
  return first != std::string_view::npos && at > first && at <= last;
}

}  // namespace

bool TranslationUnit::needs_links() const {
  return std::any_of(prepared.marks.begin(), prepared.marks.end(), [&](const Mark& mark) {
    return mark.kind != Mark::Kind::breaks && is_inside(prepared.input, mark.at);
  });
}

void TranslationUnit::place(const UnitLinks& links) {
  const std::string target = prepared.raised ? raised(translation.text) : translation.text;
  done = true;
  if (prepared.marks.empty()) {
    mended = target;
    return;
  }
  std::vector<Mark> numbered = prepared.marks;
  for (std::size_t i = 0; i < numbered.size(); ++i) numbered[i].bytes = std::to_string(i);
  const MarkedText marked = place_marks(prepared.input, numbered, target, links);
  std::size_t from = 0;
  for (const Mark& mark : marked.marks) {
    const std::size_t mark_number = std::stoul(mark.bytes), given = prepared.given[mark_number];
    if (mark.at > from) mended.append(marked.text, from, mark.at - from);
    from = std::max(from, mark.at);
    if (given == Mark::kNoPartner) {
      mended += prepared.marks[mark_number].bytes;
      const bool has_space = std::string_view(marked.text).substr(from).starts_with(' ');
      if (mark.kind == Mark::Kind::breaks && has_space) ++from;
    } else {
      placed.push_back({mark.kind, mended.size(), {}, marks[given]});
    }
  }
  mended.append(marked.text, from);
}

void TextAssembly::go_on() {
  while (done_ < units_.size() && units_[done_].done) ++done_;
  for (; next_text_ < sources_.size(); ++next_text_) {
    if (done_ < units_.size() && units_[done_].text == next_text_) return;
    std::size_t end = next_unit_;
    while (end < done_ && units_[end].text == next_text_) ++end;
    take_(static_cast<std::int64_t>(next_text_), put_together(end));
    next_unit_ = end;
  }
}

TranslatedText TextAssembly::put_together(std::size_t end) {
  const SourceText& source = sources_[next_text_];
  TranslatedText built;
  built.fault = faults_[next_text_];
  if (!built.fault.empty()) return built;
  std::vector<std::size_t> place(source.marks.size(), Mark::kNoPartner);
  std::vector<bool> in_sentence(source.marks.size());
  for (std::size_t i = next_unit_; i < end; ++i) {
    for (const std::size_t one : units_[i].marks) in_sentence[one] = true;
  }
  std::size_t from = 0, mark = 0;
  const auto put_mark = [&](std::size_t which, std::size_t at) {
    place[which] = built.marks.size();
    built.marks.push_back(source.marks[which]);
    built.marks.back().at = at;
  };
  // Copies text between sentences, with its marks.
  const auto copy_to = [&](std::size_t to) {
    for (; mark < source.marks.size() && source.marks[mark].at <= to; ++mark) {
      const std::size_t at = source.marks[mark].at;
      if (at < from || in_sentence[mark]) continue;
      if (keeps_space_) built.text.append(source.text, from, at - from);
      from = at;
      put_mark(mark, built.text.size());
    }
    if (keeps_space_) built.text.append(source.text, from, to - from);
    from = to;
  };
  // Leaves out a tag. Its marks stay, each break with a space to replace.
  const auto leave_out_to = [&](std::size_t to) {
    for (; mark < source.marks.size() && source.marks[mark].at < to; ++mark) {
      if (source.marks[mark].at < from) continue;
      put_mark(mark, built.text.size());
      if (source.marks[mark].kind == Mark::Kind::breaks) built.text += ' ';
    }
    from = to;
  };
  for (std::size_t i = next_unit_; i < end; ++i) {
    TranslationUnit& unit = units_[i];
    copy_to(unit.tag_begin);
    leave_out_to(unit.part.begin);
    for (const Mark& one : unit.placed) put_mark(one.partner, built.text.size() + one.at);
    built.text += unit.mended;
    from = unit.part.end;
    built.sentences.push_back({unit.part, std::move(unit.translation), std::move(unit.mended),
                               unit.divided, std::move(unit.notes), unit.tag_begin});
  }
  copy_to(source.text.size());
  for (Mark& one : built.marks) {
    if (one.partner < place.size()) one.partner = place[one.partner];
  }
  return built;
}

}  // namespace kette
