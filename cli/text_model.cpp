#include "cli/text_model.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "cli/common.h"
#include "cli/processes.h"
#include "cli/shared_translator.h"
#include "data/corpora/text_streams.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "decode/masked_words.h"
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

TokenStream tokens_of(const std::vector<std::string>& texts, DocumentKind documents,
                      const Tokenizer& tokenizer) {
  const auto encode = [&](const std::vector<fs::path>& files, std::size_t) {
    const PrivateFolder folder;
    const TokenizeReport report =
        tokenize_files(files, tokenizer, documents, folder.path() / "text.tokens");
    if (!report.marks.empty()) std::cerr << "kette: " << visible(marks_note(report.marks)) << "\n";
    return open_tokens(folder.path() / "text.tokens", tokenizer);  // which outlives the folder
  };
  return TokenStream::joined(
      text_streams({texts.begin(), texts.end()}, documents, tokenizer, false, encode));
}

namespace {

void print_text_score(const TextScore& score, const char* perplexity, bool json) {
  const double accuracy = static_cast<double>(score.correct) / static_cast<double>(score.tokens);
  std::cout << text("loss %.4f  %s %.3f  ", score.loss(), perplexity, score.perplexity());
  std::cout << text("bits per byte %.4f  accuracy %.2f %%  (%s tokens, %s bytes)\n",
                    score.bits_per_byte(), 100 * accuracy, with_commas(score.tokens).c_str(),
                    with_commas(score.bytes).c_str());
  if (!json) return;
  std::string key = perplexity;
  std::replace(key.begin(), key.end(), '-', '_');
  print_json({{"loss", score.loss()},
              {key, score.perplexity()},
              {"bits_per_byte", score.bits_per_byte()},
              {"accuracy", accuracy},
              {"tokens", score.tokens},
              {"bytes", score.bytes}});
}

ScoreProgress show_share_on(StatusLine& line) {
  return [&line](double share) {
    line.show([&] { return text("%.0f %%", 100 * share) + time_left(line.seconds(), share); });
  };
}

/// Each process some.
std::vector<TextScore> share_parts(std::int64_t parts, const ScoreParts& score) {
  const auto scored = [&](const Interval& mine) {
    std::vector<std::string> found;
    for (const TextScore& part : score(mine.begin, mine.end)) {
      found.push_back(packed({part.negative_log_likelihood, part.tokens, part.correct}));
    }
    return found;
  };
  std::vector<TextScore> scores;
  const std::vector<std::int64_t> costs(static_cast<std::size_t>(parts), 1);
  for (const std::string& found : communicator().share_out("scoring", costs, scored)) {
    const Json part = Json::from_cbor(found);
    scores.push_back({part[0], part[1], part[2]});
  }
  return scores;
}

/// By its pseudo-log-likelihood.
void evaluate_masked(const EnsembleOptions& model_options, const EvaluateTextOptions& options,
                     bool json) {
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
  print_text_score(score, "pseudo-perplexity", json);
}

}  // namespace

void evaluate_text(const EnsembleOptions& model_options, const EvaluateTextOptions& options,
                   bool json) {
  const std::unique_ptr<ModelConfig> config = read_config(model_options.each().front().folder);
  if (dynamic_cast<const BertConfig*>(config.get()) != nullptr) {
    return evaluate_masked(model_options, options, json);
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
  print_text_score(score, "perplexity", json);
}

}  // namespace kette::cli
