#include "data/checks/odd_pairs_json.h"

#include "data/files/json_text.h"

namespace kette {

Json odd_pairs_to_json(const std::vector<OddPairs>& odd) {
  Json all = Json::array();
  for (const OddPairs& one : odd) {
    Json samples = Json::array();
    for (const PairSample& sample : one.samples) {
      samples.push_back({sample.line, sample.source, sample.target, sample.note});
    }
    all.push_back({{"oddity", enum_name(one.oddity)},
                   {"pairs", one.pairs},
                   {"sources", one.sources},
                   {"targets", one.targets},
                   {"samples", samples}});
  }
  return all;
}

std::vector<OddPairs> odd_pairs_of_json(const Json& json) {
  std::vector<OddPairs> all;
  for (const Json& one : json) {
    all.push_back({enum_named<Oddity>(one.at("oddity")),
                   one.at("pairs"),
                   one.at("sources"),
                   one.at("targets"),
                   {}});
    for (const Json& sample : one.at("samples")) {
      all.back().samples.push_back({sample.at(0), sample.at(1), sample.at(2), sample.at(3)});
    }
  }
  return all;
}

}  // namespace kette
