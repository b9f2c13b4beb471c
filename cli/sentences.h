// Input of sentences by line, output in the same order, and progress, for `kette translate`, `parse`, `evaluate` and
// `score`.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/common.h"
#include "data/files/line_reader.h"
#include "data/tokenizers/marks_in_text.h"
#include "data/tokenizers/unknown_characters.h"
#include "decode/translator.h"
#include "train/status_line.h"

namespace kette::cli {

/// Much longer than any sentence that fits a model's positions.
inline constexpr LineLimits kSentence{.line_bytes = kWholeText.line_bytes, .may_be_empty = true};

/// The number of lines decoded together (a part). At its end threads wait for each other, which costs little
/// with this many.
inline constexpr std::size_t kSentencesAtOnce = 4096;

/// Whether the name is "" or "-".
bool is_stdin(const std::filesystem::path& file);
/// Opens a file or stdin.
LineReader open_sentences(const std::filesystem::path& file,
                          FaultyLines faulty = FaultyLines::refused);

/// Throws an Error if the output file is one of `read`, or an existing file of a model directory or its checkpoints.
/// read: input files ("" or "-": stdin), models and checkpoints.
void check_output(const std::filesystem::path& file,
                  const std::vector<std::filesystem::path>& read);

/// Writes to a file, or to stdout if the name is "" or "-". Flushes every part. Parts go to FILE.kette-unfinished,
/// which replaces the file at the end. read: see check_output().
class Sink {
 public:
  Sink(const std::filesystem::path& file, const std::vector<std::filesystem::path>& read);
  Sink(Sink&& other) noexcept;
  ~Sink();
  void write(const std::string& text);
  /// Call it when all is written.
  void finish();

 private:
  void check(const char* expected);

  std::string name_;
  std::filesystem::path target_, unfinished_;  // empty: parts go directly to the output
  std::ofstream file_;
  bool is_empty_ = true;
};

/// Warns on stderr if the model does not know characters of a text. name: of the text.
void say_unknown(const UnknownCharacters& unknown, const std::string& name);
/// Warns on stderr if a text contains special tokens such as "</s>".
void say_marks(const MarksInText& marks, const std::string& name);
/// Both warnings, for all lines of a text.
void say_unknown(const SharedTokenizer& tokenizer, const std::vector<std::string_view>& lines,
                 const std::string& name, Side side = Side::source);
/// Warns on stderr if lines are in a case that the model's training text is not. model: its directory.
void say_strange_case(const std::string& model, const std::vector<std::string_view>& lines,
                      const std::string& name);

/// Says on stderr why lines are left out: of the first ones each, and at the end of how many.
class LeftOut {
 public:
  void say(const std::string& fault);
  /// what: is not done with them, and what the output has in their place. Returns how many there are.
  std::int64_t say_all(std::int64_t lines, const std::string& what) const;

 private:
  std::int64_t count_ = 0;
};

/// Progress of long decoding on stderr: sentences, sentences per second, and the time left if the end is known.
class DecodingProgress {
 public:
  /// Begins a part. share: the share of all work that is done after it, from 0 to 1; 0: not known.
  SentenceProgress next_part(double share);
  /// Removes the line from a terminal.
  void clear() { line_.clear(); }

 private:
  StatusLine line_{false};
  // Sums over the parts so far, without the time between parts.
  std::int64_t sentences_ = 0;
  double share_ = 0, seconds_ = 0;
};

}  // namespace kette::cli
