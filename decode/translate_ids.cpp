#include "decode/translate_ids.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "decode/search_limits.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

/// Whether positions depend on the previous tokens, as in parsers.
bool has_second_positions(const Ensemble& model) {
  return std::any_of(model.models().begin(), model.models().end(),
                     [](const auto& each) { return each->second_positions().exists(); });
}

void check(const Ensemble& model, const std::vector<SourceIds>& sources,
           const DecodingOptions& options, const WorkOptions& work) {
  work.check();
  options.check();
  KETTE_CHECK(!options.shortlist || model.device().takes_shortlists(),
              "shortlist: expected a model on the CPU, given one on ", model.device().str(),
              " (leave the shortlist out there)");
  KETTE_CHECK(!options.sampling || work.tap == nullptr,
              "translate: expected a search where a tap looks on, given samples");
  KETTE_CHECK(!options.sampling || !has_second_positions(model),
              "translate: expected a search for a model that counts tags, a parser, given samples");
  std::int64_t longest = 0;
  for (const SourceIds& source : sources) {
    check_source(source, options, model);
    longest = std::max(longest, std::ssize(source.ids));
  }
  check_memory(options.search, options.rows(), model, longest);
}

/// Sampled texts come with log-probabilities only.
void score(std::vector<Hypothesis>& drawn, const LengthPenalty& length_penalty) {
  for (Hypothesis& text : drawn) {
    const std::int64_t tokens = std::ssize(text.tokens) + 1;  // with the end mark
    text.score = text.log_probability / length_penalty.divisor(tokens);
  }
}

}  // namespace

void translate_ids(const Ensemble& model, const std::vector<SourceIds>& sources,
                   const DecodingOptions& options, const WorkOptions& work, bool early,
                   const SentenceProgress& progress, const TakeHypotheses& take) {
  check(model, sources, options, work);
  const bool draws = options.sampling.has_value();
  std::vector<std::int64_t> numbers, costs;
  for (std::int64_t i = 0; i < std::ssize(sources); ++i) {
    const SourceIds& source = sources[i];
    if (source.ids.empty()) {
      const std::int64_t copies = draws ? options.search.n_best : 1;
      take(i, std::vector<Hypothesis>(copies, Hypothesis{.tokens = source.prefix}));
      continue;
    }
    numbers.push_back(i);
    costs.push_back(translation_request(source, options, model, i).cost());
  }
  std::mutex mutex;
  const auto total = std::ssize(sources);
  std::int64_t done = total - std::ssize(numbers);

  const auto finish = [&](std::int64_t i, std::vector<Hypothesis> found) {
    if (draws) score(found, options.search.length_penalty);
    take(i, std::move(found));
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(done, total);
  };
  const auto make = [&](std::int64_t item) {
    const std::int64_t i = numbers[item];
    Request request = translation_request(sources[i], options, model, item);
    request.shortlist = shortlist_of(sources[i], options, model.special());
    request.done = [&finish, i](std::vector<Hypothesis> found) { finish(i, std::move(found)); };
    return request;
  };
  run_requests(model, work, costs, make, early);
}

std::vector<std::vector<Hypothesis>> translate_ids(const Ensemble& model,
                                                   const std::vector<SourceIds>& sources,
                                                   const DecodingOptions& options,
                                                   const WorkOptions& work,
                                                   const SentenceProgress& progress) {
  std::vector<std::vector<Hypothesis>> results(sources.size());
  translate_ids(
      model, sources, options, work, false, progress,
      [&](std::int64_t i, std::vector<Hypothesis> found) { results[i] = std::move(found); });
  return results;
}

std::vector<std::vector<Hypothesis>> translate_ids(const Ensemble& model,
                                                   const std::vector<Ids>& sources,
                                                   const DecodingOptions& options,
                                                   const WorkOptions& work,
                                                   const SentenceProgress& progress) {
  std::vector<SourceIds> numbered;
  for (const Ids& ids : sources) {
    numbered.push_back({.ids = ids, .number = std::ssize(numbered)});
  }
  return translate_ids(model, numbered, options, work, progress);
}

}  // namespace kette
