#include "decode/translator.h"

#include <algorithm>

#include "decode/job_queue.h"
#include "decode/search_limits.h"

namespace kette {
namespace {

void check_vocabulary(const Transformer& model, const Tokenizer& tokenizer) {
  KETTE_CHECK(tokenizer.vocab_size() == model.config().vocabulary,
              "Translator: expected a tokenizer of ", model.config().vocabulary,
              " pieces, the model's vocabulary, given one of ", tokenizer.vocab_size());
}

/// Cuts each source to the positions of the model (the end mark takes one), or objects to it; which
/// ones were cut.
std::vector<bool> fit(std::vector<std::vector<std::int32_t>>& sources, const char* what,
                      const PackedTransformer& model, bool truncate) {
  const auto limit = static_cast<std::size_t>(model.config().max_length - 1);
  std::vector<bool> cut(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].size() <= limit) continue;
    KETTE_CHECK(truncate, "translate: expected at most ", limit, " tokens in a sentence, given ",
                sources[i].size(), " in ", what, " ", i + 1, " (split it, or allow truncation)");
    sources[i].resize(limit);
    cut[i] = true;
  }
  return cut;
}

std::vector<std::vector<Hypothesis>> search(const PackedTransformer& model,
                                            const std::vector<std::vector<std::int32_t>>& sources,
                                            const TranslateOptions& options,
                                            const TranslateProgress& progress) {
  options.check();
  KETTE_CHECK(options.batch_tokens > 0, "batch tokens: expected at least 1, given ",
              options.batch_tokens);
  std::size_t longest = 0;
  for (const auto& source : sources) longest = std::max(longest, source.size());
  check_memory(options, model.config(), static_cast<std::int64_t>(longest), model.device());
  std::vector<std::vector<Hypothesis>> results(sources.size());
  std::vector<SearchJob> jobs;
  std::vector<std::int64_t> costs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty()) {
      results[i].emplace_back();
      continue;
    }
    jobs.push_back({static_cast<std::int64_t>(i), sources[i]});
    costs.push_back(jobs.back().cost(options.beam));
  }
  const std::int64_t least = least_share(options.batch_tokens);
  const Workforce workforce(model.device(), options.threads, costs, least);
  JobQueue queue(std::move(costs), workforce.workers, least);
  std::mutex mutex;
  const auto total = static_cast<std::int64_t>(sources.size());
  std::int64_t done = total - static_cast<std::int64_t>(jobs.size());

  const SupplyJobs supply = [&](std::int64_t room, bool idle) {
    std::vector<SearchJob> taken;
    for (const std::int64_t item : queue.take(room, idle)) {
      taken.push_back(jobs[static_cast<std::size_t>(item)]);
    }
    return taken;
  };
  const FinishJob finish = [&](std::int64_t number, std::vector<Hypothesis> n_best) {
    const std::lock_guard lock(mutex);
    results[static_cast<std::size_t>(number)] = std::move(n_best);
    ++done;
    if (progress) progress(done, total);
  };
  workforce.run([&] { beam_search(model, options, options.batch_tokens, supply, finish); });
  return results;
}

}  // namespace

std::vector<std::vector<Hypothesis>> translate_ids(
    const PackedTransformer& model, const std::vector<std::vector<std::int32_t>>& sources,
    const TranslateOptions& options, const TranslateProgress& progress) {
  std::vector<std::vector<std::int32_t>> fitting = sources;
  fit(fitting, "sentence", model, options.truncate);
  return search(model, fitting, options, progress);
}

Translator::Translator(const Transformer& model, const Tokenizer& tokenizer, DType weights)
    : model_((check_vocabulary(model, tokenizer), model), weights), tokenizer_(tokenizer) {}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const TranslateOptions& options,
                                               const TranslateProgress& progress) const {
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  std::vector<std::vector<std::int32_t>> sources = tokenizer_.encode_all(views);
  const std::vector<bool> cut = fit(sources, "line", model_, options.truncate);
  std::vector<std::vector<Hypothesis>> found = search(model_, sources, options, progress);
  std::vector<Translation> translations(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Translation& translation = translations[i];
    for (Hypothesis& hypothesis : found[i]) {
      std::string text = tokenizer_.decode(hypothesis.tokens);
      translation.n_best.push_back({std::move(text), std::move(hypothesis)});
    }
    translation.text = translation.n_best.front().text;
    translation.truncated = cut[i];
  }
  return translations;
}

}  // namespace kette
