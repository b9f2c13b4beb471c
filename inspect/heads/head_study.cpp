#include "inspect/heads/head_study.h"

#include "data/corpora/window_sampler.h"
#include "inspect/heads/head_circuits.h"

namespace kette {

HeadStudy study_heads(const AutoregressiveModel& model, const std::vector<Batch>& batches,
                      const HeadAblation& ablation, const StudyProgress& progress) {
  HeadStudy study;
  study.attentions = attentions_of(model);
  study.metric = ablation.name();
  study.signature = ablation.signature();
  study.whole = ablation.whole();
  study.higher_is_better = ablation.higher_is_better();
  study.segments = ablation.segments();
  study.segment_name = ablation.segment_name();
  const std::vector<Head> heads = heads_of(study.attentions);
  const std::vector<HeadImportance> importance = head_importance(model, batches);
  const std::vector<HeadScores> scores = head_scores(model, batches);
  const std::vector<double> copying = copying_scores(model);
  const std::int64_t total = 2 * std::ssize(heads);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const AttentionPart& part = study.attentions[heads[i].attention];
    const auto done = 2 * static_cast<std::int64_t>(i);
    HeadGates without, alone;
    without.mask(part, heads[i].head);
    alone.keep_only(part, heads[i].head);
    study.rows.push_back(
        {heads[i], importance[i], scores[i], copying[i], ablation.with(without), {}});
    if (progress) progress(done + 1, total);
    study.rows.back().alone = ablation.with(alone);
    if (progress) progress(done + 2, total);
  }
  return study;
}

std::vector<Batch> sentence_batches(const Tokenizer& tokenizer,
                                    const std::vector<std::string>& sources,
                                    const std::vector<std::string>& targets, std::int64_t tokens,
                                    const std::string& language) {
  TokenLists source, target;
  const std::vector<std::string_view> lines(sources.begin(), sources.end());
  for (std::vector<std::int32_t>& ids : tokenizer.encode_all(lines)) {
    tokenizer.put_tag_before(ids, language);
    source.add(ids);
  }
  for (const std::string& line : targets) target.add(tokenizer.encode(line, Side::target));
  const PairLists pairs(std::move(source), std::move(target));
  std::vector<Batch> batches;
  for (const auto& ids : plan_batches(pairs, tokens)) {
    batches.push_back(make_batch(pairs, ids, tokenizer.special()));
  }
  return batches;
}

std::vector<Batch> text_windows(const TokenStream& text, std::int64_t context, std::int64_t count) {
  KETTE_CHECK(text.size() >= 2, "text: expected at least 2 tokens, given ", text.size());
  std::vector<Batch> windows;
  for (std::int64_t begin = 0; begin + 1 < text.size() && std::ssize(windows) < count;
       begin += context) {
    const std::int64_t length = std::min(context, text.size() - 1 - begin);
    windows.push_back(pack_windows({text.copy(begin, length + 1)}));
  }
  return windows;
}

}  // namespace kette
