// Leaves the documents out of a text in one language that are odd in some ways, before they are encoded: of those that pairs
// can have (data/checks/oddity.h), what a text can have. One counts as odd where half of its lines are, or more; as a duplicate
// where all of it came before. Of a long document only the start is looked at.
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
  /// Of a document: what comes after the lines that end within so many bytes is not looked at.
  static constexpr std::size_t kStart = std::size_t{1} << 17;

  /// Which oddities a text can have.
  static const std::vector<Oddity>& known();

  /// oddities: in the order of known(). Throws where one is not known.
  explicit DocumentFilter(const std::vector<Oddity>& oddities);

  /// The documents that follow are of these files. Looks which language they are in, where that matters: that of the first
  /// file's name, or of most of its first lines. Throws where it cannot say.
  void begin(const std::vector<std::filesystem::path>& files);

  /// What a document is judged by; on any thread.
  struct Facts {
    std::int64_t lines = 0;  ///< that are not empty
    std::int64_t other_language = 0, markup = 0, broken = 0, tokenised = 0, lower_cased = 0,
                 few_letters = 0;
    std::uint64_t hash = 0;
  };
  Facts facts_of_document(std::string_view text) const;
  /// Whether the next one stays.
  bool keeps(const Facts& facts, std::string_view text);
  bool finds_duplicates() const { return wants(Oddity::duplicate); }
  /// Facts::hash alone; on any thread.
  std::uint64_t hash_of_document(std::string_view text) const;
  /// Passes over the next one, which others look at.
  void skip(std::uint64_t hash);
  /// What was left out since the last time; a document is a pair without a target, its number is its line.
  std::vector<OddPairs> take_left_out();

 private:
  struct LeftOut {
    Oddity oddity;
    PairSamples samples;
  };

  bool wants(Oddity oddity) const;

  std::vector<LeftOut> left_out_;
  LineLanguage language_ = LineLanguage::unknown;
  SeenPairs seen_{"document"};
};

}  // namespace kette
