#include <algorithm>
#include <cmath>

#include "data/bundled/corpus.h"
#include "data/corpora/window_sampler.h"
#include "data/files/text_file.h"
#include "data/tokenizers/character_tokenizer.h"
#include "inspect/lab/experiments.h"
#include "inspect/lab/scaling_law.h"
#include "inspect/page/html.h"
#include "models/gpt.h"
#include "tensor/random.h"
#include "train/schedule.h"
#include "train/train_step.h"
#include "train/validation.h"

namespace kette {
namespace {

struct ScalingSizes {
  std::vector<std::int64_t> widths = {16, 24, 32, 48, 64};
  std::vector<std::int64_t> steps = {512, 1024, 2048, 4096};
  std::int64_t held_out_width = 96, held_out_steps = 8192;
  std::int64_t resamples = 200;
};

constexpr std::int64_t kLayers = 2, kContext = 64, kWindows = 8;

/// A text of characters, the last twentieth of it to validate with.
struct ScalingText {
  std::vector<std::int32_t> train;
  std::int64_t vocabulary = 0;
  std::vector<Batch> valid;
};

/// What windows read that begin at those tokens.
Batch windows_at(std::span<const std::int32_t> ids, const std::vector<std::int64_t>& starts) {
  std::vector<std::vector<std::int32_t>> windows;
  for (const std::int64_t start : starts) {
    const auto window = ids.subspan(static_cast<std::size_t>(start), kContext + 1);
    windows.emplace_back(window.begin(), window.end());
  }
  return pack_windows(windows);
}

ScalingText read_text(const ExperimentOptions& options) {
  std::string text;
  if (options.text.empty()) {
    const bundled::Sizes sizes =
        options.quick ? bundled::Sizes{2000, 20, 20} : bundled::Sizes{40000, 500, 1000};
    const bundled::Corpus corpus = bundled::generate(2017, sizes);
    for (const bundled::SentencePair& pair : corpus.train) text += pair.english + "\n";
  } else {
    const TextLines lines = read_lines(options.text);
    for (const std::string_view line : lines.views()) text += std::string(line) + "\n";
  }
  const auto tokenizer = CharacterTokenizer::from_text(text, "lab scaling");
  std::vector<std::int32_t> ids = tokenizer->encode(text, Side::target);
  const auto kept = std::ssize(ids) / 20;
  KETTE_CHECK(kept > kContext, "lab scaling: expected a text of at least ", 20 * (kContext + 1),
              " characters, given ", ids.size());
  ScalingText result{{ids.begin(), ids.end() - kept}, tokenizer->vocabulary(), {}};
  const std::span<const std::int32_t> valid(ids.data() + ids.size() - kept,
                                            static_cast<std::size_t>(kept));
  constexpr std::int64_t kMostWindows = 512;
  std::vector<std::int64_t> starts;
  for (std::int64_t at = 0; at + kContext < kept && std::ssize(starts) < kMostWindows;
       at += kContext) {
    starts.push_back(at);
  }
  result.valid.push_back(windows_at(valid, starts));
  return result;
}

/// All but the embeddings, as Kaplan et al. 2020 count them.
double parameters_of(std::int64_t width) {
  return static_cast<double>(12 * kLayers * width * width);
}
double tokens_of(std::int64_t steps) { return static_cast<double>(steps * kWindows * kContext); }

ScalingPoint train_point(const ScalingText& text, std::int64_t width, std::int64_t steps,
                         const ExperimentOptions& options) {
  GptConfig config;
  config.layers = kLayers;
  config.width = width;
  config.hidden = 4 * width;
  config.heads = width / 8;
  config.vocabulary = text.vocabulary;
  config.context = kContext;
  config.dropout = config.attention_dropout = 0;
  Gpt model(config);
  model.materialize(options.seed, DType::f32, options.device);
  const auto optimizer = make_optimizer(model.parameters(), {});
  const ScheduleOptions schedule{.kind = ScheduleKind::cosine,
                                 .lr = 4e-3,
                                 .warmup = std::max<std::int64_t>(1, steps / 20),
                                 .total_steps = steps};
  Random random(options.seed, 2);
  for (std::int64_t step = 1; step <= steps; ++step) {
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i < kWindows; ++i) {
      starts.push_back(random.below(std::ssize(text.train) - kContext));
    }
    const Batch batch = windows_at(text.train, starts);
    train_step(model, *optimizer, {&batch, 1},
               {.lr = learning_rate(schedule, step), .label_smoothing = 0, .clip_norm = 1});
  }
  return {parameters_of(width), tokens_of(steps), validation_loss(model, text.valid)};
}

std::string between(const ScalingInterval& interval, int decimals) {
  return fixed(interval.low, decimals) + " to " + fixed(interval.high, decimals);
}

}  // namespace

