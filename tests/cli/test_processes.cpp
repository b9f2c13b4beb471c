// Several processes of the program under a real launcher: what one process writes, to the bit, and an end of all where
// one of them ends.
#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "data/files/safetensors.h"
#include "tests/cli/run_bash.h"
#include "tests/data/tiny_text.h"
#include "train/launch.h"

using namespace kette;
using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

struct Launcher {
  std::string name, command;
};
const Launcher kOpenMpi{"openmpi", "mpirun.openmpi --oversubscribe --allow-run-as-root"};
const Launcher kMpich{"mpich", "mpirun.mpich"};

/// Whether there is the launcher, and the plug-in that this build has for it.
bool is_there(const Launcher& launcher) {
  const fs::path plugin =
      fs::path(kette_binary()).parent_path() / "lib" / ("libkette-" + launcher.name + ".so");
  // MPI itself leaks, which a sanitizer would make an error of.
  const bool there =
      !kSanitizer && fs::exists(plugin) && run_bash("command -v mpirun." + launcher.name).code == 0;
  if (!there) MESSAGE("skipped: no " << launcher.name << " (scripts/setup.sh --mpi installs it)");
  return there;
}

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " '" + word + "'";
  return text;
}

/// In so many processes; 0: without a launcher.
Outcome run_in(const Launcher& launcher, int processes, const std::vector<std::string>& arguments,
               const std::string& before = "") {
  const std::string launch =
      processes > 0 ? launcher.command + " -n " + std::to_string(processes) + " " : "";
  return run_bash(before + launch + kette_binary() + quoted(arguments));
}

/// What a run leaves, but for what clocks say.
struct Left {
  std::map<std::string, std::vector<float>> state;
  std::vector<std::string> log, files;
  friend bool operator==(const Left&, const Left&) = default;
};

Left left_by(const fs::path& run) {
  const SafetensorsFile state =
      SafetensorsFile::open(run / "training.safetensors", Checksum::crc32);
  Left left;
  for (const std::string& name : state.names()) {
    left.state[name] = state.tensor(name).values<float>();
  }
  for (const JsonView& line : JsonView::lines(read_file(run / "log.jsonl"))) {
    left.log.push_back(line.without({"seconds", "target_tokens_per_second", "processes", "waited",
                                     "slowest", "schedule"})
                           .dump());
  }
  for (const fs::path& folder : {run, run / "checkpoints"}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      left.files.push_back(entry.path().filename().string());
    }
  }
  std::sort(left.files.begin(), left.files.end());
  return left;
}

const std::vector<std::string> kMany = {"--accumulate",     "5", "--dropout", "0.1",
                                        "--clip-norm",      "1", "--ema",     "0.9",
                                        "--validate-every", "4"};

std::vector<std::string> resumed(std::vector<std::string> arguments, const std::string& steps) {
  *(std::find(arguments.begin(), arguments.end(), "--steps") + 1) = steps;
  return with(std::move(arguments), {"--resume"});
}

}  // namespace

TEST_CASE("launch: what launchers say of themselves") {
  using Variables = std::map<std::string, std::string>;
  const auto found = [](const Variables& variables) {
    return Launch::found([&](const char* name) {
      const auto one = variables.find(name);
      return one == variables.end() ? nullptr : one->second.c_str();
    });
  };
  CHECK_FALSE(found({}));
  CHECK_FALSE(found({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}));  // in a batch script
  const auto open_mpi = found({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}});
  REQUIRE(open_mpi);
  CHECK(open_mpi->processes == 4);
  CHECK(open_mpi->process == 3);
  CHECK(open_mpi->engines.front() == "openmpi");
  const auto mpich = found({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}});
  REQUIRE(mpich);
  CHECK(mpich->processes == 2);
  CHECK(mpich->engines.front() == "mpich");
  const Variables srun = {{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "7"}};
  Variables with_pmix = srun;
  with_pmix["PMIX_RANK"] = "7";
  const auto slurm = found(with_pmix);
  REQUIRE(slurm);
  CHECK(slurm->processes == 8);
  CHECK(slurm->process == 7);
  CHECK(contains(message_of([&] { found(srun); }), "srun: expected --mpi=pmix for its 8 tasks"));
}

