// Runs the real program as a person would: arguments, text on stdin, what it prints and its exit
// code.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/json_view.h"
#include "tests/support.h"

namespace kette::testing {

/// The program of this build, or the one that the environment names.
inline std::string kette_binary() {
  const char* named = std::getenv("KETTE_BINARY");
  return named ? named : KETTE_BINARY;
}

struct Outcome {
  int code = -1;  ///< exit code; 128 + N after signal N
  std::string out, err;

  std::string last_line() const {
    const std::string text = out.substr(0, out.find_last_not_of('\n') + 1);
    return text.substr(text.find_last_of('\n') + 1);
  }
  JsonView json() const { return JsonView::parse(last_line()); }
  bool says(const std::string& text) const { return contains(err, text); }
};

struct RunOptions {
  std::string input;              ///< on stdin
  std::string input_file;         ///< what stdin is instead, such as /dev/zero
  std::string output_file;        ///< where stdout goes instead, such as /dev/full
  std::int64_t file_limit = 0;    ///< RLIMIT_FSIZE in bytes
  std::int64_t memory_limit = 0;  ///< RLIMIT_AS in bytes, if no sanitizer needs all addresses
  int signal = 0;                 ///< sent once all of `signal_when` have content
  std::vector<std::filesystem::path> signal_when{};
  std::int64_t kill_after = 0;  ///< microseconds until SIGKILL; 0: never
};

inline Outcome run_kette(const std::vector<std::string>& arguments,
                         const RunOptions& options = {}) {
  const ScratchFolder folder;
  write_file(folder / "in", options.input);
  const std::string out =
      options.output_file.empty() ? (folder / "out").string() : options.output_file;
  const std::string in = options.input_file.empty() ? (folder / "in").string() : options.input_file;
  const std::string err = (folder / "err").string();
  std::vector<std::string> words = {kette_binary()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  if (options.file_limit > 0) {  // the child inherits it; this process writes nothing meanwhile
    const rlimit limit{static_cast<rlim_t>(options.file_limit), before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  pid_t child = 0;
  const int error =
      posix_spawn(&child, words[0].c_str(), &actions, nullptr, pointers.data(), environ);
  setrlimit(RLIMIT_FSIZE, &before);
  if (error == 0 && options.memory_limit > 0 && !kSanitizer) {  // early enough for what grows
    const rlimit limit{static_cast<rlim_t>(options.memory_limit), RLIM_INFINITY};
    prlimit(child, RLIMIT_AS, &limit, nullptr);
  }
  posix_spawn_file_actions_destroy(&actions);
  Outcome outcome;
  if (error != 0) return outcome;
  const auto has_ended = [&] {
    siginfo_t ended{};
    return waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == child;
  };
  if (options.signal != 0) {
    const auto has_content = [](const std::filesystem::path& file) {
      std::error_code absent;
      const auto size = std::filesystem::file_size(file, absent);
      return !absent && size > 0;
    };
    const auto are_ready = [&] {
      return std::all_of(options.signal_when.begin(), options.signal_when.end(), has_content);
    };
    while (!has_ended() && !are_ready()) usleep(5000);
    kill(child, options.signal);
  }
  if (options.kill_after > 0) {
    constexpr std::int64_t kLook = 5000;  // microseconds
    for (std::int64_t left = options.kill_after; left > 0 && !has_ended(); left -= kLook) {
      usleep(static_cast<useconds_t>(std::min(left, kLook)));
    }
    kill(child, SIGKILL);  // or nothing, when it has ended
  }
  int status = 0;
  waitpid(child, &status, 0);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (options.output_file.empty()) outcome.out = read_file(folder / "out");
  outcome.err = read_file(folder / "err");
  return outcome;
}

/// A command line that goes on.
inline std::vector<std::string> with(std::vector<std::string> words,
                                     const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Without these options and their values.
inline std::vector<std::string> without(std::vector<std::string> words,
                                        const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    const auto at = std::find(words.begin(), words.end(), option);
    words.erase(at, at + 2);
  }
  return words;
}

/// A parallel corpus of 60 short sentence pairs, in which every letter is common enough for a small
/// vocabulary.
inline void write_small_corpus(const std::filesystem::path& folder) {
  const std::vector<std::string> subjects = {"the cat", "the dog", "a man", "a woman", "the child"};
  const std::vector<std::string> subjekte = {"die katze", "der hund", "ein mann", "eine frau",
                                             "das kind"};
  const std::vector<std::string> verbs = {"sees", "hears", "finds", "likes"},
                                 verben = {"sieht", "hört", "findet", "mag"};
  const std::vector<std::string> objects = {"bread", "water", "music"},
                                 objekte = {"brot", "wasser", "musik"};
  std::string source, target;
  for (std::size_t i = 0; i < 60; ++i) {
    source += subjects[i % 5] + " " + verbs[i / 5 % 4] + " " + objects[i / 20] + " .\n";
    target += subjekte[i % 5] + " " + verben[i / 5 % 4] + " " + objekte[i / 20] + " .\n";
  }
  write_file(folder / "train.en", source);
  write_file(folder / "train.de", target);
  write_file(folder / "valid.en", "the cat sees bread .\na man likes music .\n");
  write_file(folder / "valid.de", "die katze sieht brot .\nein mann mag musik .\n");
}

/// Options of the smallest encoder-decoder that has two heads.
inline const std::vector<std::string> kSmallShape = {
    "--encoder-layers", "1",  "--decoder-layers", "1", "--width", "16",
    "--hidden",         "32", "--heads",          "2"};

/// `kette train` of a model that takes a fraction of a second, on the corpus in `folder`, into
/// `folder`/NAME.
inline std::vector<std::string> train_arguments(const std::filesystem::path& folder,
                                                const std::string& name,
                                                const std::vector<std::string>& more = {}) {
  const auto path = [&](const char* file) { return (folder / file).string(); };
  std::vector<std::string> arguments = {"train",
                                        "--preset",
                                        "tiny",
                                        "--src",
                                        path("train.en"),
                                        "--tgt",
                                        path("train.de"),
                                        "--valid-src",
                                        path("valid.en"),
                                        "--valid-tgt",
                                        path("valid.de"),
                                        "--out",
                                        (folder / name).string(),
                                        "--vocab",
                                        "80",
                                        "--batch-tokens",
                                        "200",
                                        "--threads",
                                        "1",
                                        "--quiet",
                                        "--model-max-length",
                                        "64",
                                        "--max-length",
                                        "60"};
  arguments.insert(arguments.end(), kSmallShape.begin(), kSmallShape.end());
  if (std::find(more.begin(), more.end(), "--steps") == more.end()) {
    arguments.insert(arguments.end(), {"--steps", "8"});
  }
  if (std::find(more.begin(), more.end(), "--warmup") == more.end()) {
    arguments.insert(arguments.end(), {"--warmup", "2000"});  // hardly leaves its random values
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The corpus and a model of it, trained once for all tests.
class SmallModel {
 public:
  SmallModel() {
    write_small_corpus(folder_.path());
    outcome_ =
        run_kette(train_arguments(folder_.path(), "model", {"--json", "--validate-every", "4"}));
  }
  static const SmallModel& get() {
    static const SmallModel model;
    return model;
  }

  const Outcome& outcome() const { return outcome_; }
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string model() const { return (folder_ / "model").string(); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  ScratchFolder folder_;
  Outcome outcome_;
};

}  // namespace kette::testing
