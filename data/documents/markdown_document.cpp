#include "data/documents/markdown_document.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/documents/document_bytes.h"
#include "data/documents/html_document.h"
#include "data/documents/markdown_blocks.h"
#include "data/documents/markdown_inlines.h"
#include "data/documents/markdown_lines.h"
#include "data/documents/markdown_spans.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

/// A label without its backslashes, to be compared with text.
std::string unescaped(std::string_view label) {
  std::string plain;
  for (std::size_t at = 0; at < label.size(); ++at) {
    const bool escapes =
        label[at] == '\\' && at + 1 < label.size() && is_markdown_punctuation(label[at + 1]);
    plain += label[escapes ? ++at : at];
  }
  return plain;
}

/// The text in the brackets of a link, for a block without line prefixes; breaks become spaces.
std::string between(const TextBlock& block, std::size_t opens, std::size_t closes) {
  std::string all = block.marks[opens].bytes.substr(1);
  std::size_t at = block.marks[opens].at;
  for (std::size_t i = opens + 1; i < closes; ++i) {
    const Mark& mark = block.marks[i];
    const bool breaks = mark.kind == Mark::Kind::breaks;
    all.append(block.text, at, mark.at - at).append(breaks ? " " : mark.bytes);
    at = mark.at + (breaks ? 1 : 0);
  }
  all.append(block.text, at, block.marks[closes].at - at);
  all.append(block.marks[closes].bytes, 0, block.marks[closes].bytes.find(']'));
  std::replace(all.begin(), all.end(), '\n', ' ');
  return all;
}

/// The parts of a reference's closing mark: the bytes before "][label]", the label, the bytes after
/// it.
struct ReferenceEnd {
  std::string before, label, behind;
};
std::optional<ReferenceEnd> reference_end(const Mark& mark) {
  const std::size_t bracket = mark.bytes.find(']');
  if (mark.kind != Mark::Kind::closes || bracket == std::string::npos) return std::nullopt;
  const std::size_t end = after_label(mark.bytes, bracket + 1);
  if (end == std::string::npos) return std::nullopt;
  return ReferenceEnd{mark.bytes.substr(0, bracket),
                      mark.bytes.substr(bracket + 2, end - bracket - 3), mark.bytes.substr(end)};
}

/// Whether the reference that a mark closes has its own label as text. False, since unknown, if the
/// block has special spellings for characters of the text.
bool refers_to_itself(const TextBlock& block, std::size_t closes, const std::string& label,
                      const std::vector<Spelling>& spellings) {
  const std::size_t opens = block.marks[closes].partner;
  if (opens >= closes || between(block, opens, closes) != unescaped(label)) return false;
  const std::size_t begin = block.marks[opens].at;
  const std::string text = block.text.substr(begin, block.marks[closes].at - begin);
  return label.find('\\') != label.npos ||
         std::none_of(spellings.begin(), spellings.end(), [&](const Spelling& one) {
           return one.plain != one.spelled && text.find(one.plain) != text.npos;
         });
}

/// Whether the block has such a reference "[text][text]".
bool spells_out(const TextBlock& block, const Mark& closes, const std::string& label) {
  for (std::size_t i = 0; i < block.marks.size(); ++i) {
    if (block.marks[i].bytes == closes.bytes && block.marks[i].kind == closes.kind &&
        refers_to_itself(block, i, label, {})) {
      return true;
    }
  }
  return false;
}

/// The block with each break ending its line, and with line prefixes removed from all marks.
TextBlock flattened(TextBlock block, const std::vector<std::string>& prefixes) {
  for (Mark& mark : block.marks) {
    std::string flat;
    for (std::size_t at = 0; at < mark.bytes.size();) {
      const SourceLine line = line_at(mark.bytes, at);
      flat += line.of(mark.bytes);
      at = line.next;
      if (line.next == line.end) break;
      flat += '\n';
      if (mark.kind == Mark::Kind::breaks) break;
      std::size_t longest = 0;
      for (const std::string& prefix : prefixes) {
        if (prefix.size() > longest && mark.bytes.compare(at, prefix.size(), prefix) == 0) {
          longest = prefix.size();
        }
      }
      at += longest;
    }
    mark.bytes = std::move(flat);
  }
  return block;
}

/// An empty line would end the paragraph. So of several breaks at one place, and of one at the end
/// of the text, only a tag <br> stays.
TextBlock without_empty_lines(TextBlock block) {
  std::vector<Mark> kept;
  std::vector<std::size_t> numbers;  // of the marks among those
  for (Mark& mark : block.marks) {
    numbers.push_back(kept.size());
    const bool follows =
        !kept.empty() && kept.back().kind == Mark::Kind::breaks && kept.back().at == mark.at;
    if (mark.kind == Mark::Kind::breaks && (follows || mark.at >= block.text.size())) {
      mark.bytes.resize(line_at(mark.bytes, 0).end);
      mark.bytes.resize(mark.bytes.find_last_not_of(" \t\\") + 1);
      mark.kind = Mark::Kind::stands;
      if (mark.bytes.empty()) continue;
    }
    kept.push_back(std::move(mark));
  }
  for (Mark& mark : kept) {
    if (mark.partner < numbers.size()) mark.partner = numbers[mark.partner];
  }
  block.marks = std::move(kept);
  return block;
}

