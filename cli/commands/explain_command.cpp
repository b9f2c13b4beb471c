// `kette explain`: all there is to see of how a model came to a translation, or reads a text, as a page.
#include <cmath>
#include <iostream>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/page_file.h"
#include "cli/sentences.h"
#include "data/files/json_text.h"
#include "data/files/unicode.h"
#include "decode/search_source.h"
#include "inspect/passes/explanation_page.h"
#include "inspect/passes/token_drawings.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct ExplainOptions {
  CommonOptions common;
  ModelOptions model;
  std::filesystem::path out;
  std::string sentence, text, language;
  std::int64_t more = 12;
  bool maps = false;
  SearchOptions search;
};

/// Maps of more tokens are no longer readable, nor is the page small.
constexpr std::size_t kMostTokens = 128;

Json attribution_json(const Explanation& e, const std::vector<double>& attribution) {
  Json json = Json::object();
  for (std::size_t part = 0; part < e.parts.size(); ++part) json[e.parts[part]] = attribution[part];
  return json;
}

/// The lens in numbers, of each level and row.
Json lens_json(const Explanation& e) {
  Json guesses = Json::array(), entropy = Json::array(), divergence = Json::array();
  for (const auto& level : e.lens) {
    Json guesses_of = Json::array(), entropies = Json::array(), divergences = Json::array();
    for (const LensReading& reading : level) {
      Json best = Json::array();
      for (const LensReading::Guess& guess : reading.best) {
        best.push_back({{"says", e.piece(guess.token)}, {"probability", guess.probability}});
      }
      guesses_of.push_back(best);
      entropies.push_back(reading.entropy);
      divergences.push_back(reading.divergence);
    }
    guesses.push_back(guesses_of);
    entropy.push_back(entropies);
    divergence.push_back(divergences);
  }
  return {{"lens_guesses", guesses}, {"lens_entropy", entropy}, {"lens_divergence", divergence}};
}

Json beam_json(const Explanation& e) {
  Json steps = Json::array(), n_best = Json::array();
  for (const auto& step : e.beam.steps) {
    Json branches = Json::array();
    for (const BeamBranch& branch : step) {
      branches.push_back({{"says", e.piece(branch.token)},
                          {"log_probability", branch.log_probability},
                          {"parent", branch.parent < 0 ? Json() : Json(branch.parent)},
                          {"fate", branch.fate()}});
    }
    steps.push_back(branches);
  }
  for (const Hypothesis& hypothesis : e.beam.n_best) {
    n_best.push_back({{"text", e.tokenizer->decode(hypothesis.tokens)},
                      {"log_probability", hypothesis.log_probability},
                      {"score", hypothesis.score}});
  }
  return {{"steps", steps}, {"n_best", n_best}};
}

/// A row for each word that looks, a number for each that is looked at.
Json map_json(const AttentionMaps& maps, const std::vector<float>& values, std::int64_t head) {
  const std::span<const float> of_head = maps.of(values, head);
  Json rows = Json::array();
  for (std::int64_t query = 0; query < maps.queries; ++query) {
    const std::span<const float> row = of_head.subspan(static_cast<std::size_t>(query * maps.keys),
                                                       static_cast<std::size_t>(maps.keys));
    rows.push_back(std::vector<float>(row.begin(), row.end()));
  }
  return rows;
}

Json attention_json(const Explanation& e) {
  Json heads = Json::array();
  for (const Head& head : heads_of(e.attentions)) {
    const AttentionPart& part = e.attentions[head.attention];
    const AttentionMaps& maps = e.maps[head.attention];
    heads.push_back({{"attention", enum_name(part.kind)},
                     {"layer", part.layer},
                     {"head", head.head},
                     {"probabilities", map_json(maps, maps.probabilities, head.head)},
                     {"norms", map_json(maps, maps.norms, head.head)}});
  }
  return heads;
}

