#include "inspect/lab/pruning_study.h"

#include <algorithm>
#include <cmath>

#include "inspect/heads/head_pruning.h"
#include "inspect/heads/head_study.h"
#include "inspect/lab/bundled_translator.h"
#include "inspect/lab/gated_training.h"
#include "inspect/page/html.h"
#include "models/model_directory.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

struct PruningSizes {
  /// Until it has converged, and with dropout: what has not learnt to do without is not to be masked.
  TranslatorSizes translator = {.heads = 8, .dropout = 0.1, .steps = 2000};
  std::size_t sentences = 500;  ///< of the test set, to translate
  std::int64_t random_orders = 3;
  int resamples = 1000;
  std::vector<double> penalties = {0.003, 0.006, 0.012};
  GatedTraining gated;

  static PruningSizes of(bool quick) {
    if (!quick) return {};
    return {.translator =
                {.layers = 2, .heads = 2, .width = 16, .hidden = 16, .vocabulary = 600, .steps = 4},
            .sentences = 4,
            .random_orders = 1,
            .resamples = 10,
            .penalties = {0.1},
            .gated = {.steps = 2}};
  }
};

/// What is looked into, and with what.
struct StudiedTranslator {
  std::unique_ptr<AutoregressiveModel> model;
  ParallelCorpus text;
};

StudiedTranslator translator_of(const ExperimentOptions& options, const TranslatorSizes& sizes,
                                const std::function<void(double loss, double share)>& progress) {
  const bundled::Corpus& corpus = bundled_corpus(options.quick);
  if (!options.model.empty()) {
    auto saved = load_model<AutoregressiveModel>(options.model, {}, options.device);
    KETTE_CHECK(saved.model->has_encoder() && saved.tokenizer->writes() == Writes::text,
                "lab heads: expected a translation model, given ", options.model.string());
    KETTE_CHECK(saved.tokenizer->languages().empty(),
                "lab heads: expected a model that translates to one language, given ",
                options.model.string(), ", which translates to ",
                joined(saved.tokenizer->languages()));
    return {std::move(saved.model), bundled_tokens(corpus, saved.tokenizer)};
  }
  ParallelCorpus text = bundled_tokens(corpus, sizes.vocabulary);
  auto model = train_translator(text, sizes, options.seed, options.device, progress);
  return {std::move(model), std::move(text)};
}

std::vector<Head> shuffled(std::vector<Head> heads, Random& random) {
  for (std::int64_t i = std::ssize(heads) - 1; i > 0; --i) {
    std::swap(heads[i], heads[random.below(i + 1)]);
  }
  return heads;
}

/// The test text, and how well a model translates it.
struct TestText {
  std::vector<std::string> sources, references;
  SearchOptions greedy;
  BootstrapOptions bootstrap;

  BleuAblation ablation(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
                        Tap* tap = nullptr) const {
    return {model,        tokenizer, source_sentences(sources), references, greedy,
            {.tap = tap}, bootstrap};
  }
};

GatedResult gated_result(const StudiedTranslator& translator, const TestText& test,
                         bool encoder_alone, const GatedTraining& training, std::uint64_t seed,
                         const std::function<void(double share)>& progress) {
  const auto model = trainable_copy(*translator.model);
  const std::vector<AttentionPart> attentions = attentions_of(*model);
  std::vector<AttentionPart> gated = attentions;
  if (encoder_alone) {
    std::erase_if(gated,
                  [](const AttentionPart& part) { return part.kind != AttentionKind::encoder; });
  }
  const ConcreteGates gates = train_gated(*model, gated, translator.text, training, seed, progress);
  GatedResult result{training.penalty, 0, {}, {}};
  const auto values = gates.values();
  for (const Head& head : heads_of(attentions)) {
    // The encoder's attentions come first; those without gates are open.
    const auto attention = static_cast<std::size_t>(head.attention);
    const bool open = attention >= values.size() || values[attention][head.head] > 0;
    result.is_open.push_back(open);
    result.open[static_cast<std::size_t>(attentions[attention].kind)] += open;
  }
  HeadGates trained = gates.trained();
  result.bleu = test.ablation(*model, translator.text.tokenizer(), &trained).whole();
  return result;
}

}  // namespace

double PruningCurve::loss_at(double share) const {
  const auto at = std::find(kShares.begin(), kShares.end(), share) - kShares.begin();
  return bleu.front() - bleu[static_cast<std::size_t>(at)];
}

