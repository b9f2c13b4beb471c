// `kette tokenize`: text files to one file of ids, or a folder of shards of them, that a language model trains on; or parallel
// text to a folder of pairs for a translation model.
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/odd_pairs.h"
#include "cli/parallel_texts.h"
#include "cli/processes.h"
#include "cli/tokenizer_option.h"
#include "data/corpora/joint_vocabulary.h"
#include "data/corpora/prepared_pairs.h"
#include "data/corpora/prepared_tokens.h"
#include "data/corpora/text_facts.h"
#include "data/corpora/token_file.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/atomic_file.h"
#include "data/files/folder_lock.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

void as_usage_of(const char* option, const std::function<void()>& check) {
  try {
    check();
  } catch (const Error& error) {
    throw UsageError(option + std::string(error.what()));
  }
}

struct TokenizeCommandOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string tokenizer;
  std::filesystem::path out;
  bool quiet = false;

  std::vector<std::string> sources, targets, languages, filters, test_sources, test_targets;
  TsvOptions tsv;
  std::int64_t vocabulary = 10000;
  bool has_mask = false, makes_folder = false;
  ShardOptions shards;
  PrepareOptions pairs;
  PrepareTokensOptions tokens;

  std::vector<ParallelText> texts() const {
    return parallel_texts(sources, targets, tsv, languages);
  }
  /// What --filter names, in the order of oddities(). Throws a UsageError where it names something else.
  std::vector<Oddity> odd() const {
    for (const std::string& name : filters) {
      as_usage_of("--filter: ", [&] { enum_named<Oddity>(name); });
    }
    std::vector<Oddity> odd;
    for (const OddityInfo& info : oddities()) {
      const bool is_named =
          std::find(filters.begin(), filters.end(), enum_name(info.oddity)) != filters.end();
      if (is_named) odd.push_back(info.oddity);
    }
    return odd;
  }
  PairFilterOptions odd_pairs() const {
    PairFilterOptions options{odd(), parallel_files(test_sources, test_targets, "--test-")};
    as_usage_of("", [&] { options.check(); });
    return options;
  }
  std::vector<std::filesystem::path> paths() const { return {files.begin(), files.end()}; }
};

/// Given, or that of the folder; undefined: it is to be made.
SharedTokenizer known_tokenizer(const TokenizeCommandOptions& o) {
  const bool is_text = !o.files.empty();
  if (!o.tokenizer.empty()) {
    return is_text ? load_named_tokenizer(o.tokenizer) : load_tokenizer(o.tokenizer);
  }
  if (is_text && ShardFolder(o.out, ShardKind::texts).has_list()) return tokenizer_in(o.out);
  if (std::filesystem::exists(o.out / "tokenizer.model")) return load_tokenizer(o.out);
  return nullptr;
}

SharedTokenizer make_tokenizer(const TokenizeCommandOptions& o) {
  if (o.files.empty()) {
    const bool takes_faulty = o.odd_pairs().wants(Oddity::encoding);
    return joint_vocabulary(o.texts(), o.vocabulary,
                            takes_faulty ? FaultyLines::emptied : FaultyLines::refused);
  }
  SentencePieceOptions settings;
  settings.vocabulary = o.vocabulary;
  settings.mask = o.has_mask;
  settings.normalization = SentencePieceOptions::Normalization::lossless;  // as kette train has it
  return SentencePieceTokenizer::train_files({o.files.begin(), o.files.end()}, settings);
}

/// A folder that is new, or has what another such command made.
void check_folder(const std::filesystem::path& folder, const SharedTokenizer& known_tokenizer) {
  std::vector<std::string> known = {"text-", "text.json", "tokenizer", "pairs.json", "tokens.json"};
  if (known_tokenizer) {
    for (const auto& [name, content] : known_tokenizer->files()) known.push_back(name);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(".")) name.erase(0, 1);  // unfinished, of one that was killed
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const std::string& start) {
      return name.starts_with(start);
    });
    KETTE_CHECK(is_known || name == "lock", folder.string(),
                ": expected a new folder, or one of kette tokenize, given one with ", name);
  }
}

/// What all processes do, and the first one then, in a folder that is theirs alone; with what tokenizer.
SharedTokenizer fill_folder(const TokenizeCommandOptions& o,
                            const std::function<void(const SharedTokenizer&)>& make,
                            const std::function<void(const SharedTokenizer&)>& save) {
  Communicator& processes = communicator();
  std::optional<FolderLock> lock;
  SharedTokenizer tokenizer;
  processes.once("making the tokenizer", [&] {
    make_folder(o.out);
    tokenizer = known_tokenizer(o);
    check_folder(o.out, tokenizer);
    lock.emplace(o.out);
    if (!tokenizer) tokenizer = make_tokenizer(o);
    tokenizer->save(o.out);
  });
  const std::string kind = processes.all(tokenizer ? tokenizer->kind() : "").front();
  processes.agree([&] {
    if (!tokenizer) tokenizer = load_tokenizer(o.out, kind);
  });
  {
    const Communicator::Phase phase(processes, "tokenizing");
    processes.agree([&] { make(tokenizer); });
  }
  processes.once("saving", [&] { save(tokenizer); });
  return tokenizer;
}

