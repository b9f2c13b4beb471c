// Runs requests that are known beforehand: on engines of this process, one for each worker, or on a
// RequestRunner.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "decode/engine.h"

namespace kette {

/// Makes request i, with number i. Called by any worker when there is room for it.
using MakeRequest = std::function<Request(std::int64_t i)>;

/// Runs requests together with those of others, as a server does.
class RequestRunner {
 public:
  virtual ~RequestRunner() = default;
  /// Makes and runs `count` requests. Returns when all are done. Throws the first of their errors.
  virtual void run(std::int64_t count, const MakeRequest& make) = 0;
};

/// How requests are distributed and batched. Results do not depend on it.
struct WorkOptions {
  /// The most rows * tokens that each worker has at once (the sum of Request::cost()). More is
  /// faster up to some hundred rows, and takes more memory.
  std::int64_t batch_tokens = 8192;
  std::int64_t threads = 0;         ///< 0: all
  Tap* tap = nullptr;               ///< observes every pass, called by several threads
  RequestRunner* runner = nullptr;  ///< runs the requests instead of own workers
  /// Called by every worker before each step. An exception ends all. A runner does not call it.
  std::function<void()> before_step{};

  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

/// Returns when all are done. Throws the first of their errors. model: from for_decoding(). costs:
/// of each request. early: finish the first requests early.
void run_requests(const Ensemble& model, const WorkOptions& work,
                  const std::vector<std::int64_t>& costs, const MakeRequest& make,
                  bool early = false);

}  // namespace kette
