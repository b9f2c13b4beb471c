// `kette sweep`: the runs of a file one after the other, each trained and scored by this program in a process of its
// own, and a table of them that is kept up to date. The same command goes on where it was stopped.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/config_file.h"
#include "cli/scoring.h"
#include "cli/sweep_table.h"
#include "cli/train_options.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "models/model_summary.h"
#include "train/interrupt.h"
#include "train/training_state.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  CommonOptions common;
  fs::path file, out;
  std::string device = "cpu";
};

/// What a run is kept as, or one of its seeds.
struct RunFiles {
  fs::path folder;
  fs::path settings() const { return folder / "train.toml"; }
  fs::path evaluation() const { return folder / "evaluate.toml"; }
  fs::path model() const { return folder / "model"; }
  fs::path translations() const { return folder / "translations.txt"; }
  fs::path result() const { return folder / "result.json"; }
};

/// Throws UsageError unless `kette train` would take these settings, and an Error if the model that is there was trained on
/// other data: beside a run on those of now its score would say nothing.
void check_settings(const SweepRun& run, const RunFiles& files) {
  CLI::App program("", "kette");
  CLI::App& command = add_command(program, "train", "");
  TrainCommandOptions options(command);
  PreparedArguments words = arguments_of(command, run.entries);
  words.arguments.insert(words.arguments.begin(), {"train", "--out=" + files.model().string()});
  parse(program, std::move(words));
  options.with_options(command, [&](const auto& of_run) {
    of_run.check();
    const auto state = peek_training_state(files.model() / kTrainingState);
    if (!state || state->step == 0) return;
    for (const RunFingerprint::Data& data :
         fingerprint_of(of_run).changed_data(state->fingerprint)) {
      fail(data.path, ": expected the ", data.role, " text that [", run.name,
           "] was trained with, given a changed one (remove ", files.folder.string(),
           " to train it anew)");
    }
  });
}

struct Outcome {
  int code = 0;
  Json json;  ///< the last line of stdout
};

