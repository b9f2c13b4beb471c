#include <algorithm>
#include <numeric>

#include "inspect/activations.h"
#include "inspect/heads/head_gates.h"
#include "inspect/heads/induction.h"
#include "inspect/lab/experiments.h"
#include "inspect/lab/repeated_tokens.h"
#include "inspect/page/heat_map.h"
#include "inspect/page/html.h"
#include "models/gpt.h"
#include "train/schedule.h"
#include "train/train_step.h"

namespace kette {
namespace {

constexpr std::int64_t kSegment = 25,
                       kTimes = 4;  // Olsson et al. 2022, "Head Activation Evaluators"
/// Prefix matching of what counts as an induction head. One that looks everywhere has 0.04.
constexpr double kInductionScore = 0.1;

struct InductionKind {
  std::string name;
  std::int64_t layers;
  bool smeared;
};
const std::vector<InductionKind>& induction_kinds() {
  static const std::vector<InductionKind> all = {
      {"one layer", 1, false}, {"two layers", 2, false}, {"one layer, smeared keys", 1, true}};
  return all;
}

struct InductionSizes {
  std::int64_t width = 64, heads = 2, sequences = 16, steps = 3000, every = 50;
  double lr = 3e-3;
};

/// How a model reads a random text that comes again.
struct InductionReading {
  double first = 0, last = 0;  ///< loss, when the text is new and when it comes for the last time
  std::vector<double> scores;  ///< prefix matching of each head, in the order of heads_of()

  double gain() const { return first - last; }
  std::size_t best_head() const {
    return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) -
                                    scores.begin());
  }
};

struct InductionRun {
  std::vector<double> steps, gain, score;  ///< score: of the head that is best at that step
  InductionReading end;
  double gain_without_best = 0, gain_without_all = 0;  ///< of its induction heads
  std::vector<float> pattern;                          ///< of the best head on one text
};

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// tap: in the way of the pass.
InductionReading losses_of(const Gpt& model, const Batch& batch, Tap* tap) {
  const std::vector<double> losses = token_losses(model, batch, tap);
  const Segments& segments = batch.target_segments;
  InductionReading reading;
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    const std::span<const double> own(losses.data() + segments.begin(i),
                                      static_cast<std::size_t>(segments.length(i)));
    // The segment's first token is given, so that one loss fewer is of a new token.
    reading.first += mean_of(own.first(kSegment - 1)) / static_cast<double>(segments.count());
    reading.last += mean_of(own.last(kSegment)) / static_cast<double>(segments.count());
  }
  return reading;
}

InductionReading read_induction(const Gpt& model, const Batch& batch, Activations& activations) {
  InductionReading reading = losses_of(model, batch, &activations);
  reading.scores = prefix_matching(attentions_of(model), batch, activations);
  return reading;
}

