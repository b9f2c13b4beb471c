#include "cli/tokenizing.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/host.h"
#include "cli/processes.h"
#include "cli/show.h"
#include "cli/tokenizer_option.h"
#include "data/corpora/joint_vocabulary.h"
#include "data/corpora/text_facts.h"
#include "data/corpora/token_file.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/atomic_file.h"
#include "data/files/folder_lock.h"
#include "data/files/text_file.h"
#include "data/files/visible_text.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "inspect/training/corpus_report.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

/// Whether the folder has pairs or tokens of this vocabulary. A command that failed or was killed may have left that alone,
/// made of other texts.
bool is_in_use(const TokenizeCommandOptions& o, const Tokenizer& vocabulary) {
  if (!o.files.empty()) return has_shards_of(o.out, o.paths(), vocabulary, o.of_tokens());
  return ShardFolder(o.out, ShardKind::pairs).has_list() ||
         has_shards_of(o.out, o.texts(), vocabulary, o.of_pairs());
}

/// A folder has this from when it gets its tokenizer until its list is there.
constexpr const char* kUnfinished = ".tokenizer-unfinished";

/// Whether the folder's tokenizer is the leavings of such a command that failed or was killed.
bool has_leavings(const std::filesystem::path& folder) {
  const auto has = [&](const char* name) { return std::filesystem::exists(folder / name); };
  return has(kUnfinished) && !has("pairs.json") && !has("tokens.json");
}

/// Given, or that of the folder; undefined: it is to be made.
SharedTokenizer known_tokenizer(const TokenizeCommandOptions& o) {
  const bool is_text = !o.files.empty();
  if (!o.tokenizer.empty()) {
    return is_text ? load_named_tokenizer(o.tokenizer) : load_tokenizer(o.tokenizer);
  }
  if (is_text && ShardFolder(o.out, ShardKind::texts).has_list()) return tokenizer_in(o.out);
  if (!std::filesystem::exists(o.out / "tokenizer.model")) return nullptr;
  SharedTokenizer left = load_tokenizer(o.out);
  if (is_in_use(o, *left)) return left;
  KETTE_CHECK(
      has_leavings(o.out), o.out.string(),
      ": expected a new folder, or one of kette tokenize, given one with a tokenizer.model ",
      "that no kette tokenize has left there (--tokenizer ", o.out.string(),
      " takes it; or choose another --out)");
  return nullptr;
}

/// Into the folder, where it replaces leavings alone.
void save_tokenizer(const Tokenizer& tokenizer, const std::filesystem::path& folder) {
  bool is_there = true;
  for (const auto& [name, content] : tokenizer.files()) {
    const std::filesystem::path file = folder / name;
    const bool is_taken = std::filesystem::exists(file);
    if (is_taken && kette::read_text(file) == content) continue;
    KETTE_CHECK(
        !is_taken || has_leavings(folder), folder.string(),
        ": expected a folder without a tokenizer, or with the one that is given, given one ",
        "with another ", name, " (choose another --out)");
    is_there = false;
  }
  if (is_there) return;
  write_file_atomically(folder / kUnfinished, "");
  tokenizer.save(folder);
}

/// A folder keeps the vocabulary that it has.
void check_asked(const TokenizeCommandOptions& o, const Tokenizer& known) {
  KETTE_CHECK(!o.is_vocabulary_given || o.vocabulary == known.vocabulary(),
              "--vocab: expected none, or the ", known.vocabulary(),
              " pieces of the vocabulary in ", o.out.string(), ", given ", o.vocabulary,
              "; choose another --out for a new one");
  KETTE_CHECK(!o.has_mask || known.mask(), "--mask-piece: expected none beside the vocabulary in ",
              o.out.string(),
              ", which lacks that piece, given it; choose another --out for a new one");
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
    if (tokenizer) {
      check_asked(o, *tokenizer);
    } else {
      tokenizer = make_tokenizer(o);
    }
    save_tokenizer(*tokenizer, o.out);
  });
  const std::string kind = processes.all(tokenizer ? tokenizer->kind() : "").front();
  processes.agree([&] {
    if (!tokenizer) tokenizer = load_tokenizer(o.out, kind);
  });
  {
    const Communicator::Phase phase(processes, "tokenizing");
    processes.agree([&] { make(tokenizer); });
  }
  processes.once("saving", [&] {
    save(tokenizer);
    std::filesystem::remove(o.out / kUnfinished);
  });
  return tokenizer;
}

Report report_of(const TokenizeCommandOptions& o) {
  Report report{.title = "Text as ids: " + name_of_folder(o.out),
                .lead = "What became of the text.",
                .about = "Made by kette tokenize."};
  report.fact("out", o.out.string());
  return report;
}