PruningCurve pruning_curve(const HeadAblation& ablation,
                           const std::vector<AttentionPart>& attentions,
                           const std::vector<Head>& order) {
  PruningCurve curve;
  for (const double share : PruningCurve::kShares) {
    const auto masked =
        static_cast<std::size_t>(std::llround(share * static_cast<double>(order.size())));
    HeadGates gates = gates_without(attentions, std::span(order).first(masked));
    curve.bleu.push_back(ablation.whole() + (masked > 0 ? ablation.change_with(gates) : 0));
  }
  return curve;
}

PruningCurve PruningStudy::mean_at_random() const {
  PruningCurve mean;
  mean.bleu.resize(PruningCurve::kShares.size());
  for (const PruningCurve& curve : at_random) {
    for (std::size_t i = 0; i < mean.bleu.size(); ++i) {
      mean.bleu[i] += curve.bleu[i] / static_cast<double>(at_random.size());
    }
  }
  return mean;
}

std::optional<GatedResult> PruningStudy::cheapest(const std::vector<GatedResult>& results) const {
  std::optional<GatedResult> best;
  for (const GatedResult& result : results) {
    if (result.bleu < whole - 0.5) continue;
    if (!best || result.left() < best->left()) best = result;
  }
  return best;
}

PruningStudy study_pruning(const ExperimentOptions& options, const ExperimentProgress& progress) {
  const PruningSizes sizes = PruningSizes::of(options.quick);
  const StudiedTranslator translator =
      translator_of(options, sizes.translator, [&](double loss, double share) {
        progress("training, loss " + fixed(loss, 2), 0.2 * share);
      });
  const AutoregressiveModel& model = *translator.model;
  const SharedTokenizer& tokenizer = translator.text.tokenizer();
  const bundled::Corpus& corpus = bundled_corpus(options.quick);
  TestText test{english_of(corpus.test), german_of(corpus.test), {}, {sizes.resamples}};
  test.sources.resize(std::min(test.sources.size(), sizes.sentences));
  test.references.resize(test.sources.size());
  test.greedy.beam = 1;
  const BleuAblation ablation = test.ablation(model, tokenizer);
  const std::vector<Batch> valid =
      sentence_batches(*tokenizer, english_of(corpus.valid), german_of(corpus.valid), 1024);

  PruningStudy study;
  study.attentions = attentions_of(model);
  study.heads = heads_of(study.attentions);
  for (std::size_t head = 0; head < study.heads.size(); ++head) {
    ++study.counts[static_cast<std::size_t>(study.kind(head))];
  }
  study.whole = ablation.whole();
  study.importance = head_importance(model, valid);
  study.scores = head_scores(model, valid);
  for (const Head& head : study.heads) {
    progress("without one head", 0.2 + 0.2 * static_cast<double>(study.without.size()) /
                                           static_cast<double>(study.heads.size()));
    HeadGates gates = gates_without(study.attentions, {&head, 1});
    study.without.push_back(ablation.with(gates));
  }

  const std::vector<Head> order = by_importance(study.attentions, study.importance);
  progress("without the least important heads", 0.4);
  study.by_importance = pruning_curve(ablation, study.attentions, order);
  study.by_normalized =
      pruning_curve(ablation, study.attentions,
                    by_importance(study.attentions, study.importance, &HeadImportance::normalized));
  Random random(options.seed, 4);
  for (std::int64_t i = 0; i < sizes.random_orders; ++i) {
    progress("without random heads", 0.45);
    study.at_random.push_back(
        pruning_curve(ablation, study.attentions, shuffled(study.heads, random)));
  }
  for (std::size_t kind = 0; kind < kAttentionKinds.size(); ++kind) {
    progress("without the least important heads of one kind", 0.5);
    std::vector<Head> own = order;
    std::erase_if(own, [&](const Head& head) {
      return study.attentions[head.attention].kind != kAttentionKinds[kind];
    });
    study.of_kinds[kind] = pruning_curve(ablation, study.attentions, own);
  }

  const auto runs = static_cast<double>(2 * sizes.penalties.size());
  double done = 0;
  for (const bool encoder_alone : {true, false}) {
    for (const double penalty : sizes.penalties) {
      GatedTraining training = sizes.gated;
      training.penalty = penalty;
      auto& results = encoder_alone ? study.gates_on_encoder : study.gates_on_all;
      results.push_back(
          gated_result(translator, test, encoder_alone, training, options.seed, [&](double share) {
            progress("gates with penalty " + fixed(penalty, 3),
                     0.55 + 0.45 * (done + share) / runs);
          }));
      ++done;
    }
  }
  return study;
}

}  // namespace kette