InductionRun run_induction(const InductionKind& kind, const InductionSizes& sizes,
                           const ExperimentOptions& options, std::uint64_t seed,
                           const std::function<void(double gain, double share)>& progress) {
  RepeatedTokens text;
  text.seed = seed;
  GptConfig config;
  config.layers = kind.layers;
  config.width = sizes.width;
  config.heads = sizes.heads;
  config.hidden = 0;
  config.vocabulary = text.vocabulary;
  config.context = text.length;
  config.positions = Positions::rotary;
  config.tied_output = config.biases = false;
  config.smeared_keys = kind.smeared;
  config.dropout = config.attention_dropout = 0;
  Gpt model(config);
  model.materialize(seed, DType::f32, options.device);
  const auto optimizer = make_optimizer(model.parameters(), {});
  const ScheduleOptions schedule{.kind = ScheduleKind::cosine,
                                 .lr = sizes.lr,
                                 .warmup = sizes.steps / 20,
                                 .total_steps = sizes.steps};
  Random random(seed, 1);
  const Batch fresh = repeated_at_random(text.vocabulary, kSegment, kTimes, 8, random);
  const auto is_pattern = [](const std::string& point) {
    return points::probabilities.names(point);
  };

  InductionRun run;
  for (std::int64_t step = 0; step <= sizes.steps; ++step) {
    if (step > 0) {
      const Batch batch = text.batch(sizes.sequences, static_cast<std::uint64_t>(step));
      train_step(model, *optimizer, {&batch, 1},
                 {.lr = learning_rate(schedule, step), .label_smoothing = 0, .clip_norm = 1});
    }
    if (step % sizes.every != 0 && step != sizes.steps) continue;
    Activations activations(is_pattern);
    run.end = read_induction(model, fresh, activations);
    run.steps.push_back(static_cast<double>(step));
    run.gain.push_back(run.end.gain());
    run.score.push_back(run.end.scores[run.end.best_head()]);
    progress(run.end.gain(), static_cast<double>(step) / static_cast<double>(sizes.steps));
    if (step < sizes.steps) continue;
    const auto attentions = attentions_of(model);
    const std::vector<Head> heads = heads_of(attentions);
    HeadGates without_best, without_all;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const AttentionPart& part = attentions[heads[i].attention];
      if (run.end.scores[i] > kInductionScore) without_all.mask(part, heads[i].head);
      if (i != run.end.best_head()) continue;
      without_best.mask(part, heads[i].head);
      run.pattern = attention_pattern(activations[points::probabilities(part.path)], heads[i].head,
                                      fresh.target_segments, 0);
    }
    run.gain_without_best = losses_of(model, fresh, &without_best).gain();
    run.gain_without_all = losses_of(model, fresh, &without_all).gain();
  }
  return run;
}

/// The most that the gain rises within a tenth of the steps.
double jump_of(const InductionRun& run) {
  const auto reach = std::max<std::size_t>(1, (run.gain.size() - 1) / 10);
  double most = 0;
  for (std::size_t i = reach; i < run.gain.size(); ++i) {
    most = std::max(most, run.gain[i] - run.gain[i - reach]);
  }
  return most;
}

/// Of each run of a kind one number; "0.12, 0.34".
struct OfRuns {
  std::vector<double> values;

  double least() const { return *std::min_element(values.begin(), values.end()); }
  double most() const { return *std::max_element(values.begin(), values.end()); }
  std::string str(int decimals = 2) const { return fixed(values, decimals); }
};

}  // namespace

