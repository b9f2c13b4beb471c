// `kette fill`: predicts the masked words of a text.

#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/host.h"
#include "cli/sentences.h"
#include "data/corpora/masking.h"
#include "data/files/json_text.h"
#include "data/files/line_reader.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "decode/masked_words.h"
#include "decode/text_pieces.h"

namespace kette::cli {
namespace {

struct FillOptions {
  CommonOptions common;
  ModelOptions model;
  std::string text;
  std::int64_t top = 5;
};

/// What a filler adds to the text before it. Whether a space stands between them, which encode_with_masks() takes for a
/// part of the mask, is in the piece: of BERT's in that it does not go on with a word, and of others it is written; but
/// SentencePiece models that are not lossless drop it where a text begins.
void append_filler(const Tokenizer& tokenizer, std::int32_t filler, std::string& text) {
  const bool in_words = tokenizer.kind() == "wordpiece";
  if (text.ends_with(' ') && tokenizer.kind() != "character") text.pop_back();
  std::string spelt = tokenizer.decode({&filler, 1});
  const bool goes_on = in_words && tokenizer.edges(filler).begins_inside;
  if (goes_on) spelt.erase(0, std::string_view("##").size());
  const bool dropped = tokenizer.kind() == "sentencepiece" && !spelt.starts_with(' ') &&
                       tokenizer.piece(filler).starts_with("\u2581");
  if (((in_words && !goes_on) || dropped) && !text.empty()) text += ' ';
  // The first word of a line begins with no space, though its piece may.
  if (text.empty() && spelt.starts_with(' ')) spelt.erase(0, 1);
  text += spelt;
}

/// The user's own text with a filler for each mask.
std::string with_fillers(const Tokenizer& tokenizer, std::string_view line,
                         const std::vector<std::int32_t>& fillers) {
  const std::string_view mask = kMaskPiece;
  std::string text;
  for (const std::int32_t filler : fillers) {
    const std::size_t at = line.find(mask);
    text += line.substr(0, at);
    append_filler(tokenizer, filler, text);
    line.remove_prefix(at + mask.size());
    // A word of BERT's ends at the mask.
    const char32_t next = line.empty() ? U' ' : utf8_character(line, 0).code_point;
    const bool begins_word =
        tokenizer.kind() == "wordpiece" && (is_letter(next) || is_number(next));
    if (begins_word) text += ' ';
  }
  return text.append(line);
}

/// What of it is read as text.
std::string without_masks(std::string text) {
  const std::string_view mask = kMaskPiece;
  for (std::size_t at = 0; (at = text.find(mask, at)) != std::string::npos;) {
    text.replace(at, mask.size(), " ");
  }
  return text;
}

/// Of a text that fits; an Error for another.
std::vector<std::int32_t> ids_of(const Tokenizer& tokenizer, const Bert& ready,
                                 const std::string& line, const std::string& where) {
  std::vector<std::int32_t> ids =
      between_marks(encode_with_masks(tokenizer, line), tokenizer.special());
  KETTE_CHECK(std::ssize(ids) <= ready.positions(), where, ": expected a text of at most ",
              ready.positions() - Masking::kMarks, " tokens, given ",
              std::ssize(ids) - Masking::kMarks);
  return ids;
}

/// Prints the fillers of a text, and gives what --json says of them. ids: its own.
Json print_fillers(const FillOptions& o, const SavedModel<Bert>& saved, const Bert& ready,
                   const std::string& line, const std::vector<std::int32_t>& ids,
                   const std::string& where) {
  const Tokenizer& tokenizer = *saved.tokenizer;
  const SpecialTokens special = tokenizer.special();
  const std::int32_t mask = tokenizer.expected_mask();
  std::vector<std::int32_t> banned = without_pieces(tokenizer, ready.config().vocabulary);
  banned.insert(banned.end(), {special.pad, special.unknown, special.begin, special.end, mask});
  const auto masks = fill_masks(ready, ids, mask, o.top, banned);
  KETTE_CHECK(!masks.empty(), where, ": expected a text with ", kMaskPiece,
              " in it, given one without");
  Json json = {{"text", line}, {"masks", Json::array()}};
  std::vector<std::int32_t> likeliest;
  for (const std::vector<Filler>& fillers : masks) likeliest.push_back(fillers.front().token);
  const std::string filled = as_line(with_fillers(tokenizer, line, likeliest));
  json["filled"] = filled;
  to_stdout() << for_stdout(filled) << "\n";
  for (const std::vector<Filler>& fillers : masks) {
    json["masks"].push_back(Json::array());
    std::string list;
    for (const Filler& filler : fillers) {
      const std::string piece = tokenizer.piece(filler.token);
      list += "  " + piece + text(" %.3f", filler.probability);
      json["masks"].back().push_back(
          {{"piece", piece}, {"token", filler.token}, {"probability", filler.probability}});
    }
    to_stdout() << for_stdout(list) << "\n";
  }
  to_stdout() << std::flush;
  return json;
}

void run(const FillOptions& o) {
  use_threads(o.common);
  const SavedModel<Bert> saved = load<Bert>(o.model);
  const auto ready = saved.model->for_decoding(o.model.weights_of(saved));
  Json texts = Json::array();
  UnknownCharacters unknown(saved.tokenizer);
  MarksInText marks(*saved.tokenizer, {}, {kMaskPiece});
  LeftOut left_out;
  std::int64_t count = 0;
  if (!o.text.empty()) {
    unknown.add(without_masks(o.text));
    marks.add(o.text);
    texts.push_back(print_fillers(o, saved, *ready, o.text,
                                  ids_of(*saved.tokenizer, *ready, o.text, "fill"), "fill"));
  } else {
    constexpr std::size_t kLinesAtOnce = 64;
    LineReader lines(stdin_descriptor(), "stdin", {}, FaultyLines::emptied);
    std::vector<std::string> part;
    while (part = lines.next(kLinesAtOnce), !part.empty()) {
      count += std::ssize(part);
      std::vector<std::string> faults(part.size());
      for (const LineFault& fault : lines.faults()) faults[fault.index] = fault.message;
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::string where =
            "stdin:" + std::to_string(lines.first_line() + static_cast<std::int64_t>(i));
        const bool is_to_fill = part[i].find(kMaskPiece) != std::string::npos;
        std::vector<std::int32_t> ids;
        try {
          if (is_to_fill) ids = ids_of(*saved.tokenizer, *ready, part[i], where);
        } catch (const Error& error) {
          faults[i] = error.what();
        }
        if (!faults[i].empty()) {
          left_out.say(faults[i]);
          to_stdout() << std::endl;
          texts.push_back(
              {{"text", part[i]}, {"masks", Json::array()}, {"filled", ""}, {"fault", faults[i]}});
          continue;
        }
        unknown.add(without_masks(part[i]));
        marks.add(part[i]);
        if (!is_to_fill) {
          to_stdout() << for_stdout(part[i]) << std::endl;
          texts.push_back({{"text", part[i]}, {"masks", Json::array()}, {"filled", part[i]}});
          continue;
        }
        texts.push_back(print_fillers(o, saved, *ready, part[i], ids, where));
      }
    }
  }
  say_unknown(unknown, "text");
  say_marks(marks, "text");
  if (o.common.json) print_json(o.common, {{"texts", texts}});
  const std::string in_place = "filled: the output has empty lines in their place";
  if (left_out.say_all(count, in_place) > 0) exit_with(1);
}

void add_fill_options(CLI::App& command) {
  auto options = std::make_shared<FillOptions>();
  add_model_options(command, options->model, NoModel::is_an_error, true);
  OptionGroup group(command, "Text");
  group.text("TEXT", options->text, "With [MASK] where something is missing (default: stdin)", "");
  group.number("--top", options->top, at_least(1), "How many for each mask");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command fill_command = {
    "fill",
    "What a masked language model expects at each [MASK] of a text, or of stdin line by line; each mask is judged by itself",
    add_fill_options};

}  // namespace kette::cli
