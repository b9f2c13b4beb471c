// `kette fill`: what may stand at the masks of a text.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/sentences.h"
#include "data/corpora/masking.h"
#include "data/files/json_text.h"
#include "data/files/line_reader.h"
#include "data/files/utf8.h"
#include "decode/masked_words.h"

namespace kette::cli {
namespace {

struct FillOptions {
  CommonOptions common;
  ModelOptions model;
  std::string text;
  std::int64_t top = 5;
};

/// Prints the fillers of a text, and gives what --json says of them.
Json print_fillers(const FillOptions& o, const SavedModel<Bert>& saved, const Bert& ready,
                   const std::string& line, const std::string& where) {
  const Tokenizer& tokenizer = *saved.tokenizer;
  const SpecialTokens special = tokenizer.special();
  const std::int32_t mask = tokenizer.expected_mask();
  std::vector<std::int32_t> ids = between_marks(encode_with_masks(tokenizer, line), special);
  KETTE_CHECK(std::ssize(ids) <= ready.positions(), where, ": expected a text of at most ",
              ready.positions() - Masking::kMarks, " tokens, given ",
              std::ssize(ids) - Masking::kMarks);
  const auto masks = fill_masks(ready, ids, mask, o.top,
                                {special.pad, special.unknown, special.begin, special.end, mask});
  KETTE_CHECK(!masks.empty(), where, ": expected a text with ", kMaskPiece,
              " in it, given one without");
  Json json = {{"text", line}, {"masks", Json::array()}};
  std::size_t next = 0;
  for (std::int32_t& id : ids) {
    if (id == mask) id = masks[next++].front().token;
  }
  std::string filled = as_line(tokenizer.decode(ids));
  // The first word of a line begins with no space, though its piece may.
  if (filled.starts_with(' ') && !line.starts_with(' ')) filled.erase(0, 1);
  json["filled"] = filled;
  std::cout << for_stdout(filled) << "\n";
  for (const std::vector<Filler>& fillers : masks) {
    json["masks"].push_back(Json::array());
    std::string list;
    for (const Filler& filler : fillers) {
      const std::string piece = tokenizer.piece(filler.token);
      list += "  " + piece + text(" %.3f", filler.probability);
      json["masks"].back().push_back(
          {{"piece", piece}, {"token", filler.token}, {"probability", filler.probability}});
    }
    std::cout << for_stdout(list) << "\n";
  }
  std::cout << std::flush;
  return json;
}

void run(const FillOptions& o) {
  use_threads(o.common);
  const SavedModel<Bert> saved = load<Bert>(o.model);
  const auto ready = saved.model->for_decoding(o.model.weights_of(saved));
  Json texts = Json::array();
  UnknownCharacters unknown(saved.tokenizer);
  if (!o.text.empty()) {
    unknown.add(o.text);
    texts.push_back(print_fillers(o, saved, *ready, o.text, "fill"));
  } else {
    constexpr std::size_t kLinesAtOnce = 64;
    LineReader lines(STDIN_FILENO, "stdin");
    std::vector<std::string> part;
    while (part = lines.next(kLinesAtOnce), !part.empty()) {
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::string where =
            "stdin:" + std::to_string(lines.first_line() + static_cast<std::int64_t>(i));
        unknown.add(part[i]);
        if (part[i].find(kMaskPiece) == std::string::npos) {  // there is nothing to fill
          std::cout << for_stdout(part[i]) << std::endl;
          texts.push_back({{"text", part[i]}, {"masks", Json::array()}, {"filled", part[i]}});
          continue;
        }
        texts.push_back(print_fillers(o, saved, *ready, part[i], where));
      }
    }
  }
  say_unknown(unknown, "text");
  if (!o.common.json) return;
  print_json({{"texts", texts}});
}

}  // namespace

void add_fill_command(CLI::App& program) {
  CLI::App& command = add_command(
      program, "fill",
      "What a masked language model expects at each [MASK] of a text, or of stdin line by line; each mask is judged by itself");
  auto options = std::make_shared<FillOptions>();
  add_model_options(command, options->model, true);
  OptionGroup group(command, "Text");
  group.text("TEXT", options->text, "With [MASK] where something is missing (default: stdin)", "");
  group.number("--top", options->top, at_least(1), "How many for each mask");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
