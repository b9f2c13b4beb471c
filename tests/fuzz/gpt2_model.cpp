// A folder of transformers with a GPT-2 model: config.json, the index, and the parameters.
#include "models/exchange/hugging_face_forms.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"
#include "tests/support.h"

namespace kette::fuzz {
namespace {

namespace fs = std::filesystem;

const fs::path& folder() {
  static const fs::path made = [] {
    put("gpt2/vocab.json", fixture("gpt2_tiny/vocab.json"));
    return put("gpt2/merges.txt", fixture("gpt2_tiny/merges.txt")).parent_path();
  }();
  return made;
}

/// As an export leaves it.
std::string seed(const char* index) {
  GptConfig config = tiny_gpt();
  SavedModel<Model> saved = {nullptr, load_tokenizer(folder(), "gpt2"), {}};
  config.vocabulary = saved.tokenizer->vocabulary();
  saved.model = config.make_model();
  saved.model->materialize(1);
  const fs::path exported = scratch() / "exported";
  fs::create_directories(exported);
  hugging_face::gpt2_form.write(exported, saved);
  return joined({testing::read_file(exported / "config.json"), index,
                 header_of(exported / "model.safetensors"), sane_values()});
}

std::vector<std::string> seeds() {
  return {seed(""), seed("") + kNan,
          seed(R"({"metadata":{},"weight_map":{"transformer.wte.weight":"part"}})"),
          joined({fixture("hugging_face/gpt2/config.json"), "", "{}", ""})};
}

void read(std::string_view input) {
  const auto files = parts(input, 4);
  put("gpt2/config.json", files[0]);
  fs::remove(folder() / "model.safetensors");
  fs::remove(folder() / "model.safetensors.index.json");
  if (!files[1].empty()) put("gpt2/model.safetensors.index.json", files[1]);
  put(files[1].empty() ? "gpt2/model.safetensors" : "gpt2/part", safetensors(files[2], files[3]));
  const SavedModel<Model> saved =
      hugging_face::gpt2_form.read(folder(), hugging_face::Settings(folder()));
  expect_finite(saved.model->parameters());
}

}  // namespace

const Target gpt2_model = {"gpt2-model", seeds, read};

}  // namespace kette::fuzz
