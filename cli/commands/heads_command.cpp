// `kette heads`: what every head of a model does, how much depends on it, and what becomes of the model
// without it.
#include <cmath>
#include <iostream>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/page_file.h"
#include "cli/sentences.h"
#include "cli/text_model.h"
#include "data/corpora/text_facts.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "inspect/heads/head_pruning.h"
#include "inspect/heads/head_study.h"
#include "models/model_directory.h"
#include "tensor/stopwatch.h"
#include "train/status_line.h"
#include "train/validation.h"

namespace kette::cli {
namespace {

struct HeadsOptions {
  CommonOptions common;
  ModelOptions model;
  std::filesystem::path source, target, out;
  std::vector<std::string> text;
  std::int64_t context = 0, windows = 64, batch_tokens = 4096;
  SearchOptions search;
  WorkOptions work;
  std::string language;
  bool truncate = false;
  BootstrapOptions bootstrap{1000};
  std::int64_t prune = 0;
  std::filesystem::path save;
};

/// What heads are studied on.
struct HeadsText {
  std::vector<std::string> sources, targets;  ///< of a translation model
  std::vector<Batch> batches;                 ///< of a language model: windows
};

HeadsText read_text(const HeadsOptions& o, const SavedModel<AutoregressiveModel>& saved) {
  const AutoregressiveModel& model = *saved.model;
  HeadsText read;
  if (!model.has_encoder()) {
    KETTE_CHECK(!o.text.empty(), "heads: expected --text, for ", o.model.model.string(),
                " is a language model, given none");
    const std::int64_t context = o.context > 0 ? o.context : model.positions();
    KETTE_CHECK(context <= model.positions(), "heads: expected a context of at most ",
                model.positions(), " tokens, given ", context);
    read.batches =
        text_windows(tokens_of(o.text, DocumentKind::file, *saved.tokenizer), context, o.windows);
    return read;
  }
  KETTE_CHECK(!o.source.empty() && !o.target.empty(), "heads: expected --src and --tgt, for ",
              o.model.model.string(), " translates, given none");
  const TextLines source = read_lines(o.source, kWholeText),
                  target = read_lines(o.target, kWholeText);
  KETTE_CHECK(source.size() == target.size(), o.target.string(), ": expected ", source.size(),
              " lines, as many as ", o.source.string(), " has, given ", target.size());
  read.sources.assign(source.views().begin(), source.views().end());
  read.targets.assign(target.views().begin(), target.views().end());
  say_unknown(saved.tokenizer, source.views(), o.source.string());
  say_unknown(saved.tokenizer, target.views(), o.target.string(), Side::target);
  read.batches =
      sentence_batches(*saved.tokenizer, read.sources, read.targets, o.batch_tokens, o.language);
  return read;
}

std::unique_ptr<HeadAblation> ablation_of(const HeadsOptions& o, const AutoregressiveModel& model,
                                          const SharedTokenizer& tokenizer,
                                          const HeadsText& given) {
  if (!model.has_encoder()) {
    return std::make_unique<LossAblation>(model, given.batches, o.bootstrap);
  }
  return std::make_unique<BleuAblation>(model, tokenizer,
                                        source_sentences(given.sources, o.language, o.truncate),
                                        given.targets, o.search, o.work, o.bootstrap);
}

Json to_json(const HeadStudy& study) {
  Json rows = Json::array();
  for (const HeadStudy::Row& row : study.rows) {
    const AttentionPart& part = study.attentions[row.head.attention];
    const HeadScores& s = row.scores;
    rows.push_back({{"attention", enum_name(part.kind)},
                    {"layer", part.layer},
                    {"head", row.head.head},
                    {"without", row.without.change},
                    {"without_p", row.without.p},
                    {"alone", row.alone.change},
                    {"alone_p", row.alone.p},
                    {"importance", row.importance.mean},
                    {"importance_normalized", row.importance.normalized},
                    {"entropy", s.entropy},
                    {"confidence", s.confidence},
                    {"previous", s.previous},
                    {"same", s.same},
                    {"next", s.next},
                    {"sink", s.sink},
                    {"rarest", s.rarest},
                    {"alignment", s.alignment},
                    {"copying", row.copying}});
  }
  return {{"metric", study.metric},
          {"whole", study.whole},
          {study.segment_name, study.segments},
          {"heads", rows}};
}

void print(const HeadStudy& study) {
  std::cout << text("%s with all heads %.3f; * p < 0.01 by paired bootstrap of %lld %s\n\n",
                    study.metric.c_str(), study.whole, static_cast<long long>(study.segments),
                    study.segment_name.c_str())
            << text("%-10s %4s %9s %9s %10s %7s %6s %5s %5s %5s %5s %6s %7s %7s\n", "attention",
                    "head", "without", "alone", "importance", "entropy", "conf", "-1", "0", "+1",
                    "sink", "rarest", "aligned", "copying");
  for (const HeadStudy::Row& row : study.rows) {
    const HeadScores& s = row.scores;
    const auto share = [](double value) {
      return std::isnan(value) ? std::string("-") : text("%.2f", value);
    };
    const auto star = [](const MaskedResult& result) { return result.p < 0.01 ? '*' : ' '; };
    std::cout << text(
        "%-10s %4lld %+8.3f%c %+8.3f%c %10.4f %7.2f %6.2f %5s %5s %5s %5s %6s %7s %7s\n",
        study.attentions[row.head.attention].name().c_str(), static_cast<long long>(row.head.head),
        row.without.change, star(row.without), row.alone.change, star(row.alone),
        row.importance.mean, s.entropy, s.confidence, share(s.previous).c_str(),
        share(s.same).c_str(), share(s.next).c_str(), share(s.sink).c_str(),
        share(s.rarest).c_str(), share(s.alignment).c_str(),
        std::isnan(row.copying) ? "-" : text("%+.2f", row.copying).c_str());
  }
}

HeadStudy study(const AutoregressiveModel& model, const HeadsText& given,
                const HeadAblation& ablation) {
  StatusLine line(false);
  const StudyProgress progress = [&](std::int64_t done, std::int64_t total) {
    line.show([&] {
      return text("%lld of %lld results", static_cast<long long>(done),
                  static_cast<long long>(total)) +
             time_left(line.seconds(), static_cast<double>(done) / static_cast<double>(total));
    });
  };
  return study_heads(model, given.batches, ablation, progress);
}

/// A model without the least important heads, beside the whole one.
struct Pruned {
  std::int64_t heads, parameters, parameters_whole;
  MaskedResult change;
  double metric;                  ///< of the smaller model
  double seconds, seconds_whole;  ///< for the text, the best of three
};

/// All of the text through a model, as often as it takes to tell the time: the seconds of one pass.
double seconds_of(const HeadsOptions& o, const AutoregressiveModel& model,
                  const Translator* translator, const HeadsText& given) {
  constexpr double kLong = 0.2;
  const Stopwatch watch;
  int passes = 0;
  do {
    if (translator) {
      translator->translate(source_sentences(given.sources, o.language, o.truncate), o.search,
                            o.work);
    } else {
      validation_loss(model, given.batches);
    }
    ++passes;
  } while (watch.seconds() < kLong);
  return watch.seconds() / passes;
}

Pruned prune(const HeadsOptions& o, const SavedModel<AutoregressiveModel>& saved,
             const HeadsText& given, const HeadStudy& found, const HeadAblation& ablation) {
  std::vector<HeadImportance> importance;
  for (const HeadStudy::Row& row : found.rows) importance.push_back(row.importance);
  const std::vector<Head> goes = least_important(found.attentions, importance, o.prune);
  const AutoregressiveModel& whole = *saved.model;
  const auto smaller = without_heads(whole, goes);
  AtomicFolder folder(o.save);
  save_description(folder.path(), smaller->config(), *saved.tokenizer);
  save_parameters(folder.path() / kModelFile, smaller->parameters(), saved.metadata);
  copy_text_facts(o.model.model, folder.path());
  folder.commit();

  HeadGates gates = gates_without(found.attentions, goes);
  Pruned pruned{o.prune,
                smaller->parameters().elements(),
                whole.parameters().elements(),
                ablation.with(gates),
                ablation_of(o, *smaller, saved.tokenizer, given)->whole(),
                0,
                0};
  std::optional<Translator> of_whole, of_smaller;
  if (whole.has_encoder()) {
    of_whole.emplace(whole, saved.tokenizer);
    of_smaller.emplace(*smaller, saved.tokenizer);
  }
  for (int i = 0; i < 3; ++i) {
    const double one = seconds_of(o, whole, of_whole ? &*of_whole : nullptr, given),
                 other = seconds_of(o, *smaller, of_smaller ? &*of_smaller : nullptr, given);
    pruned.seconds_whole = i == 0 ? one : std::min(one, pruned.seconds_whole);
    pruned.seconds = i == 0 ? other : std::min(other, pruned.seconds);
  }
  return pruned;
}

void print(const Pruned& pruned, const HeadsOptions& o, const HeadStudy& found) {
  const double share =
      static_cast<double>(pruned.parameters) / static_cast<double>(pruned.parameters_whole);
  std::cout << text(
      "\n%s: heads pruned %lld, %s %.3f (%+.3f, p %.3f), "
      "%.1f %% of the parameters, %.2f times as fast\n",
      o.save.string().c_str(), static_cast<long long>(pruned.heads), found.metric.c_str(),
      pruned.metric, pruned.change.change, pruned.change.p, 100 * share,
      pruned.seconds_whole / pruned.seconds);
}

Json to_json(const Pruned& pruned, const HeadsOptions& o) {
  return {{"model", o.save.string()},
          {"heads", pruned.heads},
          {"parameters", pruned.parameters},
          {"parameters_whole", pruned.parameters_whole},
          {"metric", pruned.metric},
          {"change", pruned.change.change},
          {"p", pruned.change.p},
          {"seconds", pruned.seconds},
          {"seconds_whole", pruned.seconds_whole}};
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
  print(found);
  Json json = to_json(found);
  if (!o.out.empty()) {
    const std::string name = name_of_folder(o.model.model);
    const std::string page =
        heads_page(found, "The heads of " + name,
                   "A " + saved.model->config().family().what + " (" +
                       headline(saved.model->config()) + "). Made by kette heads.");
    write_page(o.out, page, json);
  }
  if (o.prune > 0) {
    const Pruned pruned = prune(o, saved, given, found, *ablation);
    print(pruned, o, found);
    json["pruned"] = to_json(pruned, o);
  }
  json["seconds"] = watch.seconds();
  if (o.common.json) print_json(json);
}

void add_heads_options(CLI::App& command) {
  auto options = std::make_shared<HeadsOptions>();
  add_model_options(command, options->model);
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
  add_page_option(study, "--out", options->out,
                  "Where the page goes (default: none, only a table)");
  Option prune = study.number("--prune", options->prune, at_least(1),
                              "How many of the least important heads a smaller model does without");
  prune.needs(study.path("--save", options->save, "Where that model goes", "DIR").needs(prune));
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
