// Experiments: what they measure with, on things whose measure is known; every one of them in seconds; the
// command and its page.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "inspect/activations.h"
#include "inspect/heads/head_circuits.h"
#include "inspect/heads/induction.h"
#include "inspect/lab/experiment.h"
#include "inspect/lab/modular_addition.h"
#include "inspect/lab/repeated_tokens.h"
#include "inspect/lab/scaling_law.h"
#include "inspect/lab/superposition.h"
#include "tests/cli/call_kette.h"
#include "tests/devices.h"
#include "tests/inspect/browser.h"
#include "tests/inspect/inspected_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// What an experiment is run with here.
std::vector<std::string> arguments_of(const std::string& name) {
  std::vector<std::string> arguments = {"lab", name, "--quick", "--threads", "1"};
  const SmallModel& model = SmallModel::get();
  if (name == "circuits") arguments.insert(arguments.end(), {"--model", model.model()});
  if (name == "lens") {
    for (const std::string& word :
         {std::string("--model"), model.model(), std::string("--src"), model.file("valid.en"),
          std::string("--tgt"), model.file("valid.de")}) {
      arguments.push_back(word);
    }
  }
  return arguments;
}

}  // namespace

TEST_CASE("lab: prefix matching is the attention to what followed last time") {
  const std::vector<std::int32_t> tokens = {7, 8, 9, 7, 8};
  std::vector<float> pattern(25);
  // 7 at 3 looks at 1, where 8 followed 7; 8 at 4 gives a quarter to 2, where 9 followed 8.
  pattern[3 * 5 + 1] = 1;
  pattern[4 * 5 + 2] = 0.25;
  pattern[4 * 5 + 4] = 0.75;
  pattern[2 * 5 + 1] = 1;  // 9 has not occurred before
  CHECK(prefix_matching(tokens, pattern) == doctest::Approx((1 + 0.25) / 2));
  CHECK(prefix_matching(std::vector<std::int32_t>{1, 2}, std::vector<float>(4, 1)) == 0);
  // Both earlier times count.
  const std::vector<std::int32_t> thrice = {1, 2, 1, 3, 1};
  std::vector<float> both(25);
  both[2 * 5 + 1] = 0.5;
  both[4 * 5 + 1] = 0.25;
  both[4 * 5 + 3] = 0.5;
  CHECK(prefix_matching(thrice, both) == doctest::Approx((0.5 + 0.75) / 2));
}

TEST_CASE("lab: texts come again, from their first token to the one that is to follow") {
  Random random(3);
  const Batch batch = repeated_at_random(40, 25, 4, 3, random);
  REQUIRE(batch.target_segments.count() == 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t begin = batch.target_segments.begin(i);
    REQUIRE(batch.target_segments.length(i) == 100);
    for (std::int64_t at = begin; at < begin + 100; ++at) {
      const std::int64_t place = at - begin;
      CHECK(batch.target_in[at] == batch.target_in[begin + place % 25]);
      CHECK(batch.target_out[at] == batch.target_in[begin + (place + 1) % 25]);
      for (std::int64_t other = begin; other < begin + place % 25; ++other) {
        CHECK(batch.target_in[other] != batch.target_in[begin + place % 25]);
      }
    }
  }
  CHECK_THROWS_WITH(repeated_at_random(4, 5, 2, 1, random),
                    "repeated_at_random: expected segments of at most 4 tokens, given 5");
  const RepeatedTokens text;
  const Batch training = text.batch(4, 1);
  CHECK(training.target_in == text.batch(4, 1).target_in);
  CHECK(training.target_in != text.batch(4, 2).target_in);
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::span<const std::int32_t> tokens(
        training.target_in.data() + training.target_segments.begin(i), 100);
    std::int64_t period = 1;
    const auto repeats = [&] {
      return std::equal(tokens.begin() + period, tokens.end(), tokens.begin());
    };
    while (period < 100 && !repeats()) ++period;
    CHECK(period >= text.shortest);
    CHECK(period <= text.longest);
  }
}

TEST_CASE("lab: the losses of tokens have the loss of their batch as mean") {
  GptConfig config = small_attention_only_gpt();
  config.context = 20;
  Gpt model(config);
  model.materialize(3);
  Random random(1);
  const Batch batch = repeated_at_random(config.vocabulary, 5, 4, 2, random);
  const std::vector<double> losses = token_losses(model, batch);
  REQUIRE(losses.size() == 40);
  double mean = 0;
  for (const double loss : losses) mean += loss / 40;
  Run run;
  CHECK(mean == doctest::Approx(model.loss(batch, {.scale = 1.0 / 40}, run).value().item()));
}

