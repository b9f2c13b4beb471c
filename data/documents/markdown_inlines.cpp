#include "data/documents/markdown_inlines.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "data/documents/markdown_spans.h"
#include "data/documents/markdown_tokens.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

using Token = MarkdownTokens::Token;

std::string plainly(std::string_view character) { return std::string(character); }

class InlineWriter {
 public:
  InlineWriter(std::string_view bytes, std::span<const SourceRange> lines)
      : bytes_(bytes), lines_(lines), block_(bytes, plainly) {
    for (const SourceRange& line : lines) {
      if (!joined_.empty() || !starts_.empty()) joined_ += '\n';
      starts_.push_back(joined_.size());
      joined_ += line.of(bytes);
    }
  }

  std::optional<InlineText::Found> write(const std::set<std::string>& labels);

 private:
  static constexpr std::size_t kNoPair = static_cast<std::size_t>(-1);
  struct Placed {
    std::size_t begin, end, pair;
  };

  std::size_t in_source(std::size_t at);
  void add_text(std::size_t begin, std::size_t end);
  void add_plain(std::size_t begin, std::size_t end);
  void add_mark(Mark::Kind kind, std::size_t begin, std::size_t end, std::size_t pair = kNoPair);

  void add_labels(InlineText::Found& found, const std::map<std::size_t, std::string>& references);

  std::string_view bytes_;
  std::span<const SourceRange> lines_;
  std::string joined_;
  std::vector<std::size_t> starts_;  // of the lines in joined_
  std::size_t line_ = 0;             // of the last place
  std::vector<Placed> marks_;        // all but breaks
  InlineText block_;
};

/// Fast if places come in nearly ascending order.
std::size_t InlineWriter::in_source(std::size_t at) {
  while (line_ + 1 < starts_.size() && starts_[line_ + 1] <= at) ++line_;
  while (starts_[line_] > at) --line_;
  return lines_[line_].begin + (at - starts_[line_]);
}

void InlineWriter::add_mark(Mark::Kind kind, std::size_t begin, std::size_t end, std::size_t pair) {
  const std::size_t from = in_source(begin), to = in_source(end);
  if (kind == Mark::Kind::breaks) return block_.space(from, to);
  marks_.push_back({from, to, pair});
  block_.mark(kind, from, to, pair == kNoPair ? std::string() : std::to_string(pair));
}

void InlineWriter::add_plain(std::size_t begin, std::size_t end) {
  const auto is_gap = [&](std::size_t at) { return joined_[at] == ' ' || joined_[at] == '\t'; };
  for (std::size_t at = begin; at < end;) {
    const std::size_t from = at, source = in_source(at);
    if (is_gap(at)) {
      while (at < end && is_gap(at)) ++at;
      block_.space(source, source + (at - from));
    } else {
      at += utf8_length(joined_[at]);
      block_.character(std::string_view(joined_).substr(from, at - from), source,
                       source + (at - from));
    }
  }
}

/// Adds text; bare addresses become marks unless brackets were open.
void InlineWriter::add_text(std::size_t begin, std::size_t end) {
  const std::string_view text = std::string_view(joined_).substr(0, end);
  std::size_t done = begin;
  const auto stands = [&](std::size_t from, std::size_t to) {
    add_plain(done, from);
    add_mark(Mark::Kind::stands, from, to);
    done = to;
  };
  for (std::size_t at = text.find_first_of("hfw@", begin); at < end;
       at = text.find_first_of("hfw@", std::max(at + 1, done))) {
    if (text[at] == '@') {
      const MailAddress address = bare_mail_address(text, at, done);
      if (address.begin < at) stands(address.begin, address.end);
    } else if (const std::size_t to = after_bare_address(text, at); to != text.npos) {
      stands(at, to);
    }
  }
  add_plain(done, end);
}

std::optional<InlineText::Found> InlineWriter::write(const std::set<std::string>& labels) {
  const MarkdownTokens read = read_markdown_tokens(joined_, labels);
  std::size_t at = 0;
  for (const Token& token : read.tokens) {
    add_text(at, token.begin);
    at = token.end;
    switch (token.kind) {
      case Token::Kind::spelled:
        block_.character(read.spelled[token.id], in_source(token.begin), in_source(token.end));
        break;
      case Token::Kind::stands:
        add_mark(Mark::Kind::stands, token.begin, token.end);
        break;
      case Token::Kind::breaks:
        add_mark(Mark::Kind::breaks, token.begin, token.end);
        break;
      case Token::Kind::opens:
        add_mark(Mark::Kind::opens, token.begin, token.end, token.id);
        break;
      case Token::Kind::closes:
        add_mark(Mark::Kind::closes, token.begin, token.end, token.id);
        break;
    }
  }
  add_text(at, joined_.size());
  std::optional<InlineText::Found> found = block_.take();
  if (found) add_labels(*found, read.references);
  return found;
}

/// The closing mark of a reference to itself becomes "][label]" and the original. If such a
/// reference encloses the whole block, it becomes part of it, since its end depends on the text.
void InlineWriter::add_labels(InlineText::Found& found,
                              const std::map<std::size_t, std::string>& references) {
  const auto label = [&](const Placed& mark) {
    const auto reference = references.find(mark.pair);
    return reference == references.end() ? std::string() : "[" + reference->second + "]";
  };
  auto placed = std::find_if(marks_.begin(), marks_.end(),
                             [&](const Placed& mark) { return mark.begin >= found.begin; });
  for (Mark& mark : found.block.marks) {
    if (mark.kind == Mark::Kind::breaks) continue;
    const std::string written = label(*placed++);
    if (mark.kind == Mark::Kind::closes && !written.empty()) {
      mark.bytes.insert(mark.bytes.find(']'), "]" + written);
    }
  }
  for (; placed != marks_.end(); ++placed) {
    const std::string written = label(*placed);
    const bool is_full = placed->pair != kNoPair && bytes_.substr(placed->begin).starts_with("][");
    if (written.empty() && !is_full) continue;
    const auto opens = std::find_if(marks_.begin(), marks_.end(),
                                    [&](const Placed& mark) { return mark.pair == placed->pair; });
    if (opens->begin >= found.begin) continue;
    std::vector<Mark>& marks = found.block.marks;
    for (Mark& mark : marks) mark.partner += mark.partner == Mark::kNoPartner ? 0 : 1;
    marks.insert(
        marks.begin(),
        {Mark::Kind::opens, 0, std::string(bytes_.substr(opens->begin, found.begin - opens->begin)),
         marks.size() + 1});
    std::string closes(bytes_.substr(found.end, placed->end - found.end));
    if (!written.empty()) closes.insert(placed->begin - found.end, "]" + written);
    marks.push_back({Mark::Kind::closes, found.block.text.size(), std::move(closes), 0});
    found.begin = opens->begin;
    found.end = placed->end;
    return;  // links do not nest
  }
}

}  // namespace

std::optional<InlineText::Found> read_markdown_inlines(std::string_view bytes,
                                                       std::span<const SourceRange> lines,
                                                       const std::set<std::string>& labels) {
  return InlineWriter(bytes, lines).write(labels);
}

}  // namespace kette
