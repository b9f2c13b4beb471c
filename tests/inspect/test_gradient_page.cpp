// The page of a gradient check, and what it is made of.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "autograd/all_ops.h"
#include "data/files/json_text.h"
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

TEST_CASE("gradient report: a check that compared nothing is not counted as right") {
  GradientCheck right, untold;
  right.differences.checked = 1;
  GradientCheck wrong = right;
  wrong.differences.gap = 1;
  CHECK(std::string(verdict_of(right)) == "ok");
  CHECK(std::string(verdict_of(untold)) == "?");
  CHECK(std::string(verdict_of(wrong)) == "FAILED");
  const std::vector<CheckedGradient> checked = {{"a", 1, right}, {"b", 1, untold}, {"c", 1, wrong}};
  const Report report = to_report(checked, {1e-6, 1e-12, 1e-5, DType::f64, ""});
  CHECK(report.lead.starts_with(
      "1 of 3 ops have the right gradient, 1 have not, of 1 nothing can be said; a row"));
  CHECK(contains(as_text(report), "1 passed, 1 failed, worst "));
  CHECK(contains(as_text(report), "of 1 (?) nothing can be said"));
  CHECK(contains(as_json(report).dump(), R"("passed":1,"failed":1,"untold":1)"));
  CHECK(contains(as_page(report), "<td class=\"text\">?</td>"));
}

TEST_CASE("gradcheck: in f32 a tolerance that is given stays, and rounding is that of f32") {
  const ScratchFolder folder;
  const std::string path = (folder / "page.html").string();
  const std::vector<std::string> in_f32 = {"gradcheck", "relu", "--fast", "--f32",
                                           "--page",    path,   "--seed", "1"};
  CHECK(call_kette(in_f32).code == 0);
  CHECK(contains(read_file(path), "a gap up to 1e-03 by differences, 1e-03 by the adjoint test"));
  CHECK(contains(read_file(path), "\"rounding, 6e-08 / h\""));
  CHECK(call_kette(with(in_f32, {"--tolerance", "0.01"})).code == 0);
  CHECK(contains(read_file(path), "a gap up to 1e-02 by differences, 1e-03 by the adjoint test"));
  const Outcome model = call_kette({"gradcheck", "--f32", "--model", "gpt"});
  CHECK(model.code == 2);
  CHECK(model.says("--f32: expected ops, given --model gpt"));
}

TEST_CASE("gradcheck: --page shows every op and every parameter") {
  const ScratchFolder folder;
  const std::string path = (folder / "page.html").string();
  const Outcome outcome = call_kette({"gradcheck", "exp", "matmul", "--page", path});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::string page = checked_page(path);
  CHECK(contains(page, "2 of 2 ops have the right gradient; "));
  CHECK(contains(page, "\"rounding, 1e-16 / h\""));
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
