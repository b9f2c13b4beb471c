// The interface of LibreTranslate (https://docs.libretranslate.com), used by Mastodon, Subtitle Edit
// and others.
#include <algorithm>
#include <map>
#include <set>

#include "serve/api.h"

namespace kette {

std::string language_name(const std::string& code) {
  static const std::map<std::string, std::string> names = {
      {"en", "English"}, {"de", "German"},     {"fr", "French"},  {"es", "Spanish"},
      {"it", "Italian"}, {"pt", "Portuguese"}, {"nl", "Dutch"},   {"pl", "Polish"},
      {"cs", "Czech"},   {"ru", "Russian"},    {"zh", "Chinese"}, {"ja", "Japanese"}};
  const auto found = names.find(code);
  return found == names.end() ? code : found->second;
}

void libretranslate_translate(const ApiCall& call) {
  Fields fields(call.exchange.request());
  bool is_list = false;
  TranslationCall wanted;
  wanted.texts = fields.texts("q", is_list);
  check_size(wanted.texts, "q", call.limits);
  const std::string source = fields.text("source", "auto"), target = fields.text("target", "");
  if (target.empty()) throw ApiError(400, "target: expected a language, given none", "target");
  wanted.is_html = fields.choice("format", "text", {"text", "html"}) == "html";
  const std::int64_t alternatives = fields.whole("alternatives", 0, 0, call.limits.alternatives());
  wanted.search = search_for(call.limits, alternatives);
  wanted.search.beam =
      std::max(fields.whole("beam", wanted.search.beam, 1, call.limits.beam), wanted.search.n_best);
  for (const char* unused : {"api_key", "secret"}) fields.text(unused, "");
  fields.check_all_known();
  AskedLanguages asked{{source}, {target}, source, target};
  if (source == "auto") asked.sources.clear();
  Json texts = Json::array(), others = Json::array(), languages = Json::array();
  for (const auto& [found, language] : translate_all(call, asked, wanted)) {
    texts.push_back(found.text);
    Json list = found.alternatives;
    if (std::ssize(list) > alternatives) list.erase(list.begin() + alternatives, list.end());
    others.push_back(std::move(list));
    if (source != "auto") continue;
    languages.push_back(
        {{"confidence", 100 * language.confidence}, {"language", language.language}});
  }
  Json json;
  const auto put = [&](const char* name, const Json& list) {
    json[name] = is_list ? list : list.at(0);
  };
  if (source == "auto") put("detectedLanguage", languages);
  if (alternatives > 0) put("alternatives", others);
  put("translatedText", texts);
  call.answer(json);
}

void libretranslate_languages(const ApiCall& call) {
  std::map<std::string, std::set<std::string>> targets;
  for (const auto& one : call.models.translators) {
    targets[one->source()].insert(one->target());
    targets[one->target()];  // clients offer as targets what stands in the list
  }
  Json json = Json::array();
  for (const auto& [source, of] : targets) {
    json.push_back({{"code", source}, {"name", language_name(source)}, {"targets", of}});
  }
  call.answer(json);
}

void libretranslate_detect(const ApiCall& call) {
  Fields fields(call.exchange.request());
  bool is_list = false;
  const std::vector<std::string> texts = fields.texts("q", is_list);
  check_size(texts, "q", call.limits);
  fields.text("api_key", "");
  fields.check_all_known();
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  Json json = Json::array();
  for (const auto& [language, confidence] : detect(call.models, all)) {
    json.push_back({{"confidence", 100 * confidence}, {"language", language}});
  }
  call.answer(json);
}

void libretranslate_settings(const ApiCall& call) {
  std::string source, target;
  if (!call.models.translators.empty()) {
    source = call.models.translators.front()->source();
    target = call.models.translators.front()->target();
  }
  call.answer({{"apiKeys", call.needs_key},
               {"charLimit", call.limits.characters},
               {"filesTranslation", false},
               {"frontendTimeout", 500},
               {"keyRequired", call.needs_key},
               {"language",
                {{"source", {{"code", source}, {"name", language_name(source)}}},
                 {"target", {{"code", target}, {"name", language_name(target)}}}}},
               {"suggestions", false},
               {"supportedFilesFormat", Json::array()}});
}

}  // namespace kette
