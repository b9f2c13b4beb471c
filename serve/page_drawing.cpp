#include "serve/page_drawing.h"

#include <algorithm>
#include <random>

#include "inspect/page/assets.h"
#include "inspect/page/html.h"
#include "inspect/page/page.h"
#include "serve/api.h"
#include "serve/assets.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

constexpr std::int64_t kAlternatives = 2, kMostAlternatives = 4;
constexpr const char* kNoTranslation = "The translation comes here.";
constexpr std::size_t kMostLinkBytes = 2000;  // of a text, because URLs have a limit

std::string of(const Given& given, const char* name, const std::string& otherwise = "") {
  const auto found = given.find(name);
  return found == given.end() ? otherwise : found->second;
}

/// A random string that nobody can guess.
std::string random_nonce() {
  std::random_device random;  // of the system, unpredictable
  char text[33];
  std::snprintf(text, sizeof text, "%08x%08x%08x%08x", random(), random(), random(), random());
  return text;
}

HttpAnswer page_of(std::string html, const std::string& nonce, const std::string& more_rules) {
  return {
      .type = "text/html; charset=utf-8",
      .body = std::move(html),
      .headers = {{"Content-Security-Policy",
                   "default-src 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'; "
                   "script-src 'nonce-" +
                       nonce + "'" + (more_rules.empty() ? "" : "; ") + more_rules},
                  {"Referrer-Policy", "no-referrer"},
                  {"Cache-Control", "no-store"}}};
}

std::string form_rules(const std::string& nonce) {
  return "form-action 'self'; style-src 'nonce-" + nonce + "'";
}

/// Escapes a text for HTML. Keeps its tabs.
std::string html_of(std::string_view text) {
  std::string html;
  while (true) {
    const std::size_t tab = std::min(text.find('\t'), text.size());
    html += escaped(text.substr(0, tab));
    if (tab == text.size()) return html;
    html += '\t';
    text.remove_prefix(tab + 1);
  }
}

std::string within_address(std::string_view text) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string address;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    address +=
        is_plain ? std::string(1, c) : std::string{'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return address;
}

std::string explain_link(const std::string& model, const std::string& text, const char* words) {
  if (text.size() > kMostLinkBytes) return "";
  return "<a class=\"explain\" target=\"_blank\" href=\"./explain?model=" + within_address(model) +
         "&amp;text=" + within_address(text) + "\">" + words + "</a>";
}

std::string option(const std::string& value, const std::string& name, const std::string& chosen) {
  return "<option value=\"" + escaped(value) + "\"" + (value == chosen ? " selected" : "") + ">" +
         escaped(name) + "</option>";
}

std::string field(const std::string& title, const std::string& input) {
  return "<label><span>" + title + "</span>" + input + "</label>\n";
}

std::string key_field() {
  return field("Key", "<input type=\"password\" name=\"api_key\" autocomplete=\"off\">");
}

std::string number_field(const Given& given, const char* name, const char* title,
                         const std::string& otherwise, const std::string& bounds) {
  return field(title, "<input type=\"number\" name=\"" + std::string(name) + "\" value=\"" +
                          escaped(of(given, name, otherwise)) + "\" " + bounds + ">");
}

/// A choice of models, or the only one.
template <class M, class Name>
std::string model_field(const std::vector<std::unique_ptr<M>>& models, const Given& given,
                        const char* title, const Name& name) {
  if (models.size() == 1) {
    return "<div class=\"pair\"><span>" + std::string(title) + "</span><b>" +
           escaped(name(*models.front())) + "</b><input type=\"hidden\" name=\"model\" value=\"" +
           escaped(models.front()->name()) + "\"></div>\n";
  }
  std::string options;
  for (const auto& one : models) options += option(one->name(), name(*one), of(given, "model"));
  return field(title, "<select name=\"model\">" + options + "</select>");
}

std::string pair_name(const ServedTranslator& model) {
  const bool is_named_so = model.name() == model.source() + "-" + model.target();
  return language_name(model.source()) + " \u2192 " + language_name(model.target()) +
         (is_named_so ? "" : " (" + model.name() + ")");
}

std::string with_answer(const std::string& answer, const std::string& nothing) {
  return answer.empty() ? "<div class=\"result none\">" + nothing + "</div>" : answer;
}

/// A form with its answer.
std::string form(const std::string& fields, bool needs_key, const char* button,
                 const char* text_name, const char* help, const Given& given,
                 const std::string& answer, const char* nothing) {
  const std::string key = needs_key ? key_field() : "";
  // HTML drops the first line feed in a textarea.
  return "<form method=\"post\" action=\"./\">\n<div class=\"bar\">\n" + fields + key + "<button>" +
         button + "</button>\n</div>\n<div class=\"both\">\n<textarea name=\"" + text_name +
         "\" aria-label=\"" + help + "\" placeholder=\"" + help + "\" dir=\"auto\">\n" +
         html_of(of(given, text_name)) +
         "</textarea>\n<div class=\"answer\" aria-live=\"polite\">" + with_answer(answer, nothing) +
         "</div>\n</div>\n</form>\n";
}

