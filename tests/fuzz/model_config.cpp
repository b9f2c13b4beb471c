// config.json of every family of models: what is accepted is written and read as the same.
#include "models/config_json.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  GptConfig modern = tiny_gpt();
  modern.positions = Positions::rotary;
  modern.norm_kind = NormKind::rms;
  modern.feed_forward = FeedForwardKind::swiglu;
  return {to_json(tiny_transformer(80)), to_json(TransformerConfig::preset("base")),
          to_json(tiny_gpt(), load_tokenizer({}, "byte").get()), to_json(modern)};
}

void read(std::string_view input) {
  const auto config = model_config_from_json(std::string(input), "config.json");
  must("a description that can be written and read again", [&] {
    const std::string text = to_json(*config);
    expect(to_json(*model_config_from_json(text, "again")) == text,
           "the description that was written");
  });
}

}  // namespace

const Target model_config = {"model-config", seeds, read};

}  // namespace kette::fuzz
