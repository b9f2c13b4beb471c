// SIGKILL at random moments of every command that writes, then the same command again, until it is
// done: a rerun always goes on, no part of a file is ever seen under a final name, and at the end all
// is as in an undisturbed run.
#include <chrono>
#include <future>
#include <thread>

#include "tensor/error.h"
#include "tests/torture/compare.h"
#include "tests/torture/torture.h"

namespace kette::torture {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kKilled = 128 + SIGKILL;

std::int64_t microseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
}

/// How an undisturbed run of a command ends, to compare with, and how long it takes.
struct Twin {
  fs::path path;
  std::int64_t microseconds = 0;
};

/// Runs the command and puts what it makes aside, so that later runs make theirs under the same
/// name.
Twin make_twin(const Arguments& arguments, const fs::path& out) {
  fs::remove_all(out);
  const auto start = Clock::now();
  run_well(arguments);
  const Twin twin{out.string() + ".twin" + out.extension().string(), microseconds_since(start)};
  fs::remove_all(twin.path);
  fs::rename(out, twin.path);
  return twin;
}

Outcome run_and_kill(const Arguments& arguments, std::int64_t after) {
  testing::RunOptions options;
  options.kill_after = after;
  return testing::run_kette(arguments, options);
}

/// A training run that is killed and started again until it ends.
class KilledTraining {
 public:
  KilledTraining(Torture& torture, Arguments arguments, fs::path out, Twin twin)
      : torture_(torture),
        arguments_(std::move(arguments)),
        out_(std::move(out)),
        twin_(std::move(twin)) {}

  /// At most so many kills of one run, the first within its beginning when `early`; returns how
  /// many.
  std::int64_t operator()(std::int64_t most, bool early) const {
    fs::remove_all(out_);
    std::int64_t kills = 0;
    bool ended = false;
    while (!ended && kills < most) {
      const bool first = kills == 0;
      const std::int64_t window = twin_.microseconds / (first && early ? 5 : 1);
      ended = start(first, 1 + torture_.random().below(window));
      check_whole(out_);
      if (!ended) ++kills;
    }
    if (!ended) start(false, 0);
    check_whole(out_);
    check_no_leftovers(out_);
    check_equal(out_, twin_.path);
    return kills;
  }

 private:
  /// Whether the run ended; kill_after 0 lets it. A start over a run that can be resumed may be
  /// refused, and then --resume must go on.
  bool start(bool first, std::int64_t kill_after) const {
    const bool resume = !first && torture_.random().below(2) == 0;
    const Arguments given = resume ? arguments_ + Arguments{"--resume"} : arguments_;
    Outcome outcome = run_and_kill(given, kill_after);
    if (!resume && outcome.code == 1 && outcome.says("--resume") &&
        fs::exists(out_ / "training.safetensors")) {
      outcome = run_and_kill(arguments_ + Arguments{"--resume"}, kill_after);
    }
    KETTE_CHECK(outcome.code == 0 || (kill_after > 0 && outcome.code == kKilled),
                "expected a start after a kill to go on, given ", told(given, outcome));
    return outcome.code == 0;
  }

  Torture& torture_;
  Arguments arguments_;
  fs::path out_;
  Twin twin_;
};

void kill_training(Torture& torture, const std::string& what, const Arguments& arguments,
                   const fs::path& out, std::int64_t kills) {
  constexpr std::int64_t kPerRun = 5;
  const KilledTraining train(torture, arguments, out, make_twin(arguments, out));
  const char* good = "all went on, equal to an undisturbed run";
  // Single kills make most fresh starts.
  torture.row("kill " + what, kills / 2, good,
              [&](std::int64_t number) { return train(1, number % 2 == 0); });
  torture.row("kill " + what + " several times a run", kills - kills / 2, good,
              [&](std::int64_t) { return train(kPerRun, false); });
}

/// A command that makes one file or folder in one go, every other time over an earlier file, which is one of
/// those that it replaces. A folder that is there is not replaced.
void kill_command(Torture& torture, const std::string& what, const Arguments& arguments,
                  const fs::path& out, std::int64_t kills, const std::string& earlier = "") {
  const Twin twin = make_twin(arguments, out);
  const bool replaces = !fs::is_directory(twin.path);
  torture.row("kill " + what, kills, "whole or absent, and equal", [&](std::int64_t number) {
    fs::remove_all(out);
    if (replaces && number % 2 == 0) testing::write_file(out, earlier);
    const Outcome outcome = run_and_kill(arguments, 1 + torture.random().below(twin.microseconds));
    const bool is_earlier = replaces && testing::read_file(out) == earlier;
    const bool done = fs::exists(out) && !is_earlier;
    if (done) check_equal(out, twin.path);
    if (!done || replaces) run_well(arguments);
    check_equal(out, twin.path);
    check_no_leftovers(torture.folder());
    return outcome.code == kKilled ? 1 : 0;
  });
}

