// Every dropout of the models: the paper's (Vaswani et al. 2017, section 5.4: on the sums of embeddings
// and positions, and on the output of each sub-layer), those of attention probabilities and inside of
// the feed-forward layers that later models have, and GPT-2's. Each model is written down here once
// more in plain ops, with a mask at each of its points, numbered one by one: with a mask that is
// forgotten, of another rate or of another point, the numbers part.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "autograd/all_ops.h"
#include "models/gpt.h"
#include "models/transformer.h"
#include "tests/vary_vectors.h"

using namespace kette;

namespace {

constexpr std::uint64_t kSeed = 11, kStep = 3;
constexpr double kResidual = 0.3, kAttention = 0.2, kActivation = 0.1;

/// The masks of a step, in the order in which they are asked for; a rate of 0 takes none.
class Masks {
 public:
  DropoutMask next(double rate) {
    if (rate == 0) return {};
    return DropoutMask(rate, {kSeed, (kStep << 16) + number_++});
  }
  Variable drop(const Variable& x, double rate) { return dropout(x, next(rate)); }

 private:
  std::uint64_t number_ = 0;
};

Variable apply(const Linear& map, const Variable& x) { return linear(x, map.weight, map.bias); }

Variable apply(const Norm& norm, const Variable& x) {
  if (norm.kind == NormKind::none) return x;
  return norm.kind == NormKind::layer ? layer_norm(x, norm.gain, norm.bias)
                                      : rms_norm(x, norm.gain);
}

/// Norm(x + Dropout(sub-layer(x))), or x + Dropout(sub-layer(Norm(x))).
template <class Sublayer>
Variable surround(const AddAndNorm& residual, NormOrder order, const Variable& x, Masks& masks,
                  const Sublayer& sublayer) {
  if (order == NormOrder::pre) return x + masks.drop(sublayer(apply(residual.norm, x)), kResidual);
  return apply(residual.norm, x + masks.drop(sublayer(x), kResidual));
}

Variable attend(const MultiHeadSelfAttention& layer, Mask mask, const Variable& x,
                const Segments& segments, Masks& masks) {
  const Variable qkv = apply(layer.query_key_value, x);
  return apply(layer.output,
               self_attention(qkv, segments, {layer.heads.count, mask, masks.next(kAttention)}));
}

void check_same(const Variable& given, const Variable& expected) {
  const auto a = given.value().values<double>(), b = expected.value().values<double>();
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(std::abs(a[i] - b[i]) < 1e-9);
}

const std::vector<std::int32_t> kSource = {4, 5, 6, 3, 7, 3}, kTarget = {2, 8, 9, 2, 10, 4, 5};
const Segments kSourceSegments = Segments::from_lengths({4, 2}),
               kTargetSegments = Segments::from_lengths({3, 4});

/// The Transformer of figure 1, dropouts and all: the decoder's last states.
class PlainTransformer {
 public:
  explicit PlainTransformer(const Transformer& model)
      : model_(model), order_(model.config().norm) {}

  Variable states() {
    Variable memory = embed(kSource, kSourceSegments);
    for (const Block& layer : model_.encoder()) memory = encode(layer, memory);
    memory = finish(memory, "encoder");
    Variable x = embed(kTarget, kTargetSegments);
    for (const Block& layer : model_.decoder()) x = decode(layer, x, memory);
    return finish(x, "decoder");
  }

 private:
  Variable embed(const std::vector<std::int32_t>& ids, const Segments& segments) {
    const TransformerConfig& c = model_.config();
    const Tensor table = sinusoidal_positions(c.max_length, c.width).to(DType::f64);
    const Variable tokens = embedding(model_.token_embedding().table, Tensor::from(ids),
                                      std::sqrt(static_cast<double>(c.width)));
    return masks_.drop(add_positions(tokens, table, row_positions(segments)), kResidual);
  }
  Variable feed_forward(const FeedForward& layer, const Variable& x) {
    return apply(layer.outer,
                 masks_.drop(relu(apply(layer.inner, x)), model_.config().activation_dropout));
  }
  Variable encode(const Block& layer, Variable x) {
    x = surround(layer.self_attention_norm, order_, x, masks_, [&](const Variable& in) {
      return attend(layer.self_attention, Mask::none, in, kSourceSegments, masks_);
    });
    return surround(*layer.feed_forward_norm, order_, x, masks_,
                    [&](const Variable& in) { return feed_forward(*layer.feed_forward, in); });
  }
  Variable decode(const Block& layer, Variable x, const Variable& memory) {
    x = surround(layer.self_attention_norm, order_, x, masks_, [&](const Variable& in) {
      return attend(layer.self_attention, Mask::causal, in, kTargetSegments, masks_);
    });
    x = surround(*layer.cross_attention_norm, order_, x, masks_, [&](const Variable& in) {
      const MultiHeadCrossAttention& cross = *layer.cross_attention;
      const Variable query = apply(cross.query, in), key_value = apply(cross.key_value, memory);
      return apply(cross.output,
                   cross_attention(query, key_value, kTargetSegments, kSourceSegments,
                                   {cross.heads.count, Mask::none, masks_.next(kAttention)}));
    });
    return surround(*layer.feed_forward_norm, order_, x, masks_,
                    [&](const Variable& in) { return feed_forward(*layer.feed_forward, in); });
  }
  Variable finish(const Variable& x, const std::string& stack) const {
    if (order_ == NormOrder::post) return x;
    return layer_norm(x, model_.parameters().find(stack + "/final_norm/gain")->value,
                      model_.parameters().find(stack + "/final_norm/bias")->value);
  }

