// What is traced is what happens, and tracing changes none of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "autograd/all_ops.h"
#include "decode/generator.h"
#include "decode/translator.h"
#include "inspect/steps/step_recorder.h"
#include "inspect/steps/trace_json.h"
#include "models/families.h"
#include "models/gpt.h"
#include "models/transformer.h"
#include "tensor/backend.h"
#include "tests/devices.h"
#include "tests/json_view.h"
#include "train/adam.h"
#include "train/train_step.h"

using namespace kette;

namespace {

/// Two steps of a model, of which the second may be traced.
struct Steps {
  explicit Steps(const ModelConfig& config, Device device = {}, bool traces = true)
      : recorder(device), model(config.make_model()) {
    model->materialize(1, DType::f32, device);
    Adam adam(model->parameters(), {});
    recorder.name(adam);
    const Batch batch = config.example_batch(1);
    StepOptions options;
    options.clip_norm = 1;
    train_step(*model, adam, {&batch, 1}, options);
    if (traces) options.tap = recorder.tap();
    const auto step = [&] { loss = train_step(*model, adam, {&batch, 1}, options).loss; };
    if (traces) {
      trace = recorder.record(step);
    } else {
      step();
    }
    in_use = backend(device).memory().in_use_bytes;
    gradients = model->parameters().gradients().values<float>();
    values = model->parameters().values().values<float>();
  }

  StepRecorder recorder;
  std::unique_ptr<Model> model;
  StepTrace trace;
  double loss = 0;
  std::vector<float> gradients, values;
  std::int64_t in_use = 0;
};

/// Calls function(config, device) for a small model of each kind on each device.
template <class Function>
void for_small_models(const Function& function) {
  for (const Family* family : families()) {
    for (const auto& small : family->small_models) {
      for (const Device device : test_devices()) {
        CAPTURE(family->name);
        CAPTURE(small.first);
        CAPTURE(device.str());
        function(*small.second, device);
      }
    }
  }
}

/// The slices that have been found to lie in each other.
void check_nesting(const StepTrace& trace) {
  std::map<std::int64_t, std::int64_t> free_from;  // of each parent, so far
  for (const Slice& slice : trace.slices) {
    CAPTURE(slice.name);
    REQUIRE(slice.begin <= slice.end);
    CHECK(slice.begin >= free_from[slice.parent]);
    free_from[slice.parent] = slice.end;
    CHECK(slice.own_nanoseconds() >= 0);
    if (slice.parent < 0) continue;
    const Slice& parent = trace.slices[slice.parent];
    CHECK(slice.begin >= parent.begin);
    CHECK(slice.end <= parent.end);
  }
}

const Slice& find(const StepTrace& trace, const std::string& name,
                  Slice::Kind kind = Slice::Kind::forward) {
  for (const Slice& slice : trace.slices) {
    if (slice.name == name && slice.kind == kind) return slice;
  }
  FAIL("no slice of " << name);
  return trace.slices.front();
}

std::set<std::string> scopes_of(const StepTrace& trace, const std::string& op) {
  std::set<std::string> scopes;
  for (const Slice& slice : trace.slices) {
    if (slice.name == op) scopes.insert(slice.scope);
  }
  return scopes;
}

}  // namespace

TEST_CASE("slices of a step lie in each other, and every backward has its forward") {
  for_small_models([](const ModelConfig& config, Device device) {
    const Steps steps(config, device);
    const StepTrace& trace = steps.trace;
    check_nesting(trace);
    for (const char* phase : {"forward", "backward", "update"}) {
      CHECK(find(trace, phase, Slice::Kind::phase).parent == -1);
    }
    std::set<std::int64_t> arrows;
    std::int64_t forwards = 0;
    for (const Slice& slice : trace.slices) {
      forwards += slice.kind == Slice::Kind::forward;
      if (slice.kind != Slice::Kind::backward) continue;
      REQUIRE(slice.of_forward >= 0);
      const Slice& forward = trace.slices[slice.of_forward];
      CHECK(forward.kind == Slice::Kind::forward);
      CHECK(forward.name == slice.name);
      CHECK(forward.scope == slice.scope);
      CHECK(!slice.scope.empty());
      CHECK(arrows.insert(slice.of_forward).second);
    }
    CHECK(std::ssize(arrows) == forwards);
  });
}

TEST_CASE("a traced step is, bit for bit, the step that nobody watches") {
  for_small_models([](const ModelConfig& config, Device device) {
    const Steps traced(config, device, true), alone(config, device, false);
    CHECK(traced.loss == alone.loss);
    CHECK(traced.gradients == alone.gradients);
    CHECK(traced.values == alone.values);
    CHECK(alone.trace.slices.empty());
  });
}