std::vector<SourceRange> lines_of(std::string_view text) {
  std::vector<SourceRange> lines;
  for (std::size_t at = 0; at < text.size();) {
    const SourceLine line = line_at(text, at);
    lines.push_back(line);
    at = line.next;
  }
  return lines;
}

class MarkdownDocument : public DocumentOfBytes {
 public:
  MarkdownDocument(std::string all, std::string name)
      : DocumentOfBytes(std::move(all)), name_(std::move(name)) {
    check_document_bytes(bytes(), name_);
    MarkdownBlocks read = read_markdown_blocks(bytes(), name_);
    labels_ = std::move(read.labels);
    for (const MarkdownLeaf& leaf : read.leaves) {
      const std::span lines = std::span(read.lines).subspan(leaf.first_line, leaf.lines);
      if (leaf.kind == MarkdownLeaf::Kind::html) {
        add_html(lines);
        continue;
      }
      if (leaf.kind == MarkdownLeaf::Kind::directive) {
        note_title(lines.front());
        continue;
      }
      auto found = read_markdown_inlines(bytes(), lines, labels_);
      if (!found || !found->has_letter) continue;
      for (const Mark& mark : found->block.marks) count_reference(mark);
      add(std::move(found->block), found->begin, found->end);
      kinds_.push_back(leaf.kind);
      prefixes_.push_back(prefixes(lines));
    }
  }

  std::vector<std::string> notes() const override { return left_.notes(); }

 private:
  /// HTML is read as such, unless its lines have prefixes.
  void add_html(std::span<const SourceRange> lines) {
    const std::string_view all = bytes();
    const SourceRange range{lines.front().begin, lines.back().end};
    auto html = read_html_within(std::string(range.of(all)));
    if (html->blocks().empty()) return;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::size_t from = lines[i - 1].end;
      if (all.substr(from, lines[i].begin - from).find('>') == std::string_view::npos) continue;
      return left_.add(all, range.begin, name_, "HTML in a quote");
    }
    for (std::size_t i = 0; i < html->blocks().size(); ++i) {
      const std::size_t begin = range.begin + html->begin_of(i);
      html_.emplace(blocks().size(), HtmlBlock{html_documents_.size(), i});
      add(html->blocks()[i], begin, begin + html->bytes_of(i).size());
      kinds_.push_back(MarkdownLeaf::Kind::html);
      prefixes_.emplace_back();
    }
    html_documents_.push_back(std::move(html));
  }
  /// Notes the words after the name of a directive.
  void note_title(const SourceRange& line) {
    const std::string_view text = without_spaces_behind(line.of(bytes()));
    const std::size_t name = std::min(text.find_first_not_of(": \t"), text.size());
    const std::size_t end = text.find_first_of(" \t[{", name);
    if (end == std::string_view::npos || text[end] == '{') return;
    const std::u32string title = decode_utf8(text.substr(end));
    if (std::any_of(title.begin(), title.end(), is_letter)) {
      left_.add(bytes(), line.begin, name_, "the title of a directive");
    }
  }
  /// The prefixes of all lines but the first: ">   ".
  std::vector<std::string> prefixes(std::span<const SourceRange> lines) const {
    std::set<std::string> all;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::size_t begin = line_at(bytes(), lines[i - 1].end).next;
      if (begin < lines[i].begin) all.insert(bytes().substr(begin, lines[i].begin - begin));
    }
    return {all.begin(), all.end()};
  }
  std::string written(std::size_t index, const TextBlock& translation) const override;
  void write_references(std::size_t index, TextBlock& block) const;
  bool is_one_block(std::string_view text, MarkdownLeaf::Kind kind) const;
  bool reads_back_as(const TextBlock& block, std::string_view text) const;
  std::string escaped_throughout(const TextBlock& block) const;

  void count_reference(const Mark& mark) {
    const std::optional<ReferenceEnd> end = reference_end(mark);
    if (!end || !end->behind.starts_with(']')) return;
    ++(end->behind.starts_with("][]") ? collapsed_ : shortcuts_);
  }

  struct HtmlBlock {
    std::size_t document, block;
  };
  std::string name_;
  LeftParts left_;
  std::vector<std::unique_ptr<DocumentOfBytes>> html_documents_;
  std::unordered_map<std::size_t, HtmlBlock> html_;  // the blocks that are HTML
  std::set<std::string> labels_;
  std::size_t collapsed_ = 0, shortcuts_ = 0;       // references to their own text
  std::vector<MarkdownLeaf::Kind> kinds_;           // of the blocks
  std::vector<std::vector<std::string>> prefixes_;  // that their lines begin with, each once
};