  const Transformer& model_;
  NormOrder order_;
  Masks masks_;
};

Variable plain_gpt_states(const Gpt& model, const std::vector<std::int32_t>& ids,
                          const Segments& segments) {
  Masks masks;
  const Tensor positions = row_positions(segments);
  Variable x = embedding(model.token_embedding().table, Tensor::from(ids));
  if (model.position_embedding())
    x = add_positions(x, model.position_embedding()->table, positions);
  x = masks.drop(x, kResidual);
  for (const Block& layer : model.decoder()) {
    x = surround(layer.self_attention_norm, NormOrder::pre, x, masks, [&](const Variable& in) {
      const MultiHeadSelfAttention& attention = layer.self_attention;
      Variable qkv = apply(attention.query_key_value, in);
      for (const Variable& smears : attention.mixer->head_parameters())
        qkv = smear(qkv, sigmoid(smears), positions);
      if (model.rotary_table().defined()) {
        qkv = rotary(qkv, positions, model.rotary_table(),
                     attention.heads.total_width() + attention.key_width());
      }
      return apply(attention.output, self_attention(qkv, segments,
                                                    {attention.heads.count, attention.pattern,
                                                     masks.next(kAttention)}));
    });
    if (!layer.feed_forward) continue;
    x = surround(*layer.feed_forward_norm, NormOrder::pre, x, masks, [&](const Variable& in) {
      const Variable inner = apply(layer.feed_forward->inner, in);
      const FeedForwardKind kind = model.config().feed_forward;
      return apply(layer.feed_forward->outer, kind == FeedForwardKind::gelu   ? gelu(inner)
                                              : kind == FeedForwardKind::relu ? relu(inner)
                                                                              : swiglu(inner));
    });
  }
  return apply(*model.decoder_norm(), x);
}

}  // namespace

TEST_CASE(
    "dropout: the Transformer has the paper's at each of its points, with a mask of its own") {
  for (const NormOrder norm : {NormOrder::post, NormOrder::pre}) {
    for (const double activation : {kActivation, 0.0}) {
      CAPTURE(activation);
      TransformerConfig config = small_transformer(norm);
      config.dropout = kResidual;
      config.attention_dropout = kAttention;
      config.activation_dropout = activation;
      Transformer model(config);
      model.materialize(1, DType::f64);
      testing::vary_vectors<double>(model.parameters(), 2);
      const auto states = [&](Run run) {
        const Variable memory =
            model.encode(Tensor::from(kSource), PackedSequences(kSourceSegments), run);
        return model.decode(Tensor::from(kTarget),
                            PackedSequences(kTargetSegments, memory, kSourceSegments), run);
      };
      const auto values = [](const Variable& x) { return x.value().values<double>(); };
      const Variable trained = states(Run(kSeed, kStep));
      check_same(trained, PlainTransformer(model).states());
      // Inference drops nothing, so it is the same each time, and something else.
      const auto inferred = values(states(Run()));
      CHECK(inferred == values(states(Run())));
      CHECK(inferred != values(trained));
    }
  }
}

TEST_CASE("dropout: GPT has GPT-2's at each of its points, with a mask of its own") {
  for (auto [label, config] : small_gpts()) {
    config.dropout = kResidual;
    if (config.attention == AttentionWeights::linear) continue;  // which drops none of its weights
    config.attention_dropout = kAttention;
    Gpt model(config);
    model.materialize(1, DType::f64);
    testing::vary_vectors<double>(model.parameters(), 2);
    Run run(kSeed, kStep);
    check_same(model.decode(Tensor::from(kTarget), PackedSequences(kTargetSegments), run),
               plain_gpt_states(model, kTarget, kTargetSegments));
  }
}

TEST_CASE("dropout: no two masks of a run have the same number, whatever the step") {
  std::set<std::uint64_t> numbers;
  for (const std::uint64_t step : {0u, 1u, 2u, 1000u}) {
    Run run(kSeed, step);
    for (int i = 0; i < 2000; ++i) {
      const DropoutMask mask = run.mask(0.5);
      CHECK(mask.key.seed == kSeed);
      REQUIRE(numbers.insert(mask.key.stream).second);
    }
    CHECK_FALSE(run.mask(0).active());
  }
  CHECK_FALSE(Run().mask(0.5).active());
}
