// SentencePieceTokenizer::train: SentencePiece's trainer on lines in memory, with useful errors.
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <unordered_map>

#include "data/files/encoding.h"
#include "data/files/line_reader.h"
#include "data/files/line_sample.h"
#include "data/files/text_size.h"
#include "data/files/utf8.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tensor/error.h"

namespace kette {
namespace {

using Arguments = std::unordered_map<std::string, std::string>;

constexpr std::size_t kLinesAtOnce = std::size_t{1} << 16;

/// Passes lines to the trainer one at a time.
class LineIterator : public sentencepiece::SentenceIterator {
 public:
  explicit LineIterator(std::span<const std::string_view> lines) : lines_(lines) { copy(); }
  bool done() const override { return next_ >= lines_.size(); }
  void Next() override {
    ++next_;
    copy();
  }
  const std::string& value() const override { return current_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void copy() {
    if (!done()) current_ = lines_[next_];
  }

  std::span<const std::string_view> lines_;
  std::size_t next_ = 0;
  std::string current_;
};

Arguments arguments(const SentencePieceOptions& options) {
  constexpr SpecialTokens special;
  std::ostringstream coverage;
  coverage << options.character_coverage;
  using Normalization = SentencePieceOptions::Normalization;
  const bool lossless = options.normalization == Normalization::lossless;
  Arguments result = {
      {"model_type", options.model == SentencePieceOptions::Model::bpe ? "bpe" : "unigram"},
      {"normalization_rule_name",
       options.normalization == Normalization::nmt_nfkc ? "nmt_nfkc" : "identity"},
      {"add_dummy_prefix", lossless ? "false" : "true"},
      {"remove_extra_whitespaces", lossless ? "false" : "true"},
      {"character_coverage", coverage.str()},
      {"byte_fallback", options.byte_fallback || lossless ? "true" : "false"},
      {"pad_id", std::to_string(special.pad)},
      {"unk_id", std::to_string(special.unknown)},
      {"bos_id", std::to_string(special.begin)},
      {"eos_id", std::to_string(special.end)},
      {"max_sentence_length", std::to_string(SentencePieceTokenizer::kLongestLine)},
      // A vocabulary that is too large then becomes smaller, which shows the possible size.
      {"hard_vocab_limit", "false"},
      // Sums over sentences are split by thread, so the model depends on this number, but not on
      // the machine.
      {"num_threads", "4"},
      {"minloglevel", "4"},
  };
  std::vector<std::string> controls;
  for (const std::string& language : options.languages) controls.push_back(language_tag(language));
  if (options.mask) controls.emplace_back(kMaskPiece);
  for (const std::string& control : controls) {
    std::string& symbols = result["control_symbols"];
    symbols += (symbols.empty() ? "" : ",") + control;
  }
  return result;
}

/// The serialized model; empty if SentencePiece fails.
std::string run(std::span<const std::string_view> lines, Arguments arguments,
                std::int64_t vocab_size) {
  arguments["vocab_size"] = std::to_string(vocab_size);
  LineIterator iterator(lines);
  std::string bytes;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &iterator, &bytes);
  return status.ok() ? bytes : std::string();
}

/// The characters of the text as a model; empty if SentencePiece fails.
std::string characters(std::span<const std::string_view> lines, Arguments arguments) {
  constexpr std::int64_t kMoreThanUnicodeHas = 1'200'000;
  arguments["model_type"] = "char";
  return run(lines, std::move(arguments), kMoreThanUnicodeHas);
}

/// The number of single characters and special pieces.
std::int64_t smallest_vocabulary(std::span<const std::string_view> lines,
                                 const Arguments& arguments) {
  const std::string bytes = characters(lines, arguments);
  return bytes.empty() ? 0 : SentencePieceTokenizer(bytes, "characters").vocabulary();
}

/// Without any, as of zero-width spaces alone, the unigram trainer ends the process.
bool has_characters(std::span<const std::string_view> lines, const Arguments& arguments) {
  sentencepiece::SentencePieceProcessor pieces;
  if (!pieces.LoadFromSerializedProto(characters(lines, arguments)).ok()) return false;
  for (int id = 0; id < pieces.GetPieceSize(); ++id) {
    const bool is_own = pieces.IsControl(id) || pieces.IsUnknown(id) || pieces.IsByte(id);
    if (!is_own) return true;
  }
  return false;
}

void check_options(const SentencePieceOptions& options) {
  KETTE_CHECK(options.vocabulary > 0,
              "Tokenizer: expected a vocabulary of at least one piece, given ", options.vocabulary);
  KETTE_CHECK(options.character_coverage >= 0.98 && options.character_coverage <= 1,
              "Tokenizer: expected a character coverage from 0.98 to 1, given ",
              options.character_coverage);
  for (const std::string& language : options.languages) {
    const bool is_name =
        !language.empty() && std::all_of(language.begin(), language.end(), [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
        });
    KETTE_CHECK(is_name, "language: expected a short name of letters, digits, - and _, given '",
                language, "'");
  }
}

/// Cuts lines that the trainer would skip as too long: after a space, else between characters.
void append_line(std::string_view line, std::vector<std::string_view>& lines) {
  while (line.size() > SentencePieceTokenizer::kLongestLine) {
    std::size_t end = line.rfind(' ', SentencePieceTokenizer::kLongestLine - 1) + 1;
    if (end == 0) {
      end = SentencePieceTokenizer::kLongestLine;
      while (end > 1 && continues_utf8(line[end])) --end;
    }
    lines.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  lines.push_back(line);
}

}  // namespace

SentencePieceTokenizer::Shared SentencePieceTokenizer::train(
    std::span<const std::string_view> lines, const SentencePieceOptions& options) {
  check_options(options);
  std::int64_t bytes_of_text = 0;
  for (const std::string_view line : lines) {
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!blank && line.size() <= kLongestLine)
      bytes_of_text += static_cast<std::int64_t>(line.size());
  }
  KETTE_CHECK(bytes_of_text > 0, "Tokenizer: expected lines of text to train on, given ",
              lines.size(), " lines that are all blank or longer than ", kLongestLine, " bytes");