TEST_CASE("every byte of the pool has a name") {
  for_small_models([](const ModelConfig& config, Device device) {
    const Steps steps(config, device);
    const StepTrace& trace = steps.trace;
    CHECK(trace.memory.back().bytes == steps.in_use);
    std::int64_t named = 0, highest = 0;
    std::map<std::string, std::int64_t> by_name;
    for (const MemoryHolder& holder : trace.at_peak) {
      named += holder.bytes;
      by_name[holder.what] += holder.bytes;
    }
    for (const MemoryChange& change : trace.memory) highest = std::max(highest, change.bytes);
    CHECK(named == trace.peak.bytes);
    CHECK(highest == trace.peak.bytes);
    for (std::size_t i = 0; i + 1 < trace.memory.size(); i += 7) {
      const MemoryChange& change = trace.memory[i];
      if (trace.memory[i + 1].at == change.at) continue;
      std::int64_t alive = 0;
      for (const MemoryBlock& block : trace.blocks) {
        if (block.begin <= change.at && change.at < block.end) alive += block.bytes;
      }
      CHECK(alive == change.bytes);
    }
    const auto bytes = static_cast<std::int64_t>(steps.model->parameters().values().bytes());
    for (const char* what : {"parameters", "gradients", "first moment", "second moment"}) {
      CHECK(by_name[what] >= bytes);
      CHECK(by_name[what] < bytes + 1024);
    }
    CHECK(by_name["activation"] > 0);
  });
}

TEST_CASE("the FLOPs of a product are 2 m n k, and its bytes those of its matrices") {
  constexpr std::int64_t kRows = 6, kIn = 10, kOut = 7;
  for (const Device device : test_devices()) {
    StepRecorder recorder(device);
    const auto zeros = [&](Shape shape) { return Tensor::zeros(shape, DType::f32, device); };
    const StepTrace trace = recorder.record([&] {
      Tape tape;
      const Variable y = linear(tape.watch(zeros({kRows, kIn})), tape.watch(zeros({kOut, kIn})),
                                tape.watch(zeros({kOut})));
      tape.backward(y, zeros({kRows, kOut}));
    });
    const Slice &forward = find(trace, "linear"),
                &backward = find(trace, "linear", Slice::Kind::backward);
    CHECK(forward.flops == 2 * kRows * kIn * kOut);
    CHECK(backward.flops == 4 * kRows * kIn * kOut);
    constexpr std::int64_t kInputs = kRows * kIn + kOut * kIn + kOut;
    CHECK(forward.bytes == 4 * (kInputs + kRows * kOut));
    CHECK(backward.bytes == 4 * (2 * kInputs + kRows * kOut));
  }
}

TEST_CASE(
    "attention costs the pairs that see each other, and an embedding the rows that are read") {
  constexpr std::int64_t kWidth = 8;
  const Segments segments = Segments::from_lengths({3, 4});
  for (const Device device : test_devices()) {
    StepRecorder recorder(device);
    const auto zeros = [&](Shape shape) { return Tensor::zeros(shape, DType::f32, device); };
    const StepTrace trace = recorder.record([&] {
      Tape tape;
      const Variable y =
          self_attention(tape.watch(zeros({7, 3 * kWidth})), segments, {2, Mask::causal});
      tape.backward(y, zeros({7, kWidth}));
      embedding(zeros({100, kWidth}), Tensor::from(std::vector<std::int32_t>{1, 2, 99}));
      reshape(zeros({4, 6}), {24});
    });
    constexpr double kPairs = 6 + 10;
    CHECK(find(trace, "self_attention").flops == 2 * 2 * kPairs * kWidth);
    CHECK(find(trace, "self_attention", Slice::Kind::backward).flops == 5 * 2 * kPairs * kWidth);
    CHECK(find(trace, "embedding").bytes == 4 * 2 * 3 * kWidth);
    CHECK(find(trace, "reshape").bytes == 0);
  }
}

TEST_CASE("ops know their place in the model") {
  const Steps steps(small_transformer(NormOrder::post));
  CHECK(scopes_of(steps.trace, "embedding") ==
        std::set<std::string>{"encoder/embedded", "decoder/embedded"});
  CHECK(scopes_of(steps.trace, "self_attention") ==
        std::set<std::string>{"encoder/0/self_attention/heads", "encoder/1/self_attention/heads",
                              "decoder/0/self_attention/heads", "decoder/1/self_attention/heads"});
  CHECK(scopes_of(steps.trace, "residual_layer_norm").contains("decoder/1/cross_attention_norm"));
  CHECK(scopes_of(steps.trace, "linear").contains("decoder/1/cross_attention/key_value"));
  CHECK(scopes_of(steps.trace, "linear_cross_entropy") == std::set<std::string>{"loss"});
  TransformerConfig in_one = small_transformer(NormOrder::post);
  in_one.activation_dropout = 0;
  CHECK(scopes_of(Steps(in_one).trace, "feed_forward").contains("encoder/1/feed_forward"));
}

