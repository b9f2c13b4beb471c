#include "models/exchange/hugging_face.h"

#include <algorithm>
#include <utility>

#include "data/files/atomic_file.h"
#include "data/files/visible_text.h"
#include "models/exchange/hugging_face_forms.h"
#include "models/exchange/hugging_face_notes.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using hugging_face::Form;

const std::vector<const Form*>& forms() {
#define KETTE_ADDRESS(form) &(hugging_face::form),
  static const std::vector<const Form*> all = {KETTE_FORMS(KETTE_ADDRESS)};
#undef KETTE_ADDRESS
  return all;
}

/// The one that a model is written in.
const Form& form_of(const ModelConfig& config) {
  for (const Form* form : forms()) {
    if (!form->what(config).empty()) return *form;
  }
  fail("export: expected a model that transformers has a form for, given a ", config.family().what);
}

std::string summary(const Model& model) {
  const ModelConfig& config = model.config();
  return form_of(config).what(config) + " layers, width " + std::to_string(config.width) +
         ", vocabulary of " + std::to_string(config.vocabulary) + ", " +
         std::to_string(model.parameters().elements()) + " parameters";
}

/// How its target languages are asked for; "": it has no tags.
std::string note_on_languages(const Tokenizer& tokenizer) {
  const std::vector<std::string> languages = tokenizer.languages();
  if (languages.empty()) return {};
  return "to " + joined(languages) + ": --to " +
         (languages.size() == 1 ? languages.front() : "with one of them") +
         (tokenizer.needs_language() ? "" : ", or without");
}

}  // namespace

bool is_hugging_face(const fs::path& folder) {
  return fs::exists(folder / "config.json") && hugging_face::Settings(folder).has("model_type");
}

SavedModel<Model> load_hugging_face(const fs::path& folder) {
  const hugging_face::Settings settings(folder);
  const auto given = settings.get<std::string>("model_type");
  std::vector<std::string> known;
  for (const Form* form : forms()) {
    for (const std::string& type : form->types) {
      known.push_back(type);
      if (type != given) continue;
      SavedModel<Model> saved = form->read(folder, settings);
      hugging_face::expect_ids(folder, settings, *saved.tokenizer);
      return saved;
    }
  }
  const std::string last = known.back();
  known.pop_back();
  fail(settings.origin(), ": expected ", joined(known), " or ", last, " for \"model_type\", given ",
       given);
}

ExchangeReport import_hugging_face(const fs::path& from, const fs::path& out) {
  check_is_free(out);
  const SavedModel<Model> saved = load_hugging_face(from);
  std::vector<std::string> notes = hugging_face::notes_on(from, *saved.tokenizer);
  std::string on_languages = note_on_languages(*saved.tokenizer);
  if (!on_languages.empty()) notes.push_back(std::move(on_languages));
  AtomicFolder folder(out);
  save_description(folder.path(), saved.model->config(), *saved.tokenizer);
  save_parameters(folder.path() / kModelFile, saved.model->parameters(),
                  {{"imported_from", visible(from.string())}});
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
  const Form& form = form_of(*config);
  AtomicFolder folder(out);
  const SavedModel<Model> saved = load_model<Model>(from);
  form.write(folder.path(), saved);
  ExchangeReport result = {summary(*saved.model), {}};
  if (form.notes != nullptr) result.notes = form.notes(*saved.tokenizer);
  folder.commit();
  return result;
}

}  // namespace kette
