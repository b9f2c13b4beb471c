// A translator that also gives each alternative in the place of the best translation. So an
// alternative gets what the best one has: the marks of its text, what was carried over, capitals.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "decode/translator.h"

namespace kette {

class RankedTranslator final : public SentenceTranslator {
 public:
  /// translator: must outlive this.
  explicit RankedTranslator(const SentenceTranslator& translator) : translator_(translator) {}

  /// Of which rank translations are from now on. 0: the best, as the translator finds them. Above: the
  /// alternatives of what it has found, for the same sentences; the best of a sentence with fewer.
  void choose(std::size_t rank) { rank_ = rank; }
  /// The most translations that it has found for a sentence; 0 where a search gives one.
  std::size_t ranks() const;

  void translate(const std::vector<SourceSentence>& sentences, const DecodingOptions& options,
                 const WorkOptions& work, const TakeTranslation& take,
                 const SentenceProgress& progress = {}) const override;
  std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                               const std::vector<std::string>& translations,
                               const std::string& language, const WorkOptions& work) const override;
  const SharedTokenizer& tokenizer() const override { return translator_.tokenizer(); }
  std::size_t longest_source(const std::string& language) const override {
    return translator_.longest_source(language);
  }

 private:
  const SentenceTranslator& translator_;
  std::size_t rank_ = 0;
  mutable std::map<std::string, Translation>
      found_;  // by the sentence; of one searched twice, the last
};

}  // namespace kette
