#include "inspect/training/model_comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "data/files/json_text.h"
#include "inspect/activations.h"
#include "models/config_json.h"
#include "models/points.h"
#include "tensor/gap.h"
#include "tensor/random.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

/// f32 numbers in their order as whole numbers: neighbours differ by 1, and both zeros are 0.
std::int64_t ordered(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits >= 0 ? bits : -std::int64_t(bits & 0x7FFFFFFF);
}

std::vector<ComparedSetting> different_settings(const ModelConfig& a, const ModelConfig& b) {
  const Json of_a = Json::parse(to_json(a)), of_b = Json::parse(to_json(b));
  std::vector<ComparedSetting> settings;
  for (const auto& [key, value] : of_a.items()) {
    const std::string other = of_b.contains(key) ? of_b[key].dump() : "none";
    if (value.dump() != other) settings.push_back({key, value.dump(), other});
  }
  for (const auto& [key, value] : of_b.items()) {
    if (!of_a.contains(key)) settings.push_back({key, "none", value.dump()});
  }
  return settings;
}

/// What two models have under one name.
ComparedValues compared(const std::string& name, const Tensor* a, const Tensor* b) {
  ComparedValues values{name, (a != nullptr ? a : b)->shape().str(), {}, ""};
  if (b == nullptr) {
    values.why_not = "only in the first";
  } else if (a == nullptr) {
    values.why_not = "only in the second";
  } else if (a->shape() != b->shape()) {
    values.why_not = a->shape().str() + " and " + b->shape().str();
  } else {
    values.difference = difference_of(*a, *b);
  }
  return values;
}

std::vector<ComparedValues> compared_parameters(const ParamStore& a, const ParamStore& b) {
  std::vector<ComparedValues> all;
  for (const auto& leaf : a.leaves()) {
    const Leaf* other = b.find(leaf->name);
    all.push_back(compared(leaf->name, &leaf->value, other != nullptr ? &other->value : nullptr));
  }
  for (const auto& leaf : b.leaves()) {
    if (a.find(leaf->name) == nullptr) all.push_back(compared(leaf->name, nullptr, &leaf->value));
  }
  return all;
}

Activations recorded_pass(const Model& model, const Batch& text) {
  Activations recording;
  Run run(&recording);
  model.logits(text, run);
  return recording;
}

std::vector<ComparedValues> compared_points(const Model& a, const Model& b, const Batch& text) {
  const Activations of_a = recorded_pass(a, text), of_b = recorded_pass(b, text);
  const auto in = [](const Activations& recording, const std::string& point) {
    return recording.has(point) ? &recording[point] : nullptr;
  };
  std::vector<ComparedValues> all;
  for (const Point& point : points_of(a, 1, 1)) {
    all.push_back(compared(point.name, in(of_a, point.name), in(of_b, point.name)));
  }
  for (const Point& point : points_of(b, 1, 1)) {
    if (!of_a.has(point.name)) all.push_back(compared(point.name, nullptr, &of_b[point.name]));
  }
  return all;
}

// --- What a pattern points to.

/// Settings that only training reads.
bool is_for_training(const std::string& setting) { return setting.ends_with("dropout"); }

/// What a point computes beside what its parameters hold.
std::string work_of(const std::string& point) {
  if (points::embedded.names(point))
    return "the scale of the embeddings, or the positions that are added";
  if (points::sum.names(point))
    return "what is added to the residual stream, or the order of norm and sub-layer";
  if (point.ends_with("norm")) return "the kind of the norm, or its epsilon";
  if (points::probabilities.names(point)) {
    return "the scores of attention: the number of heads, their scale, the mask, or turned positions";
  }
  if (points::heads.names(point)) return "the number of heads";
  if (point.ends_with("feed_forward/inner") || points::hidden.names(point)) return "the activation";
  if (point == points::kLogits) return "the projection to the vocabulary, or its bias";
  return "a linear map";
}

class Causes {
 public:
  explicit Causes(const ModelComparison& comparison) : c_(comparison) {}

  std::vector<std::string> list() {
    add_settings();
    const std::size_t first = c_.first_parting();
    const std::int64_t different = c_.different_parameters();
    if (different > 0) add_parameters(different);
    if (first == c_.points.size()) {
      if (different > 0) say("On this text, all points are equal: what differs has no say in it.");
      return std::move(list_);
    }
    if (different == 0) {
      say("All parameters are equal, and " + c_.points[first].name +
          " is the first point that is not: look at " + work_of(c_.points[first].name) + ".");
    }
    add_permutation(c_.points[first].name);
    if (different == 0 && largest_relative(c_.points) < kRounding) {
      say("All differences are as small as those of rounding, which sums in another order or on another "
          "device have.");
    }
    return std::move(list_);
  }

 private:
  static constexpr double kRounding = 1e-4;

  void say(const std::string& text) { list_.push_back(text); }

  void add_settings() {
    for (const ComparedSetting& setting : c_.settings) {
      if (is_for_training(setting.name)) continue;
      say("The setting " + setting.name + " is " + setting.a + " in the first and " + setting.b +
          " in the second.");
    }
  }

