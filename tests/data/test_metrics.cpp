// The table of metrics: what holds of each of them, whatever it counts.
#include <doctest/doctest.h>

#include <algorithm>

#include "data/metrics/metrics.h"
#include "data/metrics/score_statistics.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

namespace {

const ScoreLines kTexts = {"the cat sat on the mat .", "A cat sat on the mat.  ", "", "größer – ½",
                           "the mat sat on the cat ."};

/// Files of the program that have the text, from the source folder on.
std::vector<std::string> files_with(const std::string& text) {
  std::vector<std::string> files;
  for (const char* folder : {"data", "models", "decode", "train", "inspect", "cli"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(source_folder() / folder)) {
      if (!entry.is_regular_file() || !contains(read_file(entry.path()), text)) continue;
      files.push_back(std::filesystem::relative(entry.path(), source_folder()).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("metrics: each scores all pairs of texts as it scores each, and knows which way is up") {
  for (const std::string& name : metric_names()) {
    CAPTURE(name);
    const std::unique_ptr<MetricConfig> config = metric_config(name);
    const std::vector<double> scores = config->pairwise(kTexts);
    REQUIRE(scores.size() == kTexts.size() * kTexts.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const ScoreLines hypothesis = {kTexts[i / kTexts.size()]},
                       reference = {kTexts[i % kTexts.size()]};
      CHECK(scores[i] == ScoreStatistics(config->metric(true), hypothesis, {reference}).score());
    }
    const double sign = lower_is_better(name) ? -1 : 1;
    CHECK(sign * scores[0] > sign * scores[1]);
    CHECK(sign * scores[1] > sign * scores[3]);
    CHECK_FALSE(config->metric().name.empty());
    CHECK_FALSE(config->metric().fields.empty());
  }
  CHECK(lower_is_better("ter"));
  CHECK_FALSE(lower_is_better("f1"));
  CHECK(message_of([] { metric_config("tre"); }) ==
        "metric: expected one of bleu, chrf, chrf++, ter, given tre");
}

TEST_CASE("metrics: one is its own two files and its line of the table") {
  const std::string table = "data/metrics/metrics.cpp";
  CHECK(files_with("chrf_config") ==
        std::vector<std::string>{"data/metrics/chrf.cpp", "data/metrics/chrf.h", table});
  CHECK(files_with("ter_config") ==
        std::vector<std::string>{table, "data/metrics/ter.cpp", "data/metrics/ter.h"});
  CHECK(files_with("\"ter\"") == std::vector<std::string>{table});
  CHECK(files_with("\"chrf") == std::vector<std::string>{table});
  CHECK(files_with("#include \"data/metrics/ter.h\"") ==
        std::vector<std::string>{table, "data/metrics/ter.cpp"});
  CHECK(files_with("#include \"data/metrics/chrf.h\"") ==
        std::vector<std::string>{"data/metrics/chrf.cpp", table});
}
