#include "data/documents/inline_text.h"

#include <utility>

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {

InlineText::Seen& InlineText::seen(std::string_view plain) {
  return plain.size() == 1 ? ascii_[static_cast<unsigned char>(plain[0]) % ascii_.size()]
                           : others_[std::string(plain)];
}

std::string InlineText::spelled(std::string_view plain, const Seen& seen) const {
  return seen.last.empty() ? usual_(plain) : std::string(seen.last);
}

void InlineText::note_spelling(std::string_view plain, std::string_view spelling) {
  const std::string_view now = usual_(plain) == spelling ? std::string_view() : spelling;
  Seen& before = seen(plain);
  if (before.last != now) {
    spellings_.insert(spellings_.end(), before.pending,
                      {std::string(plain), spelled(plain, before)});
    before = {now, 0, true};
  }
  ++before.pending;
}

void InlineText::character(std::string_view plain, std::size_t begin, std::size_t end) {
  const char32_t code_point = utf8_character(plain, 0).code_point;
  const bool is_solid = !is_white_space(code_point);
  if (!is_solid && !has_text()) return;
  if (!has_text()) {
    solid_begin_ = begin;
    lead_ = pieces_.size();
  }
  note_spelling(plain, bytes_.substr(begin, end - begin));
  text_ += plain;
  after_space_ = false;
  if (!is_solid) return;
  solid_end_ = end;
  solid_text_ = text_.size();
  tail_ = pieces_.size();
  has_letter_ = has_letter_ || is_letter(code_point);
}

void InlineText::space(std::size_t begin, std::size_t end) {
  if (!has_text()) return;
  if (after_space_) {
    // Another space does not show: it joins the mark between, or extends the space before.
    if (!pieces_.empty() && pieces_.back().begin >= space_begin_) {
      pieces_.back().end = end;
    } else {
      pieces_.push_back(
          {Mark::Kind::breaks, text_.size() - 1, space_begin_, end, Mark::kNoPartner});
    }
    return;
  }
  if (bytes_.substr(begin, end - begin) != " ") {
    pieces_.push_back({Mark::Kind::breaks, text_.size(), begin, end, Mark::kNoPartner});
  }
  text_ += ' ';
  after_space_ = true;
  space_begin_ = begin;
}

void InlineText::close(std::string_view name) {
  const auto found = open_names_.find(std::string(name));
  if (found == open_names_.end() || found->second == 0) return;
  for (bool is_it = false; !is_it;) {
    is_it = open_.back().name == name;
    if (is_it) {
      pieces_.back().partner = open_.back().mark;
      pieces_[open_.back().mark].partner = pieces_.size() - 1;
    }
    --open_names_[open_.back().name];
    open_.pop_back();
  }
}

void InlineText::mark(Mark::Kind kind, std::size_t begin, std::size_t end, std::string_view name) {
  pieces_.push_back({kind, text_.size(), begin, end, Mark::kNoPartner});
  if (kind == Mark::Kind::opens) {
    open_.push_back({std::string(name), pieces_.size() - 1});
    ++open_names_[open_.back().name];
  } else if (kind == Mark::Kind::closes) {
    close(name);
  }
}

std::vector<Mark> InlineText::marks(std::size_t first, std::size_t last) {
  std::vector<Mark> made;
  std::vector<std::size_t> place(last - first, Mark::kNoPartner);  // of each piece, among the marks
  std::size_t end = 0;  // of the piece before, among those after the last character
  for (std::size_t i = first; i < last; ++i) {
    Piece& piece = pieces_[i];
    if (i < lead_) {
      piece.end = i + 1 < lead_ ? pieces_[i + 1].begin : solid_begin_;
      piece.at = 0;
    } else if (i >= tail_) {
      if (piece.kind == Mark::Kind::breaks) continue;
      piece.begin = end == 0 ? solid_end_ : end;
      piece.at = solid_text_;
      end = piece.end;
    }
    place[i - first] = made.size();
    made.push_back({piece.kind, piece.at,
                    std::string(bytes_.substr(piece.begin, piece.end - piece.begin)),
                    piece.partner});
  }
  for (Mark& mark : made) {
    if (mark.kind != Mark::Kind::opens && mark.kind != Mark::Kind::closes) continue;
    const bool is_inside = mark.partner >= first && mark.partner < last;
    mark.partner = is_inside ? place[mark.partner - first] : Mark::kNoPartner;
    if (!is_inside) mark.kind = Mark::Kind::stands;
  }
  return made;
}

std::optional<InlineText::Found> InlineText::take() {
  std::optional<Found> found;
  if (has_text()) {
    const auto is_between = [&](const Piece& piece) {
      return piece.partner != Mark::kNoPartner && piece.partner >= lead_ && piece.partner < tail_;
    };
    std::size_t first = 0, last = pieces_.size();
    while (first < lead_ && !is_between(pieces_[first])) ++first;
    while (last > tail_ && !is_between(pieces_[last - 1])) --last;
    found.emplace();
    found->begin = first < lead_ ? pieces_[first].begin : solid_begin_;
    found->end = last > tail_ ? pieces_[last - 1].end : solid_end_;
    found->has_letter = has_letter_;
    text_.resize(solid_text_);
    for (std::size_t byte = 0; byte < ascii_.size(); ++byte) {
      const std::string plain(1, static_cast<char>(byte));
      if (ascii_[byte].is_noted) spellings_.push_back({plain, spelled(plain, ascii_[byte])});
    }
    for (const auto& [plain, one] : others_) {
      if (one.is_noted) spellings_.push_back({plain, spelled(plain, one)});
    }
    found->block.marks = marks(first, last);
    found->block.text = std::move(text_);
    found->block.spellings = std::move(spellings_);
  }
  *this = InlineText(bytes_, usual_);
  return found;
}

}  // namespace kette
