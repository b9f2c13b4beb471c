#include "models/exchange/hugging_face.h"

#include "data/files/atomic_file.h"
#include "models/exchange/hugging_face_bert.h"
#include "models/exchange/hugging_face_gpt2.h"
#include "models/exchange/hugging_face_llama.h"
#include "models/exchange/hugging_face_marian.h"
#include "models/exchange/hugging_face_notes.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

std::string summary(const Model& model) {
  std::string form;
  if (const auto* gpt = dynamic_cast<const Gpt*>(&model)) {
    const GptConfig& c = gpt->config();
    form = !hugging_face::is_llama(c) ? "GPT-2" : c.attention_window > 0 ? "Mistral" : "Llama";
    form += ", " + std::to_string(c.layers);
  } else if (const auto* bert = dynamic_cast<const Bert*>(&model)) {
    form = "BERT, " + std::to_string(bert->config().layers);
  } else {
    const TransformerConfig& c = dynamic_cast<const Transformer&>(model).config();
    form = "Marian, " + std::to_string(c.encoder_layers) + " + " + std::to_string(c.decoder_layers);
  }
  return form + " layers, width " + std::to_string(model.config().width) + ", vocabulary of " +
         std::to_string(model.config().vocabulary) + ", " +
         std::to_string(model.parameters().elements()) + " parameters";
}

template <class M>
SavedModel<Model> as_any(SavedModel<M> saved) {
  return {std::move(saved.model), std::move(saved.tokenizer), std::move(saved.metadata)};
}

}  // namespace

bool is_hugging_face(const fs::path& folder) {
  return fs::exists(folder / "config.json") && hugging_face::Settings(folder).has("model_type");
}

SavedModel<Model> load_hugging_face(const fs::path& folder) {
  const hugging_face::Settings settings(folder);
  const auto type = settings.get<std::string>("model_type");
  if (type == "gpt2") return as_any(hugging_face::read_gpt2(folder, settings));
  if (type == "bert") return as_any(hugging_face::read_bert(folder, settings));
  if (type == "marian") return as_any(hugging_face::read_marian(folder, settings));
  if (type == "llama" || type == "mistral") {
    return as_any(hugging_face::read_llama(folder, settings));
  }
  fail(settings.origin(),
       ": expected gpt2, llama, mistral, marian or bert for \"model_type\", given ", type);
}

ExchangeReport import_hugging_face(const fs::path& from, const fs::path& out) {
  check_is_free(out);
  const SavedModel<Model> saved = load_hugging_face(from);
  std::vector<std::string> notes = hugging_face::notes_on(from, *saved.tokenizer);
  AtomicFolder folder(out);
  save_description(folder.path(), saved.model->config(), *saved.tokenizer);
  save_parameters(folder.path() / kModelFile, saved.model->parameters(),
                  {{"imported_from", from.string()}});
  folder.commit();
  return {summary(*saved.model), std::move(notes)};
}

ExchangeReport export_hugging_face(const fs::path& from, const fs::path& out) {
  check_is_free(out);
  const std::unique_ptr<ModelConfig> config = read_config(from);
  KETTE_CHECK(config->heads_left.empty(), from.string(),
              ": expected a model with all its heads, for others have no place for how many each "
              "layer has, given one whose heads were pruned");
  KETTE_CHECK(
      config->heads_of(0).value_multiple == 1, from.string(),
      ": expected keys as wide as values, for others have no place for another width, given "
      "a key_width of ",
      config->key_width);
  AtomicFolder folder(out);
  ExchangeReport result;
  if (dynamic_cast<const GptConfig*>(config.get()) != nullptr) {
    const SavedModel<Gpt> saved = load_model<Gpt>(from);
    if (hugging_face::is_llama(saved.model->config())) {
      hugging_face::write_llama(folder.path(), saved);
    } else {
      hugging_face::write_gpt2(folder.path(), saved);
    }
    result.summary = summary(*saved.model);
  } else if (dynamic_cast<const BertConfig*>(config.get()) != nullptr) {
    const SavedModel<Bert> saved = load_model<Bert>(from);
    hugging_face::write_bert(folder.path(), saved);
    result.summary = summary(*saved.model);
  } else {
    const SavedModel<Transformer> saved = load_model<Transformer>(from);
    hugging_face::write_marian(folder.path(), saved);
    result.summary = summary(*saved.model);
    for (const std::string& language : saved.tokenizer->languages()) {
      result.notes.push_back("to " + language + ": transformers is asked for by \"" +
                             hugging_face::marian_tag(language) + " \" before a text");
    }
  }
  folder.commit();
  return result;
}

}  // namespace kette
