#include "decode/translator.h"

#include <algorithm>
#include <utility>

#include "data/files/utf8.h"
#include "decode/drawn_texts.h"
#include "decode/engine.h"
#include "decode/job_queue.h"
#include "decode/loops.h"
#include "decode/scorer.h"
#include "decode/search_limits.h"
#include "decode/word_alignment.h"

namespace kette {
namespace {

const Ensemble& checked(const Ensemble& model, const Tokenizer& tokenizer) {
  KETTE_CHECK(tokenizer.vocabulary() == model.vocabulary(), "Translator: expected a tokenizer of ",
              model.vocabulary(), " pieces, the model's vocabulary, given one of ",
              tokenizer.vocabulary());
  return model;
}

/// Cuts each source to the positions of the model (the end mark takes one), or objects to it, and
/// ends it; which ones were cut. A source without tokens stays as it is.
std::vector<bool> fit(std::vector<std::vector<std::int32_t>>& sources, const char* what,
                      const Ensemble& model, const TranslateOptions& options) {
  const auto limit = static_cast<std::size_t>(model.positions() - 1);
  std::vector<bool> cut(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    KETTE_CHECK(options.truncate || sources[i].size() <= limit, "translate: expected at most ",
                limit, " tokens in a sentence, given ", sources[i].size(), " in ", what, " ",
                options.first_number + static_cast<std::int64_t>(i) + 1,
                " (split it, or allow truncation)");
    cut[i] = sources[i].size() > limit;
    if (cut[i]) sources[i].resize(limit);
    if (!sources[i].empty()) sources[i].push_back(model.special().end);
  }
  return cut;
}

using Ids = std::vector<std::int32_t>;

/// Whether where a token stands depends on which ones are before it, as in parsers.
bool has_second_positions(const Ensemble& model) {
  return std::any_of(model.models().begin(), model.models().end(),
                     [](const auto& each) { return each->second_positions().exists(); });
}

/// What a search goes by; none if it is free, and for draws.
std::shared_ptr<const Constraint> constraint_of(const TranslateOptions& options,
                                                const std::vector<Ids>& prefixes,
                                                std::int64_t vocabulary) {
  if (options.sampling) return nullptr;
  if (!prefixes.empty()) return std::make_shared<Prefixes>(prefixes);
  if (!options.loops.empty()) return std::make_shared<NoLoops>(options.loops, vocabulary);
  return {std::shared_ptr<const Constraint>(), options.constraint};  // which outlives the search
}

/// Searches for a translation of each source, or draws some.
class Search {
 public:
  Search(const Ensemble& model, const std::vector<Ids>& sources, const TranslateOptions& options,
         const std::vector<Ids>& prefixes)
      : model_(model),
        sources_(sources),
        options_(options),
        prefixes_(prefixes),
        constraint_(constraint_of(options, prefixes, model.vocabulary())) {
    options.check();
    KETTE_CHECK(prefixes.empty() || prefixes.size() == sources.size(),
                "translate: expected as many prefixes as sources, ", sources.size(), ", given ",
                prefixes.size());
    KETTE_CHECK(options.loops.empty() || options.loops.size() == sources.size(),
                "translate: expected as many loops as sources, ", sources.size(), ", given ",
                options.loops.size());
    KETTE_CHECK(!prefixes.empty() + !options.loops.empty() + (options.constraint != nullptr) < 2,
                "translate: expected prefixes, loops or another constraint, given more than one");
    KETTE_CHECK(!options.shortlist || model.device().takes_shortlists(),
                "shortlist: expected a model on the CPU, given one on ", model.device().str(),
                " (leave the shortlist out there)");
    KETTE_CHECK(!options.shortlist || (options.constraint == nullptr && options.loops.empty()),
                "translate: expected a shortlist or another constraint, given both");
    KETTE_CHECK(
        !options.sampling || !has_second_positions(model),
        "translate: expected a search for a model that counts tags, a parser, given samples");
    std::int64_t longest = 0;
    for (const Ids& source : sources) longest = std::max(longest, std::ssize(source) - 1);
    check_memory(options, rows(), model, longest);
  }

  using Finished = std::function<void(std::int64_t number, std::vector<Hypothesis> found)>;

