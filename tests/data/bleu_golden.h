// The golden values of tests/fixtures/bleu_golden.json, made by the real sacreBLEU.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/metrics/score_statistics.h"
#include "tests/json_view.h"
#include "tests/support.h"

namespace kette::testing {

inline const JsonView& bleu_golden() {
  static const JsonView golden =
      JsonView::parse(read_file(source_folder() / "tests/fixtures/bleu_golden.json"));
  return golden;
}

/// Hypotheses with their references, which point into the golden file.
struct GoldenCorpus {
  ScoreLines hypotheses;
  std::vector<ScoreLines> references;

  /// The references of one line.
  ScoreLines references_of(std::size_t line) const {
    ScoreLines these;
    for (const ScoreLines& reference : references) these.push_back(reference[line]);
    return these;
  }
};

inline ScoreLines golden_lines(const JsonView& lines) {
  ScoreLines views;
  for (const auto& line : lines) views.push_back(line.text());
  return views;
}

inline const GoldenCorpus& golden_corpus(const std::string& name) {
  static const std::map<std::string, GoldenCorpus> corpora = [] {
    std::map<std::string, GoldenCorpus> all;
    for (const auto& entry : bleu_golden().at("corpora")) {
      GoldenCorpus& corpus = all[entry.at("name").text()];
      corpus.hypotheses = golden_lines(entry.at("hypotheses"));
      for (const auto& reference : entry.at("references")) {
        corpus.references.push_back(golden_lines(reference));
      }
    }
    return all;
  }();
  return corpora.at(name);
}

/// The signature up to the version, which names the program that made it.
inline std::string without_version(const std::string& signature) {
  return signature.substr(0, signature.find("|version:"));
}

}  // namespace kette::testing
