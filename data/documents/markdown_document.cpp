#include "data/documents/markdown_document.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "data/documents/document_bytes.h"
#include "data/documents/markdown_blocks.h"
#include "data/documents/markdown_inlines.h"
#include "data/documents/markdown_lines.h"
#include "data/documents/markdown_spans.h"

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

/// Text and marks between two marks, breaks as spaces.
std::string between(const Block& block, std::size_t opens, std::size_t closes) {
  std::string all;
  std::size_t at = block.marks[opens].at;
  for (std::size_t i = opens + 1; i < closes; ++i) {
    const Mark& mark = block.marks[i];
    const bool breaks = mark.kind == Mark::Kind::breaks;
    all.append(block.text, at, mark.at - at).append(breaks ? " " : mark.bytes);
    at = mark.at + (breaks ? 1 : 0);
  }
  return all.append(block.text, at, block.marks[closes].at - at);
}

/// A reference to its own text, "[text]", is one to its label, "[other][text]", once the text is another.
void write_references(Block& block) {
  for (std::size_t i = 0; i < block.marks.size(); ++i) {
    Mark& mark = block.marks[i];
    const std::size_t bracket = mark.bytes.find(']');
    if (mark.kind != Mark::Kind::closes || mark.partner >= i || bracket == std::string::npos)
      continue;
    const std::size_t end = after_label(mark.bytes, bracket + 1);
    if (end == std::string::npos) continue;
    const std::string label = mark.bytes.substr(bracket + 2, end - bracket - 3);
    const bool itself = between(block, mark.partner, i) == unescaped(label);
    const bool empty = mark.bytes.compare(end, 2, "[]") == 0;
    if (itself) {
      mark.bytes.erase(bracket + 1, end - bracket - 1);
    } else if (empty) {
      mark.bytes.erase(end, 2);
    }
  }
}

/// Where each break ends its line: without what the next line begins with.
Block flattened(Block block) {
  for (Mark& mark : block.marks) {
    if (mark.kind != Mark::Kind::breaks) continue;
    const std::size_t line_end = mark.bytes.find_first_of("\r\n");
    if (line_end != std::string::npos) mark.bytes = mark.bytes.substr(0, line_end) + "\n";
  }
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
  MarkdownDocument(std::string all, const std::string& name) : DocumentOfBytes(std::move(all)) {
    check_document_bytes(bytes(), name);
    MarkdownBlocks read = read_markdown_blocks(bytes(), name);
    labels_ = std::move(read.labels);
    for (const MarkdownLeaf& leaf : read.leaves) {
      const std::span lines = std::span(read.lines).subspan(leaf.first_line, leaf.lines);
      auto found = read_markdown_inlines(bytes(), lines, labels_);
      if (!found || !found->has_letter) continue;
      add(std::move(found->block), found->begin, found->end);
      kinds_.push_back(leaf.kind);
    }
  }

 private:
  std::string written(std::size_t index, const Block& translation) const override;
  bool is_one_block(std::string_view text, MarkdownLeaf::Kind kind) const;
  bool reads_back_as(const Block& block, std::string_view text) const;
  std::string escaped_throughout(const Block& block) const;

  std::set<std::string> labels_;
  std::vector<MarkdownLeaf::Kind> kinds_;
};

/// What a translation says may be markup in its new place: what is written is read again, and where it does not say the
/// same, everything that could be markup is escaped.
std::string MarkdownDocument::written(std::size_t index, const Block& translation) const {
  const Block& source = blocks()[index];
  if (translation.text == source.text &&
      std::equal(translation.marks.begin(), translation.marks.end(), source.marks.begin(),
                 source.marks.end(), [](const Mark& a, const Mark& b) {
                   return a.kind == b.kind && a.at == b.at && a.bytes == b.bytes;
                 })) {
    return std::string(bytes_of(index));
  }
  Block block = translation;
  write_references(block);
  const std::string flat = DocumentOfBytes::written(index, flattened(block));
  const auto is_block = [&](const std::string& text) { return is_one_block(text, kinds_[index]); };
  // A source that is a block only where it stands cannot tell.
  const bool fits = is_block(flat) || !is_block(DocumentOfBytes::written(index, flattened(source)));
  if (fits && reads_back_as(block, flat)) return DocumentOfBytes::written(index, block);
  return escaped_throughout(block);
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

bool MarkdownDocument::reads_back_as(const Block& block, std::string_view text) const {
  const auto found = read_markdown_inlines(text, lines_of(text), labels_);
  if (!found || found->block.text != block.text) return false;
  // Marks that stand at an end are read as outside.
  const auto inner = [&](const Block& of) {
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

std::string MarkdownDocument::escaped_throughout(const Block& block) const {
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
    const bool begins_block = (at_start && std::strchr("#+-=:", byte) != nullptr) ||
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
