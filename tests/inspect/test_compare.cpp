// `kette compare`: equal, or where two models part and what that points to.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "inspect/training/model_comparison.h"
#include "tests/cli/call_kette.h"
#include "tests/inspect/browser.h"
#include "tests/inspect/inspected_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// A second model with the same values, whatever its settings.
std::unique_ptr<Transformer> twin_of(const Transformer& model, const TransformerConfig& config) {
  auto twin = std::make_unique<Transformer>(config);
  twin->allocate(DType::f32, {}, Gradients::none);
  twin->parameters().values().copy_from(model.parameters().values());
  return twin;
}

ModelComparison compared(const AutoregressiveModel& a, const AutoregressiveModel& b,
                         double tolerance = 0) {
  return compare_models(a, b, random_text(a, b), tolerance);
}

bool says_cause(const ModelComparison& comparison, const std::string& text) {
  for (const std::string& cause : comparison.causes) {
    if (contains(cause, text)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("compare: differences in numbers and in ulps") {
  const auto tensor = [](std::vector<float> values) { return Tensor::from(values); };
  const float next = std::nextafter(1.0F, 2.0F), nan = std::numeric_limits<float>::quiet_NaN();
  const ValueDifference d = difference_of(tensor({1, -4, 0}), tensor({next, -4, -0.0F}));
  CHECK(d.elements == 2);
  CHECK(d.ulps == 1);
  CHECK(d.largest == double(next) - 1);
  CHECK(d.relative == (double(next) - 1) / 4);
  CHECK(difference_of(tensor({0x1p-149F}), tensor({-0x1p-149F})).ulps == 2);
  CHECK(difference_of(tensor({nan}), tensor({nan})).elements == 0);
  CHECK(std::isnan(difference_of(tensor({nan, 1}), tensor({2, 7})).largest));
  CHECK(difference_of(tensor({0}), tensor({0})).relative == 0);
}

TEST_CASE("compare: a model is itself, at all points, to the bit") {
  for (const auto& model : inspected_models()) {
    const ModelComparison same = compared(*model, *model);
    CHECK(same.is_equal());
    CHECK(same.points.size() > 10);
    CHECK(same.causes.empty());
    CHECK(same.points.back().name == "logits");
  }
}

TEST_CASE("compare: the first point that a changed parameter reaches, and the parameter") {
  const auto model = random_model(small_config());
  const auto other = twin_of(*model, model->config());
  other->decoder()[1].feed_forward->outer.bias.value().data<float>()[3] += 0.5F;
  const ModelComparison c = compared(*model, *other);
  REQUIRE(c.first_parting() < c.points.size());
  CHECK(c.points[c.first_parting()].name == "decoder/1/feed_forward/outer");
  CHECK(c.different_parameters() == 1);
  CHECK(says_cause(c, "only decoder/1/feed_forward/outer/bias differs"));
  CHECK(compared(*model, *other, 100).is_equal());
}

TEST_CASE("compare: another activation, another norm, other positions") {
  const auto cause_of = [](const std::function<void(TransformerConfig&)>& change) {
    const auto model = random_model(small_config(NormOrder::post));
    TransformerConfig config = model->config();
    change(config);
    return compared(*model, *twin_of(*model, config));
  };
  const ModelComparison activation =
      cause_of([](TransformerConfig& config) { config.feed_forward = FeedForwardKind::gelu; });
  CHECK(activation.points[activation.first_parting()].name == "encoder/0/feed_forward/inner");
  CHECK(says_cause(activation, "setting activation is \"relu\" in the first and \"gelu\""));
  CHECK(says_cause(activation, "look at the activation"));
  const ModelComparison positions =
      cause_of([](TransformerConfig& config) { config.sinusoids = SinusoidLayout::concatenated; });
  CHECK(positions.points[positions.first_parting()].name == "encoder/embedded");
  CHECK(says_cause(positions, "the positions that are added"));
  const ModelComparison heads = cause_of([](TransformerConfig& config) { config.heads = 8; });
  CHECK(heads.points[heads.first_parting()].name == "encoder/0/self_attention/probabilities");
  CHECK(contains(heads.points[heads.first_parting()].why_not, " and "));
  const ModelComparison dropout = cause_of([](TransformerConfig& config) { config.dropout = 0.3; });
  CHECK(dropout.is_equal());  // only training knows
  CHECK(dropout.settings.size() == 1);
  CHECK(dropout.causes.empty());
}

TEST_CASE("compare: models that cannot be compared") {
  const auto models = inspected_models();
  CHECK_THROWS_WITH(
      compared(*models.front(), *models.back()),
      "compare: expected two models of one kind, given a translation model and a language model");
}

TEST_CASE("kette compare: a text that becomes other tokens is none for both") {
  const ScratchFolder folder;
  const std::string theirs =
                        (source_folder() / "tests" / "fixtures" / "hugging_face" / "gpt2").string(),
                    other = (folder / "other").string();
  std::filesystem::copy(theirs, other);
  std::istringstream lines(read_file(other + "/merges.txt"));
  std::string version, reversed;
  std::getline(lines, version);
  for (std::string line; std::getline(lines, line);) reversed = line + "\n" + reversed;
  write_file(other + "/merges.txt", version + "\n" + reversed);
  CHECK(call_kette({"compare", theirs, other}).code == 0);
  const Outcome outcome = call_kette({"compare", theirs, other, "What is written here is read."});
  CAPTURE(outcome.out);
  CHECK(outcome.code == 2);
  CHECK(outcome.says("expected a text that both tokenizers read alike"));
}

TEST_CASE("kette compare: directories, checkpoints and exports") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  const Outcome same = call_kette({"compare", small.model(), small.model(), "--json"});
  INFO(same.err);
  CHECK(same.code == 0);
  CHECK(same.out.starts_with("equal at all "));
  CHECK(contains(same.out, " points, bit for bit"));
  CHECK(same.json()["equal"] == true);

  const Outcome parted = call_kette({"compare", small.model() + "/checkpoints/step-4.safetensors",
                                     small.model() + "/checkpoints/step-8.safetensors",
                                     "the cat sees music .", "--out", path("page.html"), "--json"});
  INFO(parted.err);
  CHECK(parted.code == 1);
  const JsonView json = parted.json();
  CHECK(json["first_parting"] == "encoder/embedded");
  CHECK(contains(json["causes"].dump(), "two moments of one training"));
  const std::string page = checked_page(path("page.html"));
  CHECK_FALSE(contains(page, small.model()));  // pages hold no path from the root
  CHECK(contains(page, "step-4.safetensors"));
  CHECK(contains(parted.out, " more (--rows shows them)"));
  const Outcome all =
      call_kette({"compare", small.model() + "/checkpoints/step-4.safetensors",
                  small.model() + "/checkpoints/step-8.safetensors", "--rows", "999"});
  CHECK_FALSE(contains(all.out, "--rows"));
  CHECK(contains(all.out, "logits"));

  REQUIRE(call_kette({"export", "--model", small.model(), "--out", path("exported")}).code == 0);
  const Outcome exported = call_kette({"compare", small.model(), path("exported"), "--json"});
  CHECK(exported.code == 1);
  INFO(exported.out);
  CHECK(contains(exported.out, "elements of the width in another order"));
  CHECK(call_kette({"compare", small.model(), path("exported"), "the cat sees music ."}).code == 1);
  CHECK(call_kette({"compare", small.model()}).code == 2);
  CHECK(call_kette({"compare", small.model(), path("none")}).says("given nothing that is there"));

  KETTE_NEEDS_BROWSER();
  CHECK(open_page(page).console == "");
}
