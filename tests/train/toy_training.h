// A language small enough to be learnt in a second, and runs of the trainer on it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/json_view.h"
#include "tests/support.h"
#include "tests/train/resumed_run.h"
#include "train/translation_task.h"

namespace kette::testing {

/// "w3 w1 w4" -> "v4 v1 v3": reversed, in other words.
inline std::pair<std::string, std::string> toy_text(int lines, std::uint64_t seed) {
  Random random(seed);
  std::string source, target;
  for (int i = 0; i < lines; ++i) {
    const std::int64_t length = 2 + random.below(5);
    std::string reversed;
    for (std::int64_t j = 0; j < length; ++j) {
      const std::string word(1, static_cast<char>('a' + random.below(12)));
      source += (j ? " " : "") + word + "o";
      reversed = word + "u" + (j ? " " : "") + reversed;
    }
    source += '\n';
    target += reversed + '\n';
  }
  return {source, target};
}

inline TranslationTrainOptions toy_options(const ScratchFolder& folder, const std::string& out) {
  const auto [source, target] = toy_text(300, 1);
  const auto [valid_source, valid_target] = toy_text(20, 2);
  write_file(folder / "train.src", source);
  write_file(folder / "train.tgt", target);
  write_file(folder / "valid.src", valid_source);
  write_file(folder / "valid.tgt", valid_target);
  TranslationTrainOptions options;
  options.texts = {{folder / "train.src", folder / "train.tgt"}};
  options.valid_source = folder / "valid.src";
  options.valid_target = folder / "valid.tgt";
  options.out = folder / out;
  options.vocabulary = 60;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  options.model.width = 16;
  options.model.hidden = 32;
  options.model.heads = 2;
  options.model.dropout = 0.1;
  options.model.max_length = 64;
  options.batch_tokens = 128;
  options.schedule = {ScheduleKind::inverse_sqrt, 5e-3, 50, 16, 0};
  options.validate_score = false;
  options.validate_every = 60;
  options.quiet = true;
  return options;
}

/// The values of a key in the log of a run, in order.
inline std::vector<double> logged(const std::filesystem::path& out, const char* key) {
  std::vector<double> values;
  for (const JsonView& line : JsonView::lines(read_file(out / "log.jsonl"))) {
    if (line.contains(key)) values.push_back(line[key].get<double>());
  }
  return values;
}

}  // namespace kette::testing
