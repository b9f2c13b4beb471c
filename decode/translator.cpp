#include "decode/translator.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "data/files/utf8.h"
#include "decode/loops.h"
#include "decode/minimum_risk.h"
#include "decode/word_alignment.h"
#include "tensor/with_threads.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

const Ensemble& checked(const Ensemble& model, const Tokenizer& tokenizer) {
  KETTE_CHECK(tokenizer.vocabulary() == model.vocabulary(), "Translator: expected a tokenizer of ",
              model.vocabulary(), " pieces, the model's vocabulary, given one of ",
              tokenizer.vocabulary());
  return model;
}

/// Sorts the alternatives of each translation by expected utility.
void take_least_risk(std::vector<Translation>& translations, const DecodingOptions& options,
                     std::int64_t threads) {
  const auto order = [&](Translation& translation) {
    std::vector<std::string> texts;
    std::vector<double> log_probabilities;
    for (const Translation::Alternative& alternative : translation.n_best) {
      texts.push_back(alternative.text);
      log_probabilities.push_back(alternative.hypothesis.log_probability);
    }
    const std::vector<double> weights = options.sampling ? std::vector<double>(texts.size(), 1)
                                                         : posterior_weights(log_probabilities),
                              utilities = expected_utilities(texts, weights, *options.minimum_risk);
    for (std::size_t i = 0; i < texts.size(); ++i) translation.n_best[i].utility = utilities[i];
    std::stable_sort(translation.n_best.begin(), translation.n_best.end(),
                     [](const auto& a, const auto& b) { return a.utility > b.utility; });
    translation.text = translation.n_best.front().text;
  };
  const std::vector<std::int64_t> costs(translations.size(), 1);
  const WorkerGroup group({}, threads, costs, 1);
  JobQueue queue(costs, group.workers, 1);
  group.run(queue, [&] {
    for (std::vector<std::int64_t> some; !(some = queue.take(1, true)).empty();) {
      for (const std::int64_t number : some) order(translations[number]);
    }
  });
}

}  // namespace

std::vector<SourceSentence> source_sentences(const std::vector<std::string>& lines,
                                             const std::string& language, bool truncate,
                                             std::int64_t first) {
  std::vector<SourceSentence> sentences;
  for (const std::string& line : lines) {
    sentences.push_back({.text = line,
                         .language = language,
                         .truncate = truncate,
                         .number = first + std::ssize(sentences)});
  }
  return sentences;
}

struct Translator::LazyAligner {
  std::once_flag is_made;
  std::optional<WordAligner> aligner;
};

Translator::Translator(const Ensemble& model, SharedTokenizer tokenizer, const DecodingTypes& types)
    : model_(checked(model, *tokenizer).for_decoding(types)),
      tokenizer_(std::move(tokenizer)),
      aligner_(std::make_shared<LazyAligner>()) {}

std::vector<Translation> Translator::translate(const std::vector<SourceSentence>& sentences,
                                               const DecodingOptions& options,
                                               const WorkOptions& work,
                                               const SentenceProgress& progress) const {
  std::vector<Translation> translations(sentences.size());
  find(sentences, options, work, false, progress,
       [&](std::int64_t i, Translation found) { translations[i] = std::move(found); });
  if (options.minimum_risk) take_least_risk(translations, options, work.threads);
  return translations;
}

void Translator::translate(const std::vector<SourceSentence>& sentences,
                           const DecodingOptions& options, const WorkOptions& work,
                           const TakeTranslation& take, const SentenceProgress& progress) const {
  if (options.minimum_risk) {
    std::vector<Translation> all = translate(sentences, options, work, progress);
    for (std::int64_t i = 0; i < std::ssize(all); ++i) take(i, std::move(all[i]));
    return;
  }
  std::mutex mutex;  // of what is taken and of progress, which both may write to a terminal
  std::vector<std::optional<Translation>> waiting(sentences.size());
  std::size_t next = 0;
  SentenceProgress quiet;
  if (progress) {
    quiet = [&](std::int64_t done, std::int64_t total) {
      const std::lock_guard lock(mutex);
      progress(done, total);
    };
  }
  find(sentences, options, work, true, quiet, [&](std::int64_t i, Translation found) {
    const std::lock_guard lock(mutex);
    waiting[i] = std::move(found);
    for (; next < waiting.size() && waiting[next]; ++next) {
      take(static_cast<std::int64_t>(next), *std::exchange(waiting[next], std::nullopt));
    }
  });
}

std::size_t Translator::longest_source(const std::string& language) const {
  return static_cast<std::size_t>(model_.positions() - 1 - (language.empty() ? 0 : 1));
}

std::vector<UnitLinks> Translator::align(const std::vector<std::string>& sources,
                                         const std::vector<std::string>& translations,
                                         const std::string& language,
                                         const WorkOptions& work) const {
  AlignOptions how;
  how.threads = work.threads;
  how.language = language;
  std::call_once(aligner_->is_made, [&] {
    const WithThreads threads(work.threads);
    aligner_->aligner.emplace(model_, tokenizer_);
  });
  return aligner_->aligner->align(sources, translations, how);
}

void Translator::find(const std::vector<SourceSentence>& sentences, const DecodingOptions& options,
                      const WorkOptions& work, bool early, const SentenceProgress& progress,
                      const TakeTranslation& found) const {
  std::vector<std::string_view> texts, prefixes;
  for (const SourceSentence& sentence : sentences) {
    texts.emplace_back(sentence.text);
    prefixes.emplace_back(sentence.prefix);
  }
  std::vector<Ids> of_texts = tokenizer_->encode_all(texts),
                   of_prefixes = tokenizer_->encode_all(prefixes, Side::target);
  const std::size_t limit = longest_source("");
  std::vector<bool> cut(sentences.size());
  std::vector<SourceIds> sources;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const SourceSentence& sentence = sentences[i];
    SourceIds source{std::move(of_texts[i]), std::move(of_prefixes[i]), {}, sentence.number};
    tokenizer_->put_tag_before(source.ids, sentence.language);
    cut[i] = sentence.truncate && source.ids.size() > limit;
    if (cut[i]) source.ids.resize(limit);
    if (!sentence.loop.empty()) {
      KETTE_CHECK(source.prefix.empty(), "translate: expected a prefix or a loop, given both");
      source.constraint = std::make_shared<NoLoop>(sentence.loop, model_.vocabulary());
    }
    check_source(source, options, model_, "line");
    sources.push_back(std::move(source));
  }
  translate_ids(model_, sources, options, work, early, progress,
                [&](std::int64_t i, std::vector<Hypothesis> hypotheses) {
                  Translation translation;
                  for (Hypothesis& hypothesis : hypotheses) {
                    std::string text = as_line(tokenizer_->decode(hypothesis.tokens));
                    translation.n_best.push_back({std::move(text), std::move(hypothesis)});
                  }
                  translation.text = translation.n_best.front().text;
                  translation.truncated = cut[i];
                  found(i, std::move(translation));
                });
}

}  // namespace kette