  KETTE_CHECK(options.model != SentencePieceOptions::Model::unigram ||
                  has_characters(lines, arguments(options)),
              "Tokenizer: expected text to train on, given ", bytes_of_text,
              " bytes without a character that is left by the normalization");
  // Each merge needs two separate bytes of text; above this bound the trainer only wastes time.
  const std::int64_t bound = 2 * bytes_of_text + 1000;
  const std::string bytes = run(lines, arguments(options), std::min(options.vocabulary, bound));
  if (bytes.empty()) {
    const std::int64_t smallest = smallest_vocabulary(lines, arguments(options));
    KETTE_CHECK(options.vocabulary >= smallest, "Tokenizer: expected a vocabulary of at least ",
                smallest, " pieces for the characters of this text, given ", options.vocabulary,
                " (ask for more, with --vocab)");
    fail("Tokenizer: expected text that a vocabulary of ", options.vocabulary,
         " pieces can be learnt from, given ", bytes_of_text,
         " bytes that are too few or too uniform (give more text)");
  }
  auto tokenizer = std::make_shared<SentencePieceTokenizer>(bytes, "the trained tokenizer");
  KETTE_CHECK(tokenizer->vocabulary() == options.vocabulary,
              "Tokenizer: expected a vocabulary of at most ", tokenizer->vocabulary(),
              " pieces, the largest that this text allows, given ", options.vocabulary,
              " (ask for at most ", tokenizer->vocabulary(), ", or give more text)");
  return tokenizer;
}

SentencePieceTokenizer::Shared SentencePieceTokenizer::train_files(
    const std::vector<TextColumn>& texts, const SentencePieceOptions& options, FaultyLines faulty) {
  std::int64_t bytes = 0;
  for (const TextColumn& text : texts) bytes += text_size(text).bytes;
  LineSample sample(bytes, options.sample_bytes);
  std::vector<std::string> lines;
  for (const TextColumn& text : texts) {
    LineReader reader(text, {}, faulty);
    std::vector<std::string> part;
    while (part = reader.next(kLinesAtOnce), !part.empty()) {
      for (const std::string& line : part) {
        std::vector<std::string_view> pieces;
        if (options.normalization == SentencePieceOptions::Normalization::lossless) {
          append_line(line, pieces);
        } else {
          pieces.push_back(line);
        }
        for (const std::string_view piece : pieces) {
          if (sample.takes_next()) lines.emplace_back(piece);
        }
      }
    }
  }
  return train(std::vector<std::string_view>(lines.begin(), lines.end()), options);
}

SentencePieceTokenizer::Shared SentencePieceTokenizer::train_text(std::string_view text,
                                                                  SentencePieceOptions options) {
  check_not_utf16(text, "Tokenizer");
  const std::size_t invalid = first_invalid_utf8(text);
  KETTE_CHECK(invalid == std::string_view::npos, "Tokenizer: ",
              expected_utf8(text, text[invalid], " at byte offset " + std::to_string(invalid)));
  options.normalization = SentencePieceOptions::Normalization::lossless;
  LineSample sample(static_cast<std::int64_t>(text.size()), options.sample_bytes);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    append_line(text.substr(0, end), lines);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::erase_if(lines, [&](std::string_view) { return !sample.takes_next(); });
  return train(lines, options);
}

}  // namespace kette
