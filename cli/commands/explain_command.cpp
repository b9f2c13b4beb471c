// `kette explain`: shows on a page how a model makes a translation or reads a text.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/decoding.h"
#include "cli/sentences.h"
#include "cli/show.h"
#include "decode/search_source.h"
#include "inspect/passes/explanation_report.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct ExplainOptions {
  CommonOptions common;
  ModelOptions model;
  std::string sentence, text, language;
  std::int64_t more = 12;
  bool maps = false;
  SearchOptions search;
};

Explanation explanation_of(const ExplainOptions& o, const SavedModel<AutoregressiveModel>& saved) {
  const std::string& what = o.sentence.empty() ? o.text : o.sentence;
  const std::size_t tokens = saved.tokenizer->encode_source(what, o.language).size();
  KETTE_CHECK(tokens <= kMaxExplainedTokens, "explain: expected at most ", kMaxExplainedTokens,
              " tokens, given ", tokens, " (take a part of the text)");
  say_unknown(saved.tokenizer, {what}, "text");
  if (saved.model->has_encoder()) {
    say_strange_case(o.model.model.string(), {what}, "text");
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
  Report report = to_report(e, o.maps);
  report.title = o.sentence.empty() ? o.text : o.sentence;
  report.about = "How " + name_of_folder(o.model.model) + ", a " +
                 saved.model->config().family().what + " (" + headline(saved.model->config()) +
                 "), came to it. Made by kette explain.";
  report.fact("seconds", watch.seconds());
  show(report, o.common);
}

void add_explain_options(CLI::App& command) {
  auto options = std::make_shared<ExplainOptions>();
  // One sentence is so little that several threads would mostly wait for each other.
  options->common.threads = 1;
  add_model_options(command, options->model, NoModel::takes_the_model_to_try);
  OptionGroup group(command, "Explanation");
  group.text("SENTENCE", options->sentence, "What to translate and explain", "");
  group.text("--text", options->text, "What a language model is to read");
  add_page_option(group, options->common);
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
    "explain", "Show how a model came to a translation, or reads a text", add_explain_options};

}  // namespace kette::cli
