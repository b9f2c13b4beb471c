// The engines of a model, shared by the clients of a server. All texts are rows of the same batches.
// A text gets the same bits as alone (decode/engine.h). Clients take turns by the cost of their texts.
// So a client with one sentence does not wait for another's thousands.
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

/// The host has too much work to begin these texts in time. The client may repeat the request later.
class HostBusy : public std::exception {
 public:
  HostBusy(double expected_wait, double most_wait) : seconds(expected_wait), limit(most_wait) {}
  const char* what() const noexcept override { return "too many texts wait"; }

  double seconds;  ///< estimated time until it would begin
  double limit;    ///< EngineHost::Options::most_wait
};

class EngineHost {
 public:
  struct Options {
    std::int64_t threads = 0;  ///< 0: all
    std::int64_t engines = 0;  ///< 0: one for each thread, on a GPU one
    /// WorkOptions::batch_tokens of each engine. New texts wait for the end of a step, and larger
    /// batches make longer steps. On a CPU they are no faster.
    std::int64_t batch_tokens = 2048;
    std::int64_t keep_prompts = 0;  ///< of each engine: EngineOptions::keep_prompts
    double memory =
        0;  ///< bytes for the keys and values of all texts at work; 0: half of the machine's memory
    double most_wait =
        0;  ///< seconds after which a client's texts must begin: else HostBusy; 0: any
    std::function<void(double seconds)> on_begin{};  ///< gets the waiting time of each text
    std::function<void(std::int64_t rows)> on_step{};
  };
  /// model: from for_decoding(). An Error if the system has too few threads.
  EngineHost(const Ensemble& model, const Options& options);
  /// No client may be left.
  ~EngineHost();
  EngineHost(const EngineHost&) = delete;
  EngineHost& operator=(const EngineHost&) = delete;

  struct Load {
    std::int64_t waiting = 0;        ///< texts that no engine has taken yet
    std::int64_t live = 0;           ///< texts that engines work on
    std::int64_t rows = 0;           ///< of the engines' last steps
    std::int64_t shared_tokens = 0;  ///< likewise, Engine::shared_tokens()
  };
  Load load() const;
  const Ensemble& model() const { return model_; }

 private:
  friend class HostClient;
  using Clock = std::chrono::steady_clock;

  struct Waiting {
    Request request;
    double bytes = 0;  // the most that its keys and values may take
    Clock::time_point since{};
  };
  /// The waiting texts of one client.
  struct Line {
    const void* client;
    std::deque<Waiting> waiting{};
    std::int64_t cost = 0;    // the sum
    std::int64_t credit = 0;  // cost that it may still take in this turn
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
  void end_workers();
  double bytes_of(const Request& request) const;
  // Call these with the mutex held.
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
  std::list<Line> lines_;                        // the first one has its turn
  std::unordered_map<std::int64_t, Live> live_;  // by the request's number
  std::deque<Worker> workers_;
  std::atomic<std::int64_t> waiting_ = 0;  // texts; changed with the mutex held
  std::int64_t next_name_ = 0, waiting_cost_ = 0;
  double live_bytes_ = 0;
  // The speed of the engines: the cost done, and the seconds it took. Both decay with time.
  double done_cost_ = 0, busy_seconds_ = 0;
  Clock::time_point counted_{};
  bool ends_ = false;
};

/// A client of a host, used by one thread. done() of its requests is called on that thread.
class HostClient final : public RequestRunner {
 public:
  /// check: called about twenty times a second while the client waits. Its exceptions end run().
  HostClient(EngineHost& host, std::function<void()> check)
      : host_(host), check_(std::move(check)) {}
  HostClient(const HostClient&) = delete;
  HostClient& operator=(const HostClient&) = delete;

  /// If it throws, unfinished texts leave at the engines' next steps. The first run may throw HostBusy.
  void run(std::int64_t count, const MakeRequest& make) override;
  /// For policies, which run on an engine's thread: posts a function that the client's thread calls
  /// while it waits in run().
  using Post = std::function<void(std::function<void()>)>;
  Post post() const;

 private:
  struct Mailbox {
    std::mutex mutex;
    std::condition_variable has_mail;
    std::deque<std::function<void()>> mail;

    void put(std::function<void()> what);
    /// Empty if nothing came for a while.
    std::function<void()> take();
  };

  EngineHost& host_;
  std::function<void()> check_;
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  bool has_begun_ = false;
};

}  // namespace kette
