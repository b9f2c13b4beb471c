// Sentences in, one a line, and what becomes of them out, in the same order, a part as soon as it is done, and how far
// that is: for `kette translate`, `parse`, `evaluate` and `score`.
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

/// No sentence that a model has positions for is nearly as long.
inline constexpr LineLimits kSentence{.line_bytes = kWholeText.line_bytes, .may_be_empty = true};

/// Lines that are decoded together: enough that the end of a part, where threads wait for each other, costs
/// little.
inline constexpr std::size_t kSentencesAtOnce = 4096;

/// What no name or "-" stands for.
bool is_stdin(const std::filesystem::path& file);
/// Of a file, or of stdin.
LineReader open_sentences(const std::filesystem::path& file,
                          FaultyLines faulty = FaultyLines::refused);

/// Whether a file may be written. read: what parts are still to be read from (nothing or "-": stdin), and models and
/// checkpoints. An Error if the file is one of these, or one that is there in a model's directory or its checkpoints, which
/// would lose what is in it.
void check_output(const std::filesystem::path& file,
                  const std::vector<std::filesystem::path>& read);

/// A file, or stdout where none or "-" is named; every part is handed to the system at once. A file has its name once it
/// is whole; until then the parts lie in FILE.kette-unfinished, and what the file held is there.
class Sink {
 public:
  Sink(const std::filesystem::path& file, const std::vector<std::filesystem::path>& read);
  Sink(Sink&& other) noexcept;
  ~Sink();
  void write(const std::string& text);
  /// All is written.
  void finish();

 private:
  void check(const char* expected);

  std::string name_;
  std::filesystem::path target_, unfinished_;  // none: parts go where they belong at once
  std::ofstream file_;
  bool is_empty_ = true;
};

/// Says on stderr, if there are any, which characters of a text the model does not know.
void say_unknown(const UnknownCharacters& unknown, const std::string& name);
/// Likewise which marks it spells.
void say_marks(const MarksInText& marks, const std::string& name);
/// Both for all lines of it at once.
void say_unknown(const SharedTokenizer& tokenizer, const std::vector<std::string_view>& lines,
                 const std::string& name, Side side = Side::source);
/// What of lines is in a case that the text of a model, a directory, is not.
void say_strange_case(const std::string& model, const std::vector<std::string_view>& lines,
                      const std::string& name);

/// Says on stderr how far decoding has come, once it takes long: sentences, how many a second, and the time left
/// where the end is known.
class DecodingProgress {
 public:
  /// Of the next part. share: how much of everything is behind it, from 0 to 1; 0 where that is not known.
  SentenceProgress next_part(double share);
  /// Takes the line off a terminal.
  void clear() { line_.clear(); }

 private:
  StatusLine line_{false};
  // What all parts so far had, and took; waiting for the next one does not count.
  std::int64_t sentences_ = 0;
  double share_ = 0, seconds_ = 0;
};

}  // namespace kette::cli
