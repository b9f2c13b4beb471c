#include "data/bundled/word_table.h"

#include "tensor/error.h"
#include "tensor/suggestion.h"

namespace kette::bundled {

std::vector<std::string_view> split_at(char separator, std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

const std::string& WordRow::operator[](const std::string& column) const {
  const auto found = cells_.find(column);
  KETTE_CHECK(found != cells_.end(), place_, ": expected a column ", column, ", given none");
  return found->second;
}

bool WordRow::is(const std::string& column) const {
  const std::pair<std::string, bool> answers[] = {{"yes", true}, {"", false}};
  return named(column, answers);
}

void WordRow::refuse(const std::string& column, const std::vector<std::string>& known,
                     const std::string& given) const {
  fail(place_, ": ", column, ": expected one of ", joined(known), ", given ",
       given.empty() ? "nothing" : given, given.size() > 1 ? did_you_mean(given, known) : "");
}

std::vector<WordRow> read_words(std::string_view text, const std::string& file) {
  std::vector<WordRow> rows;
  std::vector<std::string_view> columns;
  std::int64_t number = 0;
  for (const std::string_view line : split_at('\n', text)) {
    const std::string place = file + ":" + std::to_string(++number);
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string_view> cells = split_at('\t', line);
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    KETTE_CHECK(cells.size() <= columns.size(), place, ": expected at most ", columns.size(),
                " cells, as there are columns, given ", cells.size());
    cells.resize(columns.size());
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < columns.size(); ++i) row.emplace(columns[i], cells[i]);
    rows.emplace_back(place, std::move(row));
  }
  KETTE_CHECK(!rows.empty(), file, ": expected a line with the names of columns, and words, given ",
              columns.empty() ? "nothing" : "no words");
  return rows;
}

}  // namespace kette::bundled
