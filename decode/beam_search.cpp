#include "decode/beam_search.h"

#include <algorithm>
#include <memory>

#include "tensor/observer.h"

namespace kette {
namespace {

struct Searched {
  SearchJob job;
  Beam beam;
  std::unique_ptr<const Shortlist> list;  // if it has one
};

std::vector<std::int32_t> next_inputs(const std::vector<Searched>& sentences) {
  std::vector<std::int32_t> tokens;
  for (const Searched& sentence : sentences) {
    for (const Hypothesis& hypothesis : sentence.beam.live()) {
      tokens.push_back(hypothesis.tokens.empty() ? sentence.job.first : hypothesis.tokens.back());
    }
  }
  return tokens;
}

/// Enough of each row for ordinary beams, and in wider ones for nearly all rows.
constexpr std::int64_t kFew = 32;

/// Lets a beam choose among few continuations of each of its rows, and among more of those that
/// might hide one of the best. Of a row that had n chosen no more than 4 n are looked at.
void choose(Beam& beam, NextTokens& next, std::int64_t first_row, std::int64_t most) {
  for (std::int64_t count = 4 * kFew;; count *= 4) {
    std::vector<std::int64_t> rows = beam.consider(next.rows(first_row, beam.live().size()));
    if (rows.empty()) return;
    for (std::int64_t& row : rows) row += first_row;
    next.ask_again(rows, std::min(count, most));
  }
}

/// What the constraint says of each row, if there is one.
std::vector<Constraint::Choice> choices_of(const std::vector<Searched>& sentences,
                                           const Constraint* constraint) {
  std::vector<Constraint::Choice> choices;
  if (constraint == nullptr) return choices;
  for (const Searched& sentence : sentences) {
    for (const Hypothesis& hypothesis : sentence.beam.live()) {
      choices.push_back(constraint->after(sentence.job.number, hypothesis.tokens));
    }
  }
  return choices;
}

/// Of each row.
std::vector<const Shortlist*> lists_of(const std::vector<Searched>& sentences) {
  std::vector<const Shortlist*> lists;
  for (const Searched& sentence : sentences) {
    lists.insert(lists.end(), sentence.beam.live().size(), sentence.list.get());
  }
  return lists;
}

}  // namespace

void beam_search(const Ensemble& model, const SearchVocabulary& vocabulary,
                 const SearchOptions& options, std::int64_t budget, const SupplyJobs& supply,
                 const FinishJob& finish, const SearchHooks& hooks) {
  options.check();
  // The end mark is asked for by itself: the beam decides whether it may come.
  const std::vector<std::vector<bool>> allowed = vocabulary.allowed(model.vocabulary(), false);
  const Tensor masks = TokenMasks::pack(allowed, model.device());

  EnsembleState state(model, hooks.tap);
  std::vector<Searched> sentences;
  std::int64_t cost = 0;
  for (;;) {
    // Encoding a few sentences at a time wastes the products, so room is left to gather first.
    if (sentences.empty() || 4 * cost <= 3 * budget) {
      std::vector<RowStart> starts;
      for (SearchJob& job : supply(budget - cost, sentences.empty())) {
        cost += job.cost(options.beam);
        starts.push_back(job.start);
        const Beam beam(options, job.longest, vocabulary.end);
        Searched& sentence = sentences.emplace_back(Searched{std::move(job), beam, {}});
        if (sentence.job.shortlist.empty()) continue;
        sentence.list =
            std::make_unique<Shortlist>(model, std::move(sentence.job.shortlist), allowed);
      }
      state.add(starts);
    }
    if (sentences.empty()) return;

    const Tensor states = state.step(next_inputs(sentences));
    const Work work("search");
    NextTokens next(model.output(), states, std::min(options.candidates(), kFew), vocabulary, masks,
                    choices_of(sentences, vocabulary.constraint), lists_of(sentences));
    std::vector<std::int64_t> parents;
    std::int64_t row = 0;
    for (Searched& sentence : sentences) {
      const auto width = static_cast<std::int64_t>(sentence.beam.live().size());
      choose(sentence.beam, next, row, options.candidates());
      if (hooks.chosen) hooks.chosen(sentence.job.number, sentence.beam);
      const std::vector<std::int64_t> chosen = sentence.beam.advance(row);
      parents.insert(parents.end(), chosen.begin(), chosen.end());
      row += width;
      if (!chosen.empty()) continue;
      cost -= sentence.job.cost(options.beam);
      finish(sentence.job.number, sentence.beam.n_best());
    }
    std::erase_if(sentences, [](const Searched& sentence) { return sentence.beam.live().empty(); });
    state.select(parents);
  }
}

}  // namespace kette
