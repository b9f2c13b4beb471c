// `kette explain`: all there is to see of how a model came to a translation, or reads a text, as a page.
#include <cmath>
#include <iostream>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/page_file.h"
#include "data/files/json_text.h"
#include "data/files/unicode.h"
#include "inspect/passes/explanation_page.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct ExplainOptions {
  CommonOptions common;
  ModelOptions model;
  std::filesystem::path out;
  std::string sentence, text, language;
  std::int64_t more = 12;
  SearchOptions search;
};

/// Maps of more tokens are no longer readable, nor is the page small.
constexpr std::size_t kMostTokens = 128;

Json attribution_json(const Explanation& e, const Prediction& prediction) {
  Json json = Json::object();
  for (std::size_t part = 0; part < e.parts.size(); ++part) {
    json[e.parts[part]] = prediction.attribution[part];
  }
  return json;
}

Json to_json(const Explanation& e) {
  Json words = Json::array(), lens = Json::array(), without = Json::array();
  for (std::size_t row = 0; row < e.predictions.size(); ++row) {
    const Prediction& p = e.predictions[row];
    words.push_back({{"reads", e.target_in[row]},
                     {"says", e.piece(p.token)},
                     {"log_probability", p.log_probability},
                     {"entropy", p.entropy},
                     {"runner_up", e.piece(p.runner_up)},
                     {"runner_up_log_probability", p.runner_up_log_probability},
                     {"logit_parts", attribution_json(e, p)}});
  }
  for (const auto& level : e.lens) {
    Json said = Json::array();
    for (const LensReading& reading : level) said.push_back(e.piece(reading.best.front().token));
    lens.push_back(said);
  }
  for (const WithoutHead& one : e.without) {
    const AttentionPart& part = e.attentions[one.head.attention];
    without.push_back({{"attention", enum_name(part.kind)},
                       {"layer", part.layer},
                       {"head", one.head.head},
                       {"log_probability", one.log_probability},
                       {"translation", one.translation}});
  }
  const Json alignment = e.alignments.empty() ? Json::array() : Json(e.alignments.front().source);
  return {{"source", e.source},
          {"text", e.translation},
          {"log_probability", e.log_probability},
          {"alignment", alignment},
          {"words", words},
          {"lens", lens},
          {"encoder_exits", e.encoder_exits},
          {"without_head", without}};
}

/// A piece, and spaces up to a width in characters.
std::string column(const std::string& piece, std::size_t width) {
  const std::size_t characters = decode_utf8(piece).size();
  return piece + std::string(characters < width ? width - characters : 1, ' ');
}

/// The parts that add most to the word's lead over the runner-up.
std::string main_parts(const Explanation& e, const Prediction& p) {
  std::vector<std::pair<double, std::string>> leads;
  for (std::size_t part = 0; part < e.parts.size(); ++part) {
    leads.emplace_back(p.attribution[part] - p.runner_up_attribution[part], e.parts[part]);
  }
  std::sort(leads.rbegin(), leads.rend());
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, leads.size()); ++i) {
    list += text("%s%s %+.2f", i > 0 ? ", " : "", leads[i].second.c_str(), leads[i].first);
  }
  return list;
}

void print(const Explanation& e) {
  std::cout << for_stdout(e.translation) << "\n"
            << text("log P %.4f\n\n%-16s %7s %8s  %-16s %7s  %s\n", e.log_probability, "says", "P",
                    "entropy", "runner-up", "P", "what gave it the lead");
  for (const Prediction& p : e.predictions) {
    std::cout << for_stdout(
        text("%s %6.1f%% %8.2f  %s %6.1f%%  %s\n", column(e.piece(p.token), 16).c_str(),
             100 * std::exp(p.log_probability), p.entropy, column(e.piece(p.runner_up), 16).c_str(),
             100 * std::exp(p.runner_up_log_probability), main_parts(e, p).c_str()));
  }
  for (std::size_t level = 0; level < e.encoder_exits.size(); ++level) {
    std::cout << (level == 0 ? "\nThe translation after so many blocks of the encoder\n" : "")
              << for_stdout(text("%zu  %s\n", level, e.encoder_exits[level].c_str()));
  }
  std::cout
      << "\nHeads without which it would be least likely: change of log P, and what is then said\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(5, e.without.size()); ++i) {
    const WithoutHead& without = e.without[i];
    std::cout << for_stdout(
        text("%-10s head %lld  %+.3f  %s\n", e.attentions[without.head.attention].name().c_str(),
             static_cast<long long>(without.head.head), without.log_probability - e.log_probability,
             without.translation == e.translation ? "the same" : without.translation.c_str()));
  }
}

Explanation explanation_of(const ExplainOptions& o, const SavedModel<AutoregressiveModel>& saved) {
  const std::string& what = o.sentence.empty() ? o.text : o.sentence;
  const std::size_t tokens = saved.tokenizer->encode_source(what, o.language).size();
  KETTE_CHECK(tokens <= kMostTokens, "explain: expected at most ", kMostTokens, " tokens, given ",
              tokens, " (take a part of the text)");
  if (saved.model->has_encoder()) {
    KETTE_CHECK(o.text.empty(), "explain: expected a sentence without --text, for ",
                o.model.model.string(), " translates, given --text");
    return explain_translation(*saved.model, saved.tokenizer, o.sentence, o.search, o.language);
  }
  KETTE_CHECK(o.sentence.empty(), "explain: expected --text \"...\", for ", o.model.model.string(),
              " is a language model, given a sentence");
  return explain_text(*saved.model, saved.tokenizer, o.text, o.search, o.more);
}

void run(ExplainOptions& o) {
  use_threads(o.common);
  if (o.sentence.empty() == o.text.empty()) {
    throw UsageError("expected a sentence, or --text for a language model, given " +
                     std::string(o.text.empty() ? "neither" : "both"));
  }
  const SavedModel<AutoregressiveModel> saved = load<AutoregressiveModel>(o.model);
  check_width(o.search, *saved.model);
  const Stopwatch watch;
  const Explanation e = explanation_of(o, saved);
  print(e);
  Json json = to_json(e);
  if (!o.out.empty()) {
    const std::string page = explanation_page(
        e, o.sentence.empty() ? o.text : o.sentence,
        "How " + o.model.model.filename().string() + ", a " + saved.model->config().family().what +
            " (" + headline(saved.model->config()) + "), came to it. Made by kette explain.");
    write_page(o.out, page, json);
  }
  json["seconds"] = watch.seconds();
  if (o.common.json) print_json(json);
}

}  // namespace

void add_explain_command(CLI::App& program) {
  CLI::App& command = add_command(
      program, "explain", "Show how a model came to a translation, or reads a text, as a page");
  auto options = std::make_shared<ExplainOptions>();
  // One sentence is so little that several threads would mostly wait for each other.
  options->common.threads = 1;
  add_model_options(command, options->model);
  OptionGroup group(command, "Explanation");
  group.text("SENTENCE", options->sentence, "What to translate and explain", "");
  group.text("--text", options->text, "What a language model is to read");
  add_page_option(group, "--out", options->out, "Where the page goes (default: none, only tables)");
  add_language_option(group, options->language);
  add_beam_options(group, options->search);
  group.number("--more", options->more, at_least(1),
               "Tokens that the beam of a language model goes on for");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
