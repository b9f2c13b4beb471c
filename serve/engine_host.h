// The engines of a model that the clients of a server share. All texts are rows of the same batches, and what comes out for
// a text is the same to the last bit as alone (decode/engine.h). Clients take turns by the cost of their texts, so one
// with a single sentence does not wait for another's thousands.
//
//   client 1 ── texts ──┐            ┌── engine 1, on a thread of its own
//   client 2 ── text  ──┼── turns ───┤
//   client 3 ── texts ──┘            └── engine 2
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "decode/run_requests.h"

namespace kette {

/// More is asked for than can begin in time: the request is refused, and may be repeated later.
class HostBusy : public std::exception {
 public:
  HostBusy(double expected_wait, double most_wait) : seconds(expected_wait), limit(most_wait) {}
  const char* what() const noexcept override { return "too many texts wait"; }

  double seconds;  ///< until it would begin, as far as is known
  double limit;    ///< EngineHost::Options::most_wait
};

class EngineHost {
 public:
  struct Options {
    std::int64_t threads = 0;  ///< 0: all
    std::int64_t engines = 0;  ///< 0: one for each thread, on a GPU one
    /// Of each engine: WorkOptions::batch_tokens. Larger batches make longer steps, for which new texts wait; on a CPU they are
    /// no quicker.
    std::int64_t batch_tokens = 2048;
    std::int64_t keep_prompts = 0;  ///< of each engine: EngineOptions::keep_prompts
    double memory =
        0;  ///< bytes for the keys and values of all texts at work; 0: half of the machine's memory
    double most_wait =
        0;  ///< seconds after which a client's texts must begin: else HostBusy; 0: any
    std::function<void(double seconds)> on_begin{};  ///< told how long each text has waited
    std::function<void(std::int64_t rows)> on_step{};
  };
  /// model: made ready for decoding.
  EngineHost(const Ensemble& model, const Options& options);
  /// Call when no client is left.
  ~EngineHost();
  EngineHost(const EngineHost&) = delete;
  EngineHost& operator=(const EngineHost&) = delete;

  struct Load {
    std::int64_t waiting = 0;        ///< texts that no engine has yet
    std::int64_t waiting_cost = 0;   ///< their Request::cost() in all
    std::int64_t live = 0;           ///< texts that engines work on
    std::int64_t rows = 0;           ///< of the engines' last steps
    std::int64_t steps = 0;          ///< of all engines, since the beginning
    std::int64_t shared_tokens = 0;  ///< of prompts, likewise: Engine::shared_tokens()
  };
  Load load() const;
  const Ensemble& model() const { return model_; }

 private:
  friend class HostClient;
  using Clock = std::chrono::steady_clock;

  struct Waiting {
    Request request;
    double bytes = 0;  // that its keys and values may take
    Clock::time_point since{};
  };
  /// The texts of one client that wait.
  struct Line {
    const void* client;
    std::deque<Waiting> waiting{};
    std::int64_t cost = 0;    // of them all
    std::int64_t credit = 0;  // cost that it may take before the next client's turn
  };
  struct Worker {
    std::vector<std::int64_t> to_cancel{};
    std::int64_t live = 0, rows = 0, shared_tokens = 0;
    std::thread thread{};
  };
  /// A text that an engine works on.
  struct Live {
    Worker* worker;
    double bytes;
    std::int64_t cost;
  };

  std::vector<std::int64_t> submit(const void* client, std::vector<Request> requests,
                                   bool may_be_refused);
  void cancel(const std::vector<std::int64_t>& names);
  void work(Worker& worker);
  double bytes_of(const Request& request) const;
  // With the mutex held.
  double expected_wait(std::int64_t cost) const;
  bool fits(const Waiting& one) const {
    return live_bytes_ <= 0 || live_bytes_ + one.bytes <= options_.memory;
  }
  bool may_begin() const { return !lines_.empty() && fits(lines_.front().waiting.front()); }
  std::vector<Waiting> take(std::int64_t room, bool idle);
  void count_time();
  void forget(std::int64_t name);
  void wait_briefly() const;

  Ensemble model_;
  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable has_work_;
  std::list<Line> lines_;                        // whose turn it is comes first
  std::unordered_map<std::int64_t, Live> live_;  // by the request's number
  std::deque<Worker> workers_;
  std::atomic<std::int64_t> waiting_ = 0;  // texts; changed with the mutex held
  std::int64_t next_name_ = 0, waiting_cost_ = 0, steps_ = 0;
  double live_bytes_ = 0;
  // How fast the engines are: what was done, and in how many seconds. The past counts less and less.
  double done_cost_ = 0, busy_seconds_ = 0;
  Clock::time_point counted_{};
  bool ends_ = false;
};

/// A client of a host, used by one thread. done() of its requests is called on that thread.
class HostClient final : public RequestRunner {
 public:
  /// check: called some twenty times a second while the client waits. What it throws ends run().
  HostClient(EngineHost& host, std::function<void()> check)
      : host_(host), check_(std::move(check)) {}
  HostClient(const HostClient&) = delete;
  HostClient& operator=(const HostClient&) = delete;

  /// If it throws, what is not done leaves at the engines' next steps. The first run may throw HostBusy.
  void run(std::int64_t count, const MakeRequest& make) override;
  /// Lets an engine, in a request's policy, have something done on the client's thread while that waits in run().
  using Post = std::function<void(std::function<void()>)>;
  Post post() const;

 private:
  struct Mailbox {
    std::mutex mutex;
    std::condition_variable has_mail;
    std::deque<std::function<void()>> mail;

    void put(std::function<void()> what);
    /// Nothing if nothing came for a while.
    std::function<void()> take();
  };

  EngineHost& host_;
  std::function<void()> check_;
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  bool has_begun_ = false;
};

}  // namespace kette