Json to_json(const Explanation& e, bool with_maps) {
  Json words = Json::array(), lens = Json::array(), without = Json::array();
  for (std::size_t row = 0; row < e.predictions.size(); ++row) {
    const Prediction& p = e.predictions[row];
    words.push_back({{"reads", e.target_in[row]},
                     {"says", e.piece(p.token)},
                     {"log_probability", p.log_probability},
                     {"entropy", p.entropy},
                     {"runner_up", e.piece(p.runner_up)},
                     {"runner_up_log_probability", p.runner_up_log_probability},
                     {"logit_parts", attribution_json(e, p.attribution)},
                     {"runner_up_logit_parts", attribution_json(e, p.runner_up_attribution)}});
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
  Json json = {{"source", e.source},
               {"text", e.translation},
               {"log_probability", e.log_probability},
               {"alignment", alignment},
               {"words", words},
               {"lens", lens},
               {"encoder_exits", e.encoder_exits},
               {"beam", beam_json(e)},
               {"without_head", without}};
  json.update(lens_json(e));
  if (with_maps) json["attention"] = attention_json(e);
  return json;
}

/// A piece as it is shown, and spaces up to a width in characters.
std::string column(const std::string& piece, std::size_t width) {
  const std::string shown = shown_piece(piece);
  const std::size_t characters = decode_utf8(shown).size();
  return shown + std::string(characters < width ? width - characters : 1, ' ');
}

void print(const Explanation& e) {
  std::cout << for_stdout(e.translation) << "\n"
            << text("log P %.4f\n\n%-16s %7s %8s  %-16s %7s  %s\n", e.log_probability, "says", "P",
                    "entropy", "runner-up", "P", "what gave it the lead");
  for (const Prediction& p : e.predictions) {
    std::cout << for_stdout(
        text("%s %6.1f%% %8.2f  %s %6.1f%%  %s\n", column(e.piece(p.token), 16).c_str(),
             100 * std::exp(p.log_probability), p.entropy, column(e.piece(p.runner_up), 16).c_str(),
             100 * std::exp(p.runner_up_log_probability), e.main_parts(p).c_str()));
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
  say_unknown(saved.tokenizer, {what}, "text");
  if (saved.model->has_encoder()) {
    KETTE_CHECK(o.text.empty(), "explain: expected a sentence without --text, for ",
                o.model.model.string(), " translates, given --text");
    return explain_translation(*saved.model, saved.tokenizer, o.sentence, o.search, o.language);
  }
  KETTE_CHECK(o.sentence.empty(), "explain: expected --text \"...\", for ", o.model.model.string(),
              " is a language model, given a sentence");
  return explain_text(*saved.model, saved.tokenizer, o.text, o.search, o.more);
}

void run(ExplainOptions& o, const BeamOptions& beam) {
  use_threads(o.common);
  if (o.sentence.empty() == o.text.empty()) {
    throw UsageError("expected a sentence, or --text for a language model, given " +
                     std::string(o.text.empty() ? "neither" : "both"));
  }
  if (o.maps && !o.common.json) {
    throw UsageError("--maps: expected with --json beside it, given without");
  }
  const SavedModel<AutoregressiveModel> saved = load<AutoregressiveModel>(o.model);
  if (saved.tokenizer->writes() != Writes::text) {
    const SearchOptions usual = usual_options(*saved.tokenizer);
    if (!beam.beam.given()) o.search.beam = std::min(usual.beam, saved.model->vocabulary());
    if (!beam.length_penalty.given()) o.search.length_penalty = usual.length_penalty;
  }
  if (beam.beam.given()) check_width(o.search, *saved.model);
  const Stopwatch watch;
  const Explanation e = explanation_of(o, saved);
  print(e);
  Json json = to_json(e, o.maps);
  if (!o.out.empty()) {
    const std::string page = explanation_page(
        e, o.sentence.empty() ? o.text : o.sentence,
        "How " + name_of_folder(o.model.model) + ", a " + saved.model->config().family().what +
            " (" + headline(saved.model->config()) + "), came to it. Made by kette explain.");
    write_page(o.out, page, json);
  }
  json["seconds"] = watch.seconds();
  if (o.common.json) print_json(json);
}

void add_explain_options(CLI::App& command) {
  auto options = std::make_shared<ExplainOptions>();
  // One sentence is so little that several threads would mostly wait for each other.
  options->common.threads = 1;
  add_model_options(command, options->model);
  OptionGroup group(command, "Explanation");
  group.text("SENTENCE", options->sentence, "What to translate and explain", "");
  group.text("--text", options->text, "What a language model is to read");
  add_page_option(group, "--out", options->out, "Where the page goes (default: none, only tables)");
  group.flag("--maps", options->maps, "Put the numbers of all attention maps into the JSON, too");
  add_language_option(group, options->language);
  const BeamOptions beam = add_beam_options(group, options->search);
  group.number("--more", options->more, at_least(1),
               "Tokens that the beam of a language model goes on for");
  add_common_options(command, options->common);
  when_run(command, [options, beam] { run(*options, beam); });
}

}  // namespace

const Command explain_command = {
    "explain", "Show how a model came to a translation, or reads a text, as a page",
    add_explain_options};

}  // namespace kette::cli
