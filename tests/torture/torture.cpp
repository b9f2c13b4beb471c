#include "tests/torture/torture.h"

#include <algorithm>
#include <cstdio>

#include "tensor/error.h"

namespace kette::torture {
namespace {

namespace fs = std::filesystem;

/// Lines of the corpus, often enough for a language model and for tokenizing to take some time.
void write_text(const Torture& torture) {
  const std::string lines =
      testing::read_file(torture.file("train.en")) + testing::read_file(torture.file("train.de"));
  std::string text;
  for (int i = 0; i < 100; ++i) text += lines;
  testing::write_file(torture.file("text.txt"), text.substr(0, 6000));
  testing::write_file(torture.file("long.txt"), text);
}

}  // namespace

Arguments operator+(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Torture::Torture(fs::path folder, std::uint64_t seed)
    : folder_(folder / "work"), evidence_(folder / "evidence"), random_(seed) {
  fs::remove_all(folder_);
  fs::remove_all(evidence_);
  fs::create_directories(folder_);
  fs::create_directories(evidence_);
}

void Torture::row(const std::string& what, std::int64_t times, const std::string& good,
                  const Trial& trial) {
  std::int64_t done = 0, failed = 0;
  std::string first;
  // A process may end before it can be killed, but not every time.
  for (std::int64_t number = 0; done < times && number < 10 * times; ++number) {
    try {
      done += trial(number);
    } catch (const std::exception& error) {
      ++done;
      if (failed++ == 0) first = error.what();
      keep_evidence(what, failed, error.what());
    }
  }
  failures_ += failed;
  const std::string outcome =
      failed == 0 ? good : std::to_string(failed) + " FAILED, the first: " + first;
  std::printf("%s\t%lld\t%s\n", what.c_str(), static_cast<long long>(done), outcome.c_str());
  std::fflush(stdout);
}

void Torture::keep_evidence(const std::string& what, std::int64_t number,
                            const std::string& message) {
  constexpr std::int64_t kMost = 3;  // of the files of a row
  const fs::path folder = evidence_ / (what + " " + std::to_string(number));
  fs::create_directories(folder);
  testing::write_file(folder / "message.txt", message + "\n");
  std::error_code ignored;  // a file may be one that nobody can copy
  if (number <= kMost) fs::copy(folder_, folder / "work", fs::copy_options::recursive, ignored);
}

std::string told(const Arguments& arguments, const Outcome& outcome) {
  std::string text = "kette";
  for (const std::string& argument : arguments) text += " " + argument;
  std::string message = outcome.err.substr(0, 600);
  std::replace(message.begin(), message.end(), '\n', ' ');
  return "\"" + message + "\" with exit code " + std::to_string(outcome.code) + " from " + text;
}

Outcome run_well(const Arguments& arguments) {
  const Outcome outcome = testing::run_kette(arguments);
  KETTE_CHECK(outcome.code == 0, "expected a run that ends well, given ", told(arguments, outcome));
  return outcome;
}

Arguments translation_training(const Torture& torture, const std::string& name) {
  return testing::train_arguments(torture.folder(), name,
                                  {"--steps", "48", "--validate-every", "8", "--bpe-dropout", "0.1",
                                   "--average", "3", "--keep", "4", "--save-every-seconds", "1"});
}

Arguments language_training(const Torture& torture, const std::string& name) {
  return {"train",
          "--text",
          torture.file("text.txt"),
          "--out",
          torture.file(name),
          "--width",
          "16",
          "--hidden",
          "32",
          "--heads",
          "2",
          "--layers",
          "1",
          "--context",
          "32",
          "--batch-tokens",
          "128",
          "--steps",
          "60",
          "--validate-every",
          "10",
          "--average",
          "2",
          "--keep",
          "3",
          "--valid-tokens",
          "200",
          "--save-every-seconds",
          "1",
          "--threads",
          "1",
          "--quiet"};
}

void prepare(const Torture& torture) {
  testing::write_small_corpus(torture.folder());
  write_text(torture);
  run_well(translation_training(torture, "translator"));
  run_well(language_training(torture, "gpt"));
  run_well({"average", "--model", torture.file("translator"), "--last", "2", "--out",
            torture.file("earlier.safetensors")});
  run_well({"plot", torture.file("translator"), "--out", torture.file("earlier.html")});
  run_well(language_training(torture, "adapted") +
           Arguments{"--from", torture.file("gpt"), "--lora-rank", "2"});
  run_well({"tokenize", "--text", torture.file("text.txt"), "--tokenizer", torture.file("gpt"),
            "--out", torture.file("text.tokens")});
}

}  // namespace kette::torture