TEST_CASE("lab: dimensionality of features whose directions are known") {
  const auto check = [](const std::vector<double>& directions, std::int64_t dimensions,
                        const std::vector<double>& expected) {
    DenseMatrix w(std::ssize(expected), dimensions);
    w.values = directions;
    const std::vector<double> found = feature_dimensionalities(w);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i] == doctest::Approx(expected[i]));
    }
  };
  check({1, 0, 0, 1}, 2, {1, 1});
  check({1, 0, -1, 0, 0, 1}, 2, {0.5, 0.5, 1});  // a pair shares a dimension
  check({1, 0, 0.5, 0, 0, 1}, 2, {0.8, 0, 1});   // what is too short is not represented
  std::vector<double> pentagon, triangle;
  for (int i = 0; i < 5; ++i) {
    const double angle = 2 * std::numbers::pi * i / 5;
    pentagon.insert(pentagon.end(), {std::cos(angle), std::sin(angle)});
  }
  for (int i = 0; i < 3; ++i) {
    const double angle = 2 * std::numbers::pi * i / 3;
    triangle.insert(triangle.end(), {std::cos(angle), std::sin(angle)});
  }
  check(pentagon, 2, std::vector<double>(5, 2.0 / 5));
  check(triangle, 2, std::vector<double>(3, 2.0 / 3));
}

TEST_CASE("lab: features that are always present get a dimension each, seldom ones share") {
  const OneThread one;
  SuperpositionSizes sizes;
  sizes.features = 6;
  sizes.dimensions = 2;
  sizes.densities = {1, 0.02};
  sizes.steps = 1500;
  sizes.batch = 128;
  const auto maps = train_superposition(sizes, 1, {}, [](double) {});
  REQUIRE(maps.size() == 2);
  const auto dense = feature_dimensionalities(maps[0]), seldom = feature_dimensionalities(maps[1]);
  CHECK(std::count(dense.begin(), dense.end(), 0) == 4);
  CHECK(*std::max_element(dense.begin(), dense.end()) > 0.95);
  CHECK(std::count(seldom.begin(), seldom.end(), 0) <= 2);
}

TEST_CASE("lab: the sums modulo p are all there once, and their states are those of decode()") {
  Random random(5);
  const auto parts = modular_sums(7, 0.3, random);
  CHECK(parts[0].count() == 15);
  CHECK(parts[1].count() == 34);
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  for (const ModularSums& sums : parts) {
    for (std::int64_t i = 0; i < sums.count(); ++i) {
      const std::int32_t a = sums.ids[3 * i], b = sums.ids[3 * i + 1];
      CHECK(sums.ids[3 * i + 2] == 7);
      CHECK(sums.answers[i] == (a + b) % 7);
      seen.insert({a, b});
    }
  }
  CHECK(seen.size() == 49);

  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    Gpt model(modular_addition_gpt(7, 16, 2, 32));
    model.materialize(4, DType::f64, device);
    Run run;
    const auto quick = states_at_ends(model, parts[0], run).value().values<double>();
    const auto whole =
        model.decode(Tensor::from(parts[0].ids), PackedSequences(parts[0].segments), run)
            .value()
            .values<double>();
    for (std::int64_t i = 0; i < parts[0].count(); ++i) {
      for (std::int64_t j = 0; j < 16; ++j) {
        REQUIRE(quick[i * 16 + j] == doctest::Approx(whole[(3 * i + 2) * 16 + j]));
      }
    }
  }
}

TEST_CASE("lab: the frequencies of a table that is made of them") {
  constexpr std::int64_t kModulus = 11, kWidth = 4;
  std::vector<float> table((kModulus + 1) * kWidth, 100);  // the last row is no number
  for (std::int64_t a = 0; a < kModulus; ++a) {
    const auto wave = [&](std::int64_t frequency) {
      return 2 * std::numbers::pi * static_cast<double>(frequency * a) / kModulus;
    };
    table[a * kWidth] = static_cast<float>(3 * std::cos(wave(2)));
    table[a * kWidth + 1] = static_cast<float>(1 * std::sin(wave(5)));
    table[a * kWidth + 2] = 8;  // constant
    table[a * kWidth + 3] = static_cast<float>(1 * std::cos(wave(2) + 1));
  }
  const std::vector<double> shares = frequency_shares(table, kModulus, kWidth);
  REQUIRE(shares.size() == 5);
  CHECK(shares[1] == doctest::Approx(10.0 / 11));
  CHECK(shares[4] == doctest::Approx(1.0 / 11));
  CHECK(shares[0] < 1e-10);
}

