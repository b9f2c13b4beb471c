// The report of `kette translate`: how sentences were changed so that nothing is lost, and what looks wrong. A summary
// on stderr, and each sentence in a file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/sentences.h"
#include "data/files/json_fwd.h"
#include "decode/text_translator.h"

namespace kette::cli {

class TranslationReport {
 public:
  /// file: gets a line of JSON for each sentence; empty: no file. read: see Sink. what: "line" or "block".
  TranslationReport(const std::filesystem::path& file,
                    const std::vector<std::filesystem::path>& read, std::string what);

  void add(std::int64_t number, const std::string& source, const TranslatedText& translated);
  /// Completes the file. Writes a line to stderr for each kind of change or fault.
  void finish();
  /// The numbers of lines or blocks, of those split, of those with faults, of sentences, and of sentences of each kind.
  Json json() const;

  /// The keys of the kinds of changes and faults that a sentence has.
  static std::vector<std::string> notes_of(const TranslatedSentence& sentence);

  std::int64_t sentences() const { return sentences_; }
  std::int64_t faults() const { return faults_; }

 private:
  void say() const;
  /// A kind of change or fault: its key in JSON, and its message with a number of sentences.
  struct Kind {
    const char* key;
    const char* text;
    bool (*is)(const TranslatedSentence& sentence);
  };
  static const std::vector<Kind>& kinds();
  void write(std::int64_t number, const std::string& source, const TranslatedText& translated);

  std::optional<Sink> file_;
  std::string what_;
  std::int64_t texts_ = 0, parted_ = 0, faults_ = 0, sentences_ = 0, tokens_ = 0;
  std::map<std::string, std::int64_t> counts_;      // by key of the kind
  std::map<std::string, std::int64_t> characters_;  // unknown characters
};

}  // namespace kette::cli
