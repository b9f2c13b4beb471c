// The generation loop, with continuous batching. Texts may be added at any time, each with its own
// policy (decode/policy.h). Their rows form one batch, so that every product has many rows. A text
// joins between two steps, and leaves when it is done or cancelled. Long prompts are read in parts
// while other texts generate. The bits of a result do not depend on other texts, nor on the number
// of threads, which may change between two steps.
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
#include <optional>
#include <vector>

#include "decode/ensemble.h"
#include "decode/mask_table.h"
#include "decode/next_tokens.h"
#include "decode/policy.h"
#include "decode/sampled_rows.h"
#include "decode/shortlist.h"

namespace kette {

/// A text to generate.
struct Request {
  std::int64_t number = 0;  ///< identifies it, for cancel()
  /// What the encoder reads, with end mark; empty for a model without an encoder.
  std::vector<std::int32_t> source;
  /// At least one token, such as <s>. If it is longer than the model's positions, only its last
  /// tokens are read. With a source that is an Error.
  std::vector<std::int32_t> prompt;
  std::unique_ptr<Policy> policy{};
  std::vector<std::int32_t> banned{};  ///< never among the likeliest tokens, nor sampled
  std::shared_ptr<const Constraint> constraint{};
  /// Only these tokens are considered (decode/shortlist.h); ascending; must include all that may be
  /// asked for. Empty: all tokens.
  std::vector<std::int32_t> shortlist{};

  /// Called with the result. Its exceptions are thrown by step().
  std::function<void(std::vector<Hypothesis> results)> done{};
  /// Called with an error of this text only. Without it, step() throws the error when the step is
  /// done.
  std::function<void(std::exception_ptr)> failed{};

  /// The token that a row reads next.
  std::int32_t last_token(std::int64_t row) const {
    const std::span<const std::int32_t> tokens = policy->tokens(row);
    return tokens.empty() ? prompt.back() : tokens.back();
  }
  /// Its part of a budget: the most rows times the tokens given.
  std::int64_t cost() const {
    return policy->max_rows() *
           std::max<std::int64_t>(1, std::ssize(source) + std::ssize(prompt) - 1);
  }
};

/// The special tokens, and the unknown piece unless it is allowed.
std::vector<std::int32_t> banned_in_translations(const SpecialTokens& special, bool allow_unknown);

struct EngineOptions {
  Tap* tap = nullptr;  ///< observes every pass of the model
  /// The most prompt tokens that a step reads while other texts generate.
  std::int64_t prompt_part = 256;
  /// The number of prompts whose keys and values are kept. A prompt that begins like one of them reads only the rest. The
  /// results have the same bits. Nothing is kept for models with an encoder, for caches of states or of a window, and
  /// on devices that run ahead.
  std::int64_t keep_prompts = 0;
  /// If all rows are sampled without scores, steps may be recorded and queued before the previous tokens are
  /// known. false: only if the device benefits. true: always, for tests.
  bool always_records = false;
};

/// Throws an Error unless the request suits the model.
void check_request(const Request& request, const Ensemble& model);

class Engine {
 public:
  /// model: from for_decoding().
  explicit Engine(const Ensemble& model, const EngineOptions& options = {});

  /// Joins at the next step. An Error unless the request suits the model.
  void add(Request request);
  /// Removes a text before the next step, without calling done() or failed(). Returns whether it
  /// existed.
  bool cancel(std::int64_t number);
  /// Generates a token for each row, and calls done() of finished texts. Returns whether there was
  /// any work.
  bool step();

  /// The number of unfinished texts.
  std::int64_t texts() const { return texts_; }
  /// The number of rows in the last step.
  std::int64_t rows() const { return rows_; }
  /// The sum of the costs of unfinished texts.
  std::int64_t cost() const { return cost_; }
  /// The number of prompt tokens that were shared with kept prompts instead of read.
  std::int64_t shared_tokens() const { return shared_tokens_; }

 private:
  struct Live {
    Request request;
    std::int64_t cost = 0;
    std::unique_ptr<const Shortlist> list{};
    // Banned tokens, and the target if it is asked for beside the likeliest.
    std::vector<std::int32_t> excluded{};
    std::int64_t masks = 0;  // index of its first mask in the table
    /// The part of the prompt to read before the first step.
    std::span<const std::int32_t> unread{};
    std::int64_t state_rows = 0;  // the number of its rows in the state; they are adjacent
    bool is_reading = true, has_ended = false;
    std::int64_t reads = 0;      // the number of prompt tokens before the first step
    bool is_kept = false;        // a kept prompt, without a text
    std::int64_t last_used = 0;  // the step that last used a kept prompt
  };

  struct SharedPast {
    std::int64_t row = 0, length = 0;  // the row of a kept prompt, and the number of shared tokens
  };

  // The parts of a step. Between them the rows of the state are those of live_, in order.
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
  // If all rows are sampled without scores: steps that are queued before the previous tokens are known.
  bool is_ahead() const { return ahead_ && ahead_->has_begun(); }
  bool may_step_ahead() const;
  void step_ahead();
  void begin_ahead();
  void take_draws(HostCopy& drawn);
  void settle();

  /// Calls function(). An exception is an error of this text only.
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
  std::optional<SampledRows> ahead_;
  std::unique_ptr<HostCopy> drawn_;  // tokens of the last queued step
  std::vector<bool> goes_on_;        // whether each row of it continues
  std::int64_t texts_ = 0, rows_ = 0, cost_ = 0, steps_ = 0, shared_tokens_ = 0;
  std::exception_ptr error_;  // not reported yet
};

/// Returns requests with costs of at most `room` together. If `idle`, at least one. Empty: there
/// are no more.
using SupplyRequests = std::function<std::vector<Request>(std::int64_t room, bool idle)>;

/// Runs until the supply is empty and all texts are done. budget: the most costs of live texts
/// together. before_step: called before each step; an exception ends the run.
void run(Engine& engine, std::int64_t budget, const SupplyRequests& supply,
         const std::function<void()>& before_step = {});

}  // namespace kette
