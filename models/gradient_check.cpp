#include "models/gradient_check.h"

#include "tensor/random.h"

namespace kette {
namespace {

constexpr double kSmallerSteps[] = {0.3, 0.1};

std::vector<std::int32_t> random_tokens(Random& random, std::int64_t count,
                                        std::int64_t vocabulary) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
  for (std::int32_t& token : tokens) {
    token = static_cast<std::int32_t>(random.uniform(0, static_cast<double>(vocabulary)));
  }
  return tokens;
}

ParameterGaps check_model(const std::function<Variable()>& loss, const ParamStore& parameters,
                          std::int64_t elements_each, const GradientCheckOptions& options) {
  const auto& leaves = parameters.leaves();
  ParameterGaps gaps = check_parameter_gradients(loss, leaves, elements_each, options);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    for (const double factor : kSmallerSteps) {
      if (gaps[i].second.gap <= options.tolerance) break;
      GradientCheckOptions again = options;
      again.step = options.step * factor;
      gaps[i] = check_parameter_gradients(loss, {leaves[i]}, elements_each, again).front();
    }
  }
  return gaps;
}

}  // namespace

TransformerConfig small_transformer(NormOrder norm) {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.vocabulary = 23;
  config.max_length = 16;
  config.dropout = config.attention_dropout = config.activation_dropout = 0.1;
  config.norm = norm;
  return config;
}

TransformerConfig small_marian() {
  TransformerConfig config = small_transformer(NormOrder::post);
  config.feed_forward = FeedForwardKind::silu;
  config.sinusoids = SinusoidLayout::concatenated;
  config.output_bias = true;
  return config;
}

GptConfig small_gpt() {
  GptConfig config;
  config.layers = 2;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.vocabulary = 23;
  config.context = 16;
  return config;
}

GptConfig small_modern_gpt() {
  GptConfig config = small_gpt();
  config.positions = Positions::rotary;
  config.norm = NormKind::rms;
  config.feed_forward = FeedForwardKind::swiglu;
  return config;
}

ParameterGaps check_transformer(const TransformerConfig& config, std::int64_t elements_each,
                                const GradientCheckOptions& options) {
  Transformer model(config);
  model.materialize(options.seed, DType::f64, options.device);
  Random random(options.seed, 2000);
  const Segments source_segments = Segments::from_lengths({5, 3}),
                 target_segments = Segments::from_lengths({4, 6});
  const auto tokens = [&](const Segments& segments) {
    return Tensor::from(random_tokens(random, segments.rows(), config.vocabulary), options.device);
  };
  const Tensor source = tokens(source_segments), target = tokens(target_segments),
               next = tokens(target_segments);
  const auto loss = [&] {
    Run run(options.seed, 1);  // the same masks every time
    const Variable memory = model.encode(source, PackedSequences(source_segments), run);
    const Variable states =
        model.decode(target, PackedSequences(target_segments, memory, source_segments), run);
    return model.loss(states, next, {0.1, 1.0 / static_cast<double>(target_segments.rows())});
  };
  return check_model(loss, model.parameters(), elements_each, options);
}

ParameterGaps check_gpt(const GptConfig& config, std::int64_t elements_each,
                        const GradientCheckOptions& options) {
  Gpt model(config);
  model.materialize(options.seed, DType::f64, options.device);
  Random random(options.seed, 3000);
  const Segments segments = Segments::from_lengths({5, 7});
  const Tensor ids = Tensor::from(random_tokens(random, segments.rows(), config.vocabulary),
                                  options.device),
               next = Tensor::from(random_tokens(random, segments.rows(), config.vocabulary),
                                   options.device);
  const auto loss = [&] {
    Run run(options.seed, 1);  // the same masks every time
    return model.loss(model.decode(ids, PackedSequences(segments), run), next,
                      {0, 1.0 / static_cast<double>(segments.rows())});
  };
  return check_model(loss, model.parameters(), elements_each, options);
}

}  // namespace kette
