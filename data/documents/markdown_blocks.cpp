#include "data/documents/markdown_blocks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "data/documents/document_bytes.h"
#include "data/documents/markdown_cursor.h"
#include "data/documents/markdown_lines.h"
#include "data/files/unicode.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// A container of blocks: each of its lines begins with '>', or has this indentation.
struct Container {
  bool quote = false;
  std::size_t indent = 0;
  bool empty = false;  ///< an item without content so far; a blank line would end it
};

class BlockReader {
 public:
  BlockReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  MarkdownBlocks read() {
    for (std::size_t at = after_front_matter(); at < bytes_.size();) {
      const SourceLine line = line_at(bytes_, at);
      read_line(MarkdownCursor(bytes_, line));
      at = line.next;
    }
    close_leaf();
    return std::move(blocks_);
  }

 private:
  enum class Leaf { none, paragraph, fence, html, code, table };
  enum class Begun { nothing, container, block };

  std::size_t after_front_matter() const;
  void read_line(MarkdownCursor line);
  void match_containers(MarkdownCursor& line);
  bool all_matched() const { return matched_ == containers_.size(); }
  bool goes_on_verbatim(const MarkdownCursor& line);
  Begun begin(MarkdownCursor& line);
  Begun begin_container(MarkdownCursor& line);
  bool begin_alert(MarkdownCursor& line);
  bool begin_item(MarkdownCursor& line);
  bool begin_block(const MarkdownCursor& line);
  bool begin_table(const MarkdownCursor& line);
  void read_text(MarkdownCursor line);

  void open(Container container);
  void end_unmatched();
  void close_leaf();
  void close_all();
  void add_leaf(MarkdownLeaf::Kind kind, const std::vector<SourceRange>& lines);
  void add_title(SourceRange title);
  void add_row(const MarkdownCursor& line);
  void take_definitions();

  std::string_view bytes_;
  const std::string& name_;
  MarkdownBlocks blocks_;
  std::vector<Container> containers_;
  std::size_t matched_ = 0;  // of the containers, in this line
  Leaf leaf_ = Leaf::none;
  std::vector<SourceRange> paragraph_;  // its lines, or those of HTML
  std::size_t paragraph_bytes_ = 0;
  CodeFence fence_;
  int html_ = 0;
};

/// YAML between lines "---" (or up to "..."), TOML between lines "+++", at the very begin.
std::size_t BlockReader::after_front_matter() const {
  const std::size_t begin = first_line_begin(bytes_);
  const auto text = [&](const SourceLine& line) { return without_spaces_behind(line.of(bytes_)); };
  const SourceLine first = line_at(bytes_, begin);
  const std::string_view fence = text(first);
  SourceLine line = line_at(bytes_, first.next);
  if ((fence != "---" && fence != "+++") || is_blank_line(text(line))) return begin;
  for (; line.begin < bytes_.size(); line = line_at(bytes_, line.next)) {
    if (text(line) == fence || (fence == "---" && text(line) == "...")) return line.next;
  }
  return begin;
}

void BlockReader::read_line(MarkdownCursor line) {
  match_containers(line);
  if (all_matched() && goes_on_verbatim(line)) return;
  if (line.blank()) {
    end_unmatched();
    if (leaf_ != Leaf::code) close_leaf();
    return;
  }
  for (Begun begun = Begun::container; begun == Begun::container;) {
    begun = begin(line);
    if (begun == Begun::block || line.blank()) return;
  }
  read_text(line);
}

/// Skips the prefixes of the open containers that this line continues.
void BlockReader::match_containers(MarkdownCursor& line) {
  for (matched_ = 0; matched_ < containers_.size(); ++matched_) {
    Container& container = containers_[matched_];
    if (container.quote) {
      if (line.indent() > 3 || !line.content().starts_with('>')) return;
      line.skip_indent();
      line.skip_bytes(1);
      if (line.indent() > 0) line.skip_columns(1);
    } else if (line.blank()) {
      if (container.empty) return;
    } else {
      if (line.indent() < container.indent) return;
      line.skip_columns(container.indent);
      container.empty = false;
    }
  }
}

/// Whether the line continues code or HTML, which take all lines up to their end.
bool BlockReader::goes_on_verbatim(const MarkdownCursor& line) {
  if (leaf_ == Leaf::fence) {
    if (line.indent() <= 3 && closes_fence(line.content(), fence_)) leaf_ = Leaf::none;
    return true;
  }
  if (leaf_ != Leaf::html) return false;
  paragraph_.push_back({line.at(), line.end()});
  if (ends_html_block(html_, line.rest())) close_leaf();
  return true;
}

