#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "autograd/gradient_check.h"
#include "nn/layers.h"
#include "train/adam.h"
#include "train/run_length.h"
#include "train/schedule.h"

using namespace kette;

TEST_CASE("Adam follows Algorithm 1 of Kingma and Ba, matrices decayed and vectors not") {
  ParamStore store;
  const Scope root(store);
  const Variable matrix = root.parameter("matrix", {2, 3}, Init::normal(1));
  const Variable vector = root.parameter("vector", {3}, Init::normal(1));
  store.materialize(1, DType::f64);
  const OptimizerOptions options{.weight_decay = 0.1};
  Adam adam(store, options);
  struct Element {
    double value, m = 0, v = 0;
  };
  const auto start = [](const Variable& v) {
    std::vector<Element> elements;
    for (const double value : v.value().values<double>()) elements.push_back({value});
    return elements;
  };
  std::vector<Element> matrix_expected = start(matrix), vector_expected = start(vector);
  for (int t = 1; t <= 5; ++t) {
    const bool is_short = t % 2 == 0;  // a gradient that is not clipped
    const double lr = 0.01 * t, scale = is_short ? 1 : 0.5;
    const auto advance = [&](const Variable& parameter, std::vector<Element>& expected,
                             double decay) {
      double* gradient = parameter.leaf()->gradient.data<double>();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        gradient[i] = std::sin(double(t) + double(i));
        const double g = scale * gradient[i];
        Element& e = expected[i];
        e.m = 0.9 * e.m + 0.1 * g;
        e.v = 0.98 * e.v + 0.02 * g * g;
        const double m_hat = e.m / (1 - std::pow(0.9, t)), v_hat = e.v / (1 - std::pow(0.98, t));
        e.value -= lr * (m_hat / (std::sqrt(v_hat) + 1e-9) + decay * e.value);
      }
    };
    advance(matrix, matrix_expected, 0.1);
    advance(vector, vector_expected, 0);
    adam.step(lr, Tensor::full({1}, 16.0, DType::f64), is_short ? 8 : 2);  // a norm of 4
  }
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(matrix.value().values<double>()[i] ==
          doctest::Approx(matrix_expected[i].value).epsilon(1e-12));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(vector.value().values<double>()[i] ==
          doctest::Approx(vector_expected[i].value).epsilon(1e-12));
  }
}

TEST_CASE("the Noam schedule is equation (3): peak 7.0e-4 for base, 4.9e-4 for big") {
  ScheduleOptions noam{ScheduleKind::noam, 1, 4000, 512, 0};
  CHECK(learning_rate(noam, 4000) == doctest::Approx(7.0e-4).epsilon(0.01).scale(0));
  CHECK(learning_rate(noam, 2000) ==
        doctest::Approx(std::pow(512, -0.5) * 2000 * std::pow(4000, -1.5)));
  CHECK(learning_rate(noam, 16000) == doctest::Approx(std::pow(512, -0.5) / std::sqrt(16000.0)));
  noam.width = 1024;
  CHECK(learning_rate(noam, 4000) == doctest::Approx(4.9e-4).epsilon(0.01).scale(0));
  CHECK_THROWS_AS(learning_rate(noam, 0), Error);
}

namespace {

/// Of a run whose steps take so many seconds each.
std::vector<double> rates_by_the_clock(const TrainOptions& options, double seconds) {
  RunStanding at;
  std::vector<double> rates;
  while (!is_over(options, at)) {
    rates.push_back(next_learning_rate(options, at, 16));
    ++at.step;
    at.seconds += seconds;
    at.seconds_per_step = seconds;
  }
  return rates;
}

}  // namespace

TEST_CASE("the cosine ends when the time of a run does, whatever a step takes") {
  TrainOptions options;
  options.schedule = {ScheduleKind::cosine, 1e-3, 4, 0, 0};
  options.minutes = 0.5;
  for (const double seconds : {0.01, 0.25, 2.0}) {
    CAPTURE(seconds);
    const std::vector<double> rates = rates_by_the_clock(options, seconds);
    CHECK(static_cast<double>(rates.size()) * seconds == doctest::Approx(30).epsilon(0.01));
    CHECK(rates[3] == doctest::Approx(1e-3));
    CHECK(rates.back() < 1.1e-4);
    CHECK(std::is_sorted(rates.begin() + 3, rates.end(), std::greater<>()));
  }
}

