// The config.json of a model directory, by somebody who does not mean well.
#include <doctest/doctest.h>

#include "models/config_json.h"
#include "models/gpt_config.h"
#include "models/transformer_config.h"
#include "tests/json_view.h"
#include "tests/support.h"

using namespace kette;
using testing::JsonView;

namespace {

/// What reading a description with this value says; "" when it is taken.
std::string error_with(const char* key, const JsonView& value) {
  const JsonView json = JsonView::parse(to_json(TransformerConfig::preset("tiny")));
  return testing::message_of(
      [&] { model_config_from_json(json.with(key, value).dump(), "config.json"); });
}

}  // namespace

TEST_CASE("config.json: a value that its field cannot hold is refused, not bent") {
  CHECK(error_with("width", 128) == "");
  CHECK(error_with("dropout", 0) == "");
  const std::pair<const char*, JsonView> cases[] = {{"width", 128.5},
                                                    {"width", true},
                                                    {"width", "128"},
                                                    {"max_length", 1e300},
                                                    {"max_length", 18446744073709551615u},
                                                    {"pad", 4294967296},
                                                    {"dropout", false},
                                                    {"output_bias", 1}};
  for (const auto& [key, value] : cases) {
    CHECK(error_with(key, value) == "config.json: expected another type of value for \"" +
                                        std::string(key) + "\", given " + value.dump());
  }
}

TEST_CASE("config.json: every field has a key of its own") {
  TransformerConfig config = TransformerConfig::preset("tiny");
  config.dropout = 0.1;
  config.attention_dropout = 0.2;
  config.activation_dropout = 0.3;
  const std::string text = to_json(config);
  const JsonView json = JsonView::parse(text);
  CHECK(json["dropout"] == 0.1);
  CHECK(json["attention_dropout"] == 0.2);
  CHECK(json["activation_dropout"] == 0.3);
  const auto read =
      dynamic_cast<const TransformerConfig&>(*model_config_from_json(text, "config.json"));
  CHECK(read.dropout == 0.1);
  CHECK(read.attention_dropout == 0.2);
  CHECK(read.activation_dropout == 0.3);
}

TEST_CASE("config.json: a language model of version 0.1.0 calls the kind of its norms norm") {
  JsonView json = JsonView::parse(to_json(small_modern_gpt()));
  CHECK(json["norm_kind"] == "rms");
  json = json.without({"norm_kind"}).with("norm", "rms");
  const auto config = model_config_from_json(json.dump(), "config.json");
  CHECK(dynamic_cast<const GptConfig&>(*config).norm_kind == NormKind::rms);
  json = json.with("norm", "post");
  CHECK_THROWS_WITH_AS(model_config_from_json(json.dump(), "config.json"),
                       "config.json: norm: expected one of layer, rms, none, given post", Error);
}

TEST_CASE("config.json: what older language models lack means what they are") {
  JsonView json = JsonView::parse(to_json(small_attention_only_gpt()));
  const auto read = [&] {
    const auto config = model_config_from_json(json.dump(), "config.json");
    return dynamic_cast<const GptConfig&>(*config);
  };
  CHECK(to_json(read()) == to_json(small_attention_only_gpt()));
  for (const char* key : {"tied_output", "biases", "smeared_keys"}) {
    CHECK(json[key] != JsonView::parse(to_json(small_gpt()))[key]);
    json = json.without({key});
  }
  CHECK(read().tied_output);
  CHECK(read().biases);
  CHECK_FALSE(read().smeared_keys);
  CHECK(error_with("hidden", 0) == "config.json: hidden: expected at least 1, given 0");

  GptConfig cheap = small_grouped_gpt();
  cheap.attention_window = 5;
  cheap.norm_epsilon = 1e-3;
  cheap.rotary_base = 50;
  json = JsonView::parse(to_json(cheap));
  CHECK(to_json(read()) == to_json(cheap));
  for (const char* key : {"kv_heads", "attention_window", "norm_epsilon", "rotary_base"}) {
    CHECK(json.contains(key));
    json = json.without({key});
  }
  CHECK(read().pattern().group == 1);
  CHECK(read().attention_window == 0);
  CHECK(read().norm_epsilon == 1e-5);
  CHECK(read().rotary_base == 10000);

  json = JsonView::parse(to_json(small_linear_gpt()));
  CHECK(json["attention"] == "linear");
  CHECK(to_json(read()) == to_json(small_linear_gpt()));
  json = json.without({"attention"});
  CHECK(read().attention == AttentionWeights::softmax);
}

TEST_CASE("config.json: JSON that nests without end is refused") {
  const std::string deep(200'000, '[');
  CHECK_THROWS_WITH_AS(
      model_config_from_json("{\"architecture\": " + deep + std::string(deep.size(), ']') + "}",
                             "config.json"),
      doctest::Contains("config.json: expected JSON that nests at most 16 deep"), Error);
}
