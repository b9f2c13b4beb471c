#include "cli/text_model.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/common.h"
#include "cli/host.h"
#include "cli/processes.h"
#include "cli/shared_translator.h"
#include "data/corpora/text_streams.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/visible_text.h"
#include "decode/masked_words.h"
#include "tensor/suggestion.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

/// A new one that no other user can look into or put anything in, gone with this object.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string path = (fs::temp_directory_path() / "kette-XXXXXX").string();
    KETTE_CHECK(::mkdtemp(path.data()) != nullptr, path, ": expected a new folder, given none (",
                std::strerror(errno), "; TMPDIR names another place)");
    path_ = path;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

void EvaluateTextOptions::check() const {
  if (score.context > 0 && score.stride > score.context) {
    throw UsageError("--stride: expected at most the context of " + std::to_string(score.context) +
                     ", given " + std::to_string(score.stride));
  }
}

Option add_text_options(CLI::App& command, EvaluateTextOptions& options) {
  OptionGroup text(command, "Language model");
  const Option files =
      text.list("--text", options.files,
                "Text to predict (plain, gzip, xz or zstd), or a file that kette tokenize made");
  text.choice(
      "--documents", options.documents,
      "What ends in an end of text: each file, each line, the lines between blank ones, or what stands between two <|endoftext|>");
  text.number("--context", options.score.context, at_least(1),
              "Tokens of a window (default: as many as the model sees)");
  text.number(
      "--stride", options.score.stride, at_least(1),
      "Tokens between windows; fewer give every token more past and take longer (default: half of the context)");
  return files;
}

TokenStream tokens_of(const std::vector<std::string>& texts, DocumentKind documents,
                      const Tokenizer& tokenizer) {
  const auto encode = [&](const std::vector<fs::path>& files, std::size_t) {
    const PrivateFolder folder;
    const TokenizeReport report =
        tokenize_files(files, tokenizer, documents, folder.path() / "text.tokens");
    if (!report.marks.empty())
      to_stderr() << "kette: " << visible(marks_note(report.marks)) << "\n";
    return open_tokens(folder.path() / "text.tokens", tokenizer);  // which outlives the folder
  };
  return TokenStream::joined(
      text_streams({texts.begin(), texts.end()}, documents, tokenizer, false, encode));
}

namespace {

Report report_of(const TextScore& score, const std::string& perplexity,
                 const std::vector<std::string>& files) {
  const double accuracy = static_cast<double>(score.correct) / static_cast<double>(score.tokens);
  Report report{
      .title = "How well a text is predicted",
      .lead =
          text(
              "The model takes %.3f bits for a byte of the text and foresees %.1f %% of its tokens; "
              "lower is better of loss, ",
              score.bits_per_byte(), 100 * accuracy) +
          perplexity + " and bits.",
      .about = "Of " + names_of(files) + ". Made by kette evaluate."};
  report.line(text("loss %.4f  %s %.3f  ", score.loss(), perplexity.c_str(), score.perplexity()) +
              text("bits per byte %.4f  accuracy %.2f %%  (%s tokens, %s bytes)\n",
                   score.bits_per_byte(), 100 * accuracy, with_commas(score.tokens).c_str(),
                   with_commas(score.bytes).c_str()));
  std::string key = perplexity;
  std::replace(key.begin(), key.end(), '-', '_');
  report.fact("loss", score.loss(), "loss", decimals(4), "nats a token");
  report.fact(key, score.perplexity(), perplexity, decimals(3));
  report.fact("bits_per_byte", score.bits_per_byte(), "bits per byte", decimals(4));
  report.fact("accuracy", accuracy, "accuracy", percents(2));
  report.fact("tokens", score.tokens, "tokens", grouped());
  report.fact("bytes", score.bytes, "bytes", grouped());
  return report;
}

ScoreProgress show_share_on(StatusLine& line) {
  return [&line](double share) { line.show(share, [] { return std::string("scoring"); }); };
}

/// Each process some.
std::vector<TextScore> share_parts(std::int64_t parts, const ScoreParts& score) {
  const auto scored = [&](const Interval& mine) {
    std::vector<std::string> found;
    for (const TextScore& part : score(mine.begin, mine.end)) {
      found.push_back(packed(std::tuple(part.negative_log_likelihood, part.tokens, part.correct)));
    }
    return found;
  };
  std::vector<TextScore> scores;
  const std::vector<std::int64_t> costs(static_cast<std::size_t>(parts), 1);
  for (const std::string& found : communicator().share_out("scoring", costs, scored)) {
    const auto [loss, tokens, correct] =
        unpacked<std::tuple<double, std::int64_t, std::int64_t>>(found);
    scores.push_back({loss, tokens, correct});
  }
  return scores;
}

/// By its pseudo-log-likelihood.
Report evaluated_masked(const EnsembleOptions& model_options, const EvaluateTextOptions& options) {
  KETTE_CHECK(options.score.stride == 0,
              "--stride: expected a model that reads from left to right, given a ",
              bert_family().what, ", whose windows do not overlap");
  KETTE_CHECK(model_options.cache == DType::f32, "--cache ", name_of(model_options.cache),
              ": expected a model that writes text, given a ", bert_family().what,
              ", which keeps nothing of the past");
  const std::vector<ModelFiles> each = model_options.each();
  KETTE_CHECK(each.size() == 1, "--model: expected one ", bert_family().what, ", given ",
              each.size());
  const SavedModel<Bert> saved =
      load<Bert>({each.front().folder, each.front().checkpoint, model_options.device});
  const TokenStream tokens = tokens_of(options.files, options.documents, *saved.tokenizer);
  PseudoScoreOptions settings;
  settings.context = options.score.context;
  TextScore score;
  {
    StatusLine line(false);
    score = score_masked(*saved.model->for_decoding(model_options.weights.value_or(saved.weights)),
                         *saved.tokenizer, tokens, settings, show_share_on(line), share_parts);
  }
  return report_of(score, "pseudo-perplexity", options.files);
}

}  // namespace

Report evaluated_text(const EnsembleOptions& model_options, const EvaluateTextOptions& options) {
  const std::unique_ptr<ModelConfig> config = config_of(model_options.each().front().folder);
  if (dynamic_cast<const BertConfig*>(config.get()) != nullptr) {
    return evaluated_masked(model_options, options);
  }
  KETTE_CHECK(
      model_options.weights.value_or(DType::f32) == DType::f32, "--weights ",
      name_of(*model_options.weights),
      ": expected a translation model, given --text (whole windows are read at once, which takes no longer in f32)");
  KETTE_CHECK(
      model_options.cache == DType::f32, "--cache ", name_of(model_options.cache),
      ": expected a translation model, given --text (whole windows are read at once, without a cache)");
  const LoadedEnsemble<Gpt> loaded = load<Gpt>(model_options);
  const TokenStream tokens = tokens_of(options.files, options.documents, *loaded.tokenizer);
  TextScore score;
  {
    StatusLine line(false);
    score = score_text(loaded.models, tokens, options.score, show_share_on(line), share_parts);
  }
  return report_of(score, "perplexity", options.files);
}

}  // namespace kette::cli
