// The work of `kette tokenize`: turns texts into a file or a folder of ids, or parallel texts into pairs of ids.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/common.h"
#include "cli/parallel_texts.h"
#include "data/corpora/prepared_pairs.h"
#include "data/corpora/prepared_tokens.h"

namespace kette::cli {

/// Turns an Error into a UsageError, with the option's name in front.
void as_usage_of(const char* option, const std::function<void()>& check);

struct TokenizeCommandOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string tokenizer;
  std::filesystem::path out;
  bool quiet = false;

  std::vector<std::string> sources, targets, languages, filters, test_sources, test_targets;
  TsvOptions tsv;
  std::int64_t vocabulary = 10000;
  bool is_vocabulary_given = false;
  bool has_mask = false, makes_folder = false;
  ShardOptions shards;
  PrepareOptions pairs;
  PrepareTokensOptions tokens;

  std::vector<ParallelText> texts() const;
  /// The values of --filter, in the order of oddities(). Throws a UsageError for an unknown name.
  std::vector<Oddity> odd() const;
  PairFilterOptions odd_pairs() const;
  /// With --filter.
  PrepareOptions of_pairs() const;
  PrepareTokensOptions of_tokens() const;
  std::vector<std::filesystem::path> paths() const { return {files.begin(), files.end()}; }
};

void tokenize(TokenizeCommandOptions& options);

}  // namespace kette::cli
