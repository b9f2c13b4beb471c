// The directory of a translation model: its description and its parameters, with the checksum made
// right. What is loaded translates.
#include "decode/translator.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"

namespace kette::fuzz {
namespace {

const Tokenizer& tokenizer() {
  static const SharedTokenizer trained = tiny_tokenizer();
  return *trained;
}

std::string seed(const TransformerConfig& config) {
  Transformer model(config);
  model.materialize(1);
  const auto file = scratch() / "seed.safetensors";
  save_parameters(file, model.parameters(), {{"step", "8"}});
  return joined({to_json(config), header_of(file), sane_values()});
}

std::vector<std::string> seeds() {
  TransformerConfig other = tiny_transformer(tokenizer().vocabulary());
  other.norm = NormOrder::pre;
  other.output_bias = true;
  other.sinusoids = SinusoidLayout::concatenated;
  return {seed(tiny_transformer(tokenizer().vocabulary())), seed(other), seed(other) + kNan};
}

void read(std::string_view input) {
  const auto files = parts(input, 3);
  static const auto file = put("translation/tokenizer.model", tokenizer().files().front().second);
  put("translation/config.json", files[0]);
  put("translation/model.safetensors", safetensors(files[1], files[2]));
  const SavedModel<Transformer> saved = load_model<Transformer>(file.parent_path());
  expect_finite(saved.model->parameters());
  if (is_large(saved.model->parameters())) return;
  SearchOptions search;
  search.beam = 2;
  Translator(*saved.model, saved.tokenizer)
      .translate(source_sentences({"a girl sees it"}), search, {.threads = 1});
}

}  // namespace

const Target translation_model = {"translation-model", seeds, read};

}  // namespace kette::fuzz
