// `kette split`: splits text into one sentence per line, with an empty line between input lines or paragraphs. With
// --split sentences every input line has a group of sentences; that of an empty line is empty. So results for the
// sentences can be joined again line by line.

#include <memory>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/sentences.h"
#include "cli/show.h"
#include "data/sentences/sentence_splitter.h"
#include "data/sentences/words.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

/// A book may be one line.
constexpr LineLimits kLineOfText{.line_bytes = std::int64_t{1} << 24, .may_be_empty = true};
/// Of a longer paragraph sentences are written before its end is known.
constexpr std::size_t kLongParagraph = std::size_t{1} << 20;

struct SplitCommandOptions {
  CommonOptions common;
  std::string language = "en";
  LineBreaks breaks = LineBreaks::end;
  std::filesystem::path input, output;
};

/// Sentences as lines of output.
class SentenceLines {
 public:
  SentenceLines(const std::string& language, LineBreaks breaks)
      : splitter_(language), breaks_(breaks) {}

  void add(const std::string& line) {
    if (breaks_ == LineBreaks::end) {
      begin_group();
      put(line, splitter_.split(line, breaks_));
    } else if (sentences::is_blank(line)) {
      end_paragraph();
    } else {
      paragraph_ += line + "\n";
      if (paragraph_.size() > kLongParagraph) put_most();
    }
  }
  void end_paragraph() {
    if (!sentences::is_blank(paragraph_)) {
      begin_paragraph();
      put(paragraph_, splitter_.split(paragraph_, breaks_));
    }
    paragraph_.clear();
    in_paragraph_ = false;
  }

  /// What was written since.
  std::string take() { return std::exchange(written_, {}); }
  std::int64_t groups() const { return groups_; }
  std::int64_t sentences() const { return sentences_; }

 private:
  void begin_group() {
    if (groups_++ > 0) written_ += '\n';
  }
  void begin_paragraph() {
    if (!std::exchange(in_paragraph_, true)) begin_group();
  }

  void put(std::string_view text, const std::vector<Sentence>& found) {
    sentences_ += static_cast<std::int64_t>(found.size());
    for (const Sentence& sentence : found) {
      for (const char byte : sentence.of(text)) written_ += byte == '\n' ? ' ' : byte;
      written_ += '\n';
    }
  }

  /// All but the last sentence, which may go on, unless it is most of the paragraph: then it ends with the line.
  void put_most() {
    std::vector<Sentence> found = splitter_.split(paragraph_, breaks_);
    std::size_t kept = paragraph_.size();
    if (!found.empty() && found.back().begin > kLongParagraph / 2) {
      kept = found.back().begin;
      found.pop_back();
    }
    begin_paragraph();
    put(paragraph_, found);
    paragraph_.erase(0, kept);
  }

  SentenceSplitter splitter_;
  LineBreaks breaks_;
  std::string paragraph_, written_;
  bool in_paragraph_ = false;  // a sentence of it was written
  std::int64_t groups_ = 0, sentences_ = 0;
};

void run(const SplitCommandOptions& o) {
  const int threads = use_threads(o.common);
  LineReader reader = is_stdin(o.input) ? LineReader(stdin_descriptor(), "stdin", kLineOfText)
                                        : LineReader(o.input, kLineOfText);
  std::vector<std::string> part = reader.next(kSentencesAtOnce);
  Sink sink(o.output, {o.input});
  SentenceLines lines(o.language, o.breaks);
  const Stopwatch watch;
  while (!part.empty()) {
    for (const std::string& line : part) lines.add(line);
    sink.write(lines.take());
    part = reader.next(kSentencesAtOnce);
  }
  lines.end_paragraph();
  sink.write(lines.take());
  sink.finish();
  show(Report::of_facts({{"language", o.language},
                         {o.breaks == LineBreaks::end ? "lines" : "paragraphs", lines.groups()},
                         {"sentences", lines.sentences()},
                         {"seconds", watch.seconds()},
                         {"peak_rss_mib", peak_rss_mib()},
                         {"threads", threads}}),
       o.common);
}

void add_split_options(CLI::App& command) {
  auto options = std::make_shared<SplitCommandOptions>();
  OptionGroup group(command, "Text");
  group.choice("--language", options->language, SentenceSplitter::languages(),
               "The language of the text");
  group.choice(
      "--split", options->breaks,
      "Whether a line end ends a sentence (sentences) or only a blank line does (nonewlines)");
  group.path("--input", options->input, "Text, plain, gzip, xz or zstd (default, or -: stdin)");
  group
      .path("--output", options->output,
            "Where sentences go, an empty line between those of two lines, or of two paragraphs "
            "with nonewlines (default, or -: stdout)")
      .prints();
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command split_command = {"split", "Cut text into sentences, one a line", add_split_options};

}  // namespace kette::cli
