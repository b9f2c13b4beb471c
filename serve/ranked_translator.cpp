#include "serve/ranked_translator.h"

#include <algorithm>
#include <utility>

namespace kette {

std::size_t RankedTranslator::ranks() const {
  std::size_t ranks = 0;
  for (const auto& [sentence, found] : found_) ranks = std::max(ranks, found.n_best.size());
  return ranks;
}

void RankedTranslator::translate(const std::vector<SourceSentence>& sentences,
                                 const DecodingOptions& options, const WorkOptions& work,
                                 const TakeTranslation& take,
                                 const SentenceProgress& progress) const {
  if (rank_ == 0) {
    const auto keep = [&](std::int64_t i, Translation found) {
      if (options.search.n_best > 1) found_[sentences[static_cast<std::size_t>(i)].text] = found;
      take(i, std::move(found));
    };
    return translator_.translate(sentences, options, work, keep, progress);
  }
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    Translation found = found_.at(sentences[i].text);
    if (rank_ < found.n_best.size()) {
      std::swap(found.n_best.front(), found.n_best[rank_]);
      found.text = found.n_best.front().text;
    }
    take(static_cast<std::int64_t>(i), std::move(found));
  }
}

std::vector<UnitLinks> RankedTranslator::align(const std::vector<std::string>& sources,
                                               const std::vector<std::string>& translations,
                                               const std::string& language,
                                               const WorkOptions& work) const {
  return translator_.align(sources, translations, language, work);
}

}  // namespace kette