TEST_CASE("a warm-up that is kept short ends at its share of the run, at the same peak") {
  for (const ScheduleKind kind :
       {ScheduleKind::noam, ScheduleKind::inverse_sqrt, ScheduleKind::cosine, ScheduleKind::linear,
        ScheduleKind::constant}) {
    CAPTURE(enum_name(kind));
    const ScheduleOptions whole = with_kind({ScheduleKind::inverse_sqrt, 5e-3, 2000, 64, 0}, kind);
    ScheduleOptions kept = whole;
    kept.warmup_share = 0.1;
    CHECK(warmup_steps(kept) == 2000);  // of a run of unknown length
    kept.total_steps = 20000;
    CHECK(warmup_steps(kept) == 2000);
    for (const std::int64_t step : {1, 700, 2000, 9000}) {
      ScheduleOptions same = whole;
      same.total_steps = 20000;
      CHECK(learning_rate(kept, step) == learning_rate(same, step));
    }
    kept.total_steps = 500;
    CHECK(warmup_steps(kept) == 50);
    CHECK(learning_rate(kept, 25) == doctest::Approx(2.5e-3));
    CHECK(learning_rate(kept, 50) == doctest::Approx(5e-3));
    const double later = learning_rate(kept, 200);
    if (kind == ScheduleKind::noam || kind == ScheduleKind::inverse_sqrt) {
      CHECK(later == doctest::Approx(2.5e-3));
    }
    kept.total_steps = 3;
    CHECK(warmup_steps(kept) == 1);
  }
}

TEST_CASE("a run of any length by the clock reaches its peak within the share for that") {
  TrainOptions options;
  options.schedule = {ScheduleKind::inverse_sqrt, 5e-3, 2000, 0, 0, 0.1};
  options.minutes = 7;
  for (const double seconds : {0.05, 1.0, 10.0}) {
    CAPTURE(seconds);
    const std::vector<double> rates = rates_by_the_clock(options, seconds);
    const auto peak = std::max_element(rates.begin(), rates.end()) - rates.begin() + 1;
    CHECK(static_cast<double>(peak) <= 0.12 * static_cast<double>(rates.size()));
    CHECK(rates[static_cast<std::size_t>(peak - 1)] == doctest::Approx(5e-3).epsilon(0.05));
  }
}

TEST_CASE("before the first step: a run that ends in its warm-up, and a rate that jumps") {
  TrainOptions options;
  options.schedule = {ScheduleKind::inverse_sqrt, 5e-3, 2000, 0, 0};
  RunStanding at;
  at.batches_in_epoch = 100;
  const auto notes = [&] { return notes_before(options, at, 16); };
  options.steps = 1000;
  CHECK(notes() == std::vector<std::string>{
                       "the learning rate rises for 2000 steps, and there are 1000 (--warmup)"});
  options.steps = 0;
  options.epochs = 3;
  CHECK(notes().front() == "the learning rate rises for 2000 steps, and there are 300 (--warmup)");
  options.epochs = 0;
  options.minutes = 7;
  CHECK(notes().empty());  // a step may take any time
  at.seconds_per_step = 1;
  CHECK(notes().front() ==
        "the learning rate rises for 2000 steps, and there are about 420 (--warmup)");
  options.schedule.warmup_share = 0.1;
  CHECK(notes().empty());

  // 100 steps of a cosine, and then 100 more.
  options = {};
  options.schedule = {ScheduleKind::cosine, 4e-3, 10, 0, 0};
  options.steps = 100;
  at = {.step = 99};
  at.learning_rate = next_learning_rate(options, at, 16);
  at.step = 100;
  options.steps = 200;
  REQUIRE(notes().size() == 2);
  CHECK(notes()[0] == "goes on after step 100");
  CHECK(notes()[1] ==
        "the learning rate was 0.0004 and goes on at 0.00232, for the run is longer or shorter "
        "than it was laid out for");
  options.schedule.kind = ScheduleKind::constant;
  at.learning_rate = 4e-3;
  CHECK(notes().size() == 1);
  at = {.step = 5, .learning_rate = 2.4e-3};  // which is that of the next step, too
  CHECK(notes().size() == 1);
}

TEST_CASE("before the first step: what goes on where nothing is left to train") {
  TrainOptions options;
  options.steps = 5;
  options.patience = 2;
  RunStanding at{.step = 5, .validations_since_best = 2};
  const auto note = [&] { return notes_before(options, at, 16).front(); };
  CHECK(note() ==
        "nothing is left to train after step 5 (more --steps, --epochs or --minutes go on)");
  options.steps = 9;
  CHECK(note() ==
        "nothing is left to train after step 5 (2 validations without a better one; a greater "
        "--patience goes on)");
}

