// Stand-ins for a model that translates sentences: what it does to one is given, and each word becomes the word in its
// place.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "data/tokenizers/byte_tokenizer.h"
#include "decode/translator.h"

namespace kette::testing {

class StandIn final : public SentenceTranslator {
 public:
  using Change = std::function<std::string(const std::string&)>;

  explicit StandIn(Change change, SharedTokenizer tokenizer = std::make_shared<ByteTokenizer>(),
                   std::size_t longest = 1 << 20)
      : change_(std::move(change)), tokenizer_(std::move(tokenizer)), longest_(longest) {}

  void translate(const std::vector<SourceSentence>& sentences, const DecodingOptions&,
                 const WorkOptions&, const TakeTranslation& take,
                 const SentenceProgress&) const override {
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::string& line = sentences[i].text;
      asked.push_back(line);
      numbers.push_back(sentences[i].number);
      languages.push_back(sentences[i].language);
      Translation translation;
      translation.text = !sentences[i].loop.empty() ? "anew" : change_(line);
      Hypothesis hypothesis;
      hypothesis.tokens = tokenizer_->encode(translation.text, Side::target);
      translation.n_best.push_back({translation.text, hypothesis});
      take(static_cast<std::int64_t>(i), std::move(translation));
    }
  }
  std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                               const std::vector<std::string>& translations, const std::string&,
                               const WorkOptions&) const override {
    std::vector<UnitLinks> all;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::size_t words =
          std::min(text_units(sources[i]).size(), text_units(translations[i]).size());
      UnitLinks& links = all.emplace_back();
      for (std::size_t word = 0; word < words; ++word) links.emplace_back(word, word);
    }
    return all;
  }
  const SharedTokenizer& tokenizer() const override { return tokenizer_; }
  std::size_t longest_source(const std::string&) const override { return longest_; }

  mutable std::vector<std::string> asked;      ///< what came to the model
  mutable std::vector<std::int64_t> numbers;   ///< for the random draws of each of them
  mutable std::vector<std::string> languages;  ///< that each of them is to be translated to

 private:
  Change change_;
  SharedTokenizer tokenizer_;
  std::size_t longest_;
};

}  // namespace kette::testing