BlockReader::Begun BlockReader::begin(MarkdownCursor& line) {
  if (line.indent() >= 4) {
    if (leaf_ == Leaf::paragraph) return Begun::nothing;
    if (leaf_ != Leaf::code || !all_matched()) close_all();
    leaf_ = Leaf::code;
    return Begun::block;
  }
  // In this order: a rule of stars or hyphens could be a list, an underline of hyphens a rule.
  if (leaf_ == Leaf::paragraph && all_matched() && is_setext_underline(line.content())) {
    take_definitions();
    if (!paragraph_.empty()) {
      add_leaf(MarkdownLeaf::Kind::paragraph, paragraph_);
      leaf_ = Leaf::none;
      return Begun::block;
    }
    leaf_ = Leaf::none;
  }
  if (begin_block(line)) return Begun::block;
  const Begun container = begin_container(line);
  if (container != Begun::nothing) return container;
  return begin_table(line) ? Begun::block : Begun::nothing;
}

bool BlockReader::begin_block(const MarkdownCursor& line) {
  const std::string_view content = line.content();
  const auto begun = [&](Leaf leaf) {
    close_all();
    leaf_ = leaf;
    return true;
  };
  if (is_thematic_break(content)) return begun(Leaf::none);
  if (is_directive(content)) {
    begun(Leaf::none);
    add_leaf(MarkdownLeaf::Kind::directive, {{line.end() - content.size(), line.end()}});
    return true;
  }
  if (const std::optional<SourceRange> text = atx_heading(content)) {
    begun(Leaf::none);
    const std::size_t begin = line.end() - content.size();
    add_leaf(MarkdownLeaf::Kind::heading, {{begin + text->begin, begin + text->end}});
    return true;
  }
  if (const std::optional<CodeFence> fence = code_fence(content)) {
    fence_ = *fence;
    return begun(Leaf::fence);
  }
  const int html = html_block(content);
  const bool interrupts = leaf_ == Leaf::paragraph && all_matched();
  if (html == 0 || (html == 7 && interrupts)) return false;
  begun(Leaf::html);
  html_ = html;
  paragraph_.push_back({line.at(), line.end()});
  if (ends_html_block(html, content)) close_leaf();
  return true;
}

BlockReader::Begun BlockReader::begin_container(MarkdownCursor& line) {
  if (matched_ >= kDeepestMarkdown) return Begun::nothing;
  if (line.content().starts_with('>')) {
    open({.quote = true});
    line.skip_indent();
    line.skip_bytes(1);
    if (line.indent() > 0) line.skip_columns(1);
    return begin_alert(line) ? Begun::block : Begun::container;
  }
  if (const std::optional<SourceRange> title = admonition_title(line.content())) {
    const std::size_t content = line.end() - line.content().size();
    open({.indent = 4});
    add_title({content + title->begin, content + title->end});
    return Begun::block;
  }
  if (const std::size_t footnote = footnote_marker(line.content())) {
    open({.indent = 4});
    line.skip_indent();
    line.skip_bytes(footnote);
    return Begun::container;
  }
  return begin_item(line) ? Begun::container : Begun::nothing;
}

/// Skips "[!NOTE]" at the begin of a quote; what follows in its line is its title.
bool BlockReader::begin_alert(MarkdownCursor& line) {
  const std::size_t marker = line.indent() < 4 ? alert_marker(line.content()) : 0;
  if (marker == 0) return false;
  line.skip_indent();
  line.skip_bytes(marker);
  line.skip_indent();
  add_title({line.at(), line.at() + without_spaces_behind(line.rest()).size()});
  return true;
}

bool BlockReader::begin_item(MarkdownCursor& line) {
  const std::string_view content = line.content();
  const std::size_t marker = list_marker(content);
  if (marker == 0) return false;
  const bool empty = is_blank_line(content.substr(marker));
  const bool counts_from_one = marker == 1 || content.substr(0, marker - 1) == "1";
  if (leaf_ == Leaf::paragraph && all_matched() && (empty || !counts_from_one)) return false;
  const std::size_t before = line.indent();
  line.skip_indent();
  line.skip_bytes(marker);
  const std::size_t behind = line.indent();
  // Five columns and more are one, and the indentation of code.
  const std::size_t gap = empty || behind > 4 ? 1 : behind;
  line.skip_columns(gap);
  open({.indent = before + marker + gap, .empty = empty});
  if (const std::size_t task = task_marker(line.content()); task > 0 && line.indent() < 4) {
    line.skip_indent();
    line.skip_bytes(task);
  }
  return true;
}

