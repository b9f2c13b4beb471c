#include "cli/sweep.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "cli/arguments.h"
#include "cli/common.h"
#include "cli/config_file.h"
#include "cli/host.h"
#include "cli/own_process.h"
#include "cli/sweep_table.h"
#include "cli/train_options.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "models/model_summary.h"
#include "train/status_line.h"
#include "train/training_state.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

/// What a run is kept as, or one of its seeds.
struct RunFiles {
  fs::path folder;
  fs::path settings() const { return folder / "train.toml"; }
  fs::path model() const { return folder / "model"; }
  fs::path result() const { return folder / "result.json"; }
  fs::path settings_of(const SweepEvaluation& evaluation) const {
    return folder / evaluation.settings_file();
  }
  /// Empty: none is kept.
  fs::path output_of(const SweepEvaluation& evaluation) const {
    const std::string name = evaluation.output_file();
    return name.empty() ? fs::path() : folder / name;
  }
};

/// Throws UsageError unless `kette train` would take these settings, and an Error where a text is not there, or if the model
/// that is there was trained on other data: beside a run on those of now its score would say nothing.
void check_settings(const SweepRun& run, const RunFiles& files, const Device& device) {
  CLI::App program("", "kette");
  CLI::App& command = add_command(program, "train", "");
  TrainCommandOptions options(command);
  PreparedArguments words = arguments_of(command, run.entries);
  words.arguments.insert(words.arguments.begin(),
                         {"train", "--out=" + files.model().string(), "--device=" + device.str()});
  parse(program, std::move(words));
  check_files(run.entries, {"text", "valid-text", "trees", "valid-trees", "src", "tgt", "valid-src",
                            "valid-tgt"});
  const TrainRun of_run = options.run_of(command);
  const auto state = peek_training_state(files.model() / kTrainingState);
  if (!state || state->step == 0) return;
  for (const RunFingerprint::Data& data : of_run.fingerprint().changed_data(state->fingerprint)) {
    fail(data.path, ": expected the ", data.role, " text that [", run.name,
         "] was trained with, given a changed one (remove ", files.folder.string(),
         " to train it anew)");
  }
}

/// What is wrong with a table is told with its name.
template <class Check>
void check_table(const std::string& name, const Check& check) {
  const auto named = [&](const Error& error) { return "[" + name + "]: " + error.what(); };
  try {
    check();
  } catch (const UsageError& error) {
    throw UsageError(named(error));
  } catch (const Error& error) {
    throw Error(named(error));
  }
}

/// A run of the sweep file, once or from one of the seeds.
struct Training {
  const SweepRun& run;
  std::string title;     ///< "one head", "one head, seed 2"
  std::string settings;  ///< of the run, with the seed
  RunFiles files;
};

class Sweep {
 public:
  explicit Sweep(const SweepOptions& options);

  void run();

 private:
  /// The settings as they are kept, to be found the same by another start.
  void write_settings(const Training& training) const;
  std::optional<Json> result_of(const Training& training) const;
  /// Trains one after the other, as long as there are some; of each thread's own. Throws nothing.
  void work();
  /// The next one to be trained, which has been said; nothing after the last.
  const Training* next();
  std::string time_left() const;
  void train_and_score(const Training& training);
  ProcessOutcome call(const Training& training, std::vector<std::string> words);
  std::vector<SweepRow> rows() const;
  /// Writes and returns it.
  std::string table(const std::vector<SweepRow>& rows) const;

  const SweepOptions& options_;
  SweepFile file_;
  std::int64_t threads_ = 0;  // of each run; 0: as many as the machine has
  std::vector<Training> trainings_;
  std::mutex mutex_;  // of what follows, and of the table
  std::size_t next_ = 0;
  std::exception_ptr failure_;  // the first, which stopped the others
  InterruptRelay relay_;
};

Sweep::Sweep(const SweepOptions& options)
    : options_(options),
      file_(read_sweep_file(options.file)),
      threads_(options.jobs == 1
                   ? options.common.threads
                   : std::max<std::int64_t>(1, use_threads(options.common) / options.jobs)) {
  for (const SweepRun& run : file_.runs) {
    const RunFiles files{options.folder / run.name};
    if (file_.seeds.empty()) trainings_.push_back({run, run.name, run.settings, files});
    for (const std::string& seed : file_.seeds) {
      trainings_.push_back({run,
                            run.name + ", seed " + seed,
                            run.settings + "seed = " + seed + "\n",
                            {files.folder / ("seed " + seed)}});
    }
  }
}