void prepare_pairs(const TokenizeCommandOptions& o, int threads) {
  StatusLine line(o.quiet || !communicator().is_first());
  PrepareOptions options = o.of_pairs();
  options.shards = o.shards;
  const std::vector<ParallelText> texts = o.texts();
  PreparedPairs prepared;
  const SharedTokenizer tokenizer = fill_folder(
      o,
      [&](const SharedTokenizer& with) {
        prepared = kette::prepare_pairs(o.out, texts, with, options, show_on(line, "lines"));
      },
      [&](const SharedTokenizer&) {
        if (const auto facts = prepared.facts()) {
          save(*facts, o.out);
        } else {
          std::filesystem::remove(o.out / kTextFactsFile);  // it says nothing of what is added
        }
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
  Report report = report_of(o);
  report.line(visible(o.out.string()) +
                  text(": %s pairs in %s shard%s; ", with_commas(corpus.size()).c_str(),
                       with_commas(shards).c_str(), shards == 1 ? "" : "s") +
                  corpus.report().text() + "\n",
              kText | kPage);
  std::vector<Report> left;
  for (std::size_t i = 0; i < corpora.size(); ++i) {
    const PreparedText& text = prepared.texts[i];
    const FilterReport& filtered = corpora[i].report();
    TextReport of;
    of.files = {text.source, text.target};
    of.pairs = filtered.read;
    left.push_back(left_out(of, filtered.odd));
  }
  report.list("left_out", std::move(left));
  report.fact("tokenizer", tokenizer->fingerprint());
  report.fact("vocabulary", tokenizer->vocabulary());
  report.fact("texts", prepared.texts.size());
  report.fact("shards", shards);
  report.fact("lines", lines);
  report.fact("pairs", corpus.size());
  report.fact("seconds", seconds);
  report.fact("lines_per_second", static_cast<double>(lines) / seconds);
  report.fact("peak_rss_mib", peak_rss_mib());
  report.fact("threads", threads);
  show(report, o.common);
}

/// left: what was left out of each text. shards: 0 where there is one file.
void show_tokens(const TokenizeCommandOptions& o, const TokenStream& stream, std::int64_t shards,
                 const std::string& marks, const std::vector<Report>& left, double seconds,
                 int threads) {
  const TokenFileInfo& info = stream.info();
  const double tokens = static_cast<double>(stream.size()), bytes = static_cast<double>(info.bytes);
  if (!marks.empty()) to_stderr() << "kette: " << visible(marks_note(marks)) << "\n";
  Report report = report_of(o);
  report.list("left_out", left, kText | kPage);
  report.line(
      visible(o.out.string()) +
          text(": %s tokens of %s bytes in %s document%s, %.2f bytes a token",
               with_commas(stream.size()).c_str(), with_commas(info.bytes).c_str(),
               with_commas(info.documents).c_str(), info.documents == 1 ? "" : "s",
               bytes / tokens) +
          (shards > 0 ? text(", %s shard%s", with_commas(shards).c_str(), shards == 1 ? "" : "s")
                      : "") +
          "\n",
      kText | kPage);
  report.fact("tokenizer", info.tokenizer);
  report.fact("vocabulary", info.vocabulary);
  report.fact("documents", info.documents);
  report.fact("tokens", stream.size());
  report.fact("bytes", info.bytes);
  report.fact("marks", marks);
  report.list("left_out", left, kJson);
  report.fact("seconds", seconds);
  report.fact("tokens_per_second", tokens / seconds);
  report.fact("megabytes_per_second", bytes / 1e6 / seconds);
  report.fact("peak_rss_mib", peak_rss_mib());
  report.fact("threads", threads);
  if (shards > 0) report.fact("shards", shards);
  show(report, o.common);
}

void prepare_tokens(const TokenizeCommandOptions& o, int threads) {
  StatusLine line(o.quiet || !communicator().is_first());
  PrepareTokensOptions options = o.of_tokens();
  options.shards = o.shards;
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
  std::vector<Report> left;
  for (const PreparedTokens::Text& text : prepared.texts) {
    left.push_back(left_out(text.files, left_out_documents(o.out, text)));
  }
  show_tokens(o, prepared_tokens(o.out, *tokenizer), shards, prepared.texts.back().marks, left,
              seconds, threads);
}

void tokenize_to_file(const TokenizeCommandOptions& o) {
  check_is_one("tokenize --text with a file as --out");
  const int threads = use_threads(o.common);
  check_replaces("--out", o.out, "earlier ids", [&] { TokenFile::open(o.out); });
  const SharedTokenizer tokenizer = load_named_tokenizer(o.tokenizer);
  StatusLine line(o.quiet);
  const TokenizeReport report =
      tokenize_files(o.paths(), *tokenizer, o.tokens.documents, o.out, show_on(line));
  const double seconds = line.seconds();
  line.clear();
  show_tokens(o, open_tokens(o.out, *tokenizer), 0, report.marks, {}, seconds, threads);
}

}  // namespace

void as_usage_of(const char* option, const std::function<void()>& check) {
  try {
    check();
  } catch (const Error& error) {
    throw UsageError(option + std::string(error.what()));
  }
}

std::vector<ParallelText> TokenizeCommandOptions::texts() const {
  return parallel_texts(sources, targets, tsv, languages);
}

std::vector<Oddity> TokenizeCommandOptions::odd() const {
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

PairFilterOptions TokenizeCommandOptions::odd_pairs() const {
  PairFilterOptions options{odd(), parallel_files(test_sources, test_targets, "--test-")};
  as_usage_of("", [&] { options.check(); });
  return options;
}

PrepareOptions TokenizeCommandOptions::of_pairs() const {
  PrepareOptions options = pairs;
  options.filters.odd = odd_pairs();
  return options;
}

PrepareTokensOptions TokenizeCommandOptions::of_tokens() const {
  PrepareTokensOptions options = tokens;
  options.odd = odd();
  return options;
}

void tokenize(TokenizeCommandOptions& o) {
  if (!o.makes_folder) return tokenize_to_file(o);
  const int threads = use_threads(o.common);
  o.shards.process = communicator().process();
  o.shards.processes = communicator().processes();
  o.files.empty() ? prepare_pairs(o, threads) : prepare_tokens(o, threads);
}

}  // namespace kette::cli
