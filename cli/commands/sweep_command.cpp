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

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/sweep_file.h"
#include "cli/train_options.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  CommonOptions common;
  fs::path file, out;
  std::string device = "cpu";
};

/// What a run is kept as.
struct RunFiles {
  fs::path folder;
  fs::path settings() const { return folder / "train.toml"; }
  fs::path evaluation() const { return folder / "evaluate.toml"; }
  fs::path model() const { return folder / "model"; }
  fs::path translations() const { return folder / "translations.txt"; }
  fs::path result() const { return folder / "result.json"; }
};

/// Throws UsageError unless `kette train` would take these settings.
void check_settings(const RunFiles& files) {
  CLI::App program;
  CLI::App& command = add_command(program, "train", "");
  TrainCommandOptions options(command);
  std::vector<std::string> words = prepare_arguments(
      program, {"train", "--config", files.settings().string(), "--out", files.model().string()});
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    program.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw UsageError(files.settings().string() + ": " + error.what());
  }
  if (options.is_text()) {
    options.text(command).check();
  } else {
    options.translation(command).check();
  }
}

struct Outcome {
  int code = 0;
  Json json;  ///< the last line of stdout
};

/// This program with other arguments; stderr is shared.
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
  pid_t child = 0;
  const int error =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t bytes = 0; (bytes = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (bytes > 0) out.append(buffer, static_cast<std::size_t>(bytes));
    if (bytes < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  KETTE_CHECK(error == 0, "sweep: expected a new process, given ", std::strerror(error));
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

class Sweep {
 public:
  explicit Sweep(const SweepOptions& options)
      : options_(options), file_(read_sweep_file(options.file)) {}

  void run();

 private:
  RunFiles files_of(const SweepRun& run) const { return {options_.out / run.name}; }
  /// The settings as they are kept, to be found the same by another start.
  void write_settings(const SweepRun& run) const;
  std::optional<Json> result_of(const SweepRun& run) const;
  void train_and_score(const SweepRun& run) const;
  Outcome call(const SweepRun& run, std::vector<std::string> words) const;
  std::string table() const;

  const SweepOptions& options_;
  SweepFile file_;
};

void Sweep::write_settings(const SweepRun& run) const {
  const RunFiles files = files_of(run);
  fs::create_directories(files.folder);
  const auto keep = [&](const fs::path& file, const std::string& text) {
    if (!fs::exists(file)) return write_file_atomically(file, text);
    KETTE_CHECK(kette::read_text(file) == text, file.string(), ": expected the settings of ",
                options_.file.string(), " for [", run.name,
                "], given those of an earlier sweep (remove ", files.folder.string(),
                ", or give the run another name)");
  };
  keep(files.settings(), run.settings);
  if (!file_.evaluation.empty()) keep(files.evaluation(), file_.evaluation);
}

std::optional<Json> Sweep::result_of(const SweepRun& run) const {
  const fs::path file = files_of(run).result();
  if (!fs::exists(file)) return {};
  Json result = parse_json(kette::read_text(file), file.string());
  KETTE_CHECK(result.is_object(), file.string(),
              ": expected the result of a run, given another file");
  return result;
}

Outcome Sweep::call(const SweepRun& run, std::vector<std::string> words) const {
  words.insert(words.end(), {"--device", options_.device, "--json"});
  if (options_.common.threads > 0) {
    words.insert(words.end(), {"--threads", std::to_string(options_.common.threads)});
  }
  Outcome outcome = run_self(std::move(words));
  if (outcome.code > 128) {
    std::cerr << "kette: stopped in [" << run.name << "]; the same command goes on from there\n";
    exit_with(outcome.code);
  }
  return outcome;
}

void Sweep::train_and_score(const SweepRun& run) const {
  const RunFiles files = files_of(run);
  const std::string model = files.model().string();
  const Outcome trained =
      call(run, {"train", "--config", files.settings().string(), "--out", model, "--resume"});
  if (trained.code != 0) return;  // it has said why, and may be tried again
  Json result = {{"parameters", 0},
                 {"steps", trained.json.at("steps")},
                 {"perplexity", std::exp(trained.json.at("best_valid_loss").get<double>())},
                 {"seconds", trained.json.at("seconds")}};
  std::int64_t parameters = 0;
  for (const SummaryRow& row : read_config(files.model())->summary()) {
    parameters += row.count * row.parameters;
  }
  result["parameters"] = parameters;
  if (!file_.evaluation.empty()) {
    const Outcome scored =
        call(run, {"evaluate", "--config", files.evaluation().string(), "--model", model});
    if (scored.code != 0) return;
    result["evaluation"] = scored.json;
  }
  write_file_atomically(files.result(), result.dump(2) + "\n");
}

/// As Markdown.
std::string Sweep::table() const {
  std::string text =
      "| run | what is its own | parameters | perplexity | score | steps | minutes |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  std::string signature;
  for (const SweepRun& run : file_.runs) {
    text += "| " + run.name + " | " + run.own + " | ";
    const std::optional<Json> result = result_of(run);
    if (!result) {
      text += "| | | | |\n";
      continue;
    }
    std::string score;
    if (const auto found = result->find("evaluation"); found != result->end()) {
      // Of a translation model its score, of a language model its perplexity.
      const char* key = found->contains("score") ? "score" : "perplexity";
      score = kette::cli::text("%.2f", found->at(key).get<double>());
      if (found->contains("signature")) {
        signature = found->at("metric").get<std::string>() + ", " +
                    found->at("signature").get<std::string>();
      }
    }
    text += with_commas(result->at("parameters")) + " | " +
            kette::cli::text("%.2f", result->at("perplexity").get<double>()) + " | " + score +
            " | " + with_commas(result->at("steps")) + " | " +
            kette::cli::text("%.1f", result->at("seconds").get<double>() / 60) + " |\n";
  }
  return text + (signature.empty() ? "" : "\nscore: " + signature + "\n");
}

void Sweep::run() {
  for (const SweepRun& run : file_.runs) write_settings(run);
  for (const SweepRun& run : file_.runs) check_settings(files_of(run));
  const fs::path table_file = options_.out / "table.md";
  std::size_t number = 0, missing = 0;
  for (const SweepRun& run : file_.runs) {
    ++number;
    if (result_of(run)) continue;
    std::cerr << "[" << run.name << "], " << number << " of " << file_.runs.size()
              << (run.own.empty() ? "" : ": " + run.own) << std::endl;
    train_and_score(run);
    missing += !result_of(run);
    write_file_atomically(table_file, table());
  }
  write_file_atomically(table_file, table());
  std::cout << table();
  if (options_.common.json) {
    Json runs = Json::object();
    for (const SweepRun& run : file_.runs) runs[run.name] = result_of(run).value_or(Json());
    print_json({{"table", table_file.string()}, {"runs", runs}});
  }
  KETTE_CHECK(missing == 0, options_.out.string(), ": expected results of all ", file_.runs.size(),
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
