#include "models/gradient_check.h"

#include "autograd/hessian.h"
#include "models/model.h"

namespace kette {

ParameterChecks check_model(const ModelConfig& config, const GradientCheckOptions& options,
                            std::int64_t order) {
  KETTE_CHECK(options.dtype == DType::f64, "dtype: expected f64 for a whole model, given ",
              name_of(options.dtype));
  const std::unique_ptr<Model> model = config.make_model();
  model->materialize(options.seed, DType::f64, options.device);
  const Batch batch = config.example_batch(options.seed);
  const double per_target = 1.0 / static_cast<double>(batch.target_out.size());
  const auto loss = [&] {
    Run run(options.seed, 1);  // the same masks every time
    return model->loss(batch, {0.1, per_target}, run);
  };
  const auto& leaves = model->parameters().leaves();
  return order == 1 ? check_parameter_gradients(loss, leaves, options)
                    : check_parameters_second_order(loss, leaves, options);
}

}  // namespace kette
