// Generation against the whole model run over the whole text.
#include <doctest/doctest.h>

#include <algorithm>

#include "data/tokenizers/byte_tokenizer.h"
#include "decode/generator.h"
#include "decode/text_pieces.h"
#include "models/gpt.h"
#include "tests/decode/decode_models.h"
#include "tests/devices.h"

using namespace kette;
using testing::Ids;

namespace {

std::unique_ptr<Gpt> random_gpt(std::int64_t context = 16, GptConfig config = small_gpt()) {
  config.width = 40;
  config.heads = 5;
  config.kv_heads = std::min<std::int64_t>(config.kv_heads, 1);
  config.vocabulary = 61;
  config.context = context;
  auto model = std::make_unique<Gpt>(config);
  model->materialize(4);
  // Larger weights than training starts with, so that the likeliest token depends on the past.
  Random random(5, 6);
  for (const auto& leaf : model->parameters().leaves()) {
    float* values = leaf->value.data<float>();
    for (std::int64_t i = 0; i < leaf->value.elements(); ++i) {
      values[i] += static_cast<float>(random.uniform(-0.3, 0.3));
    }
  }
  return model;
}

std::vector<float> whole_model_logits(const Gpt& model, const Ids& ids) {
  Run inference;
  const auto rows = static_cast<std::int64_t>(ids.size());
  const Tensor all =
      model
          .logits(model.decode(Tensor::from(ids), PackedSequences(Segments::from_lengths({rows})),
                               inference))
          .value();
  return all.slice(rows - 1, rows).values<float>();
}

std::int32_t likeliest(const std::vector<float>& logits) {
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

GenerateOptions greedy(std::int64_t tokens) {
  GenerateOptions options;
  options.temperature = 0;
  options.max_tokens = tokens;
  return options;
}

}  // namespace

TEST_CASE("generation: logits with kept keys and values equal the whole model's") {
  const testing::OneThread one;
  for (const auto& [label, config] : small_gpts()) {
    const auto model = random_gpt(16, config);
    const auto ready = model->for_decoding();
    const Ids ids = {5, 6, 7, 60, 0, 1, 2, 9};
    const auto logits_of = [&](DecoderState& state, const Ids& tokens) {
      return ready->logits(state.step(tokens)).value();
    };
    DecoderState by_one(*ready);
    by_one.add({{}});
    std::vector<float> last;
    for (std::size_t i = 1; i <= ids.size(); ++i) {
      const auto expected = whole_model_logits(
          *model, Ids(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i)));
      last = logits_of(by_one, {ids[i - 1]}).values<float>();
      for (std::size_t v = 0; v < expected.size(); ++v) {
        CHECK(last[v] == doctest::Approx(expected[v]).epsilon(1e-4));
      }
    }
    // The same bits when all but the last is read at once, by one text or by several that begin alike
    // or not.
    const std::span<const std::int32_t> past = std::span(ids).first(ids.size() - 1);
    DecoderState alike(*ready);
    alike.add({{{}, past}});
    alike.select({0, 0});
    const Tensor both = logits_of(alike, {ids.back(), ids.back()});
    CHECK(both.slice(0, 1).values<float>() == last);
    CHECK(both.slice(1, 2).values<float>() == last);
    DecoderState unlike(*ready);
    const Ids others = {1, 2, 3, 4, 5};
    unlike.add({{{}, others}, {{}, past}});
    const Tensor two = logits_of(unlike, {8, ids.back()});
    CHECK(two.slice(1, 2).values<float>() == last);
    CHECK(two.slice(0, 1).values<float>() != last);
  }
}