TEST_CASE("a validation is due after an epoch, or after a tenth of the run if that is sooner") {
  TrainOptions options;
  RunStanding before, after;
  before.batches_in_epoch = after.batches_in_epoch = 1000;
  std::vector<std::int64_t> due;
  const auto run = [&](std::int64_t steps) {
    due.clear();
    for (std::int64_t step = 1; step <= steps; ++step) {
      before = after;
      after.step = step;
      after.epoch = step / 1000;
      after.batch = step % 1000;
      after.seconds = static_cast<double>(step);
      after.seconds_per_step = 1;
      if (is_validation_due(options, before, after)) due.push_back(step);
    }
    after = {};
    after.batches_in_epoch = 1000;
  };
  using Steps = std::vector<std::int64_t>;
  options.steps = 500;
  run(500);
  CHECK(due == Steps{50, 100, 150, 200, 250, 300, 350, 400, 450, 500});
  options.steps = 20000;
  run(3000);
  CHECK(due == Steps{1000, 2000, 3000});
  options.steps = 0;
  options.minutes = 10;  // 600 steps
  run(200);
  CHECK(due == Steps{60, 120, 180});
  after.validation_seconds = 20;
  after.seconds_since_validation = 60;
  run(60);
  CHECK(due.empty());
  options.validate_every = 70;
  run(200);
  CHECK(due == Steps{70, 140});
}

TEST_CASE("the other schedules rise over the warm-up and fall as named") {
  const ScheduleOptions sqrt_decay{ScheduleKind::inverse_sqrt, 5e-3, 100, 0, 0};
  CHECK(learning_rate(sqrt_decay, 50) == doctest::Approx(2.5e-3));
  CHECK(learning_rate(sqrt_decay, 400) == doctest::Approx(2.5e-3));
  const ScheduleOptions cosine{ScheduleKind::cosine, 1e-3, 10, 0, 110};
  CHECK(learning_rate(cosine, 10) == doctest::Approx(1e-3));
  CHECK(learning_rate(cosine, 60) == doctest::Approx(5.5e-4));
  CHECK(learning_rate(cosine, 110) == doctest::Approx(1e-4));
  CHECK(learning_rate(cosine, 500) == doctest::Approx(1e-4));
  // get_linear_schedule_with_warmup of transformers, of 10 and 110 steps, which counts from 0.
  const ScheduleOptions linear{ScheduleKind::linear, 1e-3, 10, 0, 109};
  CHECK(learning_rate(linear, 1) == doctest::Approx(1e-4));
  CHECK(learning_rate(linear, 10) == doctest::Approx(1e-3));
  CHECK(learning_rate(linear, 11) == doctest::Approx(9.9e-4));
  CHECK(learning_rate(linear, 60) == doctest::Approx(5e-4));
  CHECK(learning_rate(linear, 109) == doctest::Approx(1e-5));
  CHECK(learning_rate(linear, 500) == 0);
  const ScheduleOptions constant{ScheduleKind::constant, 1e-3, 10, 0, 0};
  CHECK(learning_rate(constant, 5) == doctest::Approx(5e-4));
  CHECK(learning_rate(constant, 5000) == doctest::Approx(1e-3));
  CHECK_THROWS_AS(enum_named<ScheduleKind>("line"), Error);
}

TEST_CASE("a schedule that stands alone has the steps that its kind goes by") {
  for (const ScheduleKind kind : {ScheduleKind::noam, ScheduleKind::inverse_sqrt}) {
    CAPTURE(enum_name(kind));
    CHECK_THROWS_WITH_AS(check_schedule({kind, 1, 0, 512, 100}),
                         doctest::Contains("warmup: expected at least 1 step"), Error);
    check_schedule({kind, 1, 1, 512, 0});
  }
  for (const ScheduleKind kind : {ScheduleKind::cosine, ScheduleKind::linear}) {
    CAPTURE(enum_name(kind));
    for (const std::int64_t steps : {0, 10}) {
      CHECK_THROWS_WITH_AS(check_schedule({kind, 1, 10, 512, steps}),
                           doctest::Contains("total_steps: expected more than the 10 steps"),
                           Error);
    }
    check_schedule({kind, 1, 10, 512, 11});
    check_schedule({kind, 1, 0, 512, 1});
  }
  check_schedule({ScheduleKind::constant, 1, 0, 512, 0});
}
