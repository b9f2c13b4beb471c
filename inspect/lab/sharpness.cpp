#include "inspect/lab/sharpness.h"

#include <cmath>
#include <memory>
#include <string>

#include "autograd/ops/elementwise.h"
#include "autograd/tape.h"
#include "data/bundled/corpus.h"
#include "data/corpora/window_sampler.h"
#include "data/tokenizers/character_tokenizer.h"
#include "models/gpt.h"

namespace kette {
namespace {

/// A model and the one batch that it is trained on.
class FullBatchTraining {
 public:
  FullBatchTraining(const SharpnessSizes& sizes, std::uint64_t seed, Device device) {
    std::string text;
    for (const auto& pair : bundled::generate(2017, {2000, 20, 20}).train) {
      text += pair.english + "\n";
    }
    const auto tokenizer = CharacterTokenizer::from_text(text, "lab sharpness");
    const std::vector<std::int32_t> ids = tokenizer->encode(text, Side::target);
    std::vector<std::vector<std::int32_t>> windows;
    for (std::int64_t i = 0; i < sizes.windows; ++i) {
      const auto begin = ids.begin() + i * sizes.context;
      windows.emplace_back(begin, begin + sizes.context + 1);
    }
    batch_ = pack_windows(windows);
    GptConfig config;
    config.layers = sizes.layers;
    config.width = sizes.width;
    config.hidden = 4 * sizes.width;
    config.heads = sizes.heads;
    config.vocabulary = tokenizer->vocabulary();
    config.context = sizes.context;
    config.tied_output = false;
    config.dropout = config.attention_dropout = 0;
    model_ = std::make_unique<Gpt>(config);
    model_->materialize(seed, DType::f64, device);
  }

  ParamStore& parameters() { return model_->parameters(); }
  /// Per token.
  Variable loss() const {
    Run run;
    return model_->loss(batch_, {.scale = 1 / static_cast<double>(batch_.target_out.size())}, run);
  }
  /// The loss; its gradient is in the store then.
  double backward() {
    parameters().clear_gradients();
    Tape tape;
    const Variable found = loss();
    tape.backward(found);
    return found.value().item();
  }
  /// w - step_size * gradient.
  void step(double step_size) {
    const Variable w = parameters().values();
    w.value().copy_from((w - affine(parameters().gradients(), step_size)).value());
  }
  /// Moves the weights by factor * v; v has the elements of all leaves.
  void move(const std::vector<double>& v, double factor) {
    auto at = v.begin();
    for (const auto& leaf : parameters().leaves()) {
      const Tensor& w = leaf->value;
      const std::vector<double> part(at, at + w.elements());
      const Variable along = Tensor::from(part, w.shape(), w.device());
      w.copy_from((Variable(w) + affine(along, factor)).value());
      at += w.elements();
    }
  }
  /// <v, gradient>.
  double slope(const std::vector<double>& v) {
    backward();
    double sum = 0;
    auto at = v.begin();
    for (const auto& leaf : parameters().leaves()) {
      for (const double value : leaf->gradient.values<double>()) sum += value * *at++;
    }
    return sum;
  }
  /// <v, H v>, by the slopes on either side.
  double curvature(const std::vector<double>& v) {
    constexpr double kOffset = 1e-5;  // its square and f64's rounding over it are both about 1e-10
    move(v, kOffset);
    const double ahead = slope(v);
    move(v, -2 * kOffset);
    const double behind = slope(v);
    move(v, kOffset);
    return (ahead - behind) / (2 * kOffset);
  }

 private:
  Batch batch_;
  std::unique_ptr<Gpt> model_;
};

}  // namespace

double SharpnessRun::reached() const {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (sharpness[i].value >= edge()) return steps[i];
  }
  return -1;
}

double SharpnessRun::mean_share(double begin) const {
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!(steps[i] >= begin)) continue;
    const double weight = i + 1 < steps.size() ? steps[i + 1] - steps[i] : steps[i] - steps[i - 1];
    sum += weight * sharpness[i].value;
    weights += weight;
  }
  return sum / weights / edge();
}

SharpnessRun measure_sharpness(const SharpnessSizes& sizes, double step_size, std::uint64_t seed,
                               Device device, const std::function<void(double share)>& progress) {
  FullBatchTraining training(sizes, seed, device);
  const auto& leaves = training.parameters().leaves();
  const SymmetricProduct hessian = hessian_product([&] { return training.loss(); }, leaves);
  SharpnessRun run;
  run.step_size = step_size;
  run.parameters = training.parameters().elements();
  PowerIteration iteration(run.parameters, {.most_products = 500, .seed = seed});
  for (std::int64_t step = 0; step <= sizes.steps; ++step) {
    const std::int64_t every = step < sizes.early_steps ? sizes.early_every : sizes.every;
    if (step % every == 0 || step == sizes.steps) {
      run.sharpness.push_back(iteration.run(hessian));
      run.steps.push_back(static_cast<double>(step));
      progress(static_cast<double>(step) / static_cast<double>(sizes.steps));
    }
    run.losses.push_back(training.backward());
    KETTE_CHECK(std::isfinite(run.losses.back()), "lab sharpness: expected a finite loss, given ",
                run.losses.back(), " at step ", step, " (a smaller step size does not diverge)");
    if (step < sizes.steps) training.step(step_size);
  }
  const std::vector<double>& v = iteration.eigenvector();
  const std::vector<double> product = hessian(v);
  for (std::size_t i = 0; i < v.size(); ++i) run.by_product += v[i] * product[i];
  run.by_difference = training.curvature(v);
  return run;
}

}  // namespace kette