/// Makes the paragraph's last line the head of a table if this line delimits as many columns.
bool BlockReader::begin_table(const MarkdownCursor& line) {
  if (leaf_ != Leaf::paragraph || !all_matched() || paragraph_.empty()) return false;
  const std::size_t columns = delimiter_columns(line.content());
  if (columns == 0) return false;
  const SourceRange head = paragraph_.back();
  const SourceLine head_line{head, head.end};
  const MarkdownCursor cursor(bytes_, head_line);
  if (row_cells(cursor.rest()).size() != columns) return false;
  paragraph_.pop_back();
  close_leaf();
  add_row(cursor);
  leaf_ = Leaf::table;
  return true;
}

void BlockReader::read_text(MarkdownCursor line) {
  if (leaf_ == Leaf::table && all_matched()) return add_row(line);
  if (leaf_ != Leaf::paragraph) {
    close_all();
    leaf_ = Leaf::paragraph;
    paragraph_bytes_ = 0;
  }
  line.skip_indent();
  paragraph_.push_back({line.at(), line.end()});
  paragraph_bytes_ += line.end() - line.at();
  KETTE_CHECK(paragraph_bytes_ <= kLongestMarkdownParagraph,
              document_place(bytes_, line.at(), name_), ": expected paragraphs of at most ",
              kLongestMarkdownParagraph >> 20,
              " MiB, given a longer one (part it by blank lines, or read the file as plain text)");
}

void BlockReader::open(Container container) {
  close_all();
  containers_.push_back(container);
  matched_ = containers_.size();
}

void BlockReader::end_unmatched() {
  if (all_matched()) return;
  close_leaf();
  containers_.resize(matched_);
}

void BlockReader::close_leaf() {
  if (leaf_ == Leaf::paragraph) take_definitions();
  const bool is_html = leaf_ == Leaf::html;
  if (!paragraph_.empty()) {
    add_leaf(is_html ? MarkdownLeaf::Kind::html : MarkdownLeaf::Kind::paragraph, paragraph_);
  }
  leaf_ = Leaf::none;
}

void BlockReader::close_all() {
  close_leaf();
  containers_.resize(matched_);
}

/// lines: may be paragraph_, which is empty afterwards.
void BlockReader::add_leaf(MarkdownLeaf::Kind kind, const std::vector<SourceRange>& lines) {
  blocks_.leaves.push_back({kind, blocks_.lines.size(), lines.size()});
  blocks_.lines.insert(blocks_.lines.end(), lines.begin(), lines.end());
  paragraph_.clear();
}

void BlockReader::add_title(SourceRange title) {
  if (title.begin < title.end) add_leaf(MarkdownLeaf::Kind::heading, {title});
}

void BlockReader::add_row(const MarkdownCursor& line) {
  const std::string_view row = line.rest();
  for (const SourceRange& cell : row_cells(row)) {
    if (cell.begin == cell.end) continue;
    add_leaf(MarkdownLeaf::Kind::cell, {{line.at() + cell.begin, line.at() + cell.end}});
  }
}

/// Removes link definitions from the begin of the paragraph.
void BlockReader::take_definitions() {
  if (paragraph_.empty() || bytes_[paragraph_.front().begin] != '[') return;
  std::string text;
  for (const SourceRange& line : paragraph_) {
    text.append(line.of(bytes_)).push_back('\n');
  }
  std::vector<std::string_view> labels;
  const std::size_t done = link_definitions(text, labels);
  for (const std::string_view label : labels) blocks_.labels.insert(label_key(label));
  const auto lines =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(done), '\n');
  paragraph_.erase(paragraph_.begin(), paragraph_.begin() + lines);
}

}  // namespace

std::string label_key(std::string_view label) {
  const std::u32string text = decode_utf8(label);
  std::u32string key;
  for (const std::u32string_view word : split(text)) {
    if (!key.empty()) key += U' ';
    key += word;
  }
  return encode_utf8(lower(key));
}

MarkdownBlocks read_markdown_blocks(std::string_view bytes, const std::string& name) {
  return BlockReader(bytes, name).read();
}

}  // namespace kette
