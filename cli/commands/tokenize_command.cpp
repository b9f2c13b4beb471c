// `kette tokenize`: text files to one file of ids that a language model trains on; or parallel text to a folder of pairs for
// a translation model.
#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/odd_pairs.h"
#include "cli/parallel_texts.h"
#include "cli/processes.h"
#include "cli/tokenizer_option.h"
#include "data/corpora/joint_vocabulary.h"
#include "data/corpora/prepared_pairs.h"
#include "data/corpora/text_facts.h"
#include "data/corpora/token_file.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/folder_lock.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

struct TokenizeCommandOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string tokenizer;
  DocumentKind documents = DocumentKind::file;
  std::filesystem::path out;
  bool quiet = false;

  std::vector<std::string> sources, targets, languages, filters, test_sources, test_targets;
  TsvOptions tsv;
  std::int64_t vocabulary = 10000;
  PrepareOptions prepare;

  std::vector<ParallelText> texts() const {
    return parallel_texts(sources, targets, tsv, languages);
  }
  /// Which odd pairs are left out, in the order of oddities(). Throws a UsageError where that makes no sense.
  PairFilterOptions odd() const {
    PairFilterOptions odd;
    odd.held_out = parallel_files(test_sources, test_targets, "--test-");
    for (const std::string& name : filters) {
      try {
        enum_named<Oddity>(name);
      } catch (const Error& error) {
        throw UsageError(std::string("--filter: ") + error.what());
      }
    }
    for (const OddityInfo& info : oddities()) {
      const bool is_named =
          std::find(filters.begin(), filters.end(), enum_name(info.oddity)) != filters.end();
      if (is_named) odd.oddities.push_back(info.oddity);
    }
    try {
      odd.check();
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
    return odd;
  }
};

/// Loaded, or made of the texts and kept in the folder.
SharedTokenizer tokenizer_of(const TokenizeCommandOptions& o) {
  if (!o.tokenizer.empty()) return load_tokenizer(o.tokenizer);
  if (std::filesystem::exists(o.out / "tokenizer.model")) return load_tokenizer(o.out);
  const bool takes_faulty = o.odd().wants(Oddity::encoding);
  return joint_vocabulary(o.texts(), o.vocabulary,
                          takes_faulty ? FaultyLines::emptied : FaultyLines::refused);
}

/// A folder that is new, or has what another such command made.
void check_folder(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(".")) name.erase(0, 1);  // unfinished, of one that was killed
    const auto begins = [&](const char* start) { return name.starts_with(start); };
    KETTE_CHECK(begins("text-") || begins("text.json") || begins("tokenizer") ||
                    begins("pairs.json") || name == "lock",
                folder.string(),
                ": expected a new folder, or one of kette tokenize, given one with ", name);
  }
}

/// What was left out of a text as odd, with samples.
Json print_left_out(const PreparedText& text, const FilterReport& filtered) {
  TextReport report;
  report.files = {text.source, text.target};
  report.pairs = filtered.read;
  Json all = Json::array();
  const bool has_any = std::any_of(filtered.odd.begin(), filtered.odd.end(),
                                   [](const OddPairs& odd) { return odd.pairs > 0; });
  if (has_any) std::cout << "\nleft out of " << for_stdout(report.name()) << ":\n";
  for (const OddPairs& odd : filtered.odd) {
    if (odd.pairs > 0) print_samples(report, odd);
    all.push_back(odd_pairs_json(report, odd));
  }
  return {{"source", text.source}, {"target", text.target}, {"findings", all}};
}

void prepare(const TokenizeCommandOptions& o, int threads) {
  Communicator& processes = communicator();
  std::optional<FolderLock> lock;
  SharedTokenizer tokenizer;
  StatusLine line(o.quiet || !processes.is_first());
  processes.once("making the tokenizer", [&] {
    check_folder(o.out);
    lock.emplace(o.out);
    tokenizer = tokenizer_of(o);
    tokenizer->save(o.out);
  });
  processes.agree([&] {
    if (!tokenizer) tokenizer = load_tokenizer(o.out);
  });
  PrepareOptions options = o.prepare;
  options.process = processes.process();
  options.processes = processes.processes();
  options.filters.odd = o.odd();
  const std::vector<ParallelText> texts = o.texts();
  PreparedPairs prepared;
  {
    const Communicator::Phase phase(processes, "tokenizing");
    processes.agree([&] {
      prepared = prepare_pairs(o.out, texts, tokenizer, options, show_on(line, "lines"));
    });
  }
  processes.once("saving", [&] {
    save(text_facts(texts, false, *tokenizer, options.filters), o.out);
    prepared.save(o.out);
  });
  if (!processes.is_first()) return;
  const double seconds = line.seconds();
  line.clear();
  std::int64_t shards = 0, lines = 0;
  for (const PreparedText& text : prepared.texts) {
    shards += std::ssize(text.shards);
    lines += text.lines;
  }
  std::vector<ParallelCorpus> corpora;
  for (const ParallelText& text : prepared_texts(o.out)) {
    corpora.push_back(prepared_corpus(text, tokenizer, std::numeric_limits<std::int64_t>::max()));
  }
  const ParallelCorpus corpus = ParallelCorpus::joined(corpora);
  std::cout << visible(o.out.string()) << ": "
            << text("%s pairs in %s shard%s; ", with_commas(corpus.size()).c_str(),
                    with_commas(shards).c_str(), shards == 1 ? "" : "s")
            << corpus.report().text() << "\n";
  Json left_out = Json::array();
  for (std::size_t i = 0; i < corpora.size(); ++i) {
    left_out.push_back(print_left_out(prepared.texts[i], corpora[i].report()));
  }
  if (!o.common.json) return;
  print_json({{"out", o.out.string()},
              {"left_out", left_out},
              {"tokenizer", tokenizer->fingerprint()},
              {"vocabulary", tokenizer->vocabulary()},
              {"texts", prepared.texts.size()},
              {"shards", shards},
              {"lines", lines},
              {"pairs", corpus.size()},
              {"seconds", seconds},
              {"lines_per_second", static_cast<double>(lines) / seconds},
              {"peak_rss_mib", peak_rss_mib()},
              {"threads", threads}});
}

