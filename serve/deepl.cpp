// DeepL's interface for text (https://developers.deepl.com/docs/api-reference/translate).
#include <algorithm>

#include "data/files/utf8.h"
#include "serve/api.h"

namespace kette {
namespace {

std::string without_region(const std::string& code) { return code.substr(0, code.find('-')); }

/// The codes of models that one of DeepL's may mean: the same one; that without a script and a region, as of EN-GB;
/// and where it has none itself those with some, as DeepL has no regions of sources.
std::vector<std::string> languages_of(const std::string& given, const ServedModels& models) {
  const std::string code = deepl_code(given);
  std::vector<std::string> same, shorter, longer;
  for (const auto& one : models.translators) {
    for (const std::string& known : {one->source(), one->target()}) {
      const std::string its = deepl_code(known);
      if (its == code) same.push_back(known);
      if (its == without_region(code)) shorter.push_back(known);
      if (without_region(its) == code) longer.push_back(known);
    }
  }
  for (const auto* more : {&shorter, &longer}) same.insert(same.end(), more->begin(), more->end());
  if (same.empty()) same.push_back(given);
  return same;
}

}  // namespace

std::string deepl_code(const std::string& language) {
  std::string code = upper_ascii(language);
  std::replace(code.begin(), code.end(), '_', '-');
  return code;
}

void deepl_translate(const ApiCall& call) {
  Fields fields(call.exchange.request());
  bool is_list = false;
  TranslationCall wanted;
  wanted.texts = fields.texts("text", is_list);
  check_size(wanted.texts, "text", call.limits);
  wanted.search = search_for(call.limits);
  const std::string given = fields.text("source_lang", ""), target = fields.text("target_lang", "");
  if (target.empty())
    throw ApiError(400, "target_lang: expected a language, given none", "target_lang");
  const std::string tags = fields.choice("tag_handling", "", {"", "html", "xml"});
  wanted.is_html = tags == "html";
  if (tags == "xml")
    throw ApiError(400, "tag_handling: expected html or none, given xml", "tag_handling");
  const std::string split =
      fields.choice("split_sentences", tags.empty() ? "1" : "nonewlines", {"0", "1", "nonewlines"});
  using Split = TranslationCall::Split;
  wanted.split = split == "0" ? Split::lines : split == "1" ? Split::sentences : Split::joined;
  for (const char* unused : {"preserve_formatting", "show_billed_characters"}) {
    fields.flag(unused, false);
  }
  for (const char* unused : {"model_type", "auth_key"}) fields.text(unused, "");
  fields.check_all_known();
  AskedLanguages asked{{}, languages_of(target, call.models), "auto", target};
  if (!given.empty()) {
    asked.sources = languages_of(given, call.models);
    asked.source = given;
  }
  const std::vector<TranslatedFrom> found = translate_all(call, asked, wanted);
  Json list = Json::array();
  for (std::size_t i = 0; i < found.size(); ++i) {
    list.push_back({{"detected_source_language", deepl_code(found[i].language.language)},
                    {"text", found[i].text.text},
                    {"billed_characters", characters_of(wanted.texts[i])}});
  }
  call.answer({{"translations", list}});
}

}  // namespace kette