TEST_CASE("rows of a summary add up to the step") {
  const StepTrace trace = Steps(small_transformer(NormOrder::pre)).trace;
  double whole = 0;
  for (const Slice& slice : trace.slices) {
    if (slice.parent < 0) whole += 1e-9 * static_cast<double>(slice.nanoseconds());
  }
  const MachineLimits limits{2, 1};
  for (const auto& rows : {rows_by_op(trace, limits), rows_by_scope(trace, limits, 2)}) {
    double seconds = 0;
    for (const TraceRow& row : rows) seconds += row.seconds;
    CHECK(seconds == doctest::Approx(whole).epsilon(1e-6));
    CHECK(std::is_sorted(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.seconds > b.seconds; }));
  }
  Slice slice;
  slice.bytes = 1e6;
  slice.end = 999;  // it hands on a gradient
  TraceRow row;
  row.add(slice, limits);
  CHECK(row.limit_share() == 0);
  slice.end = 1'000'000;
  row.add(slice, limits);
  CHECK(row.bytes == 1e6);
  CHECK(limits.least_seconds(4e9, 1e9) == doctest::Approx(2));
  CHECK(limits.least_seconds(4e9, 3e9) == doctest::Approx(3));
}

TEST_CASE("a step of tiny is less than a megabyte of Chrome's trace events, and well-formed") {
  const auto config = family_of_preset("tiny").config("tiny");
  const Steps steps(*config);
  const std::string text = chrome_trace(steps.trace, "a step", {100, 10});
  CHECK(text.size() < 1'000'000);
  const testing::JsonView json = testing::JsonView::parse(text);
  std::map<std::int64_t, int> starts, ends;
  std::vector<std::pair<double, double>> open;  // slices
  std::size_t slices = 0, counts = 0;
  for (const testing::JsonView& event : json.at("traceEvents")) {
    const std::string kind = event.at("ph").text();
    if (kind == "s") ++starts[event.at("id").get<std::int64_t>()];
    if (kind == "f") ++ends[event.at("id").get<std::int64_t>()];
    if (kind == "C") {
      ++counts;
      CHECK(event.at("args").at("bytes").get<std::int64_t>() > 0);
    }
    if (kind != "X") continue;
    ++slices;
    const double begin = event.at("ts").get<double>(), end = begin + event.at("dur").get<double>();
    while (!open.empty() && open.back().second <= begin + 1e-6) open.pop_back();
    if (!open.empty()) CHECK(end <= open.back().second + 1e-6);
    open.emplace_back(begin, end);
  }
  CHECK(slices == steps.trace.slices.size());
  CHECK(counts > 100);
  CHECK(starts == ends);
  CHECK(starts.size() > 50);
  for (const auto& [id, count] : starts) CHECK(count == 1);
}

TEST_CASE("decoding can be traced, and writes the same") {
  for (const Device device : test_devices()) {
    Transformer model(small_transformer(NormOrder::post));
    model.materialize(1, DType::f32, device);
    const auto translator = model.for_decoding();
    SearchOptions options;
    options.beam = 3;
    const auto alone = translate_ids(*translator, {{4, 5, 6}}, options);
    StepRecorder recorder(device);
    std::vector<std::vector<Hypothesis>> traced;
    StepTrace trace = recorder.record([&] {
      traced = translate_ids(*translator, {{4, 5, 6}}, options, {.tap = recorder.tap()});
    });
    CHECK(traced[0][0].tokens == alone[0][0].tokens);
    CHECK(traced[0][0].score == alone[0][0].score);
    check_nesting(trace);
    for (const char* phase : {"encode", "step", "search"}) find(trace, phase, Slice::Kind::phase);
    CHECK(std::any_of(trace.blocks.begin(), trace.blocks.end(), [&](const MemoryBlock& block) {
      return block.what == "other" && block.slice >= 0 &&
             trace.slices[block.slice].name == "resize_kv_cache";
    }));
    find(trace, "top_k", Slice::Kind::kernel);
    CHECK(scopes_of(trace, "prepacked_linear").contains("decoder/1/feed_forward/inner"));
    CHECK(scopes_of(trace, "cached_attention").contains("decoder/0/cross_attention/heads"));

    Gpt gpt(small_gpt());
    gpt.materialize(1, DType::f32, device);
    const auto writer = gpt.for_decoding();
    GenerateOptions generating;
    generating.max_tokens = 5;
    const auto text = generate(*writer, {1, 2, 3}, generating);
    generating.tap = recorder.tap();
    std::vector<std::vector<std::int32_t>> again;
    trace = recorder.record([&] { again = generate(*writer, {1, 2, 3}, generating); });
    CHECK(again == text);
    check_nesting(trace);
    CHECK(std::count_if(trace.slices.begin(), trace.slices.end(),
                        [](const Slice& slice) { return slice.name == "sample"; }) == 5);
    CHECK(scopes_of(trace, "prepacked_linear").contains("logits"));
    const Slice& product = find(trace, "prepacked_linear", Slice::Kind::kernel);
    CHECK(product.flops == 2.0 * static_cast<double>(product.inputs[0].shape.elements()) *
                               static_cast<double>(product.outputs[0].shape.width()));
  }
}
