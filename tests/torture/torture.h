// What the tortures share: a seed, a folder to work in, and rows of the table at the end. A torture
// does the same harm to the program at many random moments or places and expects the same each
// time; what goes otherwise is kept as evidence.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tensor/random.h"
#include "tests/cli/run_kette.h"

namespace kette::torture {

using Arguments = std::vector<std::string>;
using testing::Outcome;

Arguments operator+(Arguments arguments, const Arguments& more);

class Torture {
 public:
  Torture(std::filesystem::path folder, std::uint64_t seed);

  const std::filesystem::path& folder() const { return folder_; }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  Random& random() { return random_; }

  /// A trial of harm: its number to how many times it did harm. What it throws is a failure, of which
  /// the message and the files of the folder are kept.
  using Trial = std::function<std::int64_t(std::int64_t number)>;
  /// One row of the table: trials until harm was done so many times.
  void row(const std::string& what, std::int64_t times, const std::string& good,
           const Trial& trial);
  bool has_failed() const { return failures_ > 0; }

 private:
  void keep_evidence(const std::string& what, std::int64_t number, const std::string& message);

  std::filesystem::path folder_, evidence_;
  Random random_;
  std::int64_t failures_ = 0;
};

/// How many of so many trials the i-th of `kinds` gets.
inline std::int64_t share(std::int64_t trials, std::int64_t kinds, std::int64_t i) {
  return trials / kinds + (i < trials % kinds ? 1 : 0);
}
/// Runs the program, which must end well.
Outcome run_well(const Arguments& arguments);
/// For messages: "kette train --src ... : exit code 1, says ...".
std::string told(const Arguments& arguments, const Outcome& outcome);

/// Makes what the tortures work on: a corpus, a text, a translation model, a mean of its checkpoints and a page of
/// its curves, a language model and adapters on it, a token file.
void prepare(const Torture& torture);
/// Trains into FOLDER/NAME, on the corpus and on the text that prepare() made.
Arguments translation_training(const Torture& torture, const std::string& name);
Arguments language_training(const Torture& torture, const std::string& name);

void torture_by_kills(Torture& torture, std::int64_t kills);
void torture_by_flips(Torture& torture, std::int64_t flips);
void torture_by_failing_calls(Torture& torture, std::int64_t faults);

}  // namespace kette::torture
