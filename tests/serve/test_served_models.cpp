// The languages of the models of a server, which their names or their folders say.
#include "data/corpora/text_facts.h"
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
