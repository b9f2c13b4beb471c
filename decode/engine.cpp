#include "decode/engine.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "decode/asked_rows.h"
#include "tensor/observer.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

std::vector<std::int64_t> first_numbers(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The size of the source vocabulary, which may differ from the target's.
std::int64_t tokens_of(const Embedding& embedding) {
  return embedding.rounded.defined() ? embedding.rounded.values.rows()
                                     : embedding.table.value().rows();
}

}  // namespace

std::vector<std::int32_t> banned_in_translations(const SpecialTokens& special, bool allow_unknown) {
  std::vector<std::int32_t> banned = {special.pad, special.begin};
  if (!allow_unknown) banned.push_back(special.unknown);
  return banned;
}

void check_request(const Request& request, const Ensemble& model) {
  const bool has_encoder = model.models().front()->has_encoder();
  KETTE_CHECK(!has_encoder || !request.source.empty(),
              "decoder: expected a source, with its end mark, for each row, given none for one");
  KETTE_CHECK(has_encoder || request.source.empty(),
              "decoder: expected no source for a model without an encoder, given one");
  KETTE_CHECK(!request.prompt.empty(),
              "generate: expected texts that begin with a token, given none");
  const auto check_tokens = [&](const char* what, const Ids& tokens, std::int64_t vocabulary) {
    const std::int64_t length = std::ssize(tokens), positions = model.positions();
    KETTE_CHECK(!has_encoder || length <= positions, "decoder: expected a ", what, " of at most ",
                positions, " tokens, as many as the model sees at once, given ", length);
    for (const std::int32_t token : tokens) {
      KETTE_CHECK(token >= 0 && token < vocabulary, "decoder: expected tokens below ", vocabulary,
                  ", the vocabulary, given ", token, " in a ", what);
    }
  };
  check_tokens("source", request.source, tokens_of(model.models().front()->source_embedding()));
  check_tokens("text", request.prompt, model.vocabulary());
  KETTE_CHECK(request.policy->takes_constraints() ||
                  (request.constraint == nullptr && request.shortlist.empty()),
              "decoder: expected constraint and shortlist beside a search, given one without");
}

Engine::Engine(const Ensemble& model, const EngineOptions& options)
    : model_(model),
      options_(options),
      positions_(model.positions()),
      state_(model, options.tap),
      masks_(model.vocabulary()) {
  if (model.models().front()->has_encoder() || model.device().runs_ahead() ||
      options.always_records || !state_.can_shorten()) {
    options_.keep_prompts = 0;
  }
  KETTE_CHECK(options.prompt_part > 0,
              "prompt part: expected at least 1 token of a prompt to be read in a step, given ",
              options.prompt_part);
}

void Engine::add(Request request) {
  check_request(request, model_);
  Live live{std::move(request)};
  Request& asked = live.request;
  live.excluded = asked.banned;
  if (asked.policy->rows() > 0) {
    const Question question = asked.policy->question(0);
    if (question.likeliest > 0 && question.target >= 0) live.excluded.push_back(question.target);
  }
  if (!asked.shortlist.empty()) {
    live.list = std::make_unique<Shortlist>(
        model_, std::move(asked.shortlist),
        allowed_tokens(model_.vocabulary(), live.excluded, asked.constraint.get()));
  }
  live.cost = asked.cost();
  cost_ += live.cost;
  ++texts_;
  waiting_.push_back(std::move(live));
}

bool Engine::cancel(std::int64_t number) {
  for (std::vector<Live>* texts : {&waiting_, &live_}) {
    for (Live& live : *texts) {
      if (live.request.number != number || live.has_ended || live.is_kept) continue;
      live.has_ended = true;
      cost_ -= live.cost;
      --texts_;
      return true;
    }
  }
  return false;
}