/// A translation may become markup in its place. So it is read again, and if it differs, everything
/// that could be markup is escaped.
std::string MarkdownDocument::written(std::size_t index, const TextBlock& translation) const {
  const TextBlock& source = blocks()[index];
  if (translation.text == source.text &&
      std::equal(translation.marks.begin(), translation.marks.end(), source.marks.begin(),
                 source.marks.end(), [](const Mark& a, const Mark& b) {
                   return a.kind == b.kind && a.at == b.at && a.bytes == b.bytes;
                 })) {
    return std::string(bytes_of(index));
  }
  TextBlock block = without_empty_lines(translation);
  if (const auto html = html_.find(index); html != html_.end()) {
    return html_documents_[html->second.document]->written(html->second.block, block);
  }
  write_references(index, block);
  const TextBlock flat_block = flattened(block, prefixes_[index]);
  const std::string flat = DocumentOfBytes::written(index, flat_block);
  const auto is_block = [&](const std::string& text) { return is_one_block(text, kinds_[index]); };
  // Not decidable if the source is a block only in its context.
  const bool fits = is_block(flat) ||
                    !is_block(DocumentOfBytes::written(index, flattened(source, prefixes_[index])));
  if (fits && reads_back_as(flat_block, flat)) return DocumentOfBytes::written(index, block);
  return escaped_throughout(block);
}

/// A reference to its own text, "[text]" or "[text][]", becomes "[other][text]" if the text
/// changes. Conversely a reference that comes to have its own text ends as most do in the document.
void MarkdownDocument::write_references(std::size_t index, TextBlock& block) const {
  const TextBlock& source = blocks()[index];
  TextBlock flat_source;  // made when it is needed
  const TextBlock flat = flattened(block, prefixes_[index]);
  for (std::size_t i = 0; i < block.marks.size(); ++i) {
    Mark& mark = block.marks[i];
    const std::optional<ReferenceEnd> end = reference_end(mark);
    if (!end) continue;
    const std::size_t was = !end->behind.starts_with(']')    ? 0
                            : end->behind.starts_with("][]") ? 3
                                                             : 1;
    std::string written = end->before;
    if (!refers_to_itself(flat, i, end->label, source.spellings)) {
      written += "][" + end->label + "]";
    } else if (was > 0) {
      written += end->behind.substr(0, was);
    } else {
      if (flat_source.text.empty()) flat_source = flattened(source, prefixes_[index]);
      if (spells_out(flat_source, mark, end->label)) continue;
      written += collapsed_ >= shortcuts_ ? "][]" : "]";
    }
    mark.bytes = written + end->behind.substr(was);
  }
}

bool MarkdownDocument::is_one_block(std::string_view text, MarkdownLeaf::Kind kind) const {
  if (kind == MarkdownLeaf::Kind::cell) {
    const std::vector<SourceRange> cells = row_cells(text);
    return cells.size() == 1 && cells[0].of(text) == text;
  }
  if (kind == MarkdownLeaf::Kind::heading) {
    const std::optional<SourceRange> heading = atx_heading("# " + std::string(text));
    return heading && heading->end - heading->begin == text.size();
  }
  const MarkdownBlocks read = read_markdown_blocks(text, "markdown");
  return read.leaves.size() == 1 && read.leaves[0].kind == kind && read.lines[0].begin == 0 &&
         read.lines.size() == lines_of(text).size();
}

bool MarkdownDocument::reads_back_as(const TextBlock& block, std::string_view text) const {
  const auto found = read_markdown_inlines(text, lines_of(text), labels_);
  if (!found || found->block.text != block.text) return false;
  // Single marks at an end are read as outside.
  const auto inner = [&](const TextBlock& of) {
    std::vector<std::pair<Mark::Kind, std::size_t>> marks;
    for (const Mark& mark : of.marks) {
      const bool stands = mark.kind == Mark::Kind::stands;
      if (!stands || (mark.at > 0 && mark.at < of.text.size()))
        marks.emplace_back(mark.kind, mark.at);
    }
    return marks;
  };
  return inner(found->block) == inner(block);
}

std::string MarkdownDocument::escaped_throughout(const TextBlock& block) const {
  std::string out;
  std::size_t mark = 0;
  bool only_digits = true;  // in this line
  bool at_start = true;
  for (std::size_t at = 0; at <= block.text.size(); ++at) {
    bool instead = false;
    for (; mark < block.marks.size() && block.marks[mark].at <= at; ++mark) {
      out += block.marks[mark].bytes;
      if (block.marks[mark].kind == Mark::Kind::breaks) instead = at_start = only_digits = true;
    }
    if (at == block.text.size()) break;
    if (instead) continue;
    const char byte = block.text[at];
    const bool begins_block = (at_start && std::strchr("#+-=:!?", byte) != nullptr) ||
                              (only_digits && !at_start && (byte == '.' || byte == ')'));
    if (begins_block || std::strchr("\\`*_[]<>~$&|@{}", byte) != nullptr) out += '\\';
    out += byte;
    at_start = false;
    only_digits = only_digits && byte >= '0' && byte <= '9';
  }
  return out;
}

}  // namespace

std::unique_ptr<Document> read_markdown(std::string bytes, const std::string& name) {
  return std::make_unique<MarkdownDocument>(std::move(bytes), name);
}

}  // namespace kette
