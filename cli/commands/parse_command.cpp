// `kette parse`: parses sentences to constituency trees line by line, or the words of gold trees for a score.
#include <functional>
#include <memory>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/parse_scoring.h"
#include "cli/processes.h"
#include "cli/sentences.h"
#include "cli/shared_translator.h"
#include "cli/show.h"
#include "decode/tree_parser.h"
#include "tensor/stopwatch.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

struct ParseCommandOptions {
  CommonOptions common;
  EnsembleOptions model;
  SearchOptions search = parse_options();
  WorkOptions work;
  std::filesystem::path input, output, gold;
  ParseScoreOptions scoring;
  bool chose_beam = false;
};

/// Adds up what it parses, of which each process does its share.
class Parser {
 public:
  explicit Parser(const ParseCommandOptions& o)
      : options_(o),
        loaded_(load<Transformer>(o.model)),
        parser_(checked(), loaded_.tokenizer, loaded_.types) {
    loaded_.release();
  }

  /// line_of: the line of the file that sentence i of these stands in. share: of everything, with these.
  std::vector<std::string> parse(const std::vector<std::string>& sentences, const std::string& file,
                                 const std::function<std::int64_t(std::size_t i)>& line_of,
                                 double share) {
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      unknown_.add(sentences[i]);
      std::string fault = parser_.fault_of(sentences[i], options_.search);
      if (fault.empty()) continue;
      fault = file + ":" + std::to_string(line_of(i)) + ": " + fault;
      if (!options_.gold.empty()) fail(fault);  // a score is of all
      left_out_.say(fault);
    }
    const Stopwatch watch;
    const auto parse_some = [&](const std::vector<std::string>& some) {
      std::vector<std::string> trees;  // if there is none (()), evalb's mark
      for (const Parse& parse :
           parser_.parse(some, options_.search, options_.work, progress_.next_part(share))) {
        trees.push_back(parse.tree.label.empty() ? "(())" : to_text(parse.tree));
      }
      return trees;
    };
    std::vector<std::string> trees = communicator().share_out("parsing", sentences, parse_some);
    seconds_ += watch.seconds();
    progress_.clear();
    sentences_ += std::ssize(trees);
    return trees;
  }

  void leave_out(const std::string& fault) { left_out_.say(fault); }
  void say_unknown(const std::string& name) const { cli::say_unknown(unknown_, name); }  // once
  std::int64_t say_left_out() const {
    return left_out_.say_all(sentences_, "parsed: the output has (()) in their place");
  }
  void add_facts(Report& report, int threads) const {
    report.fact("sentences", sentences_);
    report.fact("seconds", seconds_);
    report.fact("sentences_per_second",
                seconds_ > 0 ? static_cast<double>(sentences_) / seconds_ : 0.0);
    report.fact("beam", options_.search.beam);
    report.fact("length_penalty", options_.search.length_penalty.str());
    report.fact("peak_rss_mib", peak_rss_mib());
    report.fact("threads", threads);
  }

 private:
  const Ensemble& checked() const {
    tree_tokenizer_of(loaded_.tokenizer, options_.model.models.front());
    if (options_.chose_beam) check_width(options_.search, loaded_.models);
    return loaded_.models;
  }

  const ParseCommandOptions& options_;
  LoadedEnsemble<Transformer> loaded_;
  UnknownCharacters unknown_{loaded_.tokenizer};
  TreeParser parser_;
  LeftOut left_out_;
  std::int64_t sentences_ = 0;
  double seconds_ = 0;
  DecodingProgress progress_;
};

void parse_lines(const ParseCommandOptions& o, int threads) {
  LineReader source = open_sentences(o.input, FaultyLines::emptied);
  Parser parser(o);
  // What the first reads: the others may have another stdin.
  const auto next = [&] {
    std::vector<std::string> part;
    if (communicator().is_first()) {
      part = source.next(kSentencesAtOnce);
      for (const LineFault& fault : source.faults()) parser.leave_out(fault.message);
    }
    return communicator().is_alone()
               ? part
               : unpacked<std::vector<std::string>>(communicator().all(packed(part)).front());
  };
  std::vector<std::string> part = next();
  // Now, so that input that is refused leaves an earlier output as it is.
  std::optional<Sink> sink;
  if (communicator().is_first()) sink.emplace(o.output, o.model.with({o.input}));
  while (!part.empty()) {
    const auto line_of = [&](auto i) { return source.first_line() + static_cast<std::int64_t>(i); };
    const std::string written =
        joined(parser.parse(part, source.name(), line_of, source.share()), "\n") + "\n";
    if (sink) sink->write(written);
    part = next();
  }
  if (!sink) return;
  sink->finish();
  parser.say_unknown(source.name());
  Report report;
  parser.add_facts(report, threads);
  show(report, o.common);
  if (parser.say_left_out() > 0) exit_with(1);
}

void parse_gold(const ParseCommandOptions& o, int threads) {
  const Treebank gold = read_trees(o.gold, kWholeText), plain = cleaned(gold);
  Parser parser(o);
  std::optional<Sink> output;
  if (!o.output.empty() && communicator().is_first())
    output.emplace(o.output, o.model.with({o.gold}));
  std::vector<std::string> sentences;
  for (const Tree& tree : plain.trees) sentences.push_back(sentence_of(tree));
  const auto line_of = [&](std::size_t i) { return plain.lines[i]; };
  const std::string written =
      joined(parser.parse(sentences, o.gold.string(), line_of, 1), "\n") + "\n";
  if (!communicator().is_first()) return;
  Treebank found = plain;
  found.trees = parse_trees(TextLines(written, "parsed"), "parsed").trees;
  parser.say_unknown(o.gold.string());
  if (output) {
    output->write(written);
    output->finish();
  }
  Report report = to_report(parse_score(gold, found, o.scoring));
  report.about = "By " + names_of(o.model.models) + ", of " + o.gold.filename().string() +
                 ". Made by kette parse.";
  parser.add_facts(report, threads);
  show(report, o.common);
}

void run(const ParseCommandOptions& o) {
  const int threads = use_threads(o.common);
  o.gold.empty() ? parse_lines(o, threads) : parse_gold(o, threads);
}

void add_parse_options(CLI::App& command) {
  auto options = std::make_shared<ParseCommandOptions>();
  add_ensemble_options(command, options->model);
  OptionGroup text(command, "Text");
  const Option input = text.path(
      "--input", options->input,
      "Sentences, one a line, tokenised as in the Penn Treebank; plain, gzip, xz or zstd (default, or -: stdin)");
  text.path("--output", options->output, "Where their trees go (default, or -: stdout)").prints();
  const Option gold = text.path("--gold", options->gold,
                                "Instead: parse the words of these trees, and print the score")
                          .excludes(input);
  for (Option option : add_parse_scoring_options(text, options->scoring)) option.needs(gold);
  add_page_option(text, options->common).needs(gold);
  OptionGroup search(command, "Search");
  const BeamOptions beam = add_beam_options(search, options->search);
  search.number("--batch-tokens", options->work.batch_tokens, at_least(1),
                "Tokens times beam that each thread has at once");
  search.number("--extra-length", options->search.extra_length, at_least(2),
                "Trees of at most pieces of the sentence + N labels, tags and closing labels");
  add_common_options(command, options->common);
  when_read(command, [options, beam] {
    options->search.check();
    options->chose_beam = beam.beam.given();
  });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command parse_command = {"parse",
                               "Write the constituency tree of each line, or score such trees",
                               add_parse_options, true};

}  // namespace kette::cli
