// Several models: each text goes to that of its language.
#include "data/files/utf8.h"
#include "decode/loaded_ensemble.h"
#include "tests/serve/api_of_tiny_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// en-de, fr-de with other weights, de-en and en-pt-BR.
std::shared_ptr<const ServedModels> several_models() {
  static const ScratchFolder folder;
  static const auto models = [] {
    const std::filesystem::path first = tiny_models_folder() / "en-de";
    const auto loaded = load_ensemble<Transformer>({{first, {}}}, {});
    TransformerConfig config;
    config.encoder_layers = config.decoder_layers = 1;
    config.width = config.hidden = 16;
    config.heads = 2;
    config.max_length = 64;
    config.vocabulary = loaded.tokenizer->vocabulary();
    Transformer other(config);
    save_random(folder.path(), other, config, *loaded.tokenizer);
    return std::make_shared<const ServedModels>(load_served_models(
        {{"en-de", first}, {"fr-de", folder.path()}, {"de-en", first}, {"en-pt-BR", first}}, {},
        {.threads = 1, .batch_tokens = 512}));
  }();
  return models;
}

const std::string kEnglish = "the old man and the girl are in the house .",
                  kFrench = "le vieil homme et la fille sont dans la maison .",
                  kGerman = "der alte Mann und das Kind sind in dem Haus .";

std::string translated_by(std::size_t model, const std::string& text) {
  TranslationCall call;
  call.texts = {text};
  call.search = search_for(small_limits());
  return several_models()->translators.at(model)->translate(call, [] {}).texts.at(0).text;
}

}  // namespace

TEST_CASE("languages: each text is translated from its own, and that one is reported") {
  AskedApi asked({.limits = small_limits()}, several_models());
  const std::vector<std::string> texts = {kFrench, kEnglish, kGerman, kFrench};
  const std::vector<std::string> expected = {translated_by(1, kFrench), translated_by(0, kEnglish),
                                             kGerman, translated_by(1, kFrench)};
  CHECK(expected[0] != translated_by(0, kFrench));
  const std::vector<std::string> languages = {"fr", "en", "de", "fr"};
  const Told told =
      asked.post("/translate", Json{{"q", texts}, {"target", "de"}, {"alternatives", 1}});
  REQUIRE(told.status == 200);
  CHECK(told.json.at("translatedText") == expected);
  CHECK(told.json.at("alternatives").at(2).empty());
  const Told deepl = asked.post("/v2/translate", Json{{"text", texts}, {"target_lang", "DE"}});
  REQUIRE(deepl.status == 200);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(told.json.at("detectedLanguage").at(i).at("language") == languages[i]);
    const Json& one = deepl.json.at("translations").at(i);
    CHECK(one.at("text") == expected[i]);
    CHECK(one.at("detected_source_language") == upper_ascii(languages[i]));
  }
}

TEST_CASE(
    "languages: a text in one without a model is an error; one that does not tell is in any") {
  AskedApi asked({.limits = small_limits()}, several_models());
  const Json french = {{"q", {kEnglish, kFrench}}, {"target", "pt-BR"}};
  CHECK(
      asked.fault("/translate", french.dump()) ==
      "target: expected languages of a model, en-de, fr-de, de-en, en-pt-BR, given auto (here fr) "
      "and pt-BR");
  for (const char* any : {"", "1, 2", "...", "bridge"}) {
    const Told told = asked.post("/translate", Json{{"q", any}, {"target", "pt-BR"}});
    REQUIRE(told.status == 200);
    CHECK(told.json.at("detectedLanguage").at("language") == "en");
  }
}

TEST_CASE("languages: with a script or a region they are reached, and offered as targets") {
  AskedApi asked({.limits = small_limits()}, several_models());
  const auto deepl = [](const char* source, const char* target) {
    return Json{{"text", {kEnglish}}, {"source_lang", source}, {"target_lang", target}};
  };
  for (const char* target : {"PT-BR", "pt-br", "pt_BR", "PT"}) {
    const Told told = asked.post("/v2/translate", deepl("EN-GB", target));
    REQUIRE(told.status == 200);
    CHECK(told.json.at("translations").at(0).at("text") == translated_by(3, kEnglish));
  }
  CHECK(asked.post("/v2/translate", deepl("", "PT-BR")).status == 200);
  CHECK(asked.fault("/v2/translate", deepl("EN", "PT-PT").dump()).ends_with("given EN and PT-PT"));
  const Json list = asked.get("/languages").json;
  REQUIRE(list.size() == 4);
  CHECK(list.at(3) == Json{{"code", "pt-BR"}, {"name", "pt-BR"}, {"targets", Json::array()}});
  const Json fields = asked.get("/openapi.json")
                          .json.at("components")
                          .at("schemas")
                          .at("DeeplTranslate")
                          .at("properties");
  CHECK(fields.at("target_lang").at("enum") == Json{"DE", "EN", "PT-BR"});
}