void Sweep::write_settings(const Training& training) const {
  const RunFiles& files = training.files;
  make_folder(files.folder);
  const auto is_kept = [](const fs::path& file, const std::string& text) {
    return fs::exists(file) ? kette::read_text(file) == text : text.empty();
  };
  if (!is_kept(files.settings(), training.settings)) {
    KETTE_CHECK(!fs::exists(files.model()), files.settings().string(),
                ": expected the settings of ", options_.file.string(), " for [", training.run.name,
                "], given those of an earlier sweep (remove ", files.folder.string(),
                ", or give the run another name)");
    write_file_atomically(files.settings(), training.settings);
  }
  const std::optional<Json> result = result_of(training);
  for (const SweepEvaluation& evaluation : file_.evaluations) {
    const fs::path file = files.settings_of(evaluation);
    const bool is_scored = result && result->contains(evaluation.key());
    if (is_scored && is_kept(file, evaluation.settings)) continue;
    fs::remove(files.result());  // the model is scored anew
    if (const fs::path output = files.output_of(evaluation); !output.empty()) fs::remove(output);
    write_file_atomically(file, evaluation.settings);
  }
}

std::optional<Json> Sweep::result_of(const Training& training) const {
  const fs::path file = training.files.result();
  if (!fs::exists(file)) return {};
  Json result = parse_json(kette::read_text(file), file.string());
  KETTE_CHECK(result.is_object(), file.string(),
              ": expected the result of a run, given another file");
  for (const std::string key : {"parameters", "steps", "perplexity", "seconds"}) {
    KETTE_CHECK(number_of(result, key), file.string(),
                ": expected the result of a run, with a number as \"", key,
                "\", given none (remove the file, and the same command scores the model anew)");
  }
  for (const SweepEvaluation& evaluation : file_.evaluations) {
    const auto found = result.find(evaluation.key());
    KETTE_CHECK(found == result.end() || score_of(*found), file.string(),
                ": expected a score in \"", evaluation.key(),
                "\", given none (remove the file, and the same command scores the model anew)");
  }
  return result;
}

ProcessOutcome Sweep::call(const Training& training, std::vector<std::string> words) {
  words.insert(words.end(), {"--device", options_.device.str(), "--json"});
  if (threads_ > 0) words.insert(words.end(), {"--threads", std::to_string(threads_)});
  ProcessOutcome outcome = run_own_process(
      std::move(words), options_.jobs == 1 ? "" : "[" + training.title + "] ", relay_);
  const int signal = std::max(outcome.code - 128, 0);
  if (signal == 0) return outcome;
  if (relay_.requested() != 0 || is_interrupt(signal)) {
    say("kette: stopped in [" + training.title + "]; the same command goes on from there\n");
    exit_with(outcome.code);
  }
  say("kette: [" + training.title + "] was killed by signal " + std::to_string(signal) + " (" +
      strsignal(signal) + ")\n");
  return outcome;
}

void Sweep::train_and_score(const Training& training) {
  const RunFiles& files = training.files;
  const std::string model = files.model().string();
  const ProcessOutcome trained =
      call(training, {"train", "--config", files.settings().string(), "--out", model, "--resume"});
  if (trained.code != 0) return;  // it has said why, and may be tried again
  // Of the model that is left and scored.
  const Json said = parse_json(trained.last_line, "kette train");
  const Json& average = said.at("average");
  const bool is_average = !average.is_null() && average.at("is_model").get<bool>();
  const double loss = is_average ? average.at("valid_loss") : said.at("best_valid_loss");
  Json result = {{"parameters", count_parameters(*read_config(files.model()))},
                 {"steps", said.at("steps")},
                 {"perplexity", std::exp(loss)},
                 {"seconds", said.at("seconds")}};
  for (const SweepEvaluation& evaluation : file_.evaluations) {
    std::vector<std::string> words = {evaluation.command(), "--config",
                                      files.settings_of(evaluation).string(), "--model", model};
    if (const fs::path output = files.output_of(evaluation); !output.empty()) {
      words.insert(words.end(), {"--output", output.string()});
    }
    const ProcessOutcome scored = call(training, std::move(words));
    if (scored.code != 0) return;
    result[evaluation.key()] = parse_json(scored.last_line, "kette " + evaluation.command());
  }
  write_file_atomically(files.result(), result.dump(2) + "\n");
}

