#include "cli/parallel_texts.h"

#include <algorithm>
#include <charconv>

namespace kette::cli {
namespace {

/// 0 of what is no number from 1 on.
std::int64_t column_of(std::string_view text) {
  std::int64_t column = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), column);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && column > 0 ? column : 0;
}

}  // namespace

void check_one_for_each(const std::string& option, std::size_t given, const std::string& each,
                        std::size_t expected) {
  if (given == expected) return;
  throw UsageError(option + ": expected one for each " + each + ", " + std::to_string(expected) +
                   ", given " + std::to_string(given));
}

std::vector<Option> TsvOptions::add(OptionGroup& group) {
  return {group.list("--tsv", files_,
                     "Pairs, one a line, in columns with tabs between them; after those of --src"),
          group.custom(
              "--columns", [this](const std::string& text) { set_columns(text); },
              [this] { return columns(); }, "Which columns of --tsv are source and target, from 1",
              "S,T")};
}

void TsvOptions::set_columns(const std::string& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  source_ = column_of(std::string_view(text).substr(0, comma));
  target_ = column_of(std::string_view(text).substr(std::min(comma + 1, text.size())));
  KETTE_CHECK(source_ > 0 && target_ > 0 && source_ != target_,
              "expected two different columns from 1 on, such as 1,2, given ", text);
}

std::string TsvOptions::columns() const {
  return std::to_string(source_) + "," + std::to_string(target_);
}

void TsvOptions::check() const {
  if (files_.empty() && columns() != TsvOptions().columns()) {
    throw UsageError("--columns: expected --tsv beside it, given none");
  }
}

std::vector<ParallelText> parallel_files(const std::vector<std::string>& sources,
                                         const std::vector<std::string>& targets,
                                         const std::string& prefix) {
  check_one_for_each(prefix + "tgt", targets.size(), prefix + "src", sources.size());
  std::vector<ParallelText> texts;
  for (std::size_t i = 0; i < sources.size(); ++i) texts.push_back({sources[i], targets[i]});
  return texts;
}

std::vector<ParallelText> parallel_texts(const std::vector<std::string>& sources,
                                         const std::vector<std::string>& targets,
                                         const TsvOptions& tsv,
                                         const std::vector<std::string>& languages) {
  tsv.check();
  std::vector<ParallelText> texts = parallel_files(sources, targets);
  for (const std::string& file : tsv.files()) texts.push_back(tsv.text(file));
  if (texts.empty()) throw UsageError("--src: expected a file, given none (or a --tsv)");
  if (languages.empty()) return texts;
  check_one_for_each("--languages", languages.size(), tsv.files().empty() ? "--src" : "text",
                     texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].language = languages[i];
  return texts;
}

}  // namespace kette::cli
