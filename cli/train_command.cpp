// `kette train`: a translation model or a language model, and the resolved configuration beside it.
#include <csignal>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/train_options.h"
#include "data/atomic_file.h"
#include "models/model_summary.h"

namespace kette::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A model that is there keeps the configuration it was made with, until training has accepted the
/// new one.
void save_config(const std::filesystem::path& out, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  KETTE_CHECK(!error, out.string(), ": expected a folder that can be written, given ",
              error.message());
  write_file_atomically(out / "config.toml", text);
}

Json speed_json(const ComputeOptions& compute, const std::vector<SummaryRow>& model,
                const TrainResult& result, int threads) {
  // Lengths of sentences are not kept, so attention over keys, a few percent, is left out here;
  // kette bench counts it.
  double per_source = 0, per_target = 0;
  for (const SummaryRow& row : model) {
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

void print_result(const TrainCommandOptions& o, const std::filesystem::path& out,
                  const TrainResult& result, int threads) {
  Json json = {{"out", out.string()},
               {"steps", result.steps},
               {"epochs", result.epochs},
               {"loss", result.train_loss},
               {"valid_loss", result.valid_loss},
               {"best_valid_loss", result.best_valid_loss},
               {"bleu", result.valid_score ? Json(result.valid_score->value) : Json()},
               {"seconds", result.seconds},
               {"interrupted", result.interrupted},
               {"threads", threads}};
  const auto summary =
      std::visit([](const auto& config) { return summarize(config); }, read_config(out));
  json.update(speed_json(o.compute(), summary, result, threads));
  print_json(json);
}

/// files: what must be readable before anything is written.
template <class Options>
void train_and_report(const TrainCommandOptions& o, const Options& options,
                      const std::string& config, const std::vector<std::filesystem::path>& files,
                      int threads) {
  o.compute().apply();
  const bool is_new = !std::filesystem::exists(options.out / "config.json");
  if (is_new && !options.resume) {
    for (const auto& file : files) check_readable(file);
    save_config(options.out, config);
  }
  const TrainResult result = train(options);
  save_config(options.out, config);
  if (o.common().json) print_result(o, options.out, result, threads);
  if (result.interrupted) {
    std::cerr << "kette: the same command with --resume goes on from step " << result.steps << "\n";
    exit_with(128 + SIGINT);  // so that scripts stop, too
  }
}

void run(CLI::App& command, TrainCommandOptions& o) {
  const int threads = use_threads(o.common());
  if (o.is_text()) {
    const TextTrainOptions options = o.text();
    std::vector<std::filesystem::path> files = options.text;
    files.insert(files.end(), options.valid_text.begin(), options.valid_text.end());
    train_and_report(o, options, o.config(command), files, threads);
  } else {
    const TranslationTrainOptions options = o.translation();
    train_and_report(o, options, o.config(command),
                     {options.source, options.target, options.valid_source, options.valid_target},
                     threads);
  }
}

}  // namespace

void add_train_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("train", "Train a translation or a language model");
  auto options = std::make_shared<TrainCommandOptions>(*command);
  command->callback([command, options] { run(*command, *options); });
}

}  // namespace kette::cli
