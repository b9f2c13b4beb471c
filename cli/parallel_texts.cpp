#include "cli/parallel_texts.h"

#include "cli/options.h"

namespace kette::cli {

void check_one_for_each(const std::string& option, std::size_t given, const std::string& each,
                        std::size_t expected) {
  if (given == expected) return;
  throw UsageError(option + ": expected one for each " + each + ", " + std::to_string(expected) +
                   ", given " + std::to_string(given));
}

std::vector<ParallelText> parallel_texts(const std::vector<std::string>& sources,
                                         const std::vector<std::string>& targets,
                                         const std::vector<std::string>& languages,
                                         const std::string& prefix) {
  check_one_for_each(prefix + "tgt", targets.size(), prefix + "src", sources.size());
  if (!languages.empty()) {
    check_one_for_each("--languages", languages.size(), "--src", sources.size());
  }
  std::vector<ParallelText> texts;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    texts.push_back({sources[i], targets[i], languages.empty() ? "" : languages[i]});
  }
  return texts;
}

}  // namespace kette::cli
