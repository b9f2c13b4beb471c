#include "serve/page.h"

#include <chrono>
#include <mutex>
#include <random>

#include "inspect/passes/explanation_report.h"
#include "models/model_directory.h"

namespace kette {
namespace {

PageFacts facts_of(const ApiCall& call) { return {call.models, call.limits, call.needs_key}; }

/// Removes carriage returns, because forms end lines with CR LF.
std::string with_line_feeds(std::string text) {
  std::erase(text, '\r');
  return text;
}

Given given_in(const HttpRequest& request) {
  Given given;
  try {
    for (auto& [name, value] : form_fields(request.body))
      given[name] = with_line_feeds(std::move(value));
  } catch (const ApiError&) {  // the page shows it
  }
  return given;
}

template <class M>
const M& model_named(const std::vector<std::unique_ptr<M>>& models, const std::string& name) {
  for (const auto& one : models) {
    if (one->name() == name) return *one;
  }
  throw ApiError(404, "model: expected one of this server, given " + dumped(name), "model");
}

std::string text_of(Fields& fields, const char* name, const ServeLimits& limits) {
  std::string text = with_line_feeds(fields.text(name, ""));
  check_size({text}, "text", limits);
  return text;
}

std::string translated(const ApiCall& call, Fields& fields) {
  TranslationCall wanted;
  wanted.texts = {text_of(fields, "q", call.limits)};
  const ServedTranslator& model = model_named(call.models.translators, fields.text("model", ""));
  wanted.search =
      search_for(call.limits, fields.whole("alternatives", 0, 0, call.limits.alternatives()));
  fields.check_all_known();
  if (wanted.texts.front().find_first_not_of(" \t\n") == std::string::npos) return "";
  wanted.with_sentences = true;
  const TranslatedTexts found = translate_counted(call, model, wanted);
  return translation_html(found.texts.front(), model);
}

std::string written(const ApiCall& call, Fields& fields) {
  const std::string prompt = text_of(fields, "prompt", call.limits);
  const ServedGenerator& model = model_named(call.models.generators, fields.text("model", ""));
  CompletionCall wanted;
  wanted.prompts = {model.tokens_of(prompt)};
  wanted.max_tokens = fields.whole("max_tokens", 100, 1, call.limits.tokens);
  wanted.sampling.temperature = fields.number("temperature", 1, 0, 100);
  wanted.sampling.top_p = fields.number("top_p", 1, 1e-9, 1);
  const std::int64_t seed =
      fields.whole("seed", std::random_device()() >> 1, 0, std::int64_t{1} << 53);
  wanted.sampling.seed = static_cast<std::uint64_t>(seed);
  fields.check_all_known();
  const Completion found = complete_counted(call, model, wanted).front();
  return completion_html(prompt, found, seed, model);
}

}  // namespace

void page_show(const ApiCall& call) { call.exchange.answer(draw_page(facts_of(call), {}, "")); }

void page_answer(const ApiCall& call) {
  Fields fields(call.exchange.request());
  fields.ignore({"api_key", "part"});
  const Given given = given_in(call.exchange.request());
  const std::string answer =
      given.contains("prompt") ? written(call, fields) : translated(call, fields);
  call.exchange.answer(draw_page(facts_of(call), given, answer));
}

void page_explain(const ApiCall& call) {
  Fields fields(call.exchange.request());
  const std::string name = fields.text("model", ""),
                    text = with_line_feeds(fields.text("text", ""));
  fields.ignore({"api_key"});
  fields.check_all_known();
  // One at a time, because each needs its own copy of the model. The engines' form can only decode.
  static std::timed_mutex mutex;
  const auto explain = [&](const auto& model, const auto& look) {
    const std::size_t tokens = model.tokenizer().encode(text).size();
    if (tokens > kMaxExplainedTokens) {
      throw ApiError(400,
                     "text: expected at most " + std::to_string(kMaxExplainedTokens) +
                         " tokens, given " + std::to_string(tokens) + " (take a part of the text)",
                     "text");
    }
    std::unique_lock lock(mutex, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(50))) call.check();
    const auto saved =
        load_model<AutoregressiveModel>(model.files().folder, model.files().checkpoint);
    const Explanation found = look(saved);
    Report report = to_report(found);
    report.title = text;
    report.about = "How " + name + ", a " + saved.model->config().family().what + " (" +
                   headline(saved.model->config()) + "), came to it, with weights in f32.";
    call.exchange.answer(explanation_answer(as_page(report)));
  };
  for (const auto& one : call.models.translators) {
    if (one->name() != name) continue;
    return explain(*one, [&](const auto& saved) {
      return explain_translation(*saved.model, saved.tokenizer, text, {}, one->language(),
                                 call.check);
    });
  }
  explain(model_named(call.models.generators, name), [&](const auto& saved) {
    constexpr std::int64_t kMore = 12;  // tokens that the beam generates
    return explain_text(*saved.model, saved.tokenizer, text, {}, kMore, call.check);
  });
}

void page_error(HttpAnswer& answer, const HttpRequest& request, const PageFacts& facts,
                const std::string& why) {
  HttpRequest all = request;
  if (request.path != "/") all.body += "&" + request.query;
  const Given given = given_in(all);
  HttpAnswer drawn = request.path == "/" ? draw_page(facts, given, error_html(why))
                                         : draw_explain_error(given, answer.status == 403, why);
  answer.type = drawn.type;
  answer.body = std::move(drawn.body);
  answer.headers.insert(answer.headers.end(), drawn.headers.begin(), drawn.headers.end());
}

}  // namespace kette
