#include "data/checks/odd_pairs.h"

#include <algorithm>

#include "data/checks/pair_samples.h"
#include "data/files/utf8.h"

namespace kette {

std::string shortened(const std::string& line) {
  constexpr std::size_t kMost = 300;  // bytes
  if (line.size() <= kMost) return line;
  std::size_t end = kMost;
  while (continues_utf8(line[end])) --end;
  return line.substr(0, end) + "\xE2\x80\xA6";
}

void add_to(std::vector<OddPairs>& all, const std::vector<OddPairs>& more) {
  for (const OddPairs& one : more) {
    const auto same = std::find_if(
        all.begin(), all.end(), [&](const OddPairs& other) { return other.oddity == one.oddity; });
    if (same == all.end()) {
      all.push_back(one);
      continue;
    }
    same->pairs += one.pairs;
    same->sources += one.sources;
    same->targets += one.targets;
    PairSamples some(kSamplesLeftOut);
    same->samples.insert(same->samples.end(), one.samples.begin(), one.samples.end());
    for (const PairSample& sample : same->samples) some.add(sample.line, [&] { return sample; });
    same->samples = some.samples();
  }
}

}  // namespace kette
