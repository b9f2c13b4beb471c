#include "cli/odd_pairs.h"

#include <iostream>

#include "cli/common.h"

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

}  // namespace kette::cli
