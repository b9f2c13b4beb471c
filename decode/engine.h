// The one loop that generates. Texts are asked for at any time, each with a policy of its own (decode/policy.h); their
// rows are rows of one batch, so that every product has many. A text joins between any two steps and leaves as soon
// as it is done, or is no longer wanted; long prompts are read in parts beside the tokens of others. What comes out for
// a text does not depend on the texts beside it, to the last bit, nor on the number of threads, which may be set anew
// between two steps.
//
//   add() ──> waiting ──> reads its prompt ──┐      step(): one token for each row of each text
//                                            v
//                 policy asks ──> model answers ──> policy chooses rows ──> done
//                      ^                                  │
//                      └──────────────────────────────────┘
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "decode/drawn_rows.h"
#include "decode/ensemble.h"
#include "decode/mask_table.h"
#include "decode/next_tokens.h"
#include "decode/policy.h"
#include "decode/shortlist.h"

namespace kette {

/// A text that is asked for.
struct Request {
  std::int64_t number = 0;  ///< its name, to cancel() it by
  std::vector<std::int32_t>
      source;  ///< what the encoder reads, end mark and all; none for a model without one
  /// At least one token, <s> or what a text begins with. Of more than the model sees at once the last are read; with a
  /// source that is an Error.
  std::vector<std::int32_t> prompt;
  std::unique_ptr<Policy> policy{};
  std::vector<std::int32_t> banned{};  ///< tokens that are never among the likeliest, nor drawn
  std::shared_ptr<const Constraint> constraint{};
  /// Of these tokens alone (decode/shortlist.h), rising, those that are asked for among them; none: of all.
  std::vector<std::int32_t> shortlist{};

  /// Given what came of it. What it throws, step() throws.
  std::function<void(std::vector<Hypothesis> results)> done{};
  /// Given what went wrong with this text alone. Without it step() throws that, when the step is done.
  std::function<void(std::exception_ptr)> failed{};

  /// The token that a row of it is given next.
  std::int32_t last_token(std::int64_t row) const {
    const std::span<const std::int32_t> tokens = policy->tokens(row);
    return tokens.empty() ? prompt.back() : tokens.back();
  }
  /// Its share of a budget: all its rows may come to look back about as far as what is given is long.
  std::int64_t cost() const {
    return policy->most_rows() *
           std::max<std::int64_t>(1, std::ssize(source) + std::ssize(prompt) - 1);
  }
};

/// Marks, and unless it is allowed the unknown piece.
std::vector<std::int32_t> banned_in_translations(const SpecialTokens& special, bool allow_unknown);

struct EngineOptions {
  Tap* tap = nullptr;  ///< looks into every pass of the model
  /// So many tokens of long prompts are read in a step, beside the tokens of others.
  std::int64_t prompt_part = 256;
  /// The keys and values of so many prompts are kept. A prompt that begins like one of them reads only the rest. The bits
  /// of what comes out stay the same. Only for models without an encoder whose cache keeps all positions, and not
  /// on a device that runs ahead: elsewhere nothing is kept.
  std::int64_t keep_prompts = 0;
  /// Whether steps are recorded and queued ahead of what they draw, where all rows are draws: as the device likes it,
  /// or, for tests, anyhow.
  bool always_records = false;
};

/// Throws an Error unless the request makes sense for the model.
void check_request(const Request& request, const Ensemble& model);

class Engine {
 public:
  /// model: made ready for decoding.
  explicit Engine(const Ensemble& model, const EngineOptions& options = {});

  /// From the next step on. An Error if the request makes no sense.
  void add(Request request);
  /// Its rows leave before the next step, and nobody is told. Whether there was such a text.
  bool cancel(std::int64_t number);
  /// A token for each row; whether there was anything to do. Calls done() of what is done.
  bool step();

  /// Texts that are not done.
  std::int64_t texts() const { return texts_; }
  /// Rows of the last step.
  std::int64_t rows() const { return rows_; }
  /// Of all texts that are not done.
  std::int64_t cost() const { return cost_; }
  /// Tokens of prompts that need not be read, because kept prompts begin with them; since the beginning.
  std::int64_t shared_tokens() const { return shared_tokens_; }

 private:
  struct Live {
    Request request;
    std::int64_t cost = 0;
    std::unique_ptr<const Shortlist> list{};
    std::vector<std::int32_t> excluded{};  // the banned ones, and the target beside the likeliest
    std::int64_t masks = 0;                // where its masks begin in the table
    std::span<const std::int32_t>
        unread{};                 // of the prompt, but for the token that the first step is given
    std::int64_t state_rows = 0;  // rows of the state that are its own, one behind the other
    bool is_reading = true, has_ended = false;
    std::int64_t reads = 0;      // tokens of the prompt that the model is to read
    bool is_kept = false;        // a prompt alone, for others that begin like it
    std::int64_t last_used = 0;  // of a kept one: the step
  };

  struct SharedPast {
    std::int64_t row = 0, length = 0;  // of a kept prompt, and how many tokens are shared
  };

  // A step. Between them the rows of the state are those of live_, in their order.
  void admit();
  void read_prompts();
  void begin_texts();
  bool is_idle() const;
  SharedPast shared_past(std::span<const std::int32_t> prompt);
  void share_pasts(const std::vector<SharedPast>& shared, std::int64_t first);
  bool keep(const Live& live, std::vector<Live>& kept);
  void drop_least_used();
  void move_windows();
  void advance();
  RowQuestion question(const Live& live, std::int64_t row) const;
  Tensor words_of_masks();
  void drop_ended();
  void forget_ended();
  // Where all rows are draws: steps that are queued before what the one before has drawn is known.
  bool may_step_ahead() const;
  void step_ahead();
  void begin_ahead();
  void take_draws(HostCopy& drawn);
  void settle();

  /// Does something for one text, whose error it is if it fails.
  template <class Function>
  void guard(Live& live, const Function& function) {
    try {
      function();
    } catch (...) {
      fail(live, std::current_exception());
    }
  }
  void end(Live& live);
  void finish(Live& live);
  void fail(Live& live, const std::exception_ptr& error);
  void fail_all(const std::exception_ptr& error);

  Ensemble model_;
  EngineOptions options_;
  std::int64_t positions_;
  EnsembleState state_;
  MaskTable masks_;
  std::vector<Live> live_, waiting_;
  std::unique_ptr<DrawnRows> ahead_;
  std::unique_ptr<HostCopy> drawn_;  // of the last step of those that is queued
  std::vector<bool> goes_on_;        // of their rows
  std::int64_t texts_ = 0, rows_ = 0, cost_ = 0, steps_ = 0, shared_tokens_ = 0;
  std::exception_ptr error_;  // that nobody has heard of
};

/// Requests whose costs add up to at most `room`, but one at least when `idle`; none when there are no more.
using SupplyRequests = std::function<std::vector<Request>(std::int64_t room, bool idle)>;

/// Runs until the supply is empty and everything is done. budget: the sum of the costs of what is alive.
void run(Engine& engine, std::int64_t budget, const SupplyRequests& supply);

}  // namespace kette
