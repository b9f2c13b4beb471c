// Sentence pairs as ids, made once of texts of any size: a folder (data/corpora/shard_folder.h) of shards, each a file of the
// pairs of so many lines (data/corpora/pair_file.h), and of pairs.json, which names them by their texts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/corpora/parallel_corpus.h"
#include "data/corpora/shard_folder.h"
#include "data/corpora/text_facts.h"

namespace kette {

struct PreparedText {
  std::string source, target, language;  ///< as they were given
  std::string made_of;
  std::int64_t lines = 0;
  std::int64_t source_bytes = 0, target_bytes = 0;  ///< unpacked
  std::vector<std::string> shards;                  ///< files of the folder
  std::optional<TextCounts> counts{};               ///< none: an earlier version made it
};

struct PreparedPairs {
  std::string tokenizer;  ///< Tokenizer::fingerprint()
  FilterOptions filters;
  std::string odd;  ///< PairFilterOptions::made_of() of the filters
  std::vector<PreparedText> texts;

  /// What a folder has: an Error where it is none of these.
  static PreparedPairs of(const std::filesystem::path& folder);
  /// Into a folder whose shards are all there.
  void save(const std::filesystem::path& folder) const;
  /// What the texts are like, together; nothing where an earlier version prepared one of them.
  std::optional<TextFacts> facts(bool both_directions = false) const;
};

struct PrepareOptions {
  ShardOptions shards;
  FilterOptions filters;
  std::int64_t lines_a_shard = std::int64_t{1} << 20;
};

/// Whether a folder has shards of the first of these texts, by this tokenizer.
bool has_shards_of(const std::filesystem::path& folder, const std::vector<ParallelText>& texts,
                   const Tokenizer& tokenizer, const PrepareOptions& options);

/// Makes the shards that are not there yet, and gives what is to be saved once all processes have made theirs.
PreparedPairs prepare_pairs(const std::filesystem::path& folder,
                            const std::vector<ParallelText>& texts,
                            const SharedTokenizer& tokenizer, const PrepareOptions& options,
                            const TokenizeProgress& progress = {});

/// The texts of a folder, to learn from.
std::vector<ParallelText> prepared_texts(const std::filesystem::path& folder);
/// What prepared texts are like, together. Where an earlier version prepared one of them: what the folder's text.json says
/// if they are of one folder and learnt in one direction; else nothing is known.
std::optional<TextFacts> prepared_facts(const std::vector<ParallelText>& texts,
                                        bool both_directions);
/// The pairs of one. Ids are read, and checked, when they are wanted. Throws unless they are of this tokenizer, and none has
/// more than so many tokens a side.
ParallelCorpus prepared_corpus(const ParallelText& text, const SharedTokenizer& tokenizer,
                               std::int64_t must_fit);
/// Those of each text, however long.
std::vector<ParallelCorpus> prepared_corpora(const std::filesystem::path& folder,
                                             const SharedTokenizer& tokenizer);
/// Likewise, each of them a part.
ParallelCorpus prepared_corpus(const std::filesystem::path& folder,
                               const SharedTokenizer& tokenizer);

}  // namespace kette
