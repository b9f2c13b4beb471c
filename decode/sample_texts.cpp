#include "decode/sample_texts.h"

#include <algorithm>
#include <map>

#include "decode/drawn_texts.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

/// Reads tokens as they are drawn, until every text has ended or is as long as it may get.
std::vector<Ids> draw_all(DrawnTexts& texts, const std::vector<std::int64_t>& longest,
                          std::int32_t end) {
  std::vector<Ids> drawn(longest.size());
  std::vector<bool> ended(longest.size());
  for (;;) {
    const std::unique_ptr<HostCopy> copy = texts.drawn();
    const auto* values = static_cast<const std::int32_t*>(copy->wait());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const std::int32_t token =
          checked_draw(values, std::ssize(drawn), static_cast<std::int64_t>(i));
      if (ended[i] || token == end || longest[i] == 0) {
        ended[i] = true;
        continue;
      }
      drawn[i].push_back(token);
      ended[i] = std::ssize(drawn[i]) == longest[i];
    }
    if (texts.is_full() || std::find(ended.begin(), ended.end(), false) == ended.end()) {
      return drawn;
    }
    texts.grow();
  }
}

}  // namespace

void sample_texts(const AutoregressiveModel& model, const SearchVocabulary& vocabulary,
                  const SamplingOptions& options, std::int64_t samples, std::int64_t first_number,
                  std::int64_t budget, const SupplyJobs& supply, const FinishJob& finish) {
  options.check();
  DrawnTexts texts(model, options, vocabulary.masks(model.vocabulary(), true, model.device()));
  for (std::vector<SearchJob> jobs; !(jobs = supply(budget, true)).empty();) {
    // Together those that begin with equally many tokens: they have as many positions left.
    std::map<std::size_t, std::vector<const SearchJob*>> groups;
    for (const SearchJob& job : jobs) groups[job.start.past.size()].push_back(&job);
    for (const auto& [past, group] : groups) {
      std::vector<TextStart> starts;
      std::vector<std::int64_t> longest;
      for (const SearchJob* job : group) {
        Ids tokens(job->start.past.begin(), job->start.past.end());
        tokens.push_back(job->first);
        const std::int64_t most = std::ssize(tokens) + job->longest;
        starts.push_back(
            {job->start.source, std::move(tokens), most, (first_number + job->number) * samples});
        longest.insert(longest.end(), static_cast<std::size_t>(samples), job->longest);
      }
      texts.begin(starts, samples);
      std::vector<Ids> drawn = draw_all(texts, longest, vocabulary.end);
      for (std::size_t i = 0; i < group.size(); ++i) {
        std::vector<Hypothesis> results(static_cast<std::size_t>(samples));
        for (std::size_t sample = 0; sample < results.size(); ++sample) {
          results[sample].tokens = std::move(drawn[i * results.size() + sample]);
        }
        finish(group[i]->number, std::move(results));
      }
    }
  }
}

}  // namespace kette
