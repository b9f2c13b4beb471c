#include "train/progress.h"

#include <cstdio>

#include "data/files/json_text.h"

namespace kette {
double Progress::rate(std::int64_t tokens) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_ - idle_).count();
  return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
}

void Progress::step(std::int64_t step, std::int64_t epoch, double lr, const StepResult& result,
                    double seconds, double seconds_left) {
  ++steps_;
  source_tokens_ += result.source_tokens;
  target_tokens_ += result.target_tokens;
  // A mean over the first steps, then an exponential one over about a hundred.
  const double weight = std::max(0.01, 1.0 / static_cast<double>(steps_));
  recent_loss_ += weight * (result.loss - recent_loss_);
  Json json = {{"step", step},
               {"epoch", epoch},
               {"loss", result.loss},
               {"nll", result.negative_log_likelihood},
               {"lr", lr},
               {"source_tokens", result.source_tokens},
               {"target_tokens", result.target_tokens},
               {"target_tokens_per_second", target_tokens_per_second()},
               {"seconds", seconds}};
  if (result.gradient_norm > 0) json["gradient_norm"] = result.gradient_norm;
  if (share_) {
    json["processes"] = share_->processes;
    json["waited"] = share_->waited;
    json["slowest"] = share_->slowest;
  }
  log(json.dump());
  status_.show([&] { return status(step, epoch, lr, seconds_left); });
}

std::string Progress::status(std::int64_t step, std::int64_t epoch, double lr,
                             double seconds_left) const {
  char line[200], rates[80];
  std::string waited;
  if (share_) {
    std::snprintf(line, sizeof line, "  %.0f %% waited, slowest %s", 100 * share_->waited,
                  share_->slowest.c_str());
    waited = line;
  }
  if (source_tokens_ > 0) {
    std::snprintf(rates, sizeof rates, "%.0f source + %.0f target tokens/s",
                  source_tokens_per_second(), target_tokens_per_second());
  } else {
    std::snprintf(rates, sizeof rates, "%.0f tokens/s", target_tokens_per_second());
  }
  std::snprintf(line, sizeof line, "epoch %lld  step %lld  loss %.3f  lr %.2e  %s",
                static_cast<long long>(epoch) + 1, static_cast<long long>(step), recent_loss_, lr,
                rates);
  return line + waited + "  " + clock_time(seconds_left) + " left";
}

}  // namespace kette