ExperimentReport induction_experiment(const ExperimentOptions& options,
                                      const ExperimentProgress& progress, Page& page) {
  InductionSizes sizes;
  if (options.quick) sizes = {.width = 16, .heads = 2, .sequences = 2, .steps = 4, .every = 2};
  const auto& kinds = induction_kinds();
  std::vector<std::vector<InductionRun>> runs(kinds.size());  // [kind][seed]
  const double all = static_cast<double>(options.seeds) * static_cast<double>(kinds.size());
  double done = 0;
  for (std::int64_t i = 0; i < options.seeds; ++i) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind, ++done) {
      const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
      runs[kind].push_back(
          run_induction(kinds[kind], sizes, options, seed, [&](double gained, double share) {
            progress(
                kinds[kind].name + ", seed " + std::to_string(seed) + ": gain " + fixed(gained, 2),
                (done + share) / all);
          }));
    }
  }
  const auto of = [&](std::size_t kind, const std::function<double(const InductionRun&)>& what) {
    OfRuns numbers;
    for (const InductionRun& run : runs[kind]) numbers.values.push_back(what(run));
    return numbers;
  };
  const auto gain = [](const InductionRun& run) { return run.end.gain(); };
  const auto score = [](const InductionRun& run) { return run.score.back(); };
  const auto undone = [](const InductionRun& run) {
    return 1 - run.gain_without_all / run.end.gain();
  };
  const auto undone_by_one = [](const InductionRun& run) {
    return 1 - run.gain_without_best / run.end.gain();
  };
  const auto heads = [](const InductionRun& run) {
    return static_cast<double>(std::count_if(run.end.scores.begin(), run.end.scores.end(),
                                             [](double one) { return one > kInductionScore; }));
  };

  ExperimentReport report;
  const OfRuns one = of(0, gain), two = of(1, gain), smeared = of(2, gain);
  const OfRuns jump_one = of(0, jump_of), jump_two = of(1, jump_of), jump_smeared = of(2, jump_of);
  report.findings = {
      {"Two layers foresee a text that comes again; what they gain is more than twice that of one layer",
       "0.4 nats against 0.1", two.str() + " nats against " + one.str(),
       two.least() > 2 * one.most()},
      {"One layer with smeared keys does so, too", "0.4 nats", smeared.str(),
       smeared.least() > 2 * one.most()},
      {"Two layers get there in a jump (the most within a tenth of the steps), one layer does not",
       "a jump against none", jump_two.str() + " nats against " + jump_one.str(),
       jump_two.least() > 2 * jump_one.most()},
      {"One layer with smeared keys jumps", "it does", jump_smeared.str(),
       jump_smeared.least() > 2 * jump_one.most()},
      {"Two layers have a head that looks at what followed last time: prefix matching above 0.5",
       "0.75 to 0.94", of(1, score).str(), of(1, score).least() > 0.5},
      {"So has one layer with smeared keys, above 0.5", "it has", of(2, score).str(),
       of(2, score).least() > 0.5},
      {"One layer has none: below 0.25", "none", of(0, score).str(), of(0, score).most() < 0.25},
      {"Without their induction heads (prefix matching above 0.1), two layers lose at least 70 % of the gain",
       "nearly all",
       of(1, undone).str() + " without " + of(1, heads).str(0) + " of " +
           std::to_string(2 * sizes.heads) + " heads; " + of(1, undone_by_one).str() +
           " without the best alone",
       of(1, undone).least() >= 0.7}};

  report.numbers.facts({{"seeds", options.seeds}, {"steps", sizes.steps}});
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    report.numbers.inner(
        kinds[kind].name,
        Report::of_facts({{"gain", of(kind, gain).values},
                          {"jump", of(kind, jump_of).values},
                          {"prefix_matching", of(kind, score).values},
                          {"induction_heads", of(kind, heads).values},
                          {"undone_by_masking", of(kind, undone).values},
                          {"undone_by_masking_the_best", of(kind, undone_by_one).values}}));
  }
  std::vector<Curve> gains, scores;
  std::string patterns;
  const std::int64_t tokens = kSegment * kTimes;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (std::size_t i = 0; i < runs[kind].size(); ++i) {
      const InductionRun& run = runs[kind][i];
      const std::string name = kinds[kind].name + ", seed " + std::to_string(options.seed + i);
      const int color = static_cast<int>(kind);
      gains.push_back({name, run.steps, run.gain, CurveKind::line, color, kinds[kind].name});
      scores.push_back({name, run.steps, run.score, CurveKind::line, color, kinds[kind].name});
    }
    const InductionRun& first = runs[kind].front();
    patterns += titled_heat_map(
        {.title = kinds[kind].name,
         .rows = tokens,
         .columns = tokens,
         .values = first.pattern,
         .row_labels = "token",
         .column_labels = "token",
         .note = "Rows: the token that looks. Prefix matching " + fixed(first.score.back(), 2),
         .unit = "probability",
         .axes = "down: the token that looks; across: the token that it looks at"});
  }
  std::vector<std::string> labels;
  for (std::int64_t i = 0; i < tokens; ++i) {
    labels.push_back(std::to_string(i % kSegment) + " of time " + std::to_string(i / kSegment + 1));
  }
  page.label("token", labels);
  report.sections = {
      {"While they learn",
       page.chart({"What it gains when a random text comes again", "step", "nats", gains}) +
           page.chart({"Prefix matching of the best head", "step", "attention", scores})},
      {"Where the best heads look",
       "<p>25 random tokens, four times. An induction head looks at what "
       "followed the present token before: stripes " +
           std::to_string(kSegment - 1) +
           " and more tokens below the diagonal.</p><div class=\"strips\">" + patterns +
           "</div>\n"}};
  return report;
}

}  // namespace kette