/// This program with other arguments; stderr is shared. What is to end this process ends that one, which saves its
/// state first. Its process group is its own, so that a terminal's signals reach it once.
Outcome run_self(std::vector<std::string> words) {
  words.insert(words.begin(), "kette");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int ends[2] = {};
  KETTE_CHECK(pipe2(ends, O_CLOEXEC) == 0, "sweep: expected a pipe, given ", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, "/proc/self/exe", &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  KETTE_CHECK(error == 0, "sweep: expected a new process, given ", std::strerror(error));
  const InterruptGuard guard(child);
  close(ends[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t bytes = 0; (bytes = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (bytes > 0) out.append(buffer, static_cast<std::size_t>(bytes));
    if (bytes < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), {}};
  if (outcome.code == 0) {
    out.erase(out.find_last_not_of('\n') + 1);
    outcome.json = parse_json(out.substr(out.find_last_of('\n') + 1), "kette " + words[1]);
  }
  return outcome;
}

/// A run of the sweep file, once or from one of the seeds.
struct Training {
  const SweepRun& run;
  std::string title;     ///< "one head", "one head, seed 2"
  std::string settings;  ///< of the run, with the seed
  RunFiles files;
};

/// How translations are scored, by the options of [evaluate] that say so, and what they are scored against.
struct Scoring {
  ScoringOptions options;
  std::vector<TextLines> references;

  explicit Scoring(const fs::path& evaluation);
  ScoreStatistics score(const fs::path& translations) const;
};

Scoring::Scoring(const fs::path& evaluation) {
  CLI::App program;
  add_scoring_options(program, options);
  std::vector<std::string> words;
  for (const ConfigEntry& entry : read_config_file(evaluation)) {
    for (const std::string& value : entry.values) {
      if (program.get_option_no_throw("--" + entry.key) != nullptr) {
        words.push_back("--" + entry.key + "=" + value);
      }
      if (entry.key == "ref") references.push_back(read_lines(value, kWholeText));
    }
  }
  program.parse(std::move(words));
}

ScoreStatistics Scoring::score(const fs::path& translations) const {
  const TextLines lines = read_lines(translations, kWholeText);
  std::vector<ScoreLines> views;
  for (const TextLines& reference : references) views.push_back(reference.views());
  return {metric_of(options), lines.views(), views};
}

class Sweep {
 public:
  explicit Sweep(const SweepOptions& options);

  void run();

 private:
  /// The settings as they are kept, to be found the same by another start.
  void write_settings(const Training& training) const;
  std::optional<Json> result_of(const Training& training) const;
  void train_and_score(const Training& training) const;
  Outcome call(const Training& training, std::vector<std::string> words) const;
  std::vector<SweepRow> rows() const;
  /// Writes and returns it.
  std::string table(const std::vector<SweepRow>& rows) const;

  const SweepOptions& options_;
  SweepFile file_;
  bool translates_ = false;  // what is evaluated
  std::vector<Training> trainings_;
};

Sweep::Sweep(const SweepOptions& options)
    : options_(options), file_(read_sweep_file(options.file)) {
  for (const ConfigEntry& entry : file_.evaluation_entries) {
    translates_ = translates_ || entry.key == "src";
  }
  for (const SweepRun& run : file_.runs) {
    const RunFiles files{options.out / run.name};
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
  fs::create_directories(files.folder);
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
  if (!is_kept(files.evaluation(), file_.evaluation)) {  // the model is scored anew
    fs::remove(files.result());
    fs::remove(files.translations());
    write_file_atomically(files.evaluation(), file_.evaluation);
  }
}

std::optional<Json> Sweep::result_of(const Training& training) const {
  const fs::path file = training.files.result();
  if (!fs::exists(file)) return {};
  Json result = parse_json(kette::read_text(file), file.string());
  KETTE_CHECK(result.is_object(), file.string(),
              ": expected the result of a run, given another file");
  return result;
}

Outcome Sweep::call(const Training& training, std::vector<std::string> words) const {
  words.insert(words.end(), {"--device", options_.device, "--json"});
  if (options_.common.threads > 0) {
    words.insert(words.end(), {"--threads", std::to_string(options_.common.threads)});
  }
  Outcome outcome = run_self(std::move(words));
  if (outcome.code > 128) {
    std::cerr << "kette: stopped in [" << training.title
              << "]; the same command goes on from there\n";
    exit_with(outcome.code);
  }
  return outcome;
}

void Sweep::train_and_score(const Training& training) const {
  const RunFiles& files = training.files;
  const std::string model = files.model().string();
  const Outcome trained =
      call(training, {"train", "--config", files.settings().string(), "--out", model, "--resume"});
  if (trained.code != 0) return;  // it has said why, and may be tried again
  // Of the model that is left and scored.
  const Json& average = trained.json.at("average");
  const double loss =
      average.is_null() ? trained.json.at("best_valid_loss") : average.at("valid_loss");
  Json result = {{"parameters", count_parameters(*read_config(files.model()))},
                 {"steps", trained.json.at("steps")},
                 {"perplexity", std::exp(loss)},
                 {"seconds", trained.json.at("seconds")}};
  if (!file_.evaluation.empty()) {
    std::vector<std::string> words = {"evaluate", "--config", files.evaluation().string(),
                                      "--model", model};
    if (translates_) words.insert(words.end(), {"--output", files.translations().string()});
    const Outcome scored = call(training, std::move(words));
    if (scored.code != 0) return;
    result["evaluation"] = scored.json;
  }
  write_file_atomically(files.result(), result.dump(2) + "\n");
}

std::vector<SweepRow> Sweep::rows() const {
  std::vector<SweepRow> rows;
  std::optional<Scoring> scoring;
  for (const Training& training : trainings_) {
    if (rows.empty() || rows.back().run.name != training.run.name) {
      rows.push_back({training.run, {}, {}});
    }
    const std::optional<Json> result = result_of(training);
    if (!result) continue;
    rows.back().results.push_back(*result);
    if (!translates_ || !fs::exists(training.files.translations())) continue;
    if (!scoring) scoring.emplace(training.files.evaluation());
    rows.back().scores.push_back(scoring->score(training.files.translations()));
  }
  return rows;
}

std::string Sweep::table(const std::vector<SweepRow>& rows) const {
  std::string table = sweep_table(rows);
  write_file_atomically(options_.out / kSweepTable, table);
  return table;
}

void Sweep::run() {
  for (const Training& training : trainings_) check_settings(training.run, training.files);
  if (!file_.evaluation.empty()) check_evaluation(file_.evaluation_entries);
  for (const Training& training : trainings_) write_settings(training);
  std::size_t number = 0, missing = 0;
  for (const Training& training : trainings_) {
    ++number;
    if (result_of(training)) continue;
    const std::string& own = training.run.own;
    std::cerr << "[" << training.title << "], " << number << " of " << trainings_.size()
              << (own.empty() ? "" : ": " + own) << std::endl;
    train_and_score(training);
    missing += !result_of(training);
    table(rows());
  }
  const std::vector<SweepRow> all = rows();
  std::cout << table(all);
  if (options_.common.json) {
    print_json({{"table", (options_.out / kSweepTable).string()}, {"runs", sweep_json(all)}});
  }
  KETTE_CHECK(missing == 0, options_.out.string(), ": expected results of all ", trainings_.size(),
              " runs, given none of ", missing,
              " (what is wrong with them stands above; the same command tries them again)");
}

}  // namespace

void add_sweep_command(CLI::App& program) {
  CLI::App& command =
      add_command(program, "sweep", "Train and score the runs of a file, and make a table of them");
  auto options = std::make_shared<SweepOptions>();
  OptionGroup group(command, "Sweep");
  group
      .path("FILE", options->file,
            "What all runs share, [evaluate], and a table for each run with what is its own")
      .required();
  group.path("--out", options->out, "Where models, results and table.md go", "DIR").required();
  group.text("--device", options->device, "Where to compute: cpu, cuda or cuda:N", "NAME");
  add_common_options(command, options->common);
  when_run(command, [options] { Sweep(*options).run(); });
}

}  // namespace kette::cli