TEST_CASE("lab: a head's circuits are the maps that it applies") {
  // Attention of one text, its probabilities and what it adds to the stream, made again from QK and OV.
  for (const bool shared : {false, true}) {
    GptConfig config = small_attention_only_gpt();
    config.smeared_keys = false;
    config.layers = 1;
    config.heads = 4;
    if (shared) {
      config.kv_heads = 2;
    } else {
      config.heads_left = {3};
    }
    Gpt model(config);
    model.materialize(7, DType::f64);
    const std::vector<std::int32_t> text = {3, 5, 8, 5};
    Activations activations;
    Run run(&activations);
    model.logits(one_sentence(model, {}, text), run);
    const auto n = std::ssize(text), heads = config.heads_of(0).count;
    DenseMatrix x(n, config.width), written(n, config.width);
    x.values = activations["embedded"].values<double>();
    const auto circuits = head_circuits(model);
    REQUIRE(std::ssize(circuits) == heads);
    const auto probabilities = activations["layers/0/attention/probabilities"].values<double>();
    const double root = std::sqrt(static_cast<double>(config.heads_of(0).width));
    for (std::int64_t head = 0; head < heads; ++head) {
      const DenseMatrix scores = product(product(x, circuits[head].query_key()), transposed(x));
      const DenseMatrix moved = product(x, transposed(circuits[head].output_value()));
      for (std::int64_t query = 0; query < n; ++query) {
        double sum = 0;
        for (std::int64_t key = 0; key <= query; ++key) sum += std::exp(scores(query, key) / root);
        for (std::int64_t key = 0; key <= query; ++key) {
          const double p = std::exp(scores(query, key) / root) / sum;
          CHECK(p == doctest::Approx(probabilities[(query * heads + head) * n + key]));
          for (std::int64_t j = 0; j < config.width; ++j) written(query, j) += p * moved(key, j);
        }
      }
    }
    const auto expected = activations["layers/0/attention/output"].values<double>();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(std::abs(written.values[i] - expected[i]) < 1e-12);
    }
  }
}

TEST_CASE("lab: composition is the norm of the product of two circuits over those of both") {
  GptConfig config = small_attention_only_gpt();
  Gpt model(config);
  model.materialize(9, DType::f64);
  const auto circuits = head_circuits(model);
  const HeadCircuit &earlier = circuits[0], &later = circuits[3];
  const Composition found = composition(earlier, later);
  const auto ratio = [](const DenseMatrix& a, const DenseMatrix& b) {
    return frobenius_norm(product(a, b)) / (frobenius_norm(a) * frobenius_norm(b));
  };
  const DenseMatrix written = earlier.output_value(), looked = later.query_key();
  CHECK(found.query == doctest::Approx(ratio(transposed(looked), written)));
  CHECK(found.key == doctest::Approx(ratio(looked, written)));
  CHECK(found.value == doctest::Approx(ratio(later.output_value(), written)));
  // Full rank: E |A B|^2 = |A|^2 |B|^2 / n for random directions.
  HeadCircuit nothing = earlier;
  for (double& value : nothing.value.values) value = 0;
  CHECK(composition(nothing, later).key == 0);
  CHECK(random_composition(64, 64, 1) == doctest::Approx(1.0 / 8).epsilon(0.1).scale(0));
}

TEST_CASE("lab: a scaling law is found again from points that it made") {
  const ScalingLaw law{1.7, 40, 0.34, 90, 0.28};
  std::vector<ScalingPoint> points;
  for (const double size : {1e4, 3e4, 1e5, 3e5}) {
    for (const double data : {1e5, 4e5, 1.6e6, 6.4e6}) {
      points.push_back({size, data, law(size, data)});
    }
  }
  const ScalingLaw found = fit_scaling_law(points);
  CHECK(found.alpha == doctest::Approx(0.34).epsilon(0.05));
  CHECK(found.beta == doctest::Approx(0.28).epsilon(0.05));
  CHECK(found.floor == doctest::Approx(1.7).epsilon(0.05));
  CHECK(found(1e6, 1e7) == doctest::Approx(law(1e6, 1e7)).epsilon(1e-3));

  // No other size costs as little at as many operations, and the loss falls with the exponent said.
  const double operations = 1e12, best = law.best_parameters(operations);
  CHECK(law.best_loss(operations) == doctest::Approx(law(best, operations / 6 / best)));
  for (const double other : {0.9 * best, 1.1 * best}) {
    CHECK(law.best_loss(operations) < law(other, operations / 6 / other));
  }
  CHECK((law.best_loss(16 * operations) - 1.7) / (law.best_loss(operations) - 1.7) ==
        doctest::Approx(std::pow(16, -law.compute_exponent())));

  Random random(2);
  for (ScalingPoint& point : points) point.loss *= std::exp(0.01 * random.normal());
  const auto bootstrap = bootstrap_scaling_law(points, fit_scaling_law(points), 10, 1);
  const ScalingInterval predicted = bootstrap.prediction(1e6, 1e7);
  CHECK(predicted.low < law(1e6, 1e7));
  CHECK(predicted.high > law(1e6, 1e7));
  CHECK(predicted.high < 1.2 * predicted.low);
  CHECK_THROWS_WITH(fit_scaling_law(std::span(points).first(4)),
                    "scaling law: expected at least 5 points, given 4");
}

