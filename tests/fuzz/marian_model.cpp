// A folder of transformers with a Marian model: config.json and the parameters.
#include "models/exchange/hugging_face_forms.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"
#include "tests/support.h"

namespace kette::fuzz {
namespace {

namespace fs = std::filesystem;

const fs::path& folder() {
  static const fs::path made = [] {
    for (const char* name : {"vocab.json", "source.spm"}) {
      put(std::string("marian/") + name, fixture(std::string("hugging_face/marian/") + name));
    }
    return put("marian/target.spm", fixture("hugging_face/marian/target.spm")).parent_path();
  }();
  return made;
}

/// As an export leaves it.
std::string seed(bool output_bias) {
  SavedModel<Model> saved = {nullptr, load_tokenizer(folder()), {}};
  TransformerConfig config = tiny_transformer(saved.tokenizer->vocabulary());
  config.special = saved.tokenizer->special();
  config.output_bias = output_bias;
  config.sinusoids = SinusoidLayout::concatenated;
  saved.model = config.make_model();
  saved.model->materialize(1);
  const fs::path exported = scratch() / "exported";
  fs::create_directories(exported);
  hugging_face::marian_form.write(exported, saved);
  return joined({testing::read_file(exported / "config.json"),
                 header_of(exported / "model.safetensors"), sane_values()});
}

std::vector<std::string> seeds() {
  return {seed(true), seed(false), seed(true) + kNan,
          joined({fixture("hugging_face/marian/config.json"), "{}", ""})};
}

void read(std::string_view input) {
  const auto files = parts(input, 3);
  put("marian/config.json", files[0]);
  put("marian/model.safetensors", safetensors(files[1], files[2]));
  const SavedModel<Model> saved =
      hugging_face::marian_form.read(folder(), hugging_face::Settings(folder()));
  expect_finite(saved.model->parameters());
}

}  // namespace

const Target marian_model = {"marian-model", seeds, read};

}  // namespace kette::fuzz
