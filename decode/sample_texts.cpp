#include "decode/sample_texts.h"

#include <map>

#include "decode/draw_texts.h"

namespace kette {

void sample_texts(const Ensemble& model, const SearchVocabulary& vocabulary,
                  const SamplingOptions& options, std::int64_t samples, std::int64_t first_number,
                  std::int64_t budget, const SupplyJobs& supply, const FinishJob& finish) {
  options.check();
  const Tensor masks = vocabulary.masks(model.vocabulary(), true, model.device());
  for (std::vector<SearchJob> jobs; !(jobs = supply(budget, true)).empty();) {
    // Together those that begin with equally many tokens: they have as many positions left.
    std::map<std::size_t, std::vector<const SearchJob*>> groups;
    for (const SearchJob& job : jobs) groups[job.start.past.size()].push_back(&job);
    for (const auto& [past, group] : groups) {
      std::vector<TextStart> starts;
      for (const SearchJob* job : group) {
        std::vector<std::int32_t> tokens(job->start.past.begin(), job->start.past.end());
        tokens.push_back(job->first);
        const std::int64_t most = std::ssize(tokens) + job->longest;
        starts.push_back({job->start.source, std::move(tokens), most, first_number + job->number});
      }
      auto drawn = draw_texts(model, options, masks, starts, samples, vocabulary.end);
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