TEST_CASE("processes: a run leaves what one process leaves, and goes on with another number") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  REQUIRE(run_kette(train_arguments(folder.path(), "alone", kMany)).code == 0);
  const Left alone = left_by(folder / "alone");
  CHECK(alone.log.size() > 8);
  for (const auto& [launcher, processes] :
       {std::pair{kOpenMpi, 1}, {kOpenMpi, 2}, {kOpenMpi, 3}, {kMpich, 2}}) {
    if (!is_there(launcher)) continue;
    const std::string name = launcher.name + std::to_string(processes);
    CAPTURE(name);
    const Outcome outcome =
        run_in(launcher, processes, train_arguments(folder.path(), name, kMany));
    CHECK(outcome.out == "");
    CHECK(outcome.code == 0);
    CHECK(left_by(folder / name) == alone);
  }
  if (!is_there(kOpenMpi)) return;
  const auto check_halves = [&](const std::string& name, const std::vector<std::string>& options,
                                const Left& whole) {
    const auto first = train_arguments(folder.path(), name, with(options, {"--steps", "4"}));
    REQUIRE(run_in(kOpenMpi, 3, first).code == 0);
    REQUIRE(run_in(kOpenMpi, 2, resumed(first, "8")).code == 0);
    CHECK(left_by(folder / name) == whole);
  };
  check_halves("halves", kMany, alone);
  const auto lion = with(kMany, {"--optimizer", "lion", "--weight-decay", "0.1"});
  REQUIRE(run_kette(train_arguments(folder.path(), "lion", lion)).code == 0);
  const Left of_lion = left_by(folder / "lion");
  CHECK(of_lion.state.size() == 3);  // with the moving average
  check_halves("lion-halves", lion, of_lion);
}

namespace {

/// What a command writes is the same by any number of processes.
void check_same(const std::vector<std::string>& arguments) {
  CAPTURE(quoted(arguments));
  const auto written = [&](int processes) {
    const Outcome outcome =
        run_in(kOpenMpi, processes, with(arguments, {"--threads", "1"}), "2> /dev/null ");
    CHECK(outcome.code == 0);
    return outcome.out;
  };
  const std::string alone = written(0);
  CHECK(alone.size() > 60);
  CHECK(written(2) == alone);
  CHECK(written(3) == alone);
}

}  // namespace

TEST_CASE("processes: translations and scores are those of one process") {
  if (!is_there(kOpenMpi)) return;
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  REQUIRE(run_in(kOpenMpi, 0, train_arguments(folder.path(), "model")).code == 0);
  const std::string model = (folder / "model").string(), source = (folder / "train.en").string(),
                    target = (folder / "train.de").string(),
                    marked = (folder / "marked.en").string();
  std::string lines;
  for (int i = 0; i < 9; ++i) lines += "the <b>cat</b> sees " + std::string(i, 'a') + " bread .\n";
  write_file(marked, lines);
  const auto& same = check_same;
  // The model has hardly learnt anything: most lines run in circles, and are searched anew.
  same({"translate", "--model", model, "--input", source});
  same({"translate", "--model", model, "--input", marked});  // tags go by word alignment
  same({"translate", "--model", model, "--input", source, "--sample", "--n-best", "2"});
  same({"score", "--model", model, "--src", source, "--tgt", target, "--tokens"});
  same({"evaluate", "--model", model, "--src", source, "--ref", target});
}

TEST_CASE("processes: pairs are prepared by all as by one") {
  if (!is_there(kOpenMpi)) return;
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto prepared = [&](int processes) {
    const fs::path out = folder / ("pairs" + std::to_string(processes));
    const Outcome outcome = run_in(kOpenMpi, processes,
                                   {"tokenize", "--src", (folder / "train.en").string(), "--tgt",
                                    (folder / "train.de").string(), "--vocab", "80", "--out",
                                    out.string(), "--shard-lines", "11", "--quiet"});
    CAPTURE(outcome.out);
    CHECK(outcome.code == 0);
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(out)) {
      files[entry.path().filename().string()] = read_file(entry.path());
    }
    return files;
  };
  const auto alone = prepared(0);
  CHECK(alone.size() > 7);
  CHECK(prepared(3) == alone);
}

TEST_CASE("processes: texts that are drawn and scored, and trees, are those of one process") {
  if (!is_there(kOpenMpi)) return;
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const std::string text = (folder / "train.en").string(), trees = (folder / "trees").string();
  const auto trained = [&](const std::string& name, const std::vector<std::string>& more) {
    const std::string model = (folder / name).string();
    const std::vector<std::string> size = {"--width", "16",      "--hidden", "32",        "--heads",
                                           "2",       "--steps", "8",        "--threads", "1"};
    REQUIRE(run_kette(with(with({"train", "--quiet", "--out", model}, size), more)).code == 0);
    return model;
  };
  const std::string gpt = trained("gpt", {"--text", text, "--layers", "1", "--context", "32"});
  check_same({"evaluate", "--model", gpt, "--text", text, "--json"});
  check_same({"generate", "--model", gpt, "--num", "5", "--max-tokens", "40"});
  check_same({"generate", "--model", gpt, "--beam", "4", "--num", "4", "--max-tokens", "8",
              "--prompt", "the cat sees"});
  const std::string bert =
      trained("bert", {"--text", text, "--layers", "1", "--context", "16", "--objective", "masked",
                       "--documents", "line", "--vocab", "300"});
  check_same({"evaluate", "--model", bert, "--text", text, "--json"});

  std::string treebank;
  for (const char* word : {"cat", "dog", "child", "bird", "man", "cow", "car", "tree"}) {
    treebank += std::string("(S (NP (DT the) (NN ") + word + ")) (VP (VBZ sleeps)) (. .))\n";
  }
  write_file(trees, treebank);
  write_file(folder / "words", "the cat sleeps .\n\nthe dog sleeps .\nthe car .\n");
  const std::string parser =
      trained("parser", {"--trees", trees, "--valid-trees", trees, "--vocab", "60",
                         "--encoder-layers", "1", "--decoder-layers", "1"});
  check_same({"parse", "--beam", "4", "--model", parser, "--input", (folder / "words").string()});
  check_same({"parse", "--beam", "4", "--model", parser, "--gold", trees});
}

