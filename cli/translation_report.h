// What `kette translate` did to sentences so that nothing of them is lost, and what looks wrong: summed up on stderr, and
// sentence by sentence in a file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "cli/sentences.h"
#include "data/files/json_fwd.h"
#include "decode/text_translator.h"

namespace kette::cli {

class TranslationReport {
 public:
  /// file: for a line of JSON for each sentence; none if empty. read: as Sink has it. what: "line" or "block".
  TranslationReport(const std::filesystem::path& file,
                    const std::vector<std::filesystem::path>& read, std::string what);

  void add(std::int64_t number, const std::string& source, const TranslatedText& translated);
  /// All is there: the file is whole, and on stderr comes a line for each thing that was done or looks wrong.
  void finish();
  /// Lines or blocks, those in parts and those with faults, sentences, and how many of them for each thing.
  Json json() const;

  std::int64_t sentences() const { return sentences_; }
  std::int64_t faults() const { return faults_; }

 private:
  void say() const;
  /// Its key in JSON, and what is said of so many sentences.
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
  std::map<std::string, std::int64_t> counts_;      // of kinds, by key
  std::map<std::string, std::int64_t> characters_;  // unknown ones
};

}  // namespace kette::cli
