#include "models/exchange/hugging_face.h"

#include "data/files/atomic_file.h"
#include "models/exchange/hugging_face_gpt2.h"
#include "models/exchange/hugging_face_marian.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

std::string summary(const Gpt& model) {
  const GptConfig& c = model.config();
  return "GPT-2, " + std::to_string(c.layers) + " layers, width " + std::to_string(c.width) +
         ", vocabulary of " + std::to_string(c.vocabulary) + ", " +
         std::to_string(model.parameters().elements()) + " parameters";
}

std::string summary(const Transformer& model) {
  const TransformerConfig& c = model.config();
  return "Marian, " + std::to_string(c.encoder_layers) + " + " + std::to_string(c.decoder_layers) +
         " layers, width " + std::to_string(c.width) + ", vocabulary of " +
         std::to_string(c.vocabulary) + ", " + std::to_string(model.parameters().elements()) +
         " parameters";
}

template <class Model>
std::string save(const fs::path& out, const Model& network, const Tokenizer& tokenizer,
                 const fs::path& from) {
  AtomicFolder folder(out);
  save_description(folder.path(), network.config(), tokenizer);
  save_parameters(folder.path() / "model.safetensors", network.parameters(),
                  {{"imported_from", from.string()}});
  folder.commit();
  return summary(network);
}

}  // namespace

std::string import_hugging_face(const fs::path& from, const fs::path& out) {
  check_is_free(out);
  const hugging_face::Settings settings(from);
  const auto type = settings.get<std::string>("model_type");
  if (type == "gpt2") {
    const LanguageModel model = hugging_face::read_gpt2(from, settings);
    return save(out, *model.gpt, *model.tokenizer, from);
  }
  if (type == "marian") {
    const TranslationModel model = hugging_face::read_marian(from, settings);
    return save(out, *model.transformer, *model.tokenizer, from);
  }
  fail(settings.origin(), ": expected gpt2 or marian for \"model_type\", given ", type);
}

std::string export_hugging_face(const fs::path& from, const fs::path& out) {
  check_is_free(out);
  AtomicFolder folder(out);
  std::string result;
  if (dynamic_cast<const GptConfig*>(read_config(from).get()) != nullptr) {
    const LanguageModel model = load_language_model(from);
    hugging_face::write_gpt2(folder.path(), model);
    result = summary(*model.gpt);
  } else {
    const TranslationModel model = load_translation_model(from);
    hugging_face::write_marian(folder.path(), model);
    result = summary(*model.transformer);
  }
  folder.commit();
  return result;
}

}  // namespace kette
