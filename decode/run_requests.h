// Requests of one model that are known beforehand, run by as many engines as there is work for, or by somebody else's.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "decode/engine.h"

namespace kette {

/// Makes request i, whose number is i. Called by any worker, when there is room for the request.
using MakeRequest = std::function<Request(std::int64_t i)>;

/// Runs requests among those of others, as a server does.
class RequestRunner {
 public:
  virtual ~RequestRunner() = default;
  /// Makes and runs `count` requests, and returns once all are done. Throws the first of their errors.
  virtual void run(std::int64_t count, const MakeRequest& make) = 0;
};

/// How requests are shared out and batched. The results do not depend on it.
struct WorkOptions {
  /// How much each worker has at once: the sum of the requests' costs, rows * tokens (Request::cost()). More is faster
  /// up to some hundred rows, and takes more memory.
  std::int64_t batch_tokens = 8192;
  std::int64_t threads = 0;         ///< 0: all
  Tap* tap = nullptr;               ///< looks into every pass, of several threads at once
  RequestRunner* runner = nullptr;  ///< runs the requests in place of workers of their own

  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

/// Returns once all are done. Throws the first of their errors. model: made ready for decoding. costs: of each request.
/// early: the first ones are wanted early.
void run_requests(const Ensemble& model, const WorkOptions& work,
                  const std::vector<std::int64_t>& costs, const MakeRequest& make,
                  bool early = false);

}  // namespace kette