ExperimentReport scaling_experiment(const ExperimentOptions& options,
                                    const ExperimentProgress& progress, Page& page) {
  ScalingSizes sizes;
  if (options.quick) {
    sizes = {.widths = {8, 16},
             .steps = {2, 4, 6},
             .held_out_width = 24,
             .held_out_steps = 8,
             .resamples = 10};
  }
  const ScalingText text = read_text(options);
  // Small models take longer than their operations say.
  const auto work = [](std::int64_t width, std::int64_t steps) {
    return static_cast<double>(width * steps);
  };
  double all = work(sizes.held_out_width, sizes.held_out_steps), done = 0;
  for (const std::int64_t width : sizes.widths) {
    for (const std::int64_t steps : sizes.steps) all += work(width, steps);
  }
  const auto point_of = [&](std::int64_t width, std::int64_t steps) {
    progress("width " + std::to_string(width) + ", " + std::to_string(steps) + " steps",
             done / all);
    done += work(width, steps);
    return train_point(text, width, steps, options);
  };
  std::vector<ScalingPoint> points;
  for (const std::int64_t width : sizes.widths) {
    for (const std::int64_t steps : sizes.steps) points.push_back(point_of(width, steps));
  }
  const ScalingLaw law = fit_scaling_law(points);
  const ScalingBootstrap bootstrap =
      bootstrap_scaling_law(points, law, sizes.resamples, options.seed);
  const double size = parameters_of(sizes.held_out_width), data = tokens_of(sizes.held_out_steps);
  const ScalingInterval predicted = bootstrap.prediction(size, data);
  // Only now is it trained.
  const ScalingPoint held_out = point_of(sizes.held_out_width, sizes.held_out_steps);

  std::vector<double> errors;
  for (const double error : bootstrap.errors) errors.push_back(std::abs(error));
  const double worst = *std::max_element(errors.begin(), errors.end());
  const bool inside = held_out.loss >= predicted.low && held_out.loss <= predicted.high;
  const ScalingInterval alpha = bootstrap.of(&ScalingLaw::alpha),
                        beta = bootstrap.of(&ScalingLaw::beta),
                        floor = bootstrap.of(&ScalingLaw::floor),
                        size_exponent = bootstrap.of(&ScalingLaw::size_exponent),
                        compute_exponent = bootstrap.of(&ScalingLaw::compute_exponent);
  ExperimentReport report;
  report.findings = {
      {"E + A / N^alpha + B / D^beta describes all runs within 5 %", "it describes them",
       "within " + fixed(100 * worst, 1) + " %", worst < 0.05},
      {"More parameters help, at the largest budget: alpha above 0 (90 of 100 resamples)",
       "0.34 (small models are steeper)", fixed(law.alpha, 2) + " (" + between(alpha, 2) + ")",
       alpha.low > 0},
      {"More data helps: beta above 0 (90 of 100 resamples)", "0.28 (small models are steeper)",
       fixed(law.beta, 2) + " (" + between(beta, 2) + ")", beta.low > 0},
      {"With compute C = 6 N D the best size grows about as fast as the data: N as C^a, a from 0.3 to 0.7",
       "a = 0.46, the loss above E as C^-0.15",
       "a = " + fixed(law.size_exponent(), 2) + " (" + between(size_exponent, 2) +
           "), the loss above E as C^-" + fixed(law.compute_exponent(), 2) + " (" +
           between(compute_exponent, 2) + ")",
       law.size_exponent() > 0.3 && law.size_exponent() < 0.7},
      {"The loss of a larger run with more data lies in the interval that was predicted before it",
       between(predicted, 4), fixed(held_out.loss, 4), inside}};
  const auto numbers_of_point = [](const ScalingPoint& point) {
    return Report::of_facts(
        {{"parameters", point.parameters}, {"tokens", point.tokens}, {"loss", point.loss}});
  };
  std::vector<Report> runs;
  for (const ScalingPoint& point : points) runs.push_back(numbers_of_point(point));
  const auto pair_of = [](const ScalingInterval& interval) {
    return std::vector<double>{interval.low, interval.high};
  };
  report.numbers.list("runs", std::move(runs));
  report.numbers.facts({{"E", law.floor},
                        {"A", law.size_factor},
                        {"alpha", law.alpha},
                        {"B", law.data_factor},
                        {"beta", law.beta},
                        {"E_interval", pair_of(floor)},
                        {"alpha_interval", pair_of(alpha)},
                        {"beta_interval", pair_of(beta)},
                        {"size_exponent", law.size_exponent()},
                        {"size_exponent_interval", pair_of(size_exponent)},
                        {"compute_exponent", law.compute_exponent()},
                        {"compute_exponent_interval", pair_of(compute_exponent)},
                        {"predicted", pair_of(predicted)}});
  report.numbers.inner("held_out", numbers_of_point(held_out));
  std::vector<Curve> by_data, by_compute;
  Curve best{"the law's best sizes", {}, {}};
  for (std::size_t i = 0; i < sizes.widths.size(); ++i) {
    const std::string name = fixed(parameters_of(sizes.widths[i]), 0) + " parameters";
    // The law has the colour of its runs, and is hidden with them.
    Curve measured{name, {}, {}, CurveKind::marked, static_cast<int>(i)},
        fitted{name + ", the law", {}, {}, CurveKind::line, static_cast<int>(i), name};
    for (std::size_t k = 0; k < sizes.steps.size(); ++k) {
      const ScalingPoint& point = points[i * sizes.steps.size() + k];
      measured.x.push_back(point.tokens);
      measured.y.push_back(point.loss);
      fitted.x.push_back(point.tokens);
      fitted.y.push_back(law(point.parameters, point.tokens));
    }
    Curve of_compute = measured;
    for (double& x : of_compute.x) {
      x *= kOperationsPerParameterAndToken * parameters_of(sizes.widths[i]);
      best.x.push_back(x);
    }
    by_data.push_back(std::move(measured));
    by_data.push_back(std::move(fitted));
    by_compute.push_back(std::move(of_compute));
  }
  std::sort(best.x.begin(), best.x.end());
  for (const double compute : best.x) best.y.push_back(law.best_loss(compute));
  by_compute.push_back(std::move(best));
  report.sections = {
      {"Loss by size and data", page.chart({.title = "Validation loss",
                                            .x_title = "tokens",
                                            .y_title = "nats a character",
                                            .curves = by_data,
                                            .log_x = true,
                                            .log_y = true}) +
                                    page.chart({.title = "The same by compute, 6 N D",
                                                .x_title = "operations",
                                                .y_title = "nats a character",
                                                .curves = by_compute,
                                                .log_x = true,
                                                .log_y = true})},
      {"Prediction", "<p>For " + fixed(size, 0) + " parameters and " + fixed(data, 0) +
                         " tokens, before they were trained: " + between(predicted, 4) +
                         " nats. Measured: " + fixed(held_out.loss, 4) + ".</p>"}};
  return report;
}

}  // namespace kette
