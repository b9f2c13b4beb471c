#include "cli/odd_pairs.h"

#include <algorithm>
#include <iostream>

#include "cli/common.h"
#include "data/files/json_text.h"
#include "tensor/suggestion.h"

namespace kette::cli {

void print_samples(const TextReport& report, const OddPairs& pairs) {
  std::cout << "\n" << told(report, pairs) << ", such as\n";
  for (const PairSample& sample : pairs.samples) {
    const std::string line = "  line " + std::to_string(sample.line);
    std::cout << line << (sample.note.empty() ? "" : ": " + for_stdout(sample.note)) << "\n    "
              << for_stdout(sample.source) << "\n    " << for_stdout(sample.target) << "\n";
  }
}

Json odd_pairs_json(const TextReport& report, const OddPairs& pairs) {
  Json samples = Json::array();
  for (const PairSample& sample : pairs.samples) {
    samples.push_back({{"line", sample.line},
                       {"source", sample.source},
                       {"target", sample.target},
                       {"note", sample.note}});
  }
  return {{"finding", enum_name(pairs.oddity)}, {"pairs", pairs.pairs},
          {"sources", pairs.sources},           {"targets", pairs.targets},
          {"share", report.share(pairs)},       {"samples", samples}};
}

Json print_left_out(const TextReport& report, const std::vector<OddPairs>& left_out) {
  Json all = Json::array();
  const bool has_any = std::any_of(left_out.begin(), left_out.end(),
                                   [](const OddPairs& odd) { return odd.pairs > 0; });
  if (has_any) std::cout << "\nleft out of " << for_stdout(report.name()) << ":\n";
  for (const OddPairs& odd : left_out) {
    if (odd.pairs > 0) print_samples(report, odd);
    all.push_back(odd_pairs_json(report, odd));
  }
  return {{"source", report.files.source.name()},
          {"target", report.files.target.name()},
          {"findings", all}};
}

Json print_left_out(const std::vector<std::string>& files, const LeftOutDocuments& left_out) {
  Json all = Json::array();
  for (const OddPairs& odd : left_out.odd) {
    const double share = static_cast<double>(odd.pairs) / static_cast<double>(left_out.documents);
    Json samples = Json::array();
    if (odd.pairs > 0) {
      std::cout << "\nleft out of " << for_stdout(joined(files)) << ": " << odd.pairs << " of "
                << left_out.documents << " documents (" << percent(share) << "), "
                << info_of(odd.oddity).title << ", such as\n";
    }
    for (const PairSample& sample : odd.samples) {
      std::cout << "  document " << sample.line
                << (sample.note.empty() ? "" : ": " + for_stdout(sample.note)) << "\n    "
                << for_stdout(sample.source) << "\n";
      samples.push_back(
          {{"document", sample.line}, {"text", sample.source}, {"note", sample.note}});
    }
    all.push_back({{"finding", enum_name(odd.oddity)},
                   {"documents", odd.pairs},
                   {"share", share},
                   {"samples", samples}});
  }
  return {{"files", files}, {"findings", all}};
}

}  // namespace kette::cli
