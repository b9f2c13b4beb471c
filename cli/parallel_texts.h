// Options for parallel text: files by --src and --tgt, tables by --tsv. If any has a language, each must have one.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "data/files/parallel_text.h"

namespace kette::cli {

/// Throws a UsageError unless an option was given once for each of the expected things. each: their name.
void check_one_for_each(const std::string& option, std::size_t given, const std::string& each,
                        std::size_t expected);

/// Tab-separated files with a source and a target column.
class TsvOptions {
 public:
  /// Adds --tsv and --columns.
  std::vector<Option> add(OptionGroup& group);
  /// Throws a UsageError if --columns was given without --tsv.
  void check() const;
  const std::vector<std::string>& files() const { return files_; }
  ParallelText text(const std::string& file) const { return {{file, source_}, {file, target_}}; }

 private:
  void set_columns(const std::string& text);
  std::string columns() const;

  std::vector<std::string> files_;
  std::int64_t source_ = 1, target_ = 2;
};

/// Pairs source i with target i. Throws a UsageError if their numbers differ. prefix: of the options, "--valid-" for
/// --valid-src and --valid-tgt.
std::vector<ParallelText> parallel_files(const std::vector<std::string>& sources,
                                         const std::vector<std::string>& targets,
                                         const std::string& prefix = "--");
/// The files, then the tables. Text i has language i if languages were given. Throws a UsageError if there is no text,
/// or if the numbers of texts and languages differ.
std::vector<ParallelText> parallel_texts(const std::vector<std::string>& sources,
                                         const std::vector<std::string>& targets,
                                         const TsvOptions& tsv,
                                         const std::vector<std::string>& languages = {});

}  // namespace kette::cli