  void add_parameters(std::int64_t different) {
    constexpr std::int64_t kMostNamed = 4;
    if (different > kMostNamed) {
      const bool all = 10 * different > 9 * std::ssize(c_.parameters);
      say(std::to_string(different) + " of " + std::to_string(c_.parameters.size()) +
          " parameters differ" + (all ? ": two models, or two moments of one training." : "."));
      return;
    }
    std::vector<std::string> names;
    for (const ComparedValues& parameter : c_.parameters) {
      if (!parameter.is_equal(c_.tolerance)) names.push_back(parameter.name);
    }
    say("Of " + std::to_string(c_.parameters.size()) + " parameters only " + joined(names) +
        " differ" + (different == 1 ? "s" : "") + ".");
  }

  static double largest_relative(const std::vector<ComparedValues>& values) {
    double largest = 0;
    for (const ComparedValues& value : values) {
      largest = larger_gap(largest, value.difference ? value.difference->relative : INFINITY);
    }
    return largest;
  }

  /// The width in another order: rows of all points differ, and no probability does.
  void add_permutation(const std::string& first) {
    if (!points::embedded.names(first)) return;
    std::vector<ComparedValues> free_of_order;
    for (const ComparedValues& point : c_.points) {
      const bool is_one = point.name == points::kLogits || points::probabilities.names(point.name);
      if (is_one) free_of_order.push_back(point);
    }
    if (!(largest_relative(free_of_order) < kRounding)) return;
    say("Attention and logits are the same up to rounding: both compute one thing, with the elements of the "
        "width in another order, as the exchange of interleaved sinusoids makes it.");
  }

  const ModelComparison& c_;
  std::vector<std::string> list_;
};

}  // namespace

ValueDifference difference_of(const Tensor& a, const Tensor& b) {
  const std::vector<float> of_a = a.values<float>(), of_b = b.values<float>();
  ValueDifference d;
  double scale = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    scale = std::max(scale, std::abs(double(of_a[i])));
    if (std::bit_cast<std::uint32_t>(of_a[i]) == std::bit_cast<std::uint32_t>(of_b[i])) continue;
    ++d.elements;
    const double gap = std::abs(double(of_a[i]) - double(of_b[i]));
    d.largest = larger_gap(d.largest, gap);
    d.ulps =
        std::max(d.ulps, static_cast<std::uint64_t>(std::abs(ordered(of_a[i]) - ordered(of_b[i]))));
  }
  d.relative = d.largest == 0 ? 0 : d.largest / scale;
  return d;
}

std::size_t ModelComparison::first_parting() const {
  const auto differs = [&](const ComparedValues& point) { return !point.is_equal(tolerance); };
  return static_cast<std::size_t>(std::find_if(points.begin(), points.end(), differs) -
                                  points.begin());
}

std::int64_t ModelComparison::different_parameters() const {
  return std::count_if(parameters.begin(), parameters.end(),
                       [&](const ComparedValues& values) { return !values.is_equal(tolerance); });
}

Batch random_text(const Model& a, const Model& b) {
  constexpr std::int64_t kTokens = 12;
  const auto* writes = dynamic_cast<const AutoregressiveModel*>(&a);
  const std::int64_t longest = std::min(a.positions(), b.positions()) - 1;
  const std::int64_t vocabulary =
      std::min({a.config().vocabulary, b.config().vocabulary, a.config().source_pieces(),
                b.config().source_pieces()});
  const SpecialTokens special = writes ? writes->special() : SpecialTokens::of_end(-1);
  const std::set<std::int64_t> marks = {special.pad, special.unknown, special.begin, special.end};
  KETTE_CHECK(
      longest >= 2 && vocabulary > std::ssize(marks),
      "compare: expected models of at least 3 positions and some tokens besides marks, given ",
      longest + 1, " positions and ", vocabulary, " tokens");
  Random random(1, 3);
  const auto text = [&] {
    std::vector<std::int32_t> ids;
    while (std::ssize(ids) < std::min(kTokens, longest)) {
      const auto id = static_cast<std::int32_t>(random.below(vocabulary));
      if (!marks.contains(id)) ids.push_back(id);
    }
    return ids;
  };
  const std::vector<std::int32_t> source = text(), target = text();
  return writes ? one_sentence(*writes, source, target) : whole_text(source);
}

ModelComparison compare_models(const Model& a, const Model& b, const Batch& text,
                               double tolerance) {
  KETTE_CHECK(a.config().family().name == b.config().family().name,
              "compare: expected two models of one kind, given a ", a.config().family().what,
              " and a ", b.config().family().what);
  const std::int64_t longest =
      std::max(text.source_segments.longest(), text.target_segments.longest());
  KETTE_CHECK(longest <= std::min(a.positions(), b.positions()),
              "compare: expected a text that both models have positions for, at most ",
              std::min(a.positions(), b.positions()), " tokens, given ", longest);
  for (const auto& [ids, vocabulary] : {std::pair{&text.source, b.config().source_pieces()},
                                        {&text.target_in, b.config().vocabulary}}) {
    for (const std::int32_t id : *ids) {
      KETTE_CHECK(id < vocabulary, "compare: expected tokens that both models know, ", vocabulary,
                  " of them, given token ", id, " (another text may do)");
    }
  }
  ModelComparison comparison;
  comparison.tolerance = tolerance;
  comparison.settings = different_settings(a.config(), b.config());
  comparison.parameters = compared_parameters(a.parameters(), b.parameters());
  comparison.points = compared_points(a, b, text);
  comparison.causes = Causes(comparison).list();
  return comparison;
}

}  // namespace kette
