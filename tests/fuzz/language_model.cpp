// The directory of a language model: its description and its parameters, with the checksum made
// right. What is loaded generates.
#include "decode/generator.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"

namespace kette::fuzz {
namespace {

std::string seed(const GptConfig& config) {
  Gpt model(config);
  model.materialize(1);
  const auto file = scratch() / "seed.safetensors";
  save_parameters(file, model.parameters(), {{"step", "8"}});
  return joined(
      {to_json(config, load_tokenizer({}, "byte").get()), header_of(file), sane_values()});
}

std::vector<std::string> seeds() {
  GptConfig modern = tiny_gpt();
  modern.positions = Positions::rotary;
  modern.norm_kind = NormKind::rms;
  modern.feed_forward = FeedForwardKind::swiglu;
  return {seed(tiny_gpt()), seed(modern), seed(modern) + kNan};
}

void read(std::string_view input) {
  const auto files = parts(input, 3);
  const auto file = put("language/config.json", files[0]);
  put("language/model.safetensors", safetensors(files[1], files[2]));
  const SavedModel<Gpt> saved = load_model<Gpt>(file.parent_path());
  expect_finite(saved.model->parameters());
  if (is_large(saved.model->parameters())) return;
  GenerateOptions options;
  options.max_tokens = 5;
  generate(*saved.model->for_decoding(), saved.tokenizer->encode("ab"), options);
}

}  // namespace

const Target language_model = {"language-model", seeds, read};

}  // namespace kette::fuzz
