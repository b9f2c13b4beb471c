// The engines of a model that a server's clients share: whoever asks, all texts are rows of the same batches, and what
// comes out for a text is the same to the last bit as alone (decode/engine.h). Clients take turns by the cost of their
// texts, so that one with a single sentence does not wait for another's thousands.
#pragma once

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

class EngineHost {
 public:
  struct Options {
    std::int64_t threads = 0;          ///< 0: all
    std::int64_t batch_tokens = 8192;  ///< of each engine: WorkOptions::batch_tokens
  };
  /// model: made ready for decoding.
  EngineHost(const Ensemble& model, const Options& options);
  /// All clients are gone by then.
  ~EngineHost();
  EngineHost(const EngineHost&) = delete;
  EngineHost& operator=(const EngineHost&) = delete;

  struct Load {
    std::int64_t waiting = 0;       ///< texts that no engine has yet
    std::int64_t waiting_cost = 0;  ///< of those: Request::cost()
    std::int64_t live = 0;          ///< texts that engines work on
    std::int64_t rows = 0;          ///< of their last steps
    std::int64_t steps = 0;         ///< of all engines, since the beginning
  };
  Load load() const;
  const Ensemble& model() const { return model_; }

 private:
  friend class HostClient;
  /// The texts of one client that wait.
  struct Line {
    const void* client;
    std::deque<Request> waiting{};
    std::int64_t credit = 0;  // cost that it may take before the next one's turn
  };
  struct Worker {
    std::vector<std::int64_t> to_cancel{};
    std::int64_t live = 0, rows = 0;
    std::thread thread{};
  };

  /// Texts of a client; gives their names.
  std::vector<std::int64_t> submit(const void* client, std::vector<Request> requests);
  void cancel(const std::vector<std::int64_t>& names);
  void work(Worker& worker);
  std::vector<Request> take(std::int64_t room, bool idle);
  void forget(std::int64_t name);

  Ensemble model_;
  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable has_work_;
  std::list<Line> lines_;                              // whose turn it is comes first
  std::unordered_map<std::int64_t, Worker*> working_;  // on the text of this name
  std::deque<Worker> workers_;
  std::int64_t next_name_ = 0, waiting_ = 0, waiting_cost_ = 0, steps_ = 0;
  bool ends_ = false;
};

/// One who asks for texts, on a thread of its own. What done() of its requests does is done on that thread.
class HostClient final : public RequestRunner {
 public:
  /// check: called some twenty times a second while the client waits. What it throws ends run().
  HostClient(EngineHost& host, std::function<void()> check)
      : host_(host), check_(std::move(check)) {}
  HostClient(const HostClient&) = delete;
  HostClient& operator=(const HostClient&) = delete;

  /// Where it throws, what is not done leaves at the engines' next steps.
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
};

}  // namespace kette
