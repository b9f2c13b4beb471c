// Parallel text that comes as lists of options: files by --src and --tgt, tables by --tsv, each with a language if any has one.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "data/files/parallel_text.h"

namespace kette::cli {

/// Throws a UsageError unless as many values of an option were given as there are things to have one `each`.
void check_one_for_each(const std::string& option, std::size_t given, const std::string& each,
                        std::size_t expected);

/// Files with tabs between columns, two of which are source and target.
class TsvOptions {
 public:
  /// --tsv and --columns, which stand beside --src and --tgt.
  std::vector<Option> add(OptionGroup& group);
  /// A UsageError where columns were chosen of no file.
  void check() const;
  const std::vector<std::string>& files() const { return files_; }
  ParallelText text(const std::string& file) const { return {{file, source_}, {file, target_}}; }

 private:
  void set_columns(const std::string& text);
  std::string columns() const;

  std::vector<std::string> files_;
  std::int64_t source_ = 1, target_ = 2;
};

/// Source i with target i; a UsageError where one has none. prefix: of the options, "--valid-" for --valid-src and
/// --valid-tgt.
std::vector<ParallelText> parallel_files(const std::vector<std::string>& sources,
                                         const std::vector<std::string>& targets,
                                         const std::string& prefix = "--");
/// Those, then the tables, and text i with language i if languages were given; a UsageError where one has none, and where
/// there is no text.
std::vector<ParallelText> parallel_texts(const std::vector<std::string>& sources,
                                         const std::vector<std::string>& targets,
                                         const TsvOptions& tsv,
                                         const std::vector<std::string>& languages = {});

}  // namespace kette::cli
