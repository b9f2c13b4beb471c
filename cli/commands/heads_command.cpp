// `kette heads`: shows what every head of a model does, its importance, and the results of the model
// without it.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/decoding.h"
#include "cli/heads_texts.h"
#include "cli/scoring.h"
#include "cli/show.h"
#include "models/model_directory.h"
#include "tensor/stopwatch.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

HeadStudy study(const AutoregressiveModel& model, const HeadsText& given,
                const HeadAblation& ablation) {
  StatusLine line(false);
  const StudyProgress progress = [&](std::int64_t done, std::int64_t total) {
    line.show(static_cast<double>(done) / static_cast<double>(total), [&] {
      return text("%lld of %lld results", static_cast<long long>(done),
                  static_cast<long long>(total));
    });
  };
  return study_heads(model, given.batches, ablation, progress);
}

Report to_report(const Pruned& pruned, const HeadsOptions& o, const HeadStudy& found) {
  const double parameters =
      static_cast<double>(pruned.parameters) / static_cast<double>(pruned.parameters_whole);
  Report report;
  report.line(
      text("\n%s: heads pruned %lld, %s %.3f (%+.3f, p %.3f), "
           "%.1f %% of the parameters, %.2f times as fast\n",
           o.save.string().c_str(), static_cast<long long>(pruned.heads), found.metric.c_str(),
           pruned.metric, pruned.change.change, pruned.change.p, 100 * parameters,
           pruned.seconds_whole / pruned.seconds));
  report.section("Pruned");
  report.fact("model", o.save.string());
  report.fact("heads", pruned.heads, "heads pruned", whole());
  report.fact("parameters", pruned.parameters, "parameters", grouped(),
              text("%.1f %%", 100 * parameters));
  report.fact("parameters_whole", pruned.parameters_whole);
  report.fact("metric", pruned.metric, found.metric, decimals(3));
  report.fact("change", pruned.change.change, "change", signed_decimals(3),
              text("p %.3f", pruned.change.p));
  report.fact("p", pruned.change.p);
  report.fact("seconds", pruned.seconds, "for the text", decimals(2),
              text("s, %.2f times as fast", pruned.seconds_whole / pruned.seconds));
  report.fact("seconds_whole", pruned.seconds_whole);
  return report;
}

void run(HeadsOptions& o) {
  use_threads(o.common);
  if (o.prune > 0) check_is_free(o.save);
  const SavedModel<AutoregressiveModel> saved = load<AutoregressiveModel>(o.model);
  check_translates(*saved.tokenizer, o.model.model.string(),
                   "kette explain shows its heads on a sentence");
  const Stopwatch watch;
  const std::vector<AttentionPart> attentions = attentions_of(*saved.model);
  const std::int64_t most = std::ssize(heads_of(attentions)) - std::ssize(attentions);
  KETTE_CHECK(o.prune <= most, "heads: expected to prune at most ", most,
              " heads, so that each attention keeps one, given ", o.prune);
  if (o.prune > 0) {  // what cannot be pruned says so now, and not after the study
    without_heads(
        *saved.model,
        least_important(attentions, std::vector<HeadImportance>(heads_of(attentions).size()),
                        o.prune));
  }
  const HeadsText given = read_text(o, saved);
  const auto ablation = ablation_of(o, *saved.model, saved.tokenizer, given);
  const HeadStudy found = study(*saved.model, given, *ablation);
  Report report = to_report(found);
  report.title = "The heads of " + name_of_folder(o.model.model);
  report.about = "A " + saved.model->config().family().what + " (" +
                 headline(saved.model->config()) + "). Made by kette heads.";
  const std::size_t printed = print_text(report);  // pruning takes its time
  if (o.prune > 0) {
    report.inner("pruned", to_report(prune(o, saved, given, found, *ablation), o, found));
  }
  report.fact("seconds", watch.seconds());
  show(report, o.common, printed);
}

void add_heads_options(CLI::App& command) {
  auto options = std::make_shared<HeadsOptions>();
  add_model_options(command, options->model, NoModel::takes_the_model_to_try);
  OptionGroup group(command, "Text");
  Option source = group.path("--src", options->source, "Sentences to translate");
  source.needs(group.path("--tgt", options->target, "Their reference translations").needs(source));
  const Option text =
      group.list("--text", options->text, "Text for a language model").excludes(source);
  group
      .number("--context", options->context, at_least(1),
              "Tokens of a window of it (default: as many as the model sees)")
      .excludes(source);
  group.number("--windows", options->windows, at_least(1), "Windows of it at most")
      .excludes(source);
  OptionGroup study(command, "Study");
  add_page_option(study, options->common);
  Option prune = study.number("--prune", options->prune, at_least(1),
                              "How many of the least important heads a smaller model does without");
  prune.needs(
      study.path("--save", options->save, "Where that model goes", "DIR").writes().needs(prune));
  add_metric_option(
      study, {"--bleu-tokenize", tokenizer_by_name(options->bleu_tokenize), "Tokenizer of BLEU"})
      .excludes(text);
  study.number("--samples", options->bootstrap.samples, at_least(1), "Resamples of the bootstrap");
  study.number("--seed", options->bootstrap.seed, "Of the bootstrap");
  add_search_options(command, options->search, options->work, options->language, options->truncate);
  exclude_groups(command, text, {"Search"});
  add_common_options(command, options->common);
  when_read(command, [options] { options->search.check(); });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command heads_command = {
    "heads", "Show what each attention head does, and what the model is without it",
    add_heads_options};

}  // namespace kette::cli
