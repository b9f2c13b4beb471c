// DeepL's interface for text (https://developers.deepl.com/docs/api-reference/translate).
#include <algorithm>

#include "data/files/utf8.h"
#include "serve/api.h"

namespace kette {
namespace {

/// "EN-GB" -> "en".
std::string language_of(const std::string& code) {
  return lower_ascii(code.substr(0, code.find('-')));
}

}  // namespace

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
  const std::string source = given.empty() ? "auto" : language_of(given);
  const ServedTranslator& translator =
      translator_for(call.models, source, language_of(target), wanted.texts);
  const TranslatedTexts found = translate_counted(call, translator, wanted);
  Json list = Json::array();
  for (std::size_t i = 0; i < found.texts.size(); ++i) {
    list.push_back({{"detected_source_language", upper_ascii(translator.source())},
                    {"text", found.texts[i].text},
                    {"billed_characters", characters_of(wanted.texts[i])}});
  }
  call.answer({{"translations", list}});
}

}  // namespace kette
