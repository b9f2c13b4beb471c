#include "data/corpora/prepared_pairs.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "data/checks/pair_filter.h"
#include "data/corpora/pair_encoder.h"
#include "data/corpora/pair_file.h"
#include "data/files/block_checksums.h"
#include "data/files/json_text.h"
#include "tensor/error.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

bool is_same(const FilterOptions& a, const FilterOptions& b) {
  return a.max_length == b.max_length && a.max_ratio == b.max_ratio && a.must_fit == b.must_fit &&
         a.join_lines == b.join_lines;
}

class ShardedPairs final : public ShardedText {
 public:
  ShardedPairs(const ParallelText& files, const SharedTokenizer& tokenizer,
               const PrepareOptions& options, PairFilter* odd, const TokenizeProgress& progress)
      : encoder_(files, tokenizer, options.filters, odd),
        tokenizer_(tokenizer),
        lines_a_shard_(options.lines_a_shard),
        progress_(progress) {}

  bool write(const fs::path& shard, const std::string& made_of) override {
    PairFileWriter writer(shard,
                          std::max(tokenizer_->vocabulary(), tokenizer_->source_vocabulary()),
                          tokenizer_->special().end);
    const FilterReport report =
        encoder_.encode([&](const auto& source, const auto& target) { writer.add(source, target); },
                        lines_a_shard_, progress_);
    if (report.read > 0) writer.finish(made_of, report);
    lines_ += report.read;
    return report.read > 0;
  }

  bool skip() override {
    const std::int64_t lines = encoder_.skip(lines_a_shard_);
    lines_ += lines;
    return lines > 0;
  }

  std::int64_t lines() const { return lines_; }
  const PairEncoder& encoder() const { return encoder_; }

 private:
  PairEncoder encoder_;
  const SharedTokenizer& tokenizer_;
  std::int64_t lines_a_shard_, lines_ = 0;
  const TokenizeProgress& progress_;
};

}  // namespace

PreparedPairs PreparedPairs::of(const fs::path& folder) {
  PreparedPairs prepared;
  ShardFolder(folder, ShardKind::pairs).read_list([&](const Json& json) {
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
      if (text.contains("counts")) {
        prepared.texts.back().counts = text_counts_of_json(text.at("counts"));
      }
    }
  });
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
    if (text.counts) of_texts.back()["counts"] = text_counts_to_json(*text.counts);
  }
  ShardFolder(folder, ShardKind::pairs)
      .save_list({{"tokenizer", tokenizer},
                  {"filters",
                   {{"max_length", filters.max_length},
                    {"max_ratio", filters.max_ratio},
                    {"join_lines", filters.join_lines},
                    {"odd", odd}}},
                  {"texts", of_texts}});
}

std::optional<TextFacts> PreparedPairs::facts(bool both_directions) const {
  std::vector<TextCounts> counts;
  for (const PreparedText& text : texts) {
    if (!text.counts) return std::nullopt;
    counts.push_back(*text.counts);
  }
  return text_facts(counts, both_directions);
}

bool has_shards_of(const fs::path& folder, const std::vector<ParallelText>& texts,
                   const Tokenizer& tokenizer, const PrepareOptions& options) {
  return ShardFolder(folder, ShardKind::pairs)
      .has_shard_of(made_of(texts.front(), tokenizer, options.filters));
}

