// `kette score`: the log-probability of given translations, one per line, or of every token.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/host.h"
#include "cli/processes.h"
#include "cli/sentences.h"
#include "cli/shared_translator.h"
#include "cli/show.h"
#include "data/files/text_file.h"
#include "data/files/visible_text.h"
#include "decode/scorer.h"

namespace kette::cli {
namespace {

struct ScoreCommandOptions {
  CommonOptions common;
  EnsembleOptions model;
  WorkOptions work;
  std::filesystem::path source, target;
  std::string language;
  bool normalize = false, tokens = false;
};

/// " piece log-probability" of each target token and the end mark.
std::string token_columns(const Tokenizer& tokenizer, std::vector<std::int32_t> ids,
                          const SentenceScore& score) {
  ids.push_back(tokenizer.special().end);
  std::string columns;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    columns += " " + visible(tokenizer.piece(ids[i])) +
               text(" %.6f", static_cast<double>(score.token_log_probabilities[i]));
  }
  return columns;
}

using IdLists = std::vector<std::vector<std::int32_t>>;

/// Of each pair, of which each process does its share.
std::vector<SentenceScore> score(const LoadedEnsemble<Transformer>& loaded,
                                 const ScoreCommandOptions& o, const IdLists& sources,
                                 const IdLists& targets) {
  std::vector<std::int64_t> costs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    costs.push_back(std::ssize(sources[i]) + std::ssize(targets[i]) + 2);
  }
  const auto score = [&](const Interval& mine) {
    const auto part = [&](const IdLists& all) {
      return IdLists(all.begin() + mine.begin, all.begin() + mine.end);
    };
    DecodingProgress progress;
    std::vector<std::string> found;
    for (const SentenceScore& one :
         score_ids(loaded.models.for_decoding(loaded.types), part(sources), part(targets), o.work,
                   progress.next_part(1))) {
      found.push_back(packed(std::pair(one.log_probability, one.token_log_probabilities)));
    }
    progress.clear();
    return found;
  };
  std::vector<SentenceScore> scores;
  for (const std::string& answer : communicator().share_out("scoring", costs, score)) {
    auto [sum, each] = unpacked<std::pair<double, std::vector<float>>>(answer);
    scores.push_back({sum, std::move(each)});
  }
  return scores;
}

void run(const ScoreCommandOptions& o) {
  use_threads(o.common);
  const TextLines source = read_lines(o.source, kWholeText);
  const TextLines target = read_lines(o.target, kWholeText);
  KETTE_CHECK(source.size() == target.size(), o.target.string(), ": expected ", source.size(),
              " lines, as many as ", o.source.string(), " has, given ", target.size());
  const LoadedEnsemble<Transformer> loaded = load<Transformer>(o.model);
  check_translates(*loaded.tokenizer, o.model.models.front());
  check_lengths(loaded, source.views(), o.source.string(), 1, Side::source, o.language);
  check_lengths(loaded, target.views(), o.target.string(), 1, Side::target);
  say_unknown(loaded.tokenizer, source.views(), o.source.string());
  say_strange_case(o.model.models.front(), source.views(), o.source.string());
  say_unknown(loaded.tokenizer, target.views(), o.target.string(), Side::target);
  std::vector<std::vector<std::int32_t>> source_ids = loaded.tokenizer->encode_all(source.views());
  for (auto& ids : source_ids) loaded.tokenizer->put_tag_before(ids, o.language);
  const std::vector<std::vector<std::int32_t>> target_ids =
      loaded.tokenizer->encode_all(target.views(), Side::target);
  const std::vector<SentenceScore> scores = score(loaded, o, source_ids, target_ids);
  if (!communicator().is_first()) return;
  double sum = 0;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const SentenceScore& score = scores[i];
    sum += score.log_probability;
    tokens += score.tokens();
    to_stdout() << text(
        "%.6f", score.log_probability / (o.normalize ? static_cast<double>(score.tokens()) : 1));
    if (o.tokens) to_stdout() << token_columns(*loaded.tokenizer, target_ids[i], score);
    to_stdout() << '\n';
  }
  show(Report::of_facts({{"sentences", source.size()},
                         {"tokens", tokens},
                         {"log_probability", sum},
                         {"log_probability_per_token", sum / static_cast<double>(tokens)}}),
       o.common);
}

void add_score_options(CLI::App& command) {
  auto options = std::make_shared<ScoreCommandOptions>();
  add_ensemble_options(command, options->model, NoModel::takes_the_model_to_try);
  OptionGroup text(command, "Text");
  text.path("--src", options->source, "Source sentences").required();
  text.path(
          "--tgt", options->target,
          "Translations to score, in the pieces that the tokenizer makes of them. translate --n-best has other scores where the search found a text in other pieces, where --shortlist left pieces out, 0 where the source is empty, and with --beam-kind full where the length ended it (at_limit of --json)")
      .required();
  add_language_option(text, options->language);
  text.flag("--normalize", options->normalize, "Divide by the number of tokens, end mark counted");
  text.flag("--tokens", options->tokens,
            "Behind each the pieces of the translation with theirs, </s> last");
  text.number("--batch-tokens", options->work.batch_tokens, at_least(1),
              "Tokens that each thread has at once");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command score_command = {"score", "Log-probabilities of given translations",
                               add_score_options, true};

}  // namespace kette::cli