void prepare_pairs(const TokenizeCommandOptions& o, int threads) {
  StatusLine line(o.quiet || !communicator().is_first());
  PrepareOptions options = o.pairs;
  options.shards = o.shards;
  options.filters.odd = o.odd_pairs();
  const std::vector<ParallelText> texts = o.texts();
  PreparedPairs prepared;
  const SharedTokenizer tokenizer = fill_folder(
      o,
      [&](const SharedTokenizer& with) {
        prepared = kette::prepare_pairs(o.out, texts, with, options, show_on(line, "lines"));
      },
      [&](const SharedTokenizer& with) {
        save(text_facts(texts, false, *with, options.filters), o.out);
        prepared.save(o.out);
      });
  if (!communicator().is_first()) return;
  const double seconds = line.seconds();
  line.clear();
  std::int64_t shards = 0, lines = 0;
  for (const PreparedText& text : prepared.texts) {
    shards += std::ssize(text.shards);
    lines += text.lines;
  }
  const std::vector<ParallelCorpus> corpora = prepared_corpora(o.out, tokenizer);
  const ParallelCorpus corpus = ParallelCorpus::joined(corpora);
  std::cout << visible(o.out.string()) << ": "
            << text("%s pairs in %s shard%s; ", with_commas(corpus.size()).c_str(),
                    with_commas(shards).c_str(), shards == 1 ? "" : "s")
            << corpus.report().text() << "\n";
  Json left_out = Json::array();
  for (std::size_t i = 0; i < corpora.size(); ++i) {
    const PreparedText& text = prepared.texts[i];
    const FilterReport& filtered = corpora[i].report();
    TextReport report;
    report.files = {text.source, text.target};
    report.pairs = filtered.read;
    left_out.push_back(print_left_out(report, filtered.odd));
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

/// shards: 0 where there is one file.
void print_tokens(const TokenizeCommandOptions& o, const TokenStream& stream, std::int64_t shards,
                  const std::string& marks, const Json& left_out, double seconds, int threads) {
  const TokenFileInfo& info = stream.info();
  const double tokens = static_cast<double>(stream.size()), bytes = static_cast<double>(info.bytes);
  std::cout << visible(o.out.string()) << ": "
            << text("%s tokens of %s bytes in %s document%s, %.2f bytes a token",
                    with_commas(stream.size()).c_str(), with_commas(info.bytes).c_str(),
                    with_commas(info.documents).c_str(), info.documents == 1 ? "" : "s",
                    bytes / tokens);
  if (shards > 0)
    std::cout << text(", %s shard%s", with_commas(shards).c_str(), shards == 1 ? "" : "s");
  std::cout << "\n";
  if (!marks.empty()) std::cerr << "kette: " << visible(marks_note(marks)) << "\n";
  if (!o.common.json) return;
  Json json = {{"out", o.out.string()},
               {"tokenizer", info.tokenizer},
               {"vocabulary", info.vocabulary},
               {"documents", info.documents},
               {"tokens", stream.size()},
               {"bytes", info.bytes},
               {"marks", marks},
               {"left_out", left_out},
               {"seconds", seconds},
               {"tokens_per_second", tokens / seconds},
               {"megabytes_per_second", bytes / 1e6 / seconds},
               {"peak_rss_mib", peak_rss_mib()},
               {"threads", threads}};
  if (shards > 0) json["shards"] = shards;
  print_json(json);
}

void prepare_tokens(const TokenizeCommandOptions& o, int threads) {
  StatusLine line(o.quiet || !communicator().is_first());
  PrepareTokensOptions options = o.tokens;
  options.shards = o.shards;
  options.odd = o.odd();
  PreparedTokens prepared;
  const SharedTokenizer tokenizer = fill_folder(
      o,
      [&](const SharedTokenizer& with) {
        prepared = kette::prepare_tokens(o.out, o.paths(), *with, options, show_on(line));
      },
      [&](const SharedTokenizer&) { prepared.save(o.out); });
  if (!communicator().is_first()) return;
  const double seconds = line.seconds();
  line.clear();
  std::int64_t shards = 0;
  for (const PreparedTokens::Text& text : prepared.texts) shards += std::ssize(text.shards);
  Json left_out = Json::array();
  for (const PreparedTokens::Text& text : prepared.texts) {
    left_out.push_back(print_left_out(text.files, left_out_documents(o.out, text)));
  }
  print_tokens(o, prepared_tokens(o.out, *tokenizer), shards, prepared.texts.back().marks, left_out,
               seconds, threads);
}

void tokenize(const TokenizeCommandOptions& o) {
  check_is_one("tokenize --text with a file as --out");
  const int threads = use_threads(o.common);
  check_replaces("--out", o.out, "earlier ids", [&] { TokenFile::open(o.out); });
  const SharedTokenizer tokenizer = load_named_tokenizer(o.tokenizer);
  StatusLine line(o.quiet);
  const TokenizeReport report =
      tokenize_files(o.paths(), *tokenizer, o.tokens.documents, o.out, show_on(line));
  const double seconds = line.seconds();
  line.clear();
  print_tokens(o, open_tokens(o.out, *tokenizer), 0, report.marks, Json::array(), seconds, threads);
}

void run(TokenizeCommandOptions& o) {
  if (!o.makes_folder) return tokenize(o);
  const int threads = use_threads(o.common);
  o.shards.process = communicator().process();
  o.shards.processes = communicator().processes();
  o.files.empty() ? prepare_pairs(o, threads) : prepare_tokens(o, threads);
}

void add_tokenize_options(CLI::App& command) {
  auto options = std::make_shared<TokenizeCommandOptions>();
  OptionGroup group(command, "Text");
  const Option texts = group.list("--text", options->files,
                                  "Text files (plain, gzip, xz or zstd), one after the other");
  const Option tokenizer = group.text(
      "--tokenizer", options->tokenizer,
      std::string(kTokenizerHelp) +
          "; for pairs a SentencePiece model or a folder with one (default: see --vocab)",
      "NAME");
  group
      .path(
          "--out", options->out,
          "The folder of shards to make; or, of --text, the file of ids (safetensors), unless this is a folder or ends in /, or an option below asks for one")
      .required();
  Option documents = group.choice(
      "--documents", options->tokens.documents,
      "What ends in an end of text: each file, each line, the lines between blank ones, or what stands between two <|endoftext|>");
  group.flag("--quiet", options->quiet, "No progress line");
  OptionGroup folder(command, "A folder of shards, which goes on where it was ended");
  const Option append =
      folder.flag("--append", options->shards.appends, "To the texts that --out has");
  Option vocabulary =
      folder.number("--vocab", options->vocabulary, at_least(1),
                    "Pieces of a SentencePiece model that is made of the texts and kept there");
  vocabulary.excludes(tokenizer);
  Option mask = folder.flag("--mask-piece", options->has_mask,
                            "With a piece for masked words, for kette train --objective masked");
  mask.excludes(tokenizer);
  Option shard_bytes =
      folder.number("--shard-bytes", options->tokens.bytes_a_shard, at_least(1),
                    "Of the text of a shard, which a kill may cost; more until its document ends");
  Option filter = folder.list(
      "--filter", options->filters,
      "Leave odd pairs, or documents, out, by the names of the findings that kette check --list has",
      "NAME");
  OptionGroup pairs(command, "Sentence pairs, for kette train --pairs DIR");
  FilterOptions& filters = options->pairs.filters;
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
        pairs.list("--test-src", options->test_sources,
                   "Source sentences of test sets, which --filter overlap-normalised takes out"),
        pairs.list("--test-tgt", options->test_targets, "Their translations"),
        pairs.number("--join-lines", filters.join_lines, at_least(1),
                     "Join 1, 2, ... and N lines in turn, as kette train does"),
        pairs.number("--shard-lines", options->pairs.lines_a_shard, at_least(1),
                     "Of a text that one shard has, which a kill may cost")}) {
    option.excludes(texts);
  }
  for (Option option : options->tsv.add(pairs)) {
    option.excludes(texts);
    for (Option other : {documents, mask, shard_bytes}) other.excludes(option);
  }
  for (Option option : {documents, mask, shard_bytes}) option.excludes(source);
  add_common_options(command, options->common);
  when_read(command, [=] {
    TokenizeCommandOptions& o = *options;
    o.makes_folder = !o.out.has_filename() || std::filesystem::is_directory(o.out) ||
                     append.given() || vocabulary.given() || mask.given() || shard_bytes.given() ||
                     filter.given();
    if (!o.files.empty()) {
      if (o.tokenizer.empty() && !o.makes_folder) {
        throw UsageError(
            "--tokenizer is required with --text (or --vocab, which makes a folder with a vocabulary of its own)");
      }
      as_usage_of("", [&] { DocumentFilter(o.odd()); });
      return;
    }
    o.makes_folder = true;
    if (options->sources.empty() && options->targets.empty() && options->tsv.files().empty()) {
      throw UsageError("expected --text, or --src and --tgt, or --tsv, given none");
    }
    options->texts();
    options->odd_pairs();
  });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command tokenize_command = {"tokenize", "Turn text into ids that a language model trains on",
                                  add_tokenize_options, true};

}  // namespace kette::cli