std::string translate_section(const PageFacts& facts, const Given& given,
                              const std::string& answer) {
  std::string counts;
  const std::int64_t most = std::min(kMostAlternatives, facts.limits.alternatives());
  const std::string chosen =
      of(given, "alternatives", std::to_string(std::min(kAlternatives, most)));
  for (std::int64_t n = 0; n <= most; ++n) {
    counts += option(std::to_string(n), std::to_string(n), chosen);
  }
  return "<section id=\"translate\">\n<h2>Translate</h2>\n" +
         form(model_field(facts.models.translators, given, "Languages", pair_name) +
                  field("Alternatives", "<select name=\"alternatives\">" + counts + "</select>"),
              facts.needs_key, "Translate", "q", "Text to translate", given, answer,
              kNoTranslation) +
         "</section>\n";
}

std::string write_section(const PageFacts& facts, const Given& given, const std::string& answer) {
  const std::string most = std::to_string(facts.limits.tokens);
  return "<section id=\"write\">\n<h2>Go on with a text</h2>\n" +
         form(model_field(facts.models.generators, given, "Model",
                          [](const ServedGenerator& model) { return model.name(); }) +
                  number_field(given, "max_tokens", "Most tokens",
                               std::to_string(std::min<std::int64_t>(100, facts.limits.tokens)),
                               "min=\"1\" max=\"" + most + "\"") +
                  number_field(given, "temperature", "Temperature", "0.8",
                               "min=\"0\" max=\"100\" step=\"any\"") +
                  number_field(given, "top_p", "Top p", "0.95",
                               "min=\"0.001\" max=\"1\" step=\"any\"") +
                  number_field(given, "seed", "Seed", "", "min=\"0\" placeholder=\"any\""),
              facts.needs_key, "Go on", "prompt", "The beginning of a text", given, answer,
              "What the model writes comes here.") +
         "</section>\n";
}

std::string html_document(const std::string& title, const std::string& nonce,
                          const std::string& head, const std::string& main,
                          std::string_view script) {
  return std::string(kPageStart) +
         "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
         "<title>" +
         escaped(title) + "</title>\n<style nonce=\"" + nonce + "\">\n" +
         std::string(assets::page_css) + std::string(assets::serve_css) +
         "</style>\n</head>\n<body>\n<header>\n<h1>" + escaped(title) + "</h1>\n" + head +
         "</header>\n<main>\n" + main + "</main>\n" +
         (script.empty()
              ? ""
              : "<script nonce=\"" + nonce + "\">\n" + std::string(script) + "</script>\n") +
         "</body>\n</html>\n";
}

/// The notes on a sentence; doubts are separate.
std::vector<std::string> told(const SentenceNotes& notes, bool divided) {
  std::vector<std::string> all;
  if (notes.copied) all.push_back("Nothing to translate: it stands as it was.");
  if (notes.carried > 0) {
    std::vector<std::string> unknown;  // each once
    for (const std::string& one : notes.unknown) {
      if (std::find(unknown.begin(), unknown.end(), one) == unknown.end()) unknown.push_back(one);
    }
    all.push_back("Carried over as it was: " +
                  (unknown.empty() ? "an address or a placeholder"
                                   : joined(unknown) + ", which the model does not know") +
                  ".");
  }
  if (notes.raised) all.push_back("Translated without its capitals, which were put back.");
  if (notes.lowered) all.push_back("Read without its capitals, for the model's own text has none.");
  if (notes.looped) all.push_back("Ran in circles and was searched for anew.");
  if (divided) all.push_back("A part of a sentence that is too long for the model.");
  return all;
}
std::vector<std::string> doubts(const SentenceNotes& notes) {
  std::vector<std::string> all;
  if (notes.loops) all.push_back("It runs in circles.");
  if (!notes.missing_numbers.empty()) {
    all.push_back("A number of the source is missing: " + joined(notes.missing_numbers) + ".");
  }
  if (notes.is_short) all.push_back("It is far shorter than its source.");
  return all;
}

std::string language(const std::string& code) {
  return "lang=\"" + escaped(code) + "\" dir=\"auto\"";
}

std::string notes_html(const std::vector<std::string>& notes, const char* kind) {
  std::string html;
  for (const std::string& one : notes) {
    html += "<p class=\"" + std::string(kind) + "\">" + html_of(one) + "</p>";
  }
  return html;
}