void run(const TokenizeCommandOptions& o) {
  if (o.files.empty()) return prepare(o, use_threads(o.common));
  check_is_one("tokenize --text");
  const int threads = use_threads(o.common);
  check_replaces("--out", o.out, "earlier ids", [&] { TokenFile::open(o.out); });
  const SharedTokenizer tokenizer = load_named_tokenizer(o.tokenizer);
  TokenizeReport report;
  double seconds = 0;
  {
    StatusLine line(o.quiet);
    report = tokenize_files({o.files.begin(), o.files.end()}, *tokenizer, o.documents, o.out,
                            show_on(line));
    seconds = line.seconds();
  }
  const double tokens = static_cast<double>(report.tokens);
  const double bytes = static_cast<double>(report.bytes);
  std::cout << visible(o.out.string()) << ": "
            << text("%s tokens of %s bytes in %s document%s, %.2f bytes a token\n",
                    with_commas(report.tokens).c_str(), with_commas(report.bytes).c_str(),
                    with_commas(report.documents).c_str(), report.documents == 1 ? "" : "s",
                    bytes / tokens);
  if (!report.marks.empty()) std::cerr << "kette: " << visible(marks_note(report)) << "\n";
  if (!o.common.json) return;
  print_json({{"out", o.out.string()},
              {"tokenizer", tokenizer->fingerprint()},
              {"vocabulary", tokenizer->vocabulary()},
              {"documents", report.documents},
              {"tokens", report.tokens},
              {"bytes", report.bytes},
              {"marks", report.marks},
              {"seconds", seconds},
              {"tokens_per_second", tokens / seconds},
              {"megabytes_per_second", bytes / 1e6 / seconds},
              {"peak_rss_mib", peak_rss_mib()},
              {"threads", threads}});
}

}  // namespace

void add_tokenize_options(CLI::App& command) {
  auto options = std::make_shared<TokenizeCommandOptions>();
  OptionGroup group(command, "Text");
  const Option texts = group.list("--text", options->files,
                                  "Text files (plain, gzip, xz or zstd), one after the other");
  const Option tokenizer = group.text(
      "--tokenizer", options->tokenizer,
      std::string(kTokenizerHelp) + "; for pairs a SentencePiece model or a folder with one",
      "NAME");
  group
      .path("--out", options->out, "The file of ids to write (safetensors), or the folder of pairs")
      .required();
  Option documents = group.choice(
      "--documents", options->documents,
      "What ends in an end of text: each file, each line, the lines between blank ones, or what stands between two <|endoftext|>");
  group.flag("--quiet", options->quiet, "No progress line");
  OptionGroup pairs(command, "Sentence pairs, for kette train --pairs DIR");
  FilterOptions& filters = options->prepare.filters;
  const Option source =
      pairs.list("--src", options->sources, "Sentences, one a line; plain, gzip, xz or zstd");
  for (Option option :
       {source, pairs.list("--tgt", options->targets, "Their translations, line by line"),
        pairs.list("--languages", options->languages,
                   "The language of each --tgt: its tag leads each source", "NAME"),
        pairs.number("--max-length", filters.max_length, at_least(1),
                     "Leave longer sentences out, in tokens"),
        pairs.number("--max-ratio", filters.max_ratio, above(0),
                     "Leave more unequal pairs out (default: none)"),
        pairs.list("--filter", options->filters,
                   "Leave odd pairs out, by the names of the findings that kette check --list has",
                   "NAME"),
        pairs.list("--test-src", options->test_sources,
                   "Source sentences of test sets, which --filter overlap-normalised takes out"),
        pairs.list("--test-tgt", options->test_targets, "Their translations"),
        pairs.number("--join-lines", filters.join_lines, at_least(1),
                     "Join 1, 2, ... and N lines in turn, as kette train does"),
        pairs.flag("--append", options->prepare.appends, "To the pairs that --out has"),
        pairs.number("--shard-lines", options->prepare.lines_a_shard, at_least(1),
                     "Of a text that one file has, which a kill may cost")}) {
    option.excludes(texts);
  }
  for (Option option : options->tsv.add(pairs)) {
    option.excludes(texts);
    documents.excludes(option);
  }
  documents.excludes(source);
  pairs
      .number("--vocab", options->vocabulary, at_least(1),
              "Pieces of a SentencePiece model that is made of the texts")
      .excludes(tokenizer)
      .excludes(texts);
  add_common_options(command, options->common);
  when_read(command, [options] {
    if (!options->files.empty()) {
      if (options->tokenizer.empty()) throw UsageError("--tokenizer is required with --text");
      return;
    }
    if (options->sources.empty() && options->targets.empty() && options->tsv.files().empty()) {
      throw UsageError("expected --text, or --src and --tgt, or --tsv, given none");
    }
    options->texts();
    options->odd();
  });
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