  /// finished: given what was found for each, by all workers, as soon as it is; samples once all are drawn. early: the
  /// first ones are wanted early.
  void run(const Finished& finished, bool early, const SentenceProgress& progress) const {
    std::vector<std::vector<Hypothesis>> drawn(options_.sampling ? sources_.size() : 0);
    std::vector<std::int64_t> numbers, costs;
    for (std::int64_t i = 0; i < std::ssize(sources_); ++i) {
      if (sources_[i].empty()) {
        finished(i, std::vector<Hypothesis>(options_.sampling ? options_.n_best : 1,
                                            Hypothesis{.tokens = prefix(i)}));
        continue;
      }
      numbers.push_back(i);
      costs.push_back(request(i).cost());
    }
    const std::int64_t least = least_share(options_.batch_tokens);
    const Workforce workforce(model_.device(), options_.threads, costs, least);
    // Twice what is at work at once.
    const std::int64_t window =
        early ? 2 * workforce.workers * options_.batch_tokens : JobQueue::kAll;
    JobQueue queue(std::move(costs), workforce.workers, least, window);
    std::mutex mutex;
    const auto total = std::ssize(sources_);
    std::int64_t done = total - std::ssize(numbers);

    const auto finish = [&](std::int64_t number, std::vector<Hypothesis> found) {
      if (options_.sampling) {
        drawn[number] = std::move(found);
      } else {
        finished(number, std::move(found));
      }
      const std::lock_guard lock(mutex);
      ++done;
      if (progress) progress(done, total);
    };
    const SupplyRequests supply = [&](std::int64_t room, bool idle) {
      std::vector<Request> taken;
      for (const std::int64_t item : queue.take(room, idle)) {
        const std::int64_t number = numbers[item];
        taken.push_back(request(number));
        if (options_.shortlist) taken.back().shortlist = shortlist(number);
        taken.back().done = [&finish, number](std::vector<Hypothesis> found) {
          finish(number, std::move(found));
        };
      }
      return taken;
    };
    workforce.run([&] {
      Engine engine(model_, {options_.tap});
      kette::run(engine, options_.batch_tokens, supply);
    });
    if (!options_.sampling) return;
    score(drawn);
    for (const std::int64_t number : numbers) finished(number, std::move(drawn[number]));
  }

  /// All of them, at the end.
  std::vector<std::vector<Hypothesis>> run(const SentenceProgress& progress) const {
    std::vector<std::vector<Hypothesis>> results(sources_.size());
    run([&](std::int64_t number,
            std::vector<Hypothesis> found) { results[number] = std::move(found); },
        false, progress);
    return results;
  }

 private:
  std::int64_t rows() const { return options_.sampling ? options_.n_best : options_.beam; }
  const Ids& prefix(std::int64_t number) const {
    static const Ids none;
    return prefixes_.empty() ? none : prefixes_[number];
  }

  Ids shortlist(std::int64_t number) const {
    const Ids& source = sources_[number];
    const SpecialTokens special = model_.special();
    Ids list = options_.shortlist(std::span(source).first(source.size() - 1));
    list.insert(list.end(), prefix(number).begin(), prefix(number).end());
    list.push_back(special.end);
    if (options_.allow_unknown) list.push_back(special.unknown);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  /// Without its shortlist, which takes a while to make.
  Request request(std::int64_t number) const {
    const Ids& source = sources_[number];
    const std::int64_t given = std::ssize(prefix(number)), positions = model_.positions() - 1,
                       longest = longest_output(options_, model_, std::ssize(source) - 1);
    KETTE_CHECK(given <= positions, "translate: expected a prefix of at most ", positions,
                " tokens, as many as the model has positions for, given ", given, " in prefix ",
                options_.first_number + number + 1);
    const SpecialTokens special = model_.special();
    Request request{number, source, {special.begin}};
    request.banned = banned_in_translations(special, options_.allow_unknown);
    if (!options_.sampling) {
      request.policy = std::make_unique<Beam>(options_, std::max(longest, given), special.end);
      request.constraint = constraint_;
      return request;
    }
    // A draw reads the prefix with its prompt. A search goes through it, so that it counts.
    request.prompt.insert(request.prompt.end(), prefix(number).begin(), prefix(number).end());
    request.policy = std::make_unique<DrawnTexts>(DrawnTexts::Options{
        *options_.sampling, options_.n_best, std::max<std::int64_t>(longest - given, 0),
        special.end, options_.first_number + number});
    return request;
  }

  /// Gives drawn texts their prefixes and their log-probabilities.
  void score(std::vector<std::vector<Hypothesis>>& results) const {
    std::vector<Ids> sources, targets;
    std::vector<Hypothesis*> scored;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (sources_[i].empty()) continue;
      const Ids& given = prefix(static_cast<std::int64_t>(i));
      for (Hypothesis& hypothesis : results[i]) {
        hypothesis.tokens.insert(hypothesis.tokens.begin(), given.begin(), given.end());
        sources.emplace_back(sources_[i].begin(), sources_[i].end() - 1);
        targets.push_back(hypothesis.tokens);
        scored.push_back(&hypothesis);
      }
    }
    const std::vector<SentenceScore> scores =
        score_ids(model_, sources, targets, {options_.batch_tokens, options_.threads});
    for (std::size_t i = 0; i < scored.size(); ++i) {
      scored[i]->log_probability = scores[i].log_probability;
      scored[i]->score =
          scored[i]->log_probability / options_.length_penalty.divisor(scores[i].tokens());
    }
  }

