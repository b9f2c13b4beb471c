#include "data/corpora/filter_report.h"

#include <sstream>

namespace kette {
namespace {

void describe(std::ostream& out, const FilterReport::Dropped& dropped, const std::string& reason) {
  if (dropped.count == 0) return;
  out << "\n  " << dropped.count << " " << reason << ": line ";
  const char* separator = "";
  for (const auto& example : dropped.examples) {
    out << separator << example.line << " (" << example.source_tokens << " and "
        << example.target_tokens << " tokens)";
    separator = ", ";
  }
  if (dropped.count > static_cast<std::int64_t>(dropped.examples.size())) out << ", ...";
}

}  // namespace

std::string FilterReport::text() const {
  std::ostringstream out;
  out << read << " sentence pairs read, " << kept << " kept, " << dropped() << " dropped";
  describe(out, empty, "with an empty side");
  describe(out, too_long, "longer than " + std::to_string(options.max_length) + " tokens");
  std::ostringstream limit;
  limit << "with a length ratio above " << options.max_ratio;
  describe(out, ratio, limit.str());
  describe(out, duplicates, "seen before");
  return out.str();
}

}  // namespace kette
