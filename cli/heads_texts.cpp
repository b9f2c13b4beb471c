#include "cli/heads_texts.h"

#include <algorithm>

#include "cli/sentences.h"
#include "cli/text_model.h"
#include "data/corpora/text_facts.h"
#include "data/files/text_file.h"
#include "models/model_directory.h"
#include "tensor/stopwatch.h"
#include "train/validation.h"

namespace kette::cli {
namespace {

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

}  // namespace

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
  say_strange_case(o.model.model.string(), source.views(), o.source.string());
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
  BleuOptions bleu;
  bleu.tokenizer = o.bleu_tokenize;
  return std::make_unique<BleuAblation>(model, tokenizer,
                                        source_sentences(given.sources, o.language, o.truncate),
                                        given.targets, o.search, o.work, o.bootstrap, bleu);
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
  save_parameters(folder.path() / kModelFile, smaller->parameters(),
                  without_training(saved.metadata));
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

}  // namespace kette::cli
