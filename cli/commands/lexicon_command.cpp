// `kette lexicon`: learns the likely translations of source pieces from pairs, for --shortlist.
#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/host.h"
#include "cli/parallel_texts.h"
#include "cli/shipped_models.h"
#include "cli/show.h"
#include "data/corpora/lexicon.h"
#include "data/corpora/parallel_corpus.h"
#include "data/files/visible_text.h"
#include "models/model_directory.h"
#include "models/parameter_room.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

struct LexiconCommandOptions {
  CommonOptions common;
  std::filesystem::path model;
  std::vector<std::string> sources, targets, languages;
  TsvOptions tsv;
  std::int64_t max_length = FilterOptions().max_length;
  LexiconOptions lexicon;
  bool quiet = false;

  std::vector<ParallelText> texts() const {
    return parallel_texts(sources, targets, tsv, languages);
  }
};

SharedTokenizer tokenizer_of(const std::filesystem::path& folder) {
  const auto config = read_config_with_room(folder);
  KETTE_CHECK(dynamic_cast<const TransformerConfig*>(config.get()) != nullptr, folder.string(),
              ": expected a translation model, given a ", config->family().what);
  SharedTokenizer tokenizer = load_tokenizer_of(folder, *config);
  check_translates(*tokenizer, folder.string());
  return tokenizer;
}

void run(const LexiconCommandOptions& o) {
  const int threads = use_threads(o.common);
  const std::vector<ParallelText> texts = o.texts();
  const SharedTokenizer tokenizer = tokenizer_of(o.model);
  std::vector<ParallelCorpus> parts;
  FilterOptions filters;
  filters.max_length = o.max_length;
  {
    StatusLine line(o.quiet);
    for (const ParallelText& text : texts) {
      parts.push_back(ParallelCorpus::load(text, tokenizer, filters, show_on(line, "pairs")));
    }
  }
  const std::string report = ParallelCorpus::joined(parts).report().text();
  const PairLists pairs(ParallelCorpus::joined(parts));
  parts.clear();
  StatusLine line(o.quiet);
  line.say(report);
  const Model1Progress progress = [&](double share) {
    line.show(share, [&] {
      const auto all = static_cast<double>(o.lexicon.model.iterations);
      const double done = static_cast<double>(pairs.size()) * share * all;
      return text("iteration %.0f of %.0f  %.0f pairs/s",
                  std::min(all, 1 + std::floor(share * all)), all, done / line.seconds());
    });
  };
  Lexicon lexicon =
      Lexicon::of(pairs.sources(), pairs.targets(), tokenizer->vocabulary(), o.lexicon, progress);
  const double seconds = line.seconds();
  double tokens = 0;
  for (std::int64_t i = 0; i < pairs.size(); ++i) {
    tokens += static_cast<double>(lexicon.pieces_for(pairs.sources()[i]).size());
  }
  tokens /= static_cast<double>(pairs.size());
  const std::filesystem::path file = o.model / kLexiconFile;
  lexicon.set_run(training_run_of(o.model));
  lexicon.save(file, *tokenizer);
  to_stdout() << visible(file.string()) << ": " << with_commas(pairs.size())
              << text(" pairs, %s pieces of source pieces, %.0f of %s for a sentence\n",
                      with_commas(lexicon.entries()).c_str(), tokens,
                      with_commas(lexicon.vocabulary()).c_str());
  show(Report::of_facts({{"out", file.string()},
                         {"pairs", pairs.size()},
                         {"entries", lexicon.entries()},
                         {"vocabulary", lexicon.vocabulary()},
                         {"pieces_of_a_sentence", tokens},
                         {"seconds", seconds},
                         {"peak_rss_mib", peak_rss_mib()},
                         {"threads", threads}}),
       o.common);
}

void add_lexicon_options(CLI::App& command) {
  auto options = std::make_shared<LexiconCommandOptions>();
  OptionGroup model(command, "Model");
  model.path("--model", options->model, "The model directory", "DIR").required();
  OptionGroup data(command, "Data");
  data.list("--src", options->sources,
            "Source sentences, such as the training data's; plain, gzip, xz or zstd");
  data.list("--tgt", options->targets, "Their translations, line by line");
  options->tsv.add(data);
  data.list("--languages", options->languages,
            "Of a model trained with --languages: the one of each --tgt", "NAME");
  data.number("--max-length", options->max_length, at_least(1),
              "Leave longer sentences out, in tokens");
  OptionGroup lexicon(command, "Lexicon");
  lexicon.number("--best", options->lexicon.best, at_least(1),
                 "Likeliest target pieces of each source piece");
  lexicon.number("--frequent", options->lexicon.frequent, at_least(1),
                 "Most frequent target pieces, which every sentence may have");
  lexicon.number("--iterations", options->lexicon.model.iterations, at_least(1),
                 "Of EM, for IBM Model 1");
  lexicon.flag("--quiet", options->quiet, "No progress line");
  add_common_options(command, options->common);
  when_read(command, [options] {
    const std::string given = options->model;
    if (const std::string shipped = model_folder(given); shipped != given) {
      throw UsageError(
          "--model: expected a model directory of your own, for the lexicon goes into it, given " +
          given + ", which comes with Kette (copy " + shipped + ")");
    }
    options->texts();
    options->lexicon.check();
  });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command lexicon_command = {
    "lexicon", "Learn what source pieces become, for --shortlist, into a model's directory",
    add_lexicon_options};

}  // namespace kette::cli