TEST_CASE("processes: where one ends, all end, and the run goes on from what was saved") {
  if (!is_there(kOpenMpi)) return;
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto arguments = train_arguments(
      folder.path(), "run",
      with(kMany, {"--steps", "100000", "--wait-limit", "6", "--save-every-seconds", "1"}));
  // The youngest of them, or the eldest ("head"), once there is something saved that was trained.
  const auto end_by = [&](const std::string& signal, const std::string& which = "tail") {
    const std::string log = (folder / "run" / "log.jsonl").string();
    return run_bash(kOpenMpi.command + " -n 3 " + kette_binary() +
                    quoted(resumed(arguments, "100000")) +
                    " & launcher=$!\n"
                    "lines() { wc -l < '" +
                    log +
                    "' 2> /dev/null || echo 0; }\n"
                    "before=$(lines); until (($(lines) > before + 20)); do sleep 0.05; done\n"
                    "kill -" +
                    signal + " $(pgrep -P $launcher | " + which +
                    " -n 1)\n"
                    "wait $launcher");
  };
  const Outcome terminated = end_by("TERM");
  CHECK(terminated.code == 128 + SIGTERM);
  CHECK(contains(terminated.out, "goes on from step"));
  const Outcome killed = end_by("KILL");
  CHECK(killed.code != 0);
  for (const char* which : {"head", "tail"}) {  // the first process and the last
    const Outcome stopped = end_by("STOP", which);
    CHECK(stopped.code == 75);
    CHECK(contains(stopped.out, ": expected process "));
  }
  const Outcome resumes = run_in(kOpenMpi, 2, resumed(arguments, "1"));
  CAPTURE(resumes.out);
  CHECK(resumes.code == 0);
}

TEST_CASE("processes: a recipe that is fitted to the text has a batch a step for each") {
  if (!is_there(kOpenMpi)) return;
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  auto arguments = without(train_arguments(folder.path(), "fitted", {"--steps", "2"}),
                           {"--preset", "--batch-tokens"});
  std::erase(arguments, "--quiet");
  const Outcome outcome = run_in(kOpenMpi, 2, arguments);
  CAPTURE(outcome.out);
  REQUIRE(outcome.code == 0);
  const std::size_t said = outcome.out.find("fitted to 60 pairs");
  REQUIRE(said != std::string::npos);
  CHECK(outcome.out.find("fitted to 60 pairs", said + 1) == std::string::npos);
  CHECK(contains(read_file(folder / "fitted" / "config.toml"), "accumulate = 2\n"));
  CHECK(run_in(kOpenMpi, 2, resumed(arguments, "3")).code == 0);
}

TEST_CASE("processes: what cannot be is said once, and ends all") {
  if (!is_there(kOpenMpi)) return;
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto says = [&](const Outcome& outcome, const std::string& text) {
    CAPTURE(outcome.out);
    CHECK(outcome.code != 0);
    const std::size_t at = outcome.out.find(text);
    CHECK(at != std::string::npos);
    CHECK(outcome.out.find(text, at + 1) == std::string::npos);
  };
  const auto few = train_arguments(folder.path(), "few", {"--accumulate", "2"});
  says(run_in(kOpenMpi, 3, few),
       "expected at least a batch of a step for each of 3 processes, given 2");
  says(run_in(kOpenMpi, 2, train_arguments(folder.path(), "other", {"--from", "nowhere"})),
       "nowhere");
  says(run_in(kOpenMpi, 2, {"check", "--src", "a", "--tgt", "b"}),
       "kette check: expected one process, given 2 by mpirun of Open MPI");
  says(run_in(kOpenMpi, 2, few, "KETTE_MPI=/nowhere.so "), "/nowhere.so");
  // Two folders of one name, as on two hosts.
  fs::create_directories(folder / "a");
  fs::create_directories(folder / "b");
  auto arguments = train_arguments(folder.path(), "run");
  *(std::find(arguments.begin(), arguments.end(), "--out") + 1) = "run";
  const auto apart = [&](const std::vector<std::string>& given) {
    const std::string each = " -n 1 -wdir '" + folder.path().string() + "/";
    return run_bash(kOpenMpi.command + each + "a' " + kette_binary() + quoted(given) + " :" + each +
                    "b' " + kette_binary() + quoted(given));
  };
  says(apart(arguments), "run: expected the folder that process 0 on host ");
  // And two texts.
  *(std::find(arguments.begin(), arguments.end(), "--src") + 1) = "text";
  const std::string text = read_file(folder / "train.en");
  write_file(folder / "a" / "text", text);
  write_file(folder / "b" / "text", "x" + text);
  says(apart(arguments), "text: expected the source text that process 0 on host ");
}
