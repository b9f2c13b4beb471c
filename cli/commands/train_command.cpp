// `kette train`: trains a translation model, a parser or a language model. Saves its configuration beside it.
#include <cmath>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/device_limits.h"
#include "cli/host.h"
#include "cli/processes.h"
#include "cli/run_page.h"
#include "cli/train_options.h"
#include "data/files/json_text.h"

namespace kette::cli {
namespace {

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
                  const TrainResult& result, int threads, const Json& watching) {
  Json json = {{"out", out.string()},
               {"steps", result.steps},
               {"epochs", result.epochs},
               {"loss", result.train_loss},
               {"valid_loss", result.last.loss},
               {"best_valid_loss", result.best_valid_loss},
               {"average", Json()},
               {"bleu", Json()},
               {"seconds", result.seconds},
               {"interrupted", result.interrupted != 0},
               {"threads", threads}};
  const auto add_score = [](Json& to, const std::optional<Score>& score) {
    if (score) to[score->name.substr(std::string("valid_").size())] = score->value;
  };
  add_score(json, result.last.score);
  if (!std::isnan(result.average.loss)) {
    json["average"] = {{"valid_loss", result.average.loss}, {"is_model", result.is_average_best}};
    add_score(json["average"], result.average.score);
  }
  json.update(speed_json(o.compute(), summary_of(*read_config(out)), result, threads));
  json.update(watching);
  print_json(o.common(), json);
}

void train_and_report(const TrainCommandOptions& o, const TrainRun& run, int threads) {
  TrainOptions& options = *run.options;
  o.compute().apply();
  TrainingRecorder recorder(o.record());
  RunPage page;
  if (!o.record().parts.empty()) options.observers.push_back(&recorder);
  if (o.wants_page()) options.observers.push_back(&page);  // with what was just recorded
  const TrainResult result = run.start();
  const bool is_awaited =
      result.interrupted == 0 || Host::current() == nullptr;  // measuring takes its time
  if (o.common().json && communicator().is_first() && is_awaited) {
    print_result(o, options.out, result, threads,
                 {{"record_seconds", recorder.seconds()}, {"page_seconds", page.seconds()}});
  }
  if (result.interrupted != 0) {
    if (communicator().is_first()) {
      to_stderr() << "kette: the same command" << (options.resume ? "" : " with --resume")
                  << " goes on from step " << result.steps << "\n";
    }
    exit_with(128 + result.interrupted);  // so that scripts stop, too
  }
}

void run(CLI::App& command, TrainCommandOptions& o) {
  const int threads = use_threads(o.common());
  const std::string fitted = o.fit(command, communicator(), threads);
  o.share_out(communicator());  // what a recipe says of a step is said by now
  if (!fitted.empty() && !o.is_quiet()) to_stderr() << fitted << "\n";
  o.take_gpu(communicator());
  train_and_report(o, o.run_of(command), threads);
}

void add_train_options(CLI::App& command) {
  auto options = std::make_shared<TrainCommandOptions>(command);
  when_run(command, [&command, options] { run(command, *options); });
}

}  // namespace

const Command train_command = {
    "train", "Train a translation model, a parser, a language model, or a masked one",
    add_train_options, true};

}  // namespace kette::cli