  const Ensemble& model_;
  const std::vector<Ids>& sources_;
  const TranslateOptions& options_;
  const std::vector<Ids>& prefixes_;
  std::shared_ptr<const Constraint> constraint_;
};

/// Puts the alternatives of each translation in the order of their expected utility.
void take_least_risk(std::vector<Translation>& translations, const TranslateOptions& options) {
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
  const Workforce workforce({}, options.threads, costs, 1);
  JobQueue queue(costs, workforce.workers, 1);
  workforce.run([&] {
    for (std::vector<std::int64_t> some; !(some = queue.take(1, true)).empty();) {
      for (const std::int64_t number : some) order(translations[number]);
    }
  });
}

}  // namespace

TranslateOptions TranslateOptions::without(std::vector<std::vector<std::int32_t>> circles) const {
  TranslateOptions anew = *this;
  anew.loops = std::move(circles);
  anew.shortlist = {};
  anew.minimum_risk.reset();
  return anew;
}

void TranslateOptions::check() const {
  KETTE_CHECK(batch_tokens > 0, "batch tokens: expected at least 1, given ", batch_tokens);
  constexpr std::int64_t kMostCompared =
      4096;  // each with each: more take minutes and gigabytes a line
  KETTE_CHECK(!minimum_risk || (n_best > 1 && n_best <= kMostCompared),
              "minimum Bayes risk: expected from 2 to ", kMostCompared,
              " translations of each line to choose from (n-best), given ", n_best);
  if (!sampling) return SearchOptions::check();
  sampling->check();
  KETTE_CHECK(!shortlist, "shortlist: expected a search, given samples, which are of all tokens");
  KETTE_CHECK(constraint == nullptr, "constraint: expected a search, given samples");
  KETTE_CHECK(tap == nullptr, "translate: expected a search where a tap looks on, given samples");
  KETTE_CHECK(n_best >= 1, "samples: expected at least 1, given ", n_best);
  KETTE_CHECK(min_length == 0, "min length: expected a search beside it, given samples");
}

std::vector<std::vector<Hypothesis>> translate_ids(
    const Ensemble& model, const std::vector<std::vector<std::int32_t>>& sources,
    const TranslateOptions& options, const SentenceProgress& progress,
    const std::vector<std::vector<std::int32_t>>& prefixes) {
  std::vector<std::vector<std::int32_t>> fitting = sources;
  fit(fitting, "sentence", model, options);
  return Search(model, fitting, options, prefixes).run(progress);
}

Translator::Translator(const Ensemble& model, SharedTokenizer tokenizer, const DecodingTypes& types)
    : model_(checked(model, *tokenizer).for_decoding(types)), tokenizer_(std::move(tokenizer)) {}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const TranslateOptions& options,
                                               const SentenceProgress& progress,
                                               const std::vector<std::string>& prefixes) const {
  std::vector<Translation> translations(lines.size());
  find(lines, options, prefixes, false, progress,
       [&](std::int64_t line, Translation found) { translations[line] = std::move(found); });
  if (options.minimum_risk) take_least_risk(translations, options);
  return translations;
}

void Translator::translate(const std::vector<std::string>& lines, const TranslateOptions& options,
                           const TakeTranslation& take, const SentenceProgress& progress,
                           const std::vector<std::string>& prefixes) const {
  if (options.minimum_risk) {
    std::vector<Translation> all = translate(lines, options, progress, prefixes);
    for (std::size_t i = 0; i < all.size(); ++i)
      take(static_cast<std::int64_t>(i), std::move(all[i]));
    return;
  }
  std::mutex mutex;  // of what is taken and of progress, which both may write to a terminal
  std::vector<std::optional<Translation>> waiting(lines.size());
  std::size_t next = 0;
  SentenceProgress quiet;
  if (progress) {
    quiet = [&](std::int64_t done, std::int64_t total) {
      const std::lock_guard lock(mutex);
      progress(done, total);
    };
  }
  find(lines, options, prefixes, true, quiet, [&](std::int64_t line, Translation found) {
    const std::lock_guard lock(mutex);
    waiting[line] = std::move(found);
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
                                         const TranslateOptions& options) const {
  AlignOptions how;
  how.threads = options.threads;
  how.language = options.language;
  return WordAligner(model_, tokenizer_).align(sources, translations, how);
}

void Translator::find(const std::vector<std::string>& lines, const TranslateOptions& options,
                      const std::vector<std::string>& prefixes, bool early,
                      const SentenceProgress& progress, const TakeTranslation& found) const {
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  std::vector<std::vector<std::int32_t>> sources = tokenizer_->encode_all(views);
  tokenizer_->put_tag_before(sources, options.language);
  const std::vector<bool> cut = fit(sources, "line", model_, options);
  const std::vector<std::string_view> beginnings(prefixes.begin(), prefixes.end());
  const std::vector<Ids> given = tokenizer_->encode_all(beginnings, Side::target);
  const auto finished = [&](std::int64_t number, std::vector<Hypothesis> hypotheses) {
    Translation translation;
    for (Hypothesis& hypothesis : hypotheses) {
      std::string text = as_line(tokenizer_->decode(hypothesis.tokens));
      translation.n_best.push_back({std::move(text), std::move(hypothesis)});
    }
    translation.text = translation.n_best.front().text;
    translation.truncated = cut[number];
    found(number, std::move(translation));
  };
  Search(model_, sources, options, given).run(finished, early, progress);
}

}  // namespace kette