TEST_CASE("generation: far beyond a window, read in parts or token by token, as in whole passes") {
  const testing::OneThread one;
  GptConfig config = small_grouped_gpt();
  config.context = 300;
  config.attention_window = 7;
  const auto model = random_gpt(300, config);
  const auto ready = model->for_decoding();
  Ids ids;
  for (int i = 0; i < 200; ++i) ids.push_back(i * i % 61);
  const auto expected = whole_model_logits(*model, ids);
  DecoderState at_once(*ready), by_one(*ready);
  const Ids other = {4, 5, 6};
  at_once.add({{{}, std::span(ids).first(199)}, {{}, other}});
  by_one.add({{}});
  Tensor last;
  for (const std::int32_t token : ids) last = ready->logits(by_one.step({token})).value();
  const auto logits = last.values<float>();
  for (std::size_t v = 0; v < expected.size(); ++v) {
    CHECK(logits[v] == doctest::Approx(expected[v]).epsilon(1e-4));
  }
  const Tensor both = ready->logits(at_once.step({ids.back(), 7})).value();
  CHECK(both.slice(0, 1).values<float>() == logits);
}

TEST_CASE("generation: rows that begin anywhere, branch, end and join are as in whole passes") {
  const testing::OneThread one;
  for (const Device device : test_devices()) {
    for (const auto& [label, config] : small_gpts()) {
      const auto model = random_gpt(32, config);
      const auto ready = testing::moved(*model, device)->for_decoding();
      DecoderState state(*ready);
      Random random(7, 8);
      std::vector<Ids> rows;
      for (int step = 0; step < 14; ++step) {
        if (step % 5 == 0) {
          std::vector<Ids> pasts = {{}, {4, 9, 4}, {8}};
          std::vector<RowStart> starts;
          for (const Ids& past : pasts) starts.push_back({{}, past});
          state.add(starts);
          rows.insert(rows.end(), pasts.begin(), pasts.end());
        }
        Ids tokens;
        for (Ids& row : rows) {
          tokens.push_back(static_cast<std::int32_t>(random.below(61)));
          row.push_back(tokens.back());
        }
        const Tensor logits = ready->logits(state.step(tokens)).value();
        for (std::size_t row = 0; row < rows.size(); ++row) {
          const auto at = static_cast<std::int64_t>(row);
          const auto expected = whole_model_logits(*model, rows[row]);
          const auto given = logits.slice(at, at + 1).values<float>();
          for (std::size_t v = 0; v < expected.size(); ++v) {
            REQUIRE(given[v] == doctest::Approx(expected[v]).epsilon(1e-4).scale(1));
          }
        }
        std::vector<std::int64_t> parents;
        std::vector<Ids> next;
        for (int row = 0; row < 1 + step % 4; ++row) {
          parents.push_back(random.below(static_cast<std::int64_t>(rows.size())));
          next.push_back(rows[parents.back()]);
        }
        state.select(parents);
        rows = next;
      }
    }
  }
}

TEST_CASE("generation: greedy text goes on rightly past the context") {
  const testing::OneThread one;
  const auto model = random_gpt(8, small_unbiased_gpt());
  const Ids prompt = {5, 6, 7};
  const auto generated = generate(*model->for_decoding(), prompt, greedy(30)).front();
  REQUIRE(generated.size() == 30);
  Ids seen = prompt;  // what the model has read
  int rereads = 0;
  for (const std::int32_t token : generated) {
    if (seen.size() > 8) {
      seen.erase(seen.begin(), seen.end() - 4);
      ++rereads;
    }
    CHECK(token == likeliest(whole_model_logits(*model, seen)));
    seen.push_back(token);
  }
  CHECK(rereads == 5);
  GenerateOptions one_token = greedy(1);
  const Ids full = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(generate(*model->for_decoding(), full, one_token).front().size() == 1);
  GenerateOptions many = one_token;
  many.texts = 1'000'000'000;
  CHECK_THROWS_WITH_AS(generate(*model->for_decoding(), {1}, many),
                       doctest::Contains("given 1000000000, which may take"), Error);
  CHECK_THROWS_AS(generate(*model->for_decoding(), {}, one_token), Error);
  CHECK_THROWS_AS(generate(*model->for_decoding(), {61}, one_token), Error);
  CHECK_THROWS_AS(generate(*model->for_decoding(), {-1}, one_token), Error);
}

