// kette.nn: the layers of the Transformer as values with a call operator, and the store of their parameters.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include "nn/block.h"
#include "python/src/arguments.h"
#include "python/src/models.h"
#include "tensor/suggestion.h"

namespace kette::python {
namespace {

/// Shares its store, which C++'s Scope only points to.
struct SharedScope {
  std::shared_ptr<ParamStore> store;
  std::string path;

  SharedScope inner(const std::string& name) const { return {store, (scope() / name).path()}; }
  Scope scope() const { return Scope(*store, path); }
};

Variable new_parameter(const SharedScope& self, const std::string& name, const Shape& shape,
                       std::optional<double> normal, std::optional<double> uniform,
                       double constant) {
  const Init init = normal    ? Init::normal(*normal)
                    : uniform ? Init{Init::Kind::uniform, *uniform}
                              : Init::constant(constant);
  return self.scope().parameter(name, shape, init);
}

/// A layer before materialize() has no values.
const Variable& ready(const std::string& path, const Variable& parameter) {
  KETTE_CHECK(
      parameter.value().defined(), path,
      ": expected parameters with values, given none (call materialize() of the Parameters)");
  return parameter;
}

using MaybeRun = std::optional<Run*>;

/// Without a run: inference.
template <class Function>
auto with_run(const MaybeRun& run, const Function& function) {
  Run inference;
  Run& used = run ? **run : inference;
  return computed([&] { return function(used); });
}

MapOptions maps_of(bool bias) { return {.biased = bias}; }

AttentionPattern pattern_of(bool causal, std::int64_t group) {
  AttentionPattern pattern = causal ? Mask::causal : Mask::none;
  pattern.group = group;
  return pattern;
}

/// Several times as much still fits.
constexpr std::int64_t kMostWidth = std::int64_t{1} << 40;

HeadShape heads_of(const char* layer, std::int64_t width, std::int64_t heads, std::int64_t group) {
  KETTE_CHECK(heads > 0 && width > 0 && width <= kMostWidth && width % heads == 0, layer,
              ": expected a width that the heads divide, given width ", width, " and ", heads,
              " heads");
  KETTE_CHECK(group > 0 && heads % group == 0, layer,
              ": expected heads in groups of equal size, given ", heads, " in groups of ", group);
  return {heads, width / heads};
}

void check_sizes(const char* layer, std::int64_t in, std::int64_t out) {
  KETTE_CHECK(in > 0 && out > 0 && in <= kMostWidth && out <= kMostWidth, layer,
              ": expected sizes of at least 1 that a computer can have, given ", in, " and ", out);
}

PackedSequences sequences_of(const Variable& x, const Lengths& lengths, const Variable& memory,
                             const Lengths& memory_lengths) {
  if (!memory.value().defined()) return PackedSequences(segments_of(lengths, x));
  return {segments_of(lengths, x), memory, segments_of(memory_lengths, memory)};
}

void bind_parameters_of_layers(nb::module_& nn) {
  nb::borrow<nb::class_<Parameters>>(nb::type<Parameters>())
      .def("__init__",
           [](Parameters* self) { new (self) Parameters{std::make_shared<ParamStore>()}; })
      .def_prop_ro(
          "scope",
          [](const Parameters& self) {
            return SharedScope{self.store, ""};
          },
          "The root of the paths: scope / \"encoder\" / 0 is the place of a layer.")
      .def(
          "materialize",
          [](const Parameters& self, std::uint64_t seed, const std::string& dtype,
             const std::string& device) {
            self.store->materialize(seed, dtype_of_parameters(dtype), parse_device(device));
          },
          "seed"_a = 1, "dtype"_a = "f32", "device"_a = "cpu",
          "Allocates all parameters of layers and draws their initial values, each from a random stream of "
          "seed and path. dtype: \"f32\" or \"f64\".");
  nb::class_<SharedScope>(nn, "Scope", "A place among Parameters, such as encoder/3.")
      .def_prop_ro(
          "path", [](const SharedScope& self) { return self.path; }, "Such as \"encoder/3\".")
      .def("__truediv__", &SharedScope::inner, "name"_a)
      .def("__truediv__", [](const SharedScope& self,
                             std::int64_t index) { return self.inner(std::to_string(index)); })
      .def(
          "parameter", &new_parameter, "name"_a, "shape"_a, nb::kw_only(), "normal"_a = nb::none(),
          "uniform"_a = nb::none(), "constant"_a = 0.0,
          "A parameter of a layer of one's own. Initial values: normal of this standard deviation, "
          "uniform within +-`uniform`, or a constant. The same path again is the same parameter.")
      .def("__repr__", [](const SharedScope& self) { return "Scope(" + self.path + ")"; });
  nb::class_<Run>(nn, "Run",
                  "What a pass needs besides its inputs. Run(): inference, without dropout. "
                  "Run(seed, step): a step of training.")
      .def(nb::init<>())
      .def(nb::init<std::uint64_t, std::uint64_t>(), "seed"_a, "step"_a = 0)
      .def_prop_ro("training", &Run::training, "Whether there is dropout.");
}

void bind_maps(nb::module_& nn) {
  nb::class_<Linear>(nn, "Linear", "y = activation(x W^T + b). weight: [out, in], bias: [out].")
      .def(
          "__init__",
          [](Linear* self, const SharedScope& scope, std::int64_t in, std::int64_t out,
             const std::string& activation, bool bias, double deviation) {
            check_sizes("Linear", in, out);
            const Activation applied = activation_named(activation);
            new (self) Linear(scope.scope(), in, out,
                              {.activation = applied, .deviation = deviation, .biased = bias});
          },
          "scope"_a, "inputs"_a, "outputs"_a, "activation"_a = "none", "bias"_a = true,
          "deviation"_a = 0.0,
          "deviation: the standard deviation of normal initial weights; 0: Glorot.")
      .def_ro("path", &Linear::path, "Its place among the parameters.")
      .def_ro("weight", &Linear::weight, "[out, in].")
      .def_prop_ro(
          "bias",
          [](const Linear& self) -> std::optional<Variable> {
            if (!self.bias.leaf()) return {};
            return self.bias;
          },
          "[out], or None.")
      .def(
          "__call__",
          [](const Linear& self, const ArrayLike& given) {
            const Variable x = operand(given, ready(self.path, self.weight));
            return computed([&] { return self(x); });
          },
          "x"_a, "x: [rows, in] -> [rows, out].");
  nb::class_<Embedding>(nn, "Embedding", "Tokens to vectors: scale * table[id].")
      .def(
          "__init__",
          [](Embedding* self, const SharedScope& scope, std::int64_t vocabulary, std::int64_t width,
             std::optional<double> deviation, double scale) {
            check_sizes("Embedding", vocabulary, width);
            if (deviation) {
              new (self) Embedding(scope.scope(), vocabulary, width, *deviation, scale);
            } else {
              new (self) Embedding(Embedding::scaled(scope.scope(), vocabulary, width));
            }
          },
          "scope"_a, "vocabulary"_a, "width"_a, "deviation"_a = nb::none(), "scale"_a = 1.0,
          "Without a deviation of the initial values: scaled by sqrt(width), as in Vaswani et al. "
          "2017, section 3.4.")
      .def_ro("table", &Embedding::table, "[vocabulary, width].")
      .def(
          "__call__",
          [](const Embedding& self, const ArrayLike& ids) {
            ready("Embedding", self.table);
            const Tensor rows = ids_of("Embedding", ids);
            return computed([&] { return self(rows); });
          },
          "ids"_a, "ids: whole numbers [rows] -> [rows, width].");
  nb::class_<Norm>(nn, "Norm", "Layer norm (Ba et al. 2016), or RMS norm. gain, bias: [width].")
      .def(
          "__init__",
          [](Norm* self, const SharedScope& scope, std::int64_t width, const std::string& kind,
             bool bias, double epsilon) {
            check_sizes("Norm", width, 1);
            new (self) Norm(scope.scope(), width, enum_named<NormKind>(kind), bias, epsilon);
          },
          "scope"_a, "width"_a, "kind"_a = "layer", "bias"_a = true, "epsilon"_a = kNormEpsilon,
          "kind: \"layer\", \"rms\", or \"none\", the identity.")
      .def_ro("path", &Norm::path, "Its place among the parameters.")
      .def(
          "__call__",
          [](const Norm& self, const ArrayLike& given) {
            const bool has_gain = self.kind != NormKind::none;
            const Variable x =
                has_gain ? operand(given, ready(self.path, self.gain)) : operand(given);
            return computed([&] { return self(x); });
          },
          "x"_a, "x: [rows, width] -> the same.");
  nb::class_<FeedForward>(nn, "FeedForward",
                          "activation(x W1 + b1) W2 + b2; \"swiglu\": with a gate (Shazeer 2020).")
      .def(
          "__init__",
          [](FeedForward* self, const SharedScope& scope, std::int64_t width, std::int64_t hidden,
             const std::string& kind, double dropout, bool bias) {
            check_sizes("FeedForward", width, hidden);
            const auto named = enum_named<FeedForwardKind>(kind);
            if (named == FeedForwardKind::swiglu) {
              new (self) FeedForward(
                  FeedForward::swiglu(scope.scope(), width, hidden, dropout, maps_of(bias)));
            } else {
              new (self) FeedForward(scope.scope(), width, hidden, activation_of(named), dropout,
                                     maps_of(bias));
            }
          },
          "scope"_a, "width"_a, "hidden"_a, "kind"_a = "relu", "dropout"_a = 0.0, "bias"_a = true,
          "kind: \"relu\", \"gelu\", \"gelu_erf\", \"silu\" or \"swiglu\".")
      .def_ro("path", &FeedForward::path, "Its place among the parameters.")
      .def(
          "__call__",
          [](const FeedForward& self, const ArrayLike& given, const MaybeRun& run) {
            const Variable x = operand(given, ready(self.path, self.inner.weight));
            return with_run(run, [&](Run& used) { return self(x, used); });
          },
          "x"_a, "run"_a = nb::none(), "x: [rows, width] -> the same.");
}

void bind_attentions(nb::module_& nn) {
  using Self = MultiHeadSelfAttention;
  using Cross = MultiHeadCrossAttention;
  nb::class_<Self>(nn, "SelfAttention",
                   "Multi-head self-attention (Vaswani et al. 2017, section 3.2.2).")
      .def(
          "__init__",
          [](Self* self, const SharedScope& scope, std::int64_t width, std::int64_t heads,
             bool causal, std::int64_t group, double dropout, bool bias) {
            new (self) Self(scope.scope(), 0, width, heads_of("SelfAttention", width, heads, group),
                            pattern_of(causal, group), dropout, maps_of(bias));
          },
          "scope"_a, "width"_a, "heads"_a = 1, "causal"_a = false, "group"_a = 1, "dropout"_a = 0.0,
          "bias"_a = true, "group: heads that share keys and values.")
      .def_ro("path", &Self::path, "Its place among the parameters.")
      .def(
          "__call__",
          [](const Self& self, const ArrayLike& given, const Lengths& lengths,
             const MaybeRun& run) {
            const Variable x = operand(given, ready(self.path, self.query_key_value.weight));
            const PackedSequences sequences(segments_of(lengths, x));
            return with_run(run, [&](Run& used) { return self(x, sequences, used); });
          },
          "x"_a, "lengths"_a = nb::none(), "run"_a = nb::none(),
          "x: [rows, width] -> the same. lengths: the rows of each sequence; without them all rows are one.");
  nb::class_<Cross>(
      nn, "CrossAttention",
      "Multi-head attention to a memory, such as the encoder's output (Vaswani et al. 2017, section 3.2.3).")
      .def(
          "__init__",
          [](Cross* self, const SharedScope& scope, std::int64_t width, std::int64_t heads,
             double dropout, bool bias) {
            new (self) Cross(scope.scope(), 0, width, heads_of("CrossAttention", width, heads, 1),
                             dropout, maps_of(bias));
          },
          "scope"_a, "width"_a, "heads"_a = 1, "dropout"_a = 0.0, "bias"_a = true)
      .def_ro("path", &Cross::path, "Its place among the parameters.")
      .def(
          "__call__",
          [](const Cross& self, const ArrayLike& given, const ArrayLike& memory,
             const Lengths& lengths, const Lengths& memory_lengths, const MaybeRun& run) {
            const Variable x = operand(given, ready(self.path, self.query.weight));
            const PackedSequences sequences =
                sequences_of(x, lengths, operand(memory, x), memory_lengths);
            return with_run(run, [&](Run& used) { return self(x, sequences, used); });
          },
          "x"_a, "memory"_a, "lengths"_a = nb::none(), "memory_lengths"_a = nb::none(),
          "run"_a = nb::none(), "x: [rows, width], memory: [memory rows, width] -> [rows, width].");
  nb::class_<Block>(
      nn, "Block",
      "A block of the Transformer: self-attention, attention to a memory if it has one, and a "
      "feed-forward layer, each with a residual connection and a norm.")
      .def(
          "__init__",
          [](Block* self, const SharedScope& scope, std::int64_t width, std::int64_t hidden,
             std::int64_t heads, bool causal, bool memory, const std::string& norm_order,
             const std::string& norm_kind, const std::string& feed_forward, double dropout,
             bool bias) {
            check_sizes("Block", width, hidden);
            BlockConfig config{.width = width, .hidden = hidden};
            config.heads = config.cross_heads = heads_of("Block", width, heads, 1);
            config.pattern = pattern_of(causal, 1);
            config.attends_to_memory = memory;
            config.norm_order = enum_named<NormOrder>(norm_order);
            config.norm_kind = enum_named<NormKind>(norm_kind);
            config.feed_forward = enum_named<FeedForwardKind>(feed_forward);
            config.dropout = dropout;
            config.maps = maps_of(bias);
            new (self) Block(scope.scope(), 0, config);
          },
          "scope"_a, "width"_a, "hidden"_a, "heads"_a = 1, "causal"_a = false, "memory"_a = false,
          "norm_order"_a = "post", "norm_kind"_a = "layer", "feed_forward"_a = "relu",
          "dropout"_a = 0.0, "bias"_a = true,
          "memory: whether it attends to one. norm_order: \"post\" (Vaswani et al. 2017) or \"pre\".")
      .def(
          "__call__",
          [](const Block& self, const ArrayLike& given, const Lengths& lengths,
             const std::optional<ArrayLike>& memory, const Lengths& memory_lengths,
             const MaybeRun& run) {
            const auto& first = self.self_attention;
            const Variable x = operand(given, ready(first.path, first.query_key_value.weight));
            KETTE_CHECK(self.cross_attention.has_value() == memory.has_value(), "Block: expected ",
                        self.cross_attention ? "a memory" : "no memory", ", given ",
                        memory ? "one" : "none");
            const PackedSequences sequences =
                sequences_of(x, lengths, operand(memory, x), memory_lengths);
            return with_run(run, [&](Run& used) { return self(x, sequences, used).sum(); });
          },
          "x"_a, "lengths"_a = nb::none(), "memory"_a = nb::none(), "memory_lengths"_a = nb::none(),
          "run"_a = nb::none(),
          "x: [rows, width] -> the same. memory: [memory rows, width], if the block attends to one. lengths, memory_lengths: the "
          "rows of each sequence; without them all rows are one.");
}

}  // namespace

void bind_layers(nb::module_& m) {
  nb::module_ nn = m.def_submodule("_nn", "The layers of the Transformer.");
  bind_parameters_of_layers(nn);
  bind_maps(nn);
  bind_attentions(nn);
}

}  // namespace kette::python
