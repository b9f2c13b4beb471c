#include "models/gradient_check.h"

#include "models/model.h"

namespace kette {

ParameterGaps check_model(const ModelConfig& config, std::int64_t elements_each,
                          const GradientCheckOptions& options) {
  const std::unique_ptr<Model> model = config.make_model();
  model->materialize(options.seed, DType::f64, options.device);
  const Batch batch = config.example_batch(options.seed);
  const double per_target = 1.0 / static_cast<double>(batch.target_out.size());
  const auto loss = [&] {
    Run run(options.seed, 1);  // the same masks every time
    return model->loss(batch, {0.1, per_target}, run);
  };
  const auto& leaves = model->parameters().leaves();
  ParameterGaps gaps = check_parameter_gradients(loss, leaves, elements_each, options);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    gaps[i].second =
        with_other_steps(gaps[i].second, options, [&](const GradientCheckOptions& again) {
          return check_parameter_gradients(loss, {leaves[i]}, elements_each, again).front().second;
        });
  }
  return gaps;
}

}  // namespace kette
