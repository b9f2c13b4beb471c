// What a server's page looks like, as HTML. Whatever it is given comes out as text.
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

/// What a form was filled in with, by name, whether it makes sense or not. One with "prompt" is that of a language model,
/// and one with "part" is asked for what was answered alone, by scripts.
using Given = std::map<std::string, std::string>;

/// answer: HTML, as those below; empty: nothing was asked for.
HttpAnswer draw_page(const PageFacts& facts, const Given& given, const std::string& answer);
/// In the place of an explanation; asks_key: with a field for it.
HttpAnswer draw_explain_error(const Given& given, bool asks_key, const std::string& why);

/// The whole text, with what is doubtful or stands for itself marked, and below it each sentence.
std::string translation_html(const TranslatedTexts::One& found, const ServedTranslator& model);
std::string completion_html(const std::string& prompt, const Completion& found, std::int64_t seed,
                            const ServedGenerator& model);
std::string error_html(const std::string& why);

/// An explanation's page, whose scripts alone run.
HttpAnswer explanation_answer(const std::string& page);

}  // namespace kette
