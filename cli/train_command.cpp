// `kette train`: every field of TrainOptions as an option, a preset of them, and the resolved
// configuration beside the model.
#include <csignal>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/config_file.h"
#include "data/atomic_file.h"
#include "models/model_summary.h"
#include "train/translation_task.h"

namespace kette::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TrainCommandOptions {
  CommonOptions common;
  std::string preset = "tiny", schedule;
  ComputeOptions compute;
  TranslationTrainOptions train;
};

/// tiny: the recipe of Wu et al. 2021 for small data; base and big: the paper's section 5.
void apply_preset(TrainCommandOptions& o, const std::string& name) {
  const NormOrder norm = o.train.model.norm;
  const std::int64_t max_length = o.train.model.max_length;
  o.train.model = TransformerConfig::preset(name);
  o.train.model.norm = norm;
  o.train.model.max_length = max_length;
  const bool tiny = name == "tiny";
  o.schedule = tiny ? "inverse_sqrt" : "noam";
  o.train.schedule.lr = tiny ? 5e-3 : 1;
  o.train.schedule.warmup = tiny ? 2000 : 4000;
  o.train.adam.epsilon = tiny ? 1e-8 : 1e-9;
  o.train.vocabulary = o.train.model.vocabulary;
}

/// Where neither steps nor time are given: enough for tiny on a small corpus, and what the paper
/// took for base and big.
std::int64_t default_steps(const std::string& preset) {
  return preset == "tiny" ? 20000 : preset == "base" ? 100000 : 300000;
}

TranslationTrainOptions resolve(TrainCommandOptions& o) {
  TranslationTrainOptions& t = o.train;
  t.schedule.kind = parse_schedule(o.schedule);
  t.schedule.width = t.model.width;
  t.device = o.compute.device;
  t.precision = o.compute.dtype();
  if (t.steps == 0 && t.epochs == 0 && t.minutes == 0) t.steps = default_steps(o.preset);
  if (t.average > t.keep) t.keep = t.average;
  return t;
}

/// A model that is there keeps the configuration it was made with, until training has accepted the
/// new one.
void save_config(const TranslationTrainOptions& options, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  KETTE_CHECK(!error, options.out.string(), ": expected a folder that can be written, given ",
              error.message());
  write_file_atomically(options.out / "config.toml", text);
}

Json speed_json(const ComputeOptions& compute, const TranslationTrainOptions& options,
                const TrainResult& result, int threads) {
  // Lengths of sentences are not kept, so attention over keys, a few percent, is left out here;
  // kette bench counts it.
  double per_source = 0, per_target = 0;
  for (const SummaryRow& row : summarize(read_transformer_config(options.out))) {
    per_source += static_cast<double>(row.count) * row.source_flops;
    per_target += static_cast<double>(row.count) * row.target_flops;
  }
  const double gflops = 3e-9 * (per_source * result.source_tokens_per_second +
                                per_target * result.target_tokens_per_second);
  const double limit = measure_product_gflops(compute, threads);
  return {{"source_tokens_per_second", result.source_tokens_per_second},
          {"target_tokens_per_second", result.target_tokens_per_second},
          {"gflops", gflops},
          {"sgemm_gflops", limit},
          {"sgemm_share", gflops / limit},
          {"peak_rss_mib", peak_rss_mib()}};
}

void print_result(const ComputeOptions& compute, const TranslationTrainOptions& options,
                  const TrainResult& result, int threads) {
  Json json = {{"out", options.out.string()},
               {"steps", result.steps},
               {"epochs", result.epochs},
               {"loss", result.train_loss},
               {"valid_loss", result.valid_loss},
               {"best_valid_loss", result.best_valid_loss},
               {"bleu", result.valid_score ? Json(result.valid_score->value) : Json()},
               {"seconds", result.seconds},
               {"interrupted", result.interrupted},
               {"threads", threads}};
  json.update(speed_json(compute, options, result, threads));
  print_json(json);
}

void run(CLI::App& command, TrainCommandOptions& o) {
  const int threads = use_threads(o.common);
  const TranslationTrainOptions options = resolve(o);
  o.compute.apply();
  const std::string config = config_text(command, {"help", "config", "json", "resume", "quiet"});
  const bool is_new = !std::filesystem::exists(options.out / "config.json");
  if (is_new && !options.resume) {
    for (const auto& file :
         {options.source, options.target, options.valid_source, options.valid_target}) {
      check_readable(file);
    }
    save_config(options, config);
  }
  const TrainResult result = train(options);
  save_config(options, config);
  if (o.common.json) print_result(o.compute, options, result, threads);
  if (result.interrupted) {
    std::cerr << "kette: the same command with --resume goes on from step " << result.steps << "\n";
    exit_with(128 + SIGINT);  // so that scripts stop, too
  }
}