bool Engine::step() {
  if (is_idle()) {
    waiting_.clear();
    return false;
  }
  ++steps_;
  try {
    if (!is_ahead() || !waiting_.empty()) {
      settle();
      drop_ended();
      admit();
      read_prompts();
      begin_texts();
      move_windows();
    }
    may_step_ahead() ? step_ahead() : advance();
  } catch (...) {
    fail_all(std::current_exception());
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return true;
}

/// Handles rows that fill all positions. Without a source, the row's later half is read again as a
/// new row. So every token is predicted from at least half the positions. With a source it is an
/// Error.
void Engine::move_windows() {
  std::vector<std::int64_t> parents;
  std::deque<Ids> pasts;
  std::vector<RowStart> starts;
  const std::int64_t rows = state_.rows();
  std::int64_t row = 0;
  for (Live& live : live_) {
    for (std::int64_t own = 0; own < live.state_rows; ++own, ++row) {
      parents.push_back(row);
      if (live.is_reading || live.has_ended || state_.length(row) < positions_) continue;
      if (!live.request.source.empty()) {
        guard(live, [&] {
          KETTE_CHECK(false, "decoder: expected at most ", positions_,
                      " tokens in a row, given one more");
        });
        continue;
      }
      Ids& past = pasts.emplace_back(live.request.prompt);
      const std::span<const std::int32_t> tokens = live.request.policy->tokens(own);
      past.insert(past.end(), tokens.begin(), tokens.end());
      past.pop_back();
      const auto read = static_cast<std::size_t>(std::max<std::int64_t>(1, positions_ / 2) - 1);
      starts.push_back({{}, std::span(past).last(std::min(read, past.size()))});
      parents.back() = rows + std::ssize(starts) - 1;
    }
  }
  if (starts.empty()) return;
  state_.add(starts);
  state_.select(parents);
}

/// The question of a row, under the constraint of its text.
RowQuestion Engine::question(const Live& live, std::int64_t row) const {
  const Request& request = live.request;
  RowQuestion question{0, request.policy->question(row).target, live.masks, {}, live.list.get(), 0};
  if (request.constraint != nullptr) {
    question.choice = request.constraint->after(request.policy->tokens(row));
    question.mask += question.choice.mask + 1;
    question.list_mask = question.choice.mask + 1;
  }
  return question;
}

/// One step of decoding: a token for each row that has read its prompt.
void Engine::advance() {
  AskedRows asked;
  struct Place {
    std::int64_t row, asked;  // index in the state, and in AskedRows
  };
  std::vector<Place> places;  // the first row of each text
  std::int64_t row = 0;
  for (Live& live : live_) {
    places.push_back({row, asked.count()});
    row += live.state_rows;
    if (live.is_reading || live.has_ended) continue;
    guard(live, [&] {
      std::vector<RowQuestion> questions;
      for (std::int64_t own = 0; own < live.state_rows; ++own) {
        questions.push_back(question(live, own));
      }
      for (std::int64_t own = 0; own < live.state_rows; ++own) {
        asked.add(places.back().row + own, live.request.last_token(own),
                  live.request.policy->question(own), questions[own]);
      }
    });
  }
  rows_ = asked.count();
  if (rows_ > 0) {
    const Tensor states = state_.step(asked.tokens(), asked.rows());
    const Work work("search");
    asked.answer(model_.output(), states, words_of_masks(), options_.tap);
  }
  std::vector<std::int64_t> parents;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    Live& live = live_[i];
    const Place& place = places[i];
    std::vector<std::int64_t> own = first_numbers(live.state_rows);
    if (!live.is_reading && !live.has_ended) {
      guard(live, [&] { own = asked.choose(*live.request.policy, place.asked).parents; });
    }
    if (live.has_ended) own.clear();
    for (const std::int64_t parent : own) parents.push_back(place.row + parent);
    live.state_rows = std::ssize(own);
    if (own.empty() && !live.has_ended) finish(live);
  }
  state_.select(parents);
  forget_ended();
}

/// Removes the rows of texts that have ended.
void Engine::drop_ended() {
  std::vector<std::int64_t> parents;
  std::int64_t row = 0;
  for (Live& live : live_) {
    for (std::int64_t own = 0; own < live.state_rows && !live.has_ended; ++own) {
      parents.push_back(row + own);
    }
    row += live.state_rows;
    if (live.has_ended) live.state_rows = 0;
  }
  if (std::ssize(parents) < row) state_.select(parents);
  forget_ended();
}

void Engine::forget_ended() {
  std::erase_if(live_, [](const Live& live) { return live.has_ended && live.state_rows == 0; });
}

/// Undefined if no text restricts its tokens.
Tensor Engine::words_of_masks() {
  const bool all = std::all_of(live_.begin(), live_.end(), [](const Live& live) {
    return live.excluded.empty() && live.request.constraint == nullptr;
  });
  return all ? Tensor() : masks_.words(model_.device());
}

void Engine::end(Live& live) {
  live.has_ended = true;
  cost_ -= live.cost;
  --texts_;
}

void Engine::finish(Live& live) {
  end(live);
  try {
    live.request.done(live.request.policy->results());
  } catch (...) {
    if (!error_) error_ = std::current_exception();
  }
}

void Engine::fail(Live& live, const std::exception_ptr& error) {
  end(live);
  if (live.request.failed) {
    live.request.failed(error);
  } else if (!error_) {
    error_ = error;
  }
}

void run(Engine& engine, std::int64_t budget, const SupplyRequests& supply,
         const std::function<void()>& before_step) {
  do {
    if (before_step) before_step();
    // Adding few texts at a time makes small products. So wait until a quarter of the budget is free.
    if (engine.texts() > 0 && 4 * engine.cost() > 3 * budget) continue;
    for (Request& request : supply(budget - engine.cost(), engine.texts() == 0)) {
      engine.add(std::move(request));
    }
  } while (engine.step());
}

/// Handles an error of no single text, such as a lack of memory. Every text fails with it, and the
/// engine starts anew.
void Engine::fail_all(const std::exception_ptr& error) {
  ahead_.reset();
  drawn_.reset();
  state_ = EnsembleState(model_, options_.tap);
  masks_.clear();
  std::vector<Live> all = std::exchange(live_, {});
  for (Live& live : std::exchange(waiting_, {})) all.push_back(std::move(live));
  for (Live& live : all) {
    if (!live.has_ended && !live.is_kept) fail(live, error);
  }
}

}  // namespace kette
