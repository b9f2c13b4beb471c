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
  return check_parameter_gradients(loss, model->parameters().leaves(), elements_each, options);
}

}  // namespace kette
