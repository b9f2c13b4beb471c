// `kette score`, whose numbers others go on to calculate with.
#include <doctest/doctest.h>

#include <iterator>
#include <sstream>
#include <utility>

#include "tests/cli/call_kette.h"

using namespace kette::testing;

namespace {

std::vector<double> numbers_in(const std::string& lines) {
  std::istringstream stream(lines);
  return {std::istream_iterator<double>(stream), {}};
}

}  // namespace

TEST_CASE("score: --normalize divides by the tokens, the end mark counted") {
  const SmallModel& small = SmallModel::get();
  const auto score = [&](const std::string& format) {
    return call_kette({"score", "--model", small.model(), "--src", small.file("valid.en"), "--tgt",
                       small.file("valid.de"), "--threads", "1", format});
  };
  const Outcome whole = score("--json"), normalized = score("--normalize");
  REQUIRE(whole.code == 0);
  const auto json = whole.json();
  const std::vector<double> sums = numbers_in(whole.out), means = numbers_in(normalized.out);
  REQUIRE(sums.size() == 2);
  REQUIRE(means.size() == 2);
  CHECK(sums[0] / means[0] + sums[1] / means[1] ==
        doctest::Approx(json["tokens"].get<double>()).epsilon(1e-4));
  CHECK(json["log_probability_per_token"].get<double>() ==
        doctest::Approx((sums[0] + sums[1]) / json["tokens"].get<double>()).epsilon(1e-4));
}

TEST_CASE("score: tokens, whose log-probabilities add up to the sentence's") {
  const SmallModel& small = SmallModel::get();
  const Outcome outcome = call_kette({"score", "--tokens", "--model", small.model(), "--src",
                                      small.file("valid.en"), "--tgt", small.file("valid.de")});
  std::istringstream lines(outcome.out), references(read_file(small.file("valid.de")));
  std::string line, reference;
  while (std::getline(references, reference)) {
    REQUIRE_MESSAGE(std::getline(lines, line), outcome.err);
    std::istringstream columns(line);
    double sum = 0, token = 0;
    columns >> sum;
    std::string text, piece, last;
    while (columns >> piece >> token) {
      text += std::exchange(last, piece);
      sum -= token;
    }
    CHECK(last == "</s>");
    CHECK(sum == doctest::Approx(0).epsilon(1e-4));
    std::istringstream words(reference);
    std::string spelled;
    for (std::string word; words >> word;) spelled += "\u2581" + word;
    CHECK(text == spelled);
  }
}
