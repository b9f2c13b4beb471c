// The HTML of a server's page. All given texts are escaped.
#pragma once

#include <map>
#include <string>

#include "serve/http_server.h"
#include "serve/limits.h"
#include "serve/served_models.h"

namespace kette {

struct PageFacts {
  const ServedModels& models;
  const ServeLimits& limits;
  bool needs_key = false;
};

/// The fields of a form by name, valid or not. With "prompt" it is the form of a language model. With
/// "part" a script asks for the answer alone.
using Given = std::map<std::string, std::string>;

/// answer: HTML from a function below; empty: there was no request.
HttpAnswer draw_page(const PageFacts& facts, const Given& given, const std::string& answer);
/// An error instead of an explanation. asks_key: with a field for the key.
HttpAnswer draw_explain_error(const Given& given, bool asks_key, const std::string& why);

/// The whole text, with doubtful and copied parts marked. Below it each sentence.
std::string translation_html(const TranslatedTexts::One& found, const ServedTranslator& model);
std::string completion_html(const std::string& prompt, const Completion& found, std::int64_t seed,
                            const ServedGenerator& model);
std::string error_html(const std::string& why);

/// The page of an explanation. Only its own scripts may run.
HttpAnswer explanation_answer(const std::string& page);

}  // namespace kette
