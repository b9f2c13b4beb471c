// `kette parse`: sentences to constituency trees, line by line; or the words of gold trees, and the score.
#include <iostream>
#include <memory>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/parse_scoring.h"
#include "cli/sentences.h"
#include "data/files/json_text.h"
#include "decode/tree_parser.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct ParseCommandOptions {
  CommonOptions common;
  EnsembleOptions model;
  TranslateOptions search = parse_options();
  std::filesystem::path input, output, gold;
  ParseScoreOptions scoring;

  /// The models, and beside them this file.
  std::vector<std::filesystem::path> read(const std::filesystem::path& file) const {
    std::vector<std::filesystem::path> all(model.models.begin(), model.models.end());
    all.push_back(file);
    return all;
  }
};

/// A tree a line, evalb's mark of no tree for a line without words.
std::string format(const Parse& parse) {
  return (parse.tree.label.empty() ? "(())" : to_text(parse.tree)) + "\n";
}

/// Adds up what it parses.
class Parser {
 public:
  explicit Parser(const ParseCommandOptions& o)
      : options_(o),
        loaded_(load<Transformer>(o.model)),
        parser_(checked(), loaded_.tokenizer, loaded_.types) {
    loaded_.release();
  }

  /// share: of everything, with these lines.
  std::vector<Parse> parse(const std::vector<std::string>& lines, const std::string& file,
                           std::int64_t first_line, double share) {
    check_lengths(loaded_, {lines.begin(), lines.end()}, file, first_line);
    TranslateOptions search = options_.search;
    search.first_number = first_line - 1;
    const Stopwatch watch;
    std::vector<Parse> parses = parser_.parse(lines, search, progress_.next_part(share));
    seconds_ += watch.seconds();
    progress_.clear();
    sentences_ += std::ssize(parses);
    return parses;
  }

  Json json(int threads) const {
    return {{"sentences", sentences_},
            {"seconds", seconds_},
            {"sentences_per_second", seconds_ > 0 ? static_cast<double>(sentences_) / seconds_ : 0},
            {"beam", options_.search.beam},
            {"length_penalty", options_.search.length_penalty.str()},
            {"peak_rss_mib", peak_rss_mib()},
            {"threads", threads}};
  }

 private:
  const Ensemble& checked() const {
    tree_tokenizer_of(loaded_.tokenizer, options_.model.models.front());
    check_width(options_.search, loaded_.models);
    return loaded_.models;
  }

  const ParseCommandOptions& options_;
  LoadedEnsemble<Transformer> loaded_;
  TreeParser parser_;
  std::int64_t sentences_ = 0;
  double seconds_ = 0;
  DecodingProgress progress_;
};

void parse_lines(const ParseCommandOptions& o, int threads) {
  LineReader source = open_sentences(o.input);
  Parser parser(o);
  std::vector<std::string> part = source.next(kSentencesAtOnce);
  Sink sink(
      o.output,
      o.read(o.input));  // now, so that input that is refused leaves an earlier output as it is
  while (!part.empty()) {
    std::string written;
    for (const Parse& parse :
         parser.parse(part, source.name(), source.first_line(), source.share())) {
      written += format(parse);
    }
    sink.write(written);
    part = source.next(kSentencesAtOnce);
  }
  if (o.common.json) print_json(parser.json(threads));
}

void parse_gold(const ParseCommandOptions& o, int threads) {
  const Treebank gold = read_trees(o.gold, kWholeText), plain = cleaned(gold);
  Parser parser(o);
  std::optional<Sink> output;
  if (!o.output.empty()) output.emplace(o.output, o.read(o.gold));
  std::vector<std::string> sentences;
  for (const Tree& tree : plain.trees) sentences.push_back(sentence_of(tree));
  Treebank found = plain;
  std::string written;
  std::vector<Parse> parses = parser.parse(sentences, o.gold.string(), 1, 1);
  for (std::size_t i = 0; i < parses.size(); ++i) {
    written += format(parses[i]);
    found.trees[i] = std::move(parses[i].tree);
  }
  if (output) output->write(written);
  const ParseScore score = parse_score(gold, found, o.scoring);
  print_parse_score(score);
  if (!o.common.json) return;
  Json json = parse_score_json(score);
  json.update(parser.json(threads));
  print_json(json);
}

void run(const ParseCommandOptions& o) {
  const int threads = use_threads(o.common);
  if (o.gold.empty()) {
    parse_lines(o, threads);
  } else {
    parse_gold(o, threads);
  }
}

}  // namespace

void add_parse_command(CLI::App& program) {
  CLI::App& command = add_command(program, "parse",
                                  "Write the constituency tree of each line, or score such trees");
  auto options = std::make_shared<ParseCommandOptions>();
  add_ensemble_options(command, options->model);
  OptionGroup text(command, "Text");
  const Option input = text.path(
      "--input", options->input,
      "Sentences, one a line, tokenised as in the Penn Treebank; plain or gzip (default, or -: stdin)");
  text.path("--output", options->output, "Where their trees go (default: stdout)");
  const Option gold = text.path("--gold", options->gold,
                                "Instead: parse the words of these trees, and print the score")
                          .excludes(input);
  add_punctuation_option(text, options->scoring).needs(gold);
  OptionGroup search(command, "Search");
  add_beam_options(search, options->search);
  search.number("--batch-tokens", options->search.batch_tokens, at_least(1),
                "Tokens times beam that each thread has at once");
  search.number("--extra-length", options->search.extra_length, at_least(2),
                "Trees of at most pieces of the sentence + N labels, tags and closing labels");
  add_common_options(command, options->common);
  when_read(command, [options] { options->search.check(); });
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