TEST_CASE("lab: every experiment runs quickly, says what it found, and makes a page") {
  for (const Experiment& experiment : experiments()) {
    CAPTURE(experiment.name);
    const ScratchFolder folder;
    std::vector<std::string> arguments = arguments_of(experiment.name);
    arguments.insert(arguments.end(), {"--json", "--out", (folder / "page.html").string()});
    const Outcome outcome = call_kette(arguments);
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    const JsonView json = outcome.json();
    CHECK(json["experiment"] == experiment.name);
    CHECK(json["quick"] == true);
    CHECK(json["findings"].size() >= 3);
    CHECK_FALSE(json["numbers"].empty());
    for (const JsonView& finding : json["findings"]) CHECK(finding["here"] != "");
    const std::string page = read_file(folder / "page.html");
    CHECK(contains(page, "Findings"));
    CHECK(contains(page, "(with --quick, which proves nothing)"));
    for (const char* scheme : {"http:", "https:"}) CHECK_FALSE(contains(page, scheme));
  }
}

TEST_CASE("lab: what is missing is said") {
  const Outcome none = call_kette({"lab"});
  CHECK(none.code == 2);
  CHECK(none.says("expected the name of an experiment, given none"));
  const Outcome wrong = call_kette({"lab", "inducton"});
  CHECK(wrong.code == 2);
  CHECK(wrong.says("induction"));
  const Outcome unfed = call_kette({"lab", "lens"});
  CHECK(unfed.code == 1);
  CHECK(unfed.says("lab lens: expected --model, --src and --tgt, given fewer"));
  const Outcome modelless = call_kette({"lab", "circuits"});
  CHECK(modelless.code == 1);
  CHECK(modelless.says("lab circuits: expected --model, given none"));
  CHECK(call_kette({"lab", "grokking", "--seeds", "0"}).code == 2);
  const Outcome deaf = call_kette({"lab", "align", "--src", "x"});
  CHECK(deaf.code == 2);
  CHECK(deaf.says("--src: expected for lens, given for lab align, which does not read it"));
  CHECK(call_kette({"lab", "grokking", "--model", "x"})
            .says("--model: expected for lens, align, heads, circuits, given for lab grokking"));
  CHECK(call_kette({"lab", "lens", "--text", "x"}).says("--text: expected for scaling, given"));
  const Outcome list = call_kette({"lab", "--list", "--json"});
  CHECK(list.code == 0);
  for (const Experiment& experiment : experiments()) {
    CHECK(contains(list.out, experiment.name));
  }
  CHECK(list.json().at("experiments").size() == experiments().size());
}

TEST_CASE("lab: in a browser a page shows its findings and draws its curves") {
  KETTE_NEEDS_BROWSER();
  const ScratchFolder folder;
  std::vector<std::string> arguments = arguments_of("induction");
  arguments.insert(arguments.end(), {"--out", (folder / "page.html").string()});
  REQUIRE(call_kette(arguments).code == 0);
  const Opened opened = open_page(read_file(folder / "page.html"), R"(
      const findings = document.querySelectorAll('.sortable tbody tr').length;
      const drawn = [...document.querySelectorAll('.plot')].filter((plot) => plot.querySelector('canvas')).length;
      document.querySelector('.map').click();
      const open = document.querySelectorAll('dialog[open]').length;
      document.body.prepend(element('output', { textContent: [findings, drawn, open].join(' ; ') }));)");
  CHECK(opened.console == "");
  CHECK(contains(opened.document, "<output>8 ; 2 ; 1</output>"));
}
