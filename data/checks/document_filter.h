// Drops odd documents from a monolingual text before it is encoded, for those oddities of pairs
// (data/checks/oddity.h) that a text can have. A document is odd if at least half of its lines are;
// a duplicate if all of it occurred before. Only the start of a long document is checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/checks/line_facts.h"
#include "data/checks/odd_pairs.h"
#include "data/checks/pair_samples.h"
#include "data/checks/seen_pairs.h"

namespace kette {

class DocumentFilter {
 public:
  /// Only the lines of a document that end within this many bytes are checked.
  static constexpr std::size_t kStart = std::size_t{1} << 17;

  /// The oddities that a text can have.
  static const std::vector<Oddity>& known();

  /// oddities: in the order of known(). Throws for one that is not known.
  explicit DocumentFilter(const std::vector<Oddity>& oddities);

  /// The next documents are from these files. If needed, finds the language of each: by its name, as
  /// that of most of its first lines (unless each file is one document), or of those of all files
  /// whose names tell none. Throws if it cannot.
  void begin(const std::vector<std::filesystem::path>& files, bool are_documents);

  /// The facts that decide about a document of the file of this number; safe on any thread.
  struct Facts {
    std::int64_t lines = 0;  ///< not empty
    std::int64_t other_language = 0, markup = 0, broken = 0, tokenised = 0, lower_cased = 0,
                 few_letters = 0;
    std::uint64_t hash = 0;
  };
  Facts facts_of_document(std::string_view text, std::size_t file) const;
  /// Whether to keep the next document, of that file.
  bool keeps(const Facts& facts, std::string_view text, std::size_t file);
  bool finds_duplicates() const { return wants(Oddity::duplicate); }
  /// Only Facts::hash; safe on any thread.
  std::uint64_t hash_of_document(std::string_view text) const;
  /// Skips the next document, which others check.
  void skip(std::uint64_t hash, std::size_t file);
  /// What was dropped since the last call. A document is a pair without a target; its number is its
  /// line.
  std::vector<OddPairs> take_left_out();

 private:
  struct LeftOut {
    Oddity oddity;
    PairSamples samples;
  };

  bool wants(Oddity oddity) const;
  /// The next document is from this file.
  void go_to(std::size_t file);

  std::vector<LeftOut> left_out_;
  std::vector<std::filesystem::path> files_;
  std::size_t begun_ = 0;                // files
  std::vector<LineLanguage> languages_;  // of each, if needed
  SeenPairs seen_{"document"};
};

}  // namespace kette