namespace {

/// How many rows each pass of a model has.
class RowCounts : public Tap {
 public:
  bool wants(const std::string& point) const override {
    return point == "layers/0/attention/query_key_value";
  }
  Variable at(const std::string&, const Variable& value) override {
    rows.push_back(value.value().rows());
    return value;
  }
  std::vector<std::int64_t> rows;
};

}  // namespace

TEST_CASE("generation: texts that have ended leave, and the others do not notice") {
  GptConfig windowed = small_gpt();
  windowed.attention_window = 4;
  for (const GptConfig& config : {small_gpt(), windowed}) {
    const auto model = random_gpt(16, config);
    const auto ready = model->for_decoding();
    GenerateOptions options;
    options.max_tokens = 40;  // past the context, too
    options.temperature = 3;
    options.texts = 30;
    const auto texts = generate(*ready, {5, 6}, options);
    options.end_of_text = 9;
    RowCounts counts;
    options.tap = &counts;
    const auto ended = generate(*ready, {5, 6}, options);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Ids& text = texts[i];
      CHECK(ended[i] == Ids(text.begin(), std::find(text.begin(), text.end(), 9)));
    }
    REQUIRE(counts.rows.size() > 20);
    CHECK(counts.rows[1] == 30);
    CHECK(counts.rows.back() < 24);
  }
}

TEST_CASE("generation: ids that the tokenizer has no piece for are never written") {
  const testing::OneThread one;
  const ByteTokenizer bytes;
  const auto pieces = static_cast<std::int32_t>(bytes.vocabulary());
  CHECK(without_pieces(bytes, pieces).empty());
  CHECK(without_pieces(bytes, pieces + 2) == Ids{pieces, pieces + 1});
  const auto ready = random_gpt()->for_decoding();
  GenerateOptions options = greedy(8);
  const Ids likely = generate(*ready, {5, 6}, options).front();
  options.banned = likely;
  ContinueOptions search;
  search.beam = 3;
  search.max_tokens = 4;
  search.banned = likely;
  std::vector<Ids> texts = {generate(*ready, {5, 6}, options).front(),
                            search_continuations(*ready, {5, 6}, search).front().tokens};
  for (const Ids& text : texts) {
    CHECK(!text.empty());
    for (const std::int32_t token : text) {
      CHECK(std::find(likely.begin(), likely.end(), token) == likely.end());
    }
  }
}

TEST_CASE(
    "generation: one token of top-k is greedy; texts are the same on any threads, alone or not") {
  const auto model = random_gpt();
  const auto ready = model->for_decoding();
  GenerateOptions options = greedy(20);
  const auto likely = generate(*ready, {5, 6}, options);
  options.temperature = 0.7;
  options.top_k = 1;
  CHECK(generate(*ready, {5, 6}, options) == likely);
  options.top_k = 0;
  options.temperature = 2;
  options.texts = 3;
  std::vector<std::pair<std::int64_t, std::int32_t>> heard;
  const auto texts = generate(*ready, {5, 6}, options, [&](std::int64_t text, std::int32_t token) {
    heard.emplace_back(text, token);
    return true;
  });
  CHECK(texts[0] != texts[1]);
  CHECK(heard.size() == 60);
  for (std::size_t i = 0; i < heard.size(); ++i) {
    CHECK(heard[i] == std::pair(static_cast<std::int64_t>(i % 3), texts[i % 3][i / 3]));
  }
  {
    const testing::OneThread one;
    CHECK(generate(*ready, {5, 6}, options) == texts);
  }
  options.texts = 1;
  CHECK(generate(*ready, {5, 6}, options).front() == texts[0]);
  options.seed = 2;
  CHECK(generate(*ready, {5, 6}, options).front() != texts[0]);
  // A text ends where its end is drawn, and nobody hears of it or of what comes after.
  options.seed = 1;
  options.texts = 3;
  options.end_of_text = texts[0][7];
  std::vector<Ids> heard_of(3);
  const auto ended = generate(*ready, {5, 6}, options, [&](std::int64_t text, std::int32_t token) {
    heard_of.at(static_cast<std::size_t>(text)).push_back(token);
    return true;
  });
  CHECK(heard_of == ended);
  // A copy also ends when the one who hears it says so; the others go on.
  options.end_of_text = -1;
  const auto stopped = generate(
      *ready, {5, 6}, options,
      [&](std::int64_t text, std::int32_t token) { return text != 1 || token != texts[1][4]; });
  CHECK(stopped[0] == texts[0]);
  const auto until = std::find(texts[1].begin(), texts[1].end(), texts[1][4]) + 1;
  CHECK(stopped[1] == Ids(texts[1].begin(), until));
  CHECK(stopped[2] == texts[2]);
  options.end_of_text = texts[0][7];
  for (std::size_t i = 0; i < 3; ++i) {
    const Ids& text = texts[i];
    CHECK(ended[i] == Ids(text.begin(), std::find(text.begin(), text.end(), options.end_of_text)));
  }
}

