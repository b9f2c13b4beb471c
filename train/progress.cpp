#include "train/progress.h"

#include <cstdio>

#include "data/files/json_text.h"

namespace kette {

Progress::Progress(const std::filesystem::path& folder, std::int64_t step, std::int64_t validated,
                   bool quiet, bool tensorboard)
    : log_(std::in_place, folder / "log.jsonl", step, validated), status_(quiet) {
  if (tensorboard) events_.emplace(folder / "tensorboard", step);
}

void Progress::log(const std::string& json) {
  if (log_) log_->write(json);
  if (events_) events_->write(Json::parse(json));
  if (Host* host = Host::current()) host->log(json);
}

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
  const double all = seconds + seconds_left;
  status_.show(
      all > 0 ? seconds / all : 0, [&] { return status(step, epoch, lr); }, seconds_left);
}

std::string Progress::status(std::int64_t step, std::int64_t epoch, double lr) const {
  char epochs[40], steps[80], rates[80], rate[40];
  std::snprintf(epochs, sizeof epochs, "epoch %lld", static_cast<long long>(epoch) + 1);
  std::snprintf(steps, sizeof steps, "step %lld  loss %.3f", static_cast<long long>(step),
                recent_loss_);
  std::snprintf(rate, sizeof rate, "lr %.2e", lr);
  const bool is_short = status_.is_in_place();
  if (source_tokens_ > 0) {
    std::snprintf(rates, sizeof rates, "%.0f%s + %.0f%s tokens/s", source_tokens_per_second(),
                  is_short ? "" : " source", target_tokens_per_second(), is_short ? "" : " target");
  } else {
    std::snprintf(rates, sizeof rates, "%.0f tokens/s", target_tokens_per_second());
  }
  std::string waited;
  if (share_) {
    char share[40];
    std::snprintf(share, sizeof share, "  %.0f %% waited, slowest ", 100 * share_->waited);
    waited = share + share_->slowest;
  }
  const std::string gap = "  ";
  if (is_short) return steps + gap + rates + gap + epochs + gap + rate + waited;
  return epochs + gap + steps + gap + rate + gap + rates + waited;
}

}  // namespace kette
