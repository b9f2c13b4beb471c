// The languages of the models of a server, which their names or their folders say.
#include "data/corpora/text_facts.h"
#include "models/exchange/hugging_face.h"
#include "tests/marian_of_two_targets.h"
#include "tests/serve/api_of_tiny_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// "en de", or what is wrong.
std::string languages_served(const std::string& name, const std::filesystem::path& folder) {
  std::string languages;
  const std::string wrong = message_of([&] {
    const std::vector<NamedFolder> folders = {{name, folder}};
    const ServedModels models = load_served_models(folders, {}, {.threads = 1});
    const ServedTranslator& model = *models.translators.at(0);
    languages = model.source() + " " + model.target();
  });
  return languages + wrong;
}

}  // namespace

TEST_CASE("served models: a name says the languages if it is two of them, and else the folder") {
  const std::filesystem::path silent = tiny_models_folder() / "en-de";
  CHECK(languages_served("en-de", silent) == "en de");
  CHECK(languages_served("pt-BR-zh_Hans", silent) == "pt-BR zh_Hans");
  for (const std::string name : {"my-model", "opus-mt-en-de", "model", "en-", "a-b"}) {
    CHECK(languages_served(name, silent) ==
          silent.string() +
              ": expected the languages of a translation model in its name, as en-de, given " +
              name + " (--model en-de=DIR)");
  }
  const ScratchFolder scratch;
  const std::filesystem::path learnt = scratch / "my-model";
  std::filesystem::copy(silent, learnt, std::filesystem::copy_options::recursive);
  save(TextFacts{.source_language = "fr", .target_language = "en"}, learnt);
  for (const std::string name : {"my-model", "opus-mt-en-de", "model"}) {
    CHECK(languages_served(name, learnt) == "fr en");
  }
  CHECK(languages_served("en-de", learnt) == "en de");
}

TEST_CASE("served models: of several target languages, the one in the name leads every sentence") {
  const ScratchFolder folder;
  const std::filesystem::path one = folder / "one", two = folder / "two";
  import_hugging_face(source_folder() / "tests/fixtures/hugging_face/marian", one);
  import_hugging_face(marian_of_two_targets(folder.path()), two);
  const std::vector<NamedFolder> folders = {{"en-deu", two}, {"en-fra", two}, {"en-de", one}};
  const auto models = std::make_shared<const ServedModels>(
      load_served_models(folders, {}, {.threads = 1, .batch_tokens = 512}));
  const auto translated = [&](std::size_t model, const std::string& text) {
    TranslationCall call;
    call.texts = {text};
    return models->translators.at(model)->translate(call, [] {}).texts.front().text;
  };
  const std::string text = "The new hall is here. The dry hall.";
  CHECK(translated(0, text) == translated(1, ">>deu<< " + text));
  CHECK(translated(1, text) == translated(0, ">>fra<< " + text));
  CHECK(translated(0, text) != translated(1, text));
  // A single tag may be left out, as it was in training.
  CHECK(models->translators.at(2)->language().empty());
  CHECK(languages_served("en-nl", two) == "language: expected one of deu, fra, given nl");

  AskedApi api({.limits = small_limits()}, models);
  HttpRequest request{.method = "GET", .path = "/explain", .query = "model=en-fra&text=The%20dry"};
  CHECK(api.ask(std::move(request)).status == 200);
}