std::vector<SweepRow> Sweep::rows() const {
  std::vector<SweepRow> rows;
  std::map<std::string, SweepScoring> scorings;
  for (const Training& training : trainings_) {
    if (rows.empty() || rows.back().run.name != training.run.name) {
      rows.push_back({training.run, {}, {}});
    }
    const std::optional<Json> result = result_of(training);
    if (!result) continue;
    rows.back().results.push_back(*result);
    for (const SweepEvaluation& evaluation : file_.evaluations) {
      const fs::path output = training.files.output_of(evaluation);
      if (output.empty() || !fs::exists(output)) continue;
      const auto scoring = scorings.try_emplace(evaluation.key(), evaluation).first;
      rows.back().scores[evaluation.key()].push_back(scoring->second.score(output));
    }
  }
  return rows;
}

std::string Sweep::table(const std::vector<SweepRow>& rows) const {
  std::string table = sweep_table(file_, rows);
  write_file_atomically(options_.folder / kSweepTable, table);
  return table;
}

std::string Sweep::time_left() const {
  double seconds = 0;
  std::size_t done = 0;
  for (const Training& training : trainings_) {
    const std::optional<Json> result = result_of(training);
    if (!result) continue;
    seconds += result->at("seconds").get<double>();
    ++done;
  }
  if (done == 0) return {};
  const double left = static_cast<double>(trainings_.size() - done) / static_cast<double>(done);
  return ", about " + clock_time(left * seconds / static_cast<double>(options_.jobs)) + " left";
}

const Training* Sweep::next() {
  const std::lock_guard lock(mutex_);
  while (next_ < trainings_.size() && relay_.requested() == 0) {
    const Training& training = trainings_[next_++];
    if (result_of(training)) continue;
    const std::string& own = training.run.own;
    say("[" + training.title + "], " + std::to_string(next_) + " of " +
        std::to_string(trainings_.size()) + time_left() + (own.empty() ? "" : ": " + own) + "\n");
    return &training;
  }
  return nullptr;
}

void Sweep::work() {
  try {
    while (const Training* training = next()) {
      train_and_score(*training);
      const std::lock_guard lock(mutex_);
      table(rows());
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    failure_ = std::current_exception();
    if (relay_.requested() == 0) relay_.pass_on(SIGTERM);  // the others save their states, too
  }
}

void Sweep::run() {
  for (const Training& training : trainings_) {
    check_table(training.run.name,
                [&] { check_settings(training.run, training.files, options_.device); });
  }
  for (SweepEvaluation& evaluation : file_.evaluations) {
    check_table(evaluation.title(), [&] { evaluation.check(options_.device); });
    evaluation.add_fingerprints();
  }
  for (const Training& training : trainings_) write_settings(training);
  std::vector<std::future<void>> workers;
  for (std::int64_t i = 0; i < options_.jobs; ++i) {
    workers.push_back(std::async(std::launch::async, [this, host = Host::current()] {
      const Host::Scope scope(host);
      work();
    }));
  }
  for (std::future<void>& worker : workers) {
    while (worker.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      relay_.look_at_host();
    }
    worker.get();
  }
  if (failure_) std::rethrow_exception(failure_);
  if (const int signal = relay_.requested(); signal != 0) exit_with(128 + signal);
  const std::vector<SweepRow> all = rows();
  to_stdout() << table(all);
  if (options_.common.json) {
    print_json(options_.common, {{"table", (options_.folder / kSweepTable).string()},
                                 {"runs", sweep_json(file_, all)}});
  }
  std::size_t missing = trainings_.size();
  for (const SweepRow& row : all) missing -= row.results.size();
  KETTE_CHECK(missing == 0, options_.folder.string(), ": expected results of all ",
              trainings_.size(), " runs, given none of ", missing,
              " (what is wrong with them stands above; the same command tries them again)");
}

}  // namespace

void sweep(const SweepOptions& options) { Sweep(options).run(); }

}  // namespace kette::cli