void add_file_options(CLI::App& command, TranslationTrainOptions& t) {
  OptionGroup data(command, "Data");
  data.path("--src", t.source, "Source sentences, one a line; plain or gzip")->required();
  data.path("--tgt", t.target, "Their translations, line by line")->required();
  data.path("--valid-src", t.valid_source, "Source sentences for validation")->required();
  data.path("--valid-tgt", t.valid_target, "Their translations")->required();
  data.path("--out", t.out, "The model directory to make", "DIR")->required();
  data.path("--tokenizer", t.tokenizer, "A SentencePiece model to use (default: train one)");
}

void add_text_options(CLI::App& command, TranslationTrainOptions& t) {
  OptionGroup data(command, "Data");
  data.number("--vocab", t.vocabulary, at_least(1), "Pieces of the joint vocabulary");
  data.number("--bpe-dropout", t.bpe_dropout, rate(),
              "Refuse merges of training text with this probability");
  data.number("--max-length", t.max_length, at_least(1),
              "Leave longer training sentences out, in tokens");
  data.number("--max-ratio", t.max_ratio, above(0),
              "Leave more unequal training pairs out (default: none)");
}

void add_duration_options(CLI::App& command, TranslationTrainOptions& t) {
  OptionGroup group(command,
                    "How long (the first that is reached; default: 20000 steps for tiny, 100000 "
                    "base, 300000 big)");
  group.number("--steps", t.steps, at_least(1), "Optimiser steps");
  group.number("--epochs", t.epochs, at_least(1), "Passes over the training text");
  group.number("--minutes", t.minutes, above(0), "Minutes of training");
  group.number("--patience", t.patience, at_least(1),
               "Stop after this many validations without a better loss (default: never)");
}

void add_optimisation_options(CLI::App& command, TrainCommandOptions& o) {
  TranslationTrainOptions& t = o.train;
  OptionGroup group(
      command,
      "Optimisation (defaults of tiny; base and big: noam, lr 1, warm-up 4000, epsilon 1e-9)");
  group.number("--batch-tokens", t.batch_tokens, at_least(1),
               "Tokens of a batch, of the larger side");
  group.number("--accumulate", t.accumulate, at_least(1),
               "Batches a step, added up as if they were one");
  group.choice("--schedule", o.schedule, {"noam", "inverse_sqrt", "cosine", "constant"},
               "Of the learning rate; cosine falls until the run ends");
  group.number("--lr", t.schedule.lr, above(0), "Its peak; for noam the factor");
  group.number("--warmup", t.schedule.warmup, at_least(1), "Steps until the peak");
  group.number("--beta1", t.adam.beta1, rate(), "Adam's decay of the mean");
  group.number("--beta2", t.adam.beta2, rate(), "Adam's decay of the mean square");
  group.number("--epsilon", t.adam.epsilon, above(0), "Adam's epsilon");
  group.number("--weight-decay", t.adam.weight_decay, at_least(0), "Decoupled, of matrices");
  group.number("--label-smoothing", t.label_smoothing, rate(),
               "Probability shared among all pieces");
  group.number("--clip-norm", t.clip_norm, above(0), "Longest gradient (default: any)");
  group.number("--seed", t.seed, "Of initial values, order and dropout");
}

void add_checkpoint_options(CLI::App& command, TranslationTrainOptions& t) {
  OptionGroup group(command, "Validation and checkpoints");
  group.number("--validate-every", t.validate_every, at_least(1),
               "Steps between validations (default: an epoch)");
  group.flag("--validate-bleu,!--no-validate-bleu", t.validate_bleu,
             "Also translate the validation text (on by default)");
  group.choice("--bleu-tokenize", t.bleu_tokenize, {"13a", "none", "char", "intl"},
               "Tokenizer of that BLEU");
  group.number("--keep", t.keep, at_least(1), "Checkpoints kept, one each validation");
  group.number("--average", t.average, at_least(1),
               "At the end, the model becomes the mean of this many last checkpoints (default: the "
               "best one)");
  group.number("--save-every-seconds", t.save_every_seconds, at_least(1),
               "How much work a kill can cost");
  group.flag("--resume", t.resume, "Go on where the run in --out stopped");
  group.flag("--detect-anomaly", t.detect_anomaly,
             "Name the op that makes a NaN or an infinity (slow)");
  group.flag("--quiet", t.quiet, "No progress line; log.jsonl is written all the same");
}

}  // namespace

void add_train_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("train", "Train a translation model");
  auto options = std::make_shared<TrainCommandOptions>();
  apply_preset(*options, "tiny");
  add_file_options(*command, options->train);
  OptionGroup preset(*command, "Model");
  preset.choice("--preset", options->preset, {"tiny", "base", "big"},
                "Size and recipe; the other options override it",
                [options](const std::string& name) { apply_preset(*options, name); });
  add_text_options(*command, options->train);
  add_architecture_options(*command, options->train.model);
  add_compute_options(preset, options->compute);
  preset.number("--model-max-length", options->train.model.max_length, at_least(1),
                "Longest sequence the model can be given, in tokens");
  add_duration_options(*command, options->train);
  add_optimisation_options(*command, *options);
  add_checkpoint_options(*command, options->train);
  add_common_options(*command, options->common);
  command->callback([command, options] { run(*command, *options); });
}

}  // namespace kette::cli