PreparedPairs prepare_pairs(const fs::path& folder, const std::vector<ParallelText>& texts,
                            const SharedTokenizer& tokenizer, const PrepareOptions& options,
                            const TokenizeProgress& progress) {
  KETTE_CHECK(options.lines_a_shard > 0, "tokenize: expected at least a line a shard, given ",
              options.lines_a_shard);
  const std::string odd = options.filters.odd.made_of();
  ShardFolder shards(folder, ShardKind::pairs, options.shards);
  PreparedPairs before;
  if (shards.has_list()) {
    before = PreparedPairs::of(folder);
    shards.check_adds(before.tokenizer, *tokenizer);
    KETTE_CHECK(is_same(before.filters, options.filters), folder.string(),
                ": expected the filters of the pairs that it has, of at most ",
                before.filters.max_length, " tokens, a ratio of ", before.filters.max_ratio,
                " and ", before.filters.join_lines, " lines, given others (take another folder)");
    KETTE_CHECK(before.odd == odd, folder.string(), ": expected the pairs that it has to be ",
                before.odd.empty() ? "all those of the texts" : before.odd, ", given ",
                odd.empty() ? "no --filter" : odd, " (take another folder)");
  }
  std::vector<std::string> wanted;
  for (const ParallelText& text : texts) {
    std::string one = made_of(text, *tokenizer, options.filters);
    // Which pairs repeat earlier ones is up to the texts before, too.
    if (options.filters.odd.wants(Oddity::duplicate) && !wanted.empty()) {
      one += "; after " + hexadecimal(checksum_of(wanted.back()));
    }
    wanted.push_back(std::move(one));
  }
  PreparedPairs prepared{tokenizer->fingerprint(), options.filters, odd,
                         shards.kept(before.texts, wanted)};
  shards.check_duplicates(options.filters.odd.wants(Oddity::duplicate), prepared.texts.size());
  std::optional<PairFilter> odd_pairs;
  if (!options.filters.odd.oddities.empty()) odd_pairs.emplace(options.filters.odd, tokenizer);
  double done = 0, all = 0;
  for (const ParallelText& text : texts)
    all += static_cast<double>(fs::file_size(text.source.file));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double size = static_cast<double>(fs::file_size(texts[i].source.file));
    const TokenizeProgress of_all = [&](const TokenizeReport& report, double share) {
      if (progress) progress(report, (done + share * size) / all);
    };
    ShardedPairs pairs(texts[i], tokenizer, options, odd_pairs ? &*odd_pairs : nullptr, of_all);
    const std::vector<std::string> names = shards.make(
        prepared.texts.size(), wanted[i], std::to_string(options.lines_a_shard) + " lines", pairs);
    done += size;
    prepared.texts.push_back({texts[i].source.name(), texts[i].target.name(), texts[i].language,
                              wanted[i], pairs.lines(), pairs.encoder().source_bytes(),
                              pairs.encoder().target_bytes(), names,
                              text_counts(texts[i], *tokenizer, options.filters)});
  }
  return prepared;
}

std::vector<ParallelText> prepared_texts(const fs::path& folder) {
  const fs::path list = ShardFolder(folder, ShardKind::pairs).list();
  std::vector<ParallelText> texts;
  for (const PreparedText& text : PreparedPairs::of(folder).texts) {
    texts.push_back({list, list, text.language, folder, texts.size()});
  }
  return texts;
}

std::optional<TextFacts> prepared_facts(const std::vector<ParallelText>& texts,
                                        bool both_directions) {
  PreparedPairs all;
  bool are_of_one_folder = true;
  for (const ParallelText& text : texts) {
    all.texts.push_back(PreparedPairs::of(text.prepared).texts.at(text.number));
    are_of_one_folder = are_of_one_folder && text.prepared == texts.front().prepared;
  }
  const std::optional<TextFacts> facts = all.facts(both_directions);
  if (facts || !are_of_one_folder || both_directions) return facts;
  return load_text_facts(texts.front().prepared);
}

ParallelCorpus prepared_corpus(const ParallelText& text, const SharedTokenizer& tokenizer,
                               std::int64_t must_fit) {
  const ShardFolder folder(text.prepared, ShardKind::pairs);
  const PreparedPairs prepared = PreparedPairs::of(text.prepared);
  folder.check_reads(prepared.tokenizer, *tokenizer);
  KETTE_CHECK(text.number < prepared.texts.size(), text.source.name(), ": expected more than ",
              text.number, " texts, given ", prepared.texts.size());
  const PreparedText& one = prepared.texts[text.number];
  std::vector<std::shared_ptr<const PairFile>> shards;
  for (const std::string& name : one.shards) {
    shards.push_back(PairFile::open(text.prepared / name));
    folder.check_shard(name, shards.back()->made_of(), one.made_of);
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

std::vector<ParallelCorpus> prepared_corpora(const fs::path& folder,
                                             const SharedTokenizer& tokenizer) {
  std::vector<ParallelCorpus> texts;
  for (const ParallelText& text : prepared_texts(folder)) {
    texts.push_back(prepared_corpus(text, tokenizer, std::numeric_limits<std::int64_t>::max()));
  }
  return texts;
}

ParallelCorpus prepared_corpus(const fs::path& folder, const SharedTokenizer& tokenizer) {
  return ParallelCorpus::joined(prepared_corpora(folder, tokenizer));
}

}  // namespace kette