TEST_CASE("generation: each token is drawn by its own number, past the context, too") {
  const testing::OneThread one;
  const auto model = random_gpt(8);
  GenerateOptions options;
  options.temperature = 1.5;
  options.max_tokens = 25;
  Ids seen = {5, 6, 7};  // what the model has read
  std::int32_t position = 0;
  const Ids generated = generate(*model->for_decoding(), seen, options).front();
  for (const std::int32_t token : generated) {
    if (seen.size() > 8) seen.erase(seen.begin(), seen.end() - 4);
    const Tensor drawn = Tensor::empty({2, 1}, DType::i32);
    sample(Tensor::from(whole_model_logits(*model, seen), {1, 61}), draw_settings({{&options}}, {}),
           Tensor::from(Ids{position++}), drawn);
    CHECK(token == checked_draw(drawn.data<std::int32_t>(), 1, 0));
    seen.push_back(token);
  }
  CHECK(position == 25);
}

TEST_CASE("generation: weights in bf16 are the rounded weights, and no other numbers are rounded") {
  const testing::OneThread one;
  const auto model = random_gpt();
  const auto logits = [&](DType weights) {
    const auto ready = model->for_decoding(weights);
    DecoderState state(*ready);
    const Ids past = {5, 6, 7};
    state.add({{{}, past}});
    return ready->logits(state.step({60})).value().values<float>();
  };
  CHECK(logits(DType::bf16) != logits(DType::f32));
  for (const auto& leaf : model->parameters().leaves()) {
    if (leaf->value.shape().rank() < 2) continue;
    leaf->value.copy_from(leaf->value.to(DType::bf16).to(DType::f32));
  }
  CHECK(logits(DType::bf16) == logits(DType::f32));
}

TEST_CASE("generation: of a prompt that is too long the model reads the end") {
  const auto model = random_gpt(8);
  const auto ready = model->for_decoding();
  GenerateOptions options;
  options.max_tokens = 12;
  options.texts = 3;
  const Ids prompt = {4, 9, 4, 7, 60, 31, 2, 5, 17, 3, 8};
  CHECK(generate(*ready, prompt, options) ==
        generate(*ready, {prompt.end() - 8, prompt.end()}, options));
}

TEST_CASE("generation: a tap sees every pass, on every device") {
  const testing::OneThread one;
  const auto host = random_gpt(16);
  for (const Device device : test_devices()) {
    GenerateOptions options = greedy(9);
    RowCounts counts;
    options.tap = &counts;
    generate(*testing::moved(*host, device)->for_decoding(), {5, 6}, options);
    CHECK(counts.rows.size() == 10);  // one for the prompt but its last token
  }
}

TEST_CASE("CUDA: generated text is the CPU's") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  const testing::OneThread one;
  for (const auto& [label, config] : small_gpts()) {
    const auto host = random_gpt(16, config);
    const auto device = testing::moved(*host, devices[1]);
    GenerateOptions options = greedy(20);
    options.texts = 2;
    CHECK(generate(*device->for_decoding(), {5, 6}, options) ==
          generate(*host->for_decoding(), {5, 6}, options));
  }
}
