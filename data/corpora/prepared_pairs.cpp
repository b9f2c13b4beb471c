#include "data/corpora/prepared_pairs.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "data/checks/pair_filter.h"
#include "data/corpora/pair_encoder.h"
#include "data/corpora/pair_file.h"
#include "data/files/atomic_file.h"
#include "data/files/block_checksums.h"
#include "data/files/json_text.h"
#include "tensor/error.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "pairs.json";

std::string shard_name(std::size_t text, std::int64_t shard) {
  std::string number = std::to_string(shard + 1);
  number.insert(0, 5 - std::min<std::size_t>(5, number.size()), '0');  // so that names rise
  return "text-" + std::to_string(text + 1) + "-" + number + ".tokens";
}

std::string shard_made_of(const PreparedText& text, std::int64_t shard, std::int64_t lines) {
  return text.made_of + "; lines from " + std::to_string(shard * lines + 1) + ", at most " +
         std::to_string(lines);
}

bool is_same(const FilterOptions& a, const FilterOptions& b) {
  return a.max_length == b.max_length && a.max_ratio == b.max_ratio && a.must_fit == b.must_fit &&
         a.join_lines == b.join_lines;
}

/// Makes the shards of a text.
class Preparation {
 public:
  Preparation(const fs::path& folder, const SharedTokenizer& tokenizer,
              const PrepareOptions& options)
      : folder_(folder), tokenizer_(tokenizer), options_(options) {
    if (!options.filters.odd.oddities.empty()) odd_.emplace(options.filters.odd, tokenizer);
  }

  void make(PreparedText& text, std::size_t number, const ParallelText& files,
            const TokenizeProgress& progress) {
    PairEncoder encoder(files, tokenizer_, options_.filters, odd_ ? &*odd_ : nullptr);
    for (std::int64_t shard = 0;; ++shard) {
      const std::string name = shard_name(number, shard);
      const std::int64_t lines = is_mine() && !is_there(text, shard, name)
                                     ? encode(encoder, text, shard, name, progress)
                                     : encoder.skip(options_.lines_a_shard);
      if (lines == 0) break;
      text.shards.push_back(name);
      text.lines += lines;
      ++shards_;
    }
    text.source_bytes = encoder.source_bytes();
    text.target_bytes = encoder.target_bytes();
  }

 private:
  bool is_mine() const { return shards_ % options_.processes == options_.process; }

  bool is_there(const PreparedText& text, std::int64_t shard, const std::string& name) const {
    return PairFile::find(folder_ / name, shard_made_of(text, shard, options_.lines_a_shard)) !=
           nullptr;
  }

  std::int64_t encode(PairEncoder& encoder, const PreparedText& text, std::int64_t shard,
                      const std::string& name, const TokenizeProgress& progress) const {
    PairFileWriter writer(folder_ / name,
                          std::max(tokenizer_->vocabulary(), tokenizer_->source_vocabulary()),
                          tokenizer_->special().end);
    const FilterReport report =
        encoder.encode([&](const auto& source, const auto& target) { writer.add(source, target); },
                       options_.lines_a_shard, progress);
    if (report.read > 0) {
      writer.finish(shard_made_of(text, shard, options_.lines_a_shard), report);
    }
    return report.read;
  }

  const fs::path& folder_;
  const SharedTokenizer& tokenizer_;
  const PrepareOptions& options_;
  std::optional<PairFilter> odd_;
  std::int64_t shards_ = 0;  // of all texts
};

}  // namespace

bool is_prepared(const fs::path& folder) { return fs::exists(folder / kList); }