/// A command that fills a folder shard by shard: killed a few times, it goes on and comes to its end.
void kill_preparation(Torture& torture, const Arguments& arguments, const fs::path& out,
                      std::int64_t kills) {
  constexpr std::int64_t kPerRun = 3;
  const Twin twin = make_twin(arguments, out);
  torture.row("kill tokenize (shards)", kills, "all went on, equal", [&](std::int64_t) {
    fs::remove_all(out);
    std::int64_t killed = 0;
    bool ended = false;
    while (!ended && killed < kPerRun) {
      const std::int64_t after = 1 + torture.random().below(twin.microseconds);
      ended = run_and_kill(arguments, after).code != kKilled;
      if (!ended) ++killed;
    }
    run_well(arguments);
    check_equal(out, twin.path);
    check_no_leftovers(torture.folder());
    return killed;
  });
}

/// Two runs in one folder at once: the second is refused, and the first does not notice. Returns
/// whether there were two.
bool start_second(const Arguments& arguments, const fs::path& out, bool resume) {
  fs::remove_all(out);
  auto first = std::async(std::launch::async, [&] { return testing::run_kette(arguments); });
  const auto has_ended = [&] {
    return first.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready;
  };
  while (!fs::exists(out / "config.json") && !has_ended()) {
  }
  if (has_ended()) return false;
  const Outcome second = testing::run_kette(resume ? arguments + Arguments{"--resume"} : arguments);
  const Outcome outcome = first.get();
  KETTE_CHECK(outcome.code == 0, "expected the first run to end well, given ",
              told(arguments, outcome));
  KETTE_CHECK(second.code == 1, "expected the second run to be refused, given ",
              told(arguments, second));
  return true;
}

void start_twice(Torture& torture, const fs::path& out, std::int64_t times) {
  const Arguments arguments =
      language_training(torture, out.filename()) + Arguments{"--steps", "1000"};
  const Twin twin = make_twin(arguments, out);
  torture.row("two runs in one folder", times, "the second refused, the first undisturbed",
              [&](std::int64_t number) {
                const bool tried = start_second(arguments, out, number % 2 == 0);
                check_equal(out, twin.path);
                return tried ? 1 : 0;
              });
}

}  // namespace

void torture_by_kills(Torture& torture, std::int64_t kills) {
  if (kills == 0) return;
  const auto path = [&](const char* name) { return fs::path(torture.file(name)); };
  const std::int64_t of_training = std::max<std::int64_t>(kills / 4, 2),
                     of_others = std::max<std::int64_t>(kills / 10, 1);
  kill_training(torture, "train (translation)", translation_training(torture, "out"), path("out"),
                of_training);
  kill_training(torture, "train (text)", language_training(torture, "out"), path("out"),
                of_training);
  start_twice(torture, path("out"), std::min<std::int64_t>(of_others, 4));
  kill_command(torture, "average",
               {"average", "--model", torture.file("translator"), "--last", "3", "--out",
                torture.file("mean.safetensors")},
               path("mean.safetensors"), of_others,
               testing::read_file(path("earlier.safetensors")));
  kill_command(torture, "tokenize",
               {"tokenize", "--text", torture.file("long.txt"), "--tokenizer", "byte", "--out",
                torture.file("long.tokens")},
               path("long.tokens"), of_others, testing::read_file(path("gpt") / "train.tokens"));
  kill_preparation(torture,
                   {"tokenize", "--text", torture.file("long.txt"), "--tokenizer", "byte", "--out",
                    torture.file("shards"), "--shard-bytes", "100000"},
                   path("shards"), of_others);
  kill_command(torture, "merge",
               {"merge", "--model", torture.file("adapted"), "--out", torture.file("merged")},
               path("merged"), of_others);
  kill_command(torture, "export",
               {"export", "--model", torture.file("translator"), "--out", torture.file("theirs")},
               path("theirs"), of_others);
  kill_command(torture, "import",
               {"import", "--from", torture.file("theirs.twin"), "--out", torture.file("ours")},
               path("ours"), of_others);
}

}  // namespace kette::torture