std::string sentence_html(const TranslatedTexts::Sentence& one, const ServedTranslator& model) {
  std::string others;
  for (const std::string& other : one.alternatives) others += "<li>" + html_of(other) + "</li>";
  return "<li><p class=\"source\" " + language(model.source()) + ">" + html_of(one.source) +
         "</p><div><p " + language(model.target()) + ">" + html_of(one.text) + "</p>" +
         (others.empty() ? "" : "<ul " + language(model.target()) + ">" + others + "</ul>") +
         notes_html(doubts(one.notes), "notes look") +
         notes_html(told(one.notes, one.divided), "notes") +
         explain_link(model.name(), one.plain, "How it came to this") + "</div></li>\n";
}

}  // namespace

HttpAnswer draw_page(const PageFacts& facts, const Given& given, const std::string& answer) {
  const std::string nonce = random_nonce();
  if (given.contains("part")) return page_of(with_answer(answer, kNoTranslation), nonce, "");
  const bool writes = given.contains("prompt"), translates = !facts.models.translators.empty();
  std::string main;
  if (translates) {
    main += translate_section(facts, writes ? Given{} : given, writes ? "" : answer);
  }
  if (!facts.models.generators.empty()) {
    main += write_section(facts, writes ? given : Given{}, writes ? answer : "");
  }
  std::string head =
      "<p class=\"lead\">What is typed here is sent to this server alone, and not kept.</p>\n";
  if (translates && !facts.models.generators.empty()) {
    head +=
        "<nav><a href=\"#translate\">Translate</a> <a href=\"#write\">Go on with a text</a></nav>\n";
  }
  return page_of(html_document("Kette", nonce, head, main, assets::serve_js), nonce,
                 "connect-src 'self'; " + form_rules(nonce));
}

HttpAnswer draw_explain_error(const Given& given, bool asks_key, const std::string& why) {
  std::string ask;
  if (asks_key) {
    for (const char* name : {"model", "text"}) {
      ask += "<input type=\"hidden\" name=\"" + std::string(name) + "\" value=\"" +
             escaped(of(given, name)) + "\">";
    }
    ask = "<form method=\"post\" action=\"./explain\"><div class=\"bar\">" + ask + key_field() +
          "<button>Explain</button></div></form>\n";
  }
  const std::string nonce = random_nonce(), head = "<nav><a href=\"./\">Back</a></nav>\n";
  return page_of(
      html_document("Kette", nonce, head, "<section>" + error_html(why) + ask + "</section>\n", ""),
      nonce, form_rules(nonce));
}

std::string translation_html(const TranslatedTexts::One& found, const ServedTranslator& model) {
  std::string text, sentences;
  std::string_view rest = found.text;
  for (const TranslatedTexts::Sentence& one : found.sentences) {
    sentences += sentence_html(one, model);
    const char* mark = one.notes.are_doubts() ? "doubt" : one.notes.copied ? "kept" : nullptr;
    const std::size_t begin = rest.find(one.text);
    if (one.text.empty() || begin == std::string::npos) continue;
    text += html_of(rest.substr(0, begin));
    text += mark == nullptr
                ? html_of(one.text)
                : "<span class=\"" + std::string(mark) + "\">" + html_of(one.text) + "</span>";
    rest.remove_prefix(begin + one.text.size());
  }
  return "<div class=\"result\" " + language(model.target()) + ">" + text + html_of(rest) +
         "</div>\n" +
         (sentences.empty() ? "" : "<ol class=\"sentences\">\n" + sentences + "</ol>\n");
}

std::string completion_html(const std::string& prompt, const Completion& found, std::int64_t seed,
                            const ServedGenerator& model) {
  return "<div class=\"result\" dir=\"auto\"><span class=\"given\">" + html_of(prompt) + "</span>" +
         html_of(found.text) + "</div>\n<p class=\"after notes\">" +
         (found.is_cut ? "Stopped at the most tokens" : "The text has ended") + ". Seed " +
         std::to_string(seed) + ". " +
         explain_link(model.name(), prompt + found.text, "How the model reads it") + "</p>\n";
}

std::string error_html(const std::string& why) {
  return "<div class=\"result error\" role=\"alert\">" + html_of(why) + "</div>";
}

HttpAnswer explanation_answer(const std::string& page) {
  const std::string nonce = random_nonce(), script = "<script>", main = "</main>";
  // Scripts come after all text that users supply.
  const std::size_t end = page.rfind(main);
  std::string html = page.substr(0, end);
  std::string_view rest = std::string_view(page).substr(std::min(end, page.size()));
  for (std::size_t at; (at = rest.find(script)) != std::string::npos;) {
    html += std::string(rest.substr(0, at)) + "<script nonce=\"" + nonce + "\">";
    rest.remove_prefix(at + script.size());
  }
  return page_of(html + std::string(rest), nonce, "style-src 'unsafe-inline'");
}

}  // namespace kette
