#include "data/corpora/filter_report.h"

#include <sstream>

namespace kette {
namespace {

void describe(std::ostream& out, const FilterReport::Dropped& dropped, const std::string& reason) {
  if (dropped.count == 0) return;
  out << "\n  " << dropped.count << " " << reason;
  const char* separator = ": line ";
  for (const auto& example : dropped.examples) {
    out << separator << example.line << " (" << example.source_tokens << " and "
        << example.target_tokens << " tokens)";
    separator = ", ";
  }
  const auto shown = static_cast<std::int64_t>(dropped.examples.size());
  if (shown > 0 && dropped.count > shown) out << ", ...";
}

}  // namespace

std::string FilterReport::text() const {
  std::ostringstream out;
  out << read << " sentence pairs read, " << kept << " kept, " << dropped() << " dropped";
  if (options.join_lines > 1) {
    out << "; joined to " << pairs << " pairs of at most " << options.join_lines << " lines";
  }
  for (const OddPairs& one : odd) {
    if (one.pairs > 0) out << "\n  " << one.pairs << " that " << info_of(one.oddity).what;
  }
  describe(out, empty, "with an empty side");
  describe(out, too_long, "longer than " + std::to_string(options.max_length) + " tokens");
  std::ostringstream limit;
  limit << "with a length ratio above " << options.max_ratio;
  describe(out, ratio, limit.str());
  return out.str();
}

FilterReport sum_of(const std::vector<FilterReport>& reports) {
  if (reports.size() == 1) return reports.front();
  FilterReport sum;
  for (const FilterReport& one : reports) {
    sum.options = one.options;
    sum.read += one.read;
    sum.kept += one.kept;
    sum.pairs += one.pairs;
    sum.empty.count += one.empty.count;
    sum.too_long.count += one.too_long.count;
    sum.ratio.count += one.ratio.count;
    add_to(sum.odd, one.odd);
  }
  return sum;
}

}  // namespace kette
