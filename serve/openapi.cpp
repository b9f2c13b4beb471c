#include "serve/openapi.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "data/files/utf8.h"
#include "serve/api.h"

namespace kette {
namespace {

/// The values of the named limits in serve/openapi.json. Null: no such limit.
std::map<std::string, Json> values_of(const ServedModels& models, const ServeLimits& limits) {
  std::set<std::string> sources, targets;
  std::set<std::pair<std::string, std::string>> pairs;
  for (const auto& one : models.translators) {
    sources.insert(one->source());
    targets.insert(one->target());
    pairs.emplace(one->source(), one->target());
  }
  Json from = {"auto"}, into = Json::array(), deepl_from = {""}, deepl_into = Json::array();
  for (const std::string& source : sources) {
    from.push_back(source);
    deepl_from.push_back(deepl_code(source));
  }
  for (const std::string& target : targets) {
    into.push_back(target);
    deepl_into.push_back(deepl_code(target));
  }
  for (Json* list : {&from, &deepl_from}) list->push_back(nullptr);
  Json either = Json::array(), deepl_either = Json::array();
  for (const auto& [source, target] : pairs) {
    either.push_back(
        {{"properties",
          {{"source", {{"enum", {"auto", source, nullptr}}}}, {"target", {{"const", target}}}}}});
    deepl_either.push_back({{"properties",
                             {{"source_lang", {{"enum", {"", deepl_code(source), nullptr}}}},
                              {"target_lang", {{"const", deepl_code(target)}}}}}});
  }
  Json names = Json::array();
  std::int64_t vocabulary = 0;
  for (const auto& one : models.generators) {
    names.push_back(one->name());
    vocabulary = std::max(vocabulary, one->tokenizer().vocabulary());
  }
  Json names_or_none = names;
  names_or_none.push_back(nullptr);
  const bool translates = !pairs.empty(), writes = !names.empty(), has_several = pairs.size() > 1;
  const auto only_if = [](bool there_is, const Json& value) { return there_is ? value : Json(); };
  return {{"texts", limits.texts},
          {"characters", limits.characters},
          {"tokens", limits.tokens},
          {"beam", limits.beam},
          {"usual_tokens", std::min(limits.tokens, CompletionCall{}.max_tokens)},
          {"usual_beam", search_for(limits).beam},
          {"alternatives", limits.alternatives()},
          {"n", limits.n},
          {"sources", only_if(translates, from)},
          {"targets", only_if(translates, into)},
          {"pairs", only_if(has_several, either)},
          {"deepl_sources", only_if(translates, deepl_from)},
          {"deepl_targets", only_if(translates, deepl_into)},
          {"deepl_pairs", only_if(has_several, deepl_either)},
          {"generators", only_if(writes, names_or_none)},
          {"generator_names", only_if(writes, names)},
          {"vocabulary", only_if(writes, vocabulary)},
          {"last_id", only_if(writes, vocabulary - 1)}};
}

void write_limits(Json& json, const std::map<std::string, Json>& values) {
  if (json.is_object() && json.contains("x-limit")) {
    const Json limits = json.at("x-limit");
    json.erase("x-limit");
    for (const auto& [key, name] : limits.items()) {
      const Json& value = values.at(name.get<std::string>());
      if (!value.is_null()) json[key] = value;
    }
  }
  for (auto& one : json) {
    if (one.is_structured()) write_limits(one, values);
  }
}

}  // namespace

Json openapi_document(const ServedModels& models, const ServeLimits& limits, bool needs_key) {
  Json json = Json::parse(assets::openapi_json);
  write_limits(json, values_of(models, limits));
  json["info"]["version"] = KETTE_VERSION;
  if (needs_key) return json;
  json.erase("security");
  json["components"].erase("securitySchemes");
  for (auto& path : json["paths"]) {
    for (auto& operation : path) operation.erase("security");
  }
  return json;
}

void describe(const ApiCall& call) {
  call.answer(openapi_document(call.models, call.limits, call.needs_key));
}

}  // namespace kette