PreparedPairs PreparedPairs::of(const fs::path& folder) {
  const fs::path file = folder / kList;
  KETTE_CHECK(is_prepared(folder), folder.string(),
              ": expected a folder of pairs, which kette tokenize --src --tgt makes, given none");
  const Json json = parse_json(read_text(file), file.string());
  PreparedPairs prepared;
  try {
    prepared.tokenizer = json.at("tokenizer");
    const Json& filters = json.at("filters");
    prepared.filters = {.max_length = filters.at("max_length"),
                        .max_ratio = filters.at("max_ratio"),
                        .join_lines = filters.at("join_lines")};
    prepared.odd = filters.value("odd", "");
    for (const Json& text : json.at("texts")) {
      prepared.texts.push_back({text.at("source"), text.at("target"), text.at("language"),
                                text.at("made_of"), text.at("lines"), text.at("source_bytes"),
                                text.at("target_bytes"), text.at("shards")});
    }
  } catch (const nlohmann::json::exception& error) {
    fail(file.string(), ": expected what kette tokenize wrote, given something else (",
         error.what(), ")");
  }
  return prepared;
}

void PreparedPairs::save(const fs::path& folder) const {
  Json of_texts = Json::array();
  for (const PreparedText& text : texts) {
    of_texts.push_back({{"source", text.source},
                        {"target", text.target},
                        {"language", text.language},
                        {"made_of", text.made_of},
                        {"lines", text.lines},
                        {"source_bytes", text.source_bytes},
                        {"target_bytes", text.target_bytes},
                        {"shards", text.shards}});
  }
  const Json json = {{"tokenizer", tokenizer},
                     {"filters",
                      {{"max_length", filters.max_length},
                       {"max_ratio", filters.max_ratio},
                       {"join_lines", filters.join_lines},
                       {"odd", odd}}},
                     {"texts", of_texts}};
  write_file_atomically(folder / kList, json.dump(2) + "\n");
}

PreparedPairs prepare_pairs(const fs::path& folder, const std::vector<ParallelText>& texts,
                            const SharedTokenizer& tokenizer, const PrepareOptions& options,
                            const TokenizeProgress& progress) {
  KETTE_CHECK(options.lines_a_shard > 0, "tokenize: expected at least a line a shard, given ",
              options.lines_a_shard);
  const std::string odd = options.filters.odd.made_of();
  PreparedPairs before;
  if (is_prepared(folder)) {
    before = PreparedPairs::of(folder);
    KETTE_CHECK(before.tokenizer == tokenizer->fingerprint(), folder.string(),
                ": expected the tokenizer that its pairs are of, ", before.tokenizer, ", given ",
                tokenizer->fingerprint(), " (take another folder)");
    KETTE_CHECK(is_same(before.filters, options.filters), folder.string(),
                ": expected the filters of the pairs that it has, of at most ",
                before.filters.max_length, " tokens, a ratio of ", before.filters.max_ratio,
                " and ", before.filters.join_lines, " lines, given others (take another folder)");
    KETTE_CHECK(before.odd == odd, folder.string(), ": expected the pairs that it has to be ",
                before.odd.empty() ? "all those of the texts" : before.odd, ", given ",
                odd.empty() ? "no --filter" : odd, " (take another folder)");
  }
  PreparedPairs prepared{tokenizer->fingerprint(), options.filters, odd, {}};
  std::vector<std::string> wanted;
  for (const ParallelText& text : texts) {
    std::string one = made_of(text, *tokenizer, options.filters);
    // Which pairs repeat earlier ones is up to the texts before, too.
    if (options.filters.odd.wants(Oddity::duplicate) && !wanted.empty()) {
      one += "; after " + hexadecimal(checksum_of(wanted.back()));
    }
    wanted.push_back(std::move(one));
  }
  // Of an --append that was done, or ended, the texts are the last ones, or not there yet.
  const auto ends_with_wanted = [&] {
    return wanted.size() <= before.texts.size() &&
           std::equal(wanted.rbegin(), wanted.rend(), before.texts.rbegin(),
                      [](const std::string& a, const PreparedText& b) { return a == b.made_of; });
  };
  const bool has_all = ends_with_wanted();
  KETTE_CHECK(
      before.texts.empty() || options.appends || (has_all && wanted.size() == before.texts.size()),
      folder.string(), ": expected the ", before.texts.size(),
      " texts that its pairs are of, given others (--append adds texts to them)");
  if (options.appends) {
    const auto kept =
        static_cast<std::ptrdiff_t>(before.texts.size() - (has_all ? wanted.size() : 0));
    prepared.texts.assign(before.texts.begin(), before.texts.begin() + kept);
  }
  Preparation preparation(folder, tokenizer, options);
  double done = 0, all = 0;
  for (const ParallelText& text : texts)
    all += static_cast<double>(fs::file_size(text.source.file));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double size = static_cast<double>(fs::file_size(texts[i].source.file));
    PreparedText text{
        texts[i].source.name(), texts[i].target.name(), texts[i].language, wanted[i], 0, 0, 0, {}};
    preparation.make(text, prepared.texts.size(), texts[i],
                     [&](const TokenizeReport& report, double share) {
                       if (progress) progress(report, (done + share * size) / all);
                     });
    done += size;
    prepared.texts.push_back(std::move(text));
  }
  return prepared;
}

