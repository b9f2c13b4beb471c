// `kette translate`: lines in, translations out, in the same order, a part as soon as it is done.
#include <iostream>
#include <memory>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/sentences.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct TranslateCommandOptions {
  CommonOptions common;
  EnsembleOptions model;
  TranslateOptions translate;
  CandidateOptions candidates;
  std::filesystem::path input, output, prefix;
};

/// What the translations begin with, line by line beside the sources; without a file nothing.
class Prefixes {
 public:
  explicit Prefixes(const std::filesystem::path& file) {
    if (!file.empty()) lines_.emplace(file, kSentence);
  }
  std::vector<std::string> next(std::size_t lines) {
    if (!lines_) return {};
    std::vector<std::string> part = lines_->next(lines);
    KETTE_CHECK(part.size() == lines, lines_->name(),
                ": expected as many lines as there are sentences, given fewer");
    return part;
  }
  void check_end() {
    KETTE_CHECK(!lines_ || lines_->next(1).empty(), lines_->name(),
                ": expected as many lines as there are sentences, given more");
  }

 private:
  std::optional<LineReader> lines_;
};

std::string format(const Translation& translation, std::int64_t line, bool lists) {
  if (!lists) return translation.text + "\n";
  std::string lines;
  for (const Translation::Alternative& alternative : translation.n_best) {
    lines += std::to_string(line) + " ||| " + alternative.text + " ||| " +
             text("%.6f", alternative.hypothesis.score) + "\n";
  }
  return lines;
}

void run(TranslateCommandOptions& o) {
  const int threads = use_threads(o.common);
  LineReader source = open_sentences(o.input);
  const LoadedEnsemble<Transformer> loaded = load<Transformer>(o.model);
  check_translates(*loaded.tokenizer, o.model.models.front());
  o.translate.shortlist = loaded.shortlist();
  check_width(o.translate, loaded.models);
  const Translator translator(loaded.models, loaded.tokenizer, loaded.types);
  loaded.release();
  std::vector<std::string> part = source.next(kSentencesAtOnce);
  Prefixes prefixes(o.prefix);
  std::vector<std::filesystem::path> read = o.model.with({o.input});
  if (!o.prefix.empty()) read.push_back(o.prefix);
  // Now, so that input that is refused leaves an earlier output as it is.
  Sink sink(o.output, read);
  const bool lists = o.translate.n_best > 1 && !o.translate.minimum_risk;
  std::int64_t sentences = 0, tokens = 0;
  double seconds = 0;
  DecodingProgress progress;
  while (!part.empty()) {
    if (!o.translate.truncate) {
      check_lengths(loaded, {part.begin(), part.end()}, source.name(), source.first_line(),
                    Side::source, o.translate.language);
    }
    const Stopwatch watch;
    o.translate.first_number = source.first_line() - 1;
    const std::vector<Translation> translations = translator.translate(
        part, o.translate, progress.next_part(source.share()), prefixes.next(part.size()));
    seconds += watch.seconds();
    progress.clear();
    std::string written;
    for (std::size_t i = 0; i < translations.size(); ++i) {
      const std::int64_t line = source.first_line() + static_cast<std::int64_t>(i);
      if (translations[i].truncated) {
        std::cerr << "kette: " << visible(source.name()) << ":" << line
                  << ": cut, it is too long for the model\n";
      }
      written += format(translations[i], line, lists);
      tokens += static_cast<std::int64_t>(translations[i].n_best.front().hypothesis.tokens.size());
    }
    sentences += static_cast<std::int64_t>(part.size());
    sink.write(written);
    part = source.next(kSentencesAtOnce);
  }
  sink.write("");  // of no lines the output has none
  prefixes.check_end();
  if (!o.common.json) return;
  const double rate = seconds > 0 ? 1 / seconds : 0;
  print_json({{"sentences", sentences},
              {"target_tokens", tokens},
              {"seconds", seconds},
              {"sentences_per_second", static_cast<double>(sentences) * rate},
              {"target_tokens_per_second", static_cast<double>(tokens) * rate},
              {"peak_rss_mib", peak_rss_mib()},
              {"threads", threads}});
}

}  // namespace

void add_translate_command(CLI::App& program) {
  CLI::App& command = add_command(program, "translate", "Translate stdin or a file, line by line");
  auto options = std::make_shared<TranslateCommandOptions>();
  add_ensemble_options(command, options->model);
  OptionGroup text(command, "Text");
  text.path("--input", options->input,
            "Sentences, one a line; plain or gzip (default, or -: stdin)");
  text.path("--output", options->output, "Where their translations go (default, or -: stdout)");
  text.path("--prefix", options->prefix,
            "What the translation of each line is to begin with; a line may be empty");
  const std::vector<Option> search = add_search_options(command, options->translate);
  add_shortlist_option(command, options->model);
  add_candidate_options(command, options->translate, options->candidates, search, true);
  add_common_options(command, options->common);
  when_read(command, [options] {
    TranslateCommandOptions& o = *options;
    if (o.candidates.sample) o.translate.sampling = o.candidates.sampling;
    check_search(o.model, o.translate);
  });
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
