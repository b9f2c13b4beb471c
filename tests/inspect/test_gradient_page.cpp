// The page of a gradient check, and what it is made of.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "autograd/all_ops.h"
#include "inspect/page/sparkline.h"
#include "inspect/steps/gradient_report.h"
#include "tests/cli/call_kette.h"
#include "tests/inspect/browser.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("gradient gaps: of all elements, and joined a NaN is the worst") {
  const GradientGap gap =
      check_gradients([](const std::vector<Variable>& in) { return in[0] * in[1]; },
                      {{{3, 5}}, {{5}}})
          .differences;
  CHECK(gap.checked == 20);
  CHECK(gap.gaps.size() == 20);
  CHECK(*std::max_element(gap.gaps.begin(), gap.gaps.end()) == gap.gap);
  GradientGap joined, worse{0.5, 0.5, 1e-6, 1, 2, 0, "there", 3, 0, {0.1, 0.5, 0}};
  joined.join(gap);
  CHECK(joined.where == gap.where);
  joined.join(worse);
  CHECK(joined.where == "there");
  CHECK(joined.checked == 23);
  CHECK(joined.gaps.size() == 23);
  worse.gap = std::numeric_limits<double>::quiet_NaN();
  worse.where = "nowhere";
  joined.join(worse);
  joined.join(gap);
  CHECK(joined.where == "nowhere");
  CHECK(std::isnan(joined.gap));
}

TEST_CASE("gradient gaps: by step they make a V, and a wrong gradient does not") {
  const auto by_step = [](const DifferentiableFunction& function) {
    std::vector<double> gaps;
    for (const double step : steps_of_sweep()) {
      gaps.push_back(
          check_gradients(function, {{{7}, 0.5, 1.5}}, GradientCheckOptions().at_step_alone(step))
              .differences.gap);
    }
    return gaps;
  };
  const std::vector<double> right = by_step([](const auto& in) { return exp(in[0]); });
  CHECK(steps_of_sweep().front() == doctest::Approx(1e-2));
  CHECK(steps_of_sweep().back() == doctest::Approx(1e-9));
  const double least = *std::min_element(right.begin(), right.end());
  CHECK(right.front() > 1000 * least);
  CHECK(right.back() > 100 * least);
  // The error falls with h^2: a tenth of the step, a hundredth of the error.
  CHECK(right[0] / right[2] == doctest::Approx(100).epsilon(0.05));
}

TEST_CASE("sparklines: drawings of a line's height") {
  CHECK(contains(sparkline({0, 1}, 0, 1), "M0.0 19.0L100.0 1.0"));
  CHECK(contains(sparkline({0, std::nan(""), 1}, 0, 1), "M0.0 19.0M100.0 1.0"));
  CHECK(contains(spark_bars({0, 2, 1}), "M33.3 20V0.0H60.0V20Z"));
  CHECK(contains(spark_bars({}), "d=\"\""));
}

TEST_CASE("gradcheck: --page shows every op and every parameter") {
  const ScratchFolder folder;
  const std::string path = (folder / "page.html").string();
  const Outcome outcome = call_kette({"gradcheck", "exp", "matmul", "--page", path});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::string page = checked_page(path);
  CHECK(contains(page, "2 of 2 ops have the right gradient; "));
  const Outcome model =
      call_kette({"gradcheck", "--model", "gpt", "--elements", "1", "--page", path});
  CHECK(model.code == 0);
  CHECK(contains(read_file(path), "Gradient check of a gpt"));
  CHECK(call_kette({"gradcheck", "exp", "--page", "/nowhere/page.html"}).code == 2);
  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page, R"(
      const verdicts = () => [...document.querySelectorAll('#play output > table tr')].map((row) => row.cells[1].textContent.split(',')[0]).join(' ');
      const first = verdicts(), fault = document.querySelector('#play select');
      fault.selectedIndex = 0;
      fault.dispatchEvent(new Event('input'));
      const none = verdicts();
      fault.selectedIndex = 6;
      fault.dispatchEvent(new Event('input'));
      document.body.prepend(element('output', { textContent: [graphs.length, document.querySelectorAll('.spark').length, first, none, verdicts()].join(' ; ') }));)");
  CHECK(opened.console == "");
  // What a large gradient hid is seen by the other rules, and what is below differences by the adjoint test.
  CHECK(contains(opened.document,
                 "<output>1 ; 4 ; ok FAILED FAILED ; ok ok ok ; ok ok FAILED</output>"));
}