std::vector<ParallelText> prepared_texts(const fs::path& folder) {
  std::vector<ParallelText> texts;
  for (const PreparedText& text : PreparedPairs::of(folder).texts) {
    texts.push_back({folder / kList, folder / kList, text.language, folder, texts.size()});
  }
  return texts;
}

ParallelCorpus prepared_corpus(const ParallelText& text, const SharedTokenizer& tokenizer,
                               std::int64_t must_fit) {
  const PreparedPairs prepared = PreparedPairs::of(text.prepared);
  KETTE_CHECK(prepared.tokenizer == tokenizer->fingerprint(), text.prepared.string(),
              ": expected pairs of the tokenizer ", tokenizer->fingerprint(), ", given those of ",
              prepared.tokenizer, " (prepare them with that one: kette tokenize --tokenizer)");
  KETTE_CHECK(text.number < prepared.texts.size(), text.source.name(), ": expected more than ",
              text.number, " texts, given ", prepared.texts.size());
  const PreparedText& one = prepared.texts[text.number];
  std::vector<std::shared_ptr<const PairFile>> shards;
  for (const std::string& name : one.shards) {
    const fs::path file = text.prepared / name;
    shards.push_back(PairFile::open(file));
    KETTE_CHECK(shards.back()->made_of().starts_with(one.made_of + "; "), file.string(),
                ": expected pairs of ", one.source,
                " as pairs.json has it, given others (make them again with kette tokenize)");
  }
  KETTE_CHECK(!shards.empty(), text.source.name(), ": expected shards of ", one.source,
              ", given none");
  ParallelCorpus corpus = ParallelCorpus::of(shards, tokenizer, must_fit);
  KETTE_CHECK(corpus.size() > 0, one.source, " and ", one.target,
              ": expected sentence pairs that pass the filters, given none\n",
              corpus.report().text());
  for (std::int64_t pair = 0; pair < corpus.size(); ++pair) {
    const auto [source, target] = corpus.lengths(pair);
    KETTE_CHECK(std::max(source, target) <= must_fit, one.source, ": expected at most ", must_fit,
                " tokens, as many as the model has positions for, given ", std::max(source, target),
                " in pair ", pair + 1, " (prepare it with a --max-length of ", must_fit,
                ", or give the model more positions)");
  }
  return corpus;
}

ParallelCorpus prepared_corpus(const fs::path& folder, const SharedTokenizer& tokenizer) {
  std::vector<ParallelCorpus> texts;
  for (const ParallelText& text : prepared_texts(folder)) {
    texts.push_back(prepared_corpus(text, tokenizer, std::numeric_limits<std::int64_t>::max()));
  }
  return ParallelCorpus::joined(texts);
}

}  // namespace kette
