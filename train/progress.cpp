#include "train/progress.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// The lines of an earlier log up to `step`.
std::string kept_lines(const std::filesystem::path& log, std::int64_t step) {
  std::ifstream file(log);
  std::string kept, line;
  while (std::getline(file, line)) {
    const Json json = Json::parse(line, nullptr, false);
    const bool has_step =
        json.is_object() && json.contains("step") && json["step"].is_number_integer();
    if (has_step && json["step"].get<std::int64_t>() <= step) kept += line + "\n";
  }
  return kept;
}

}  // namespace

Progress::Progress(const std::filesystem::path& log, std::int64_t step, bool quiet)
    : name_(log.string()), status_(quiet) {
  write_file_atomically(log, step > 0 ? kept_lines(log, step) : "");
  log_.open(log, std::ios::app);
  KETTE_CHECK(log_.good(), name_, ": expected a log that can be written, given one that cannot (",
              std::strerror(errno), ")");
}

double Progress::rate(std::int64_t tokens) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_ - idle_).count();
  return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
}

void Progress::step(std::int64_t step, std::int64_t epoch, double lr, const StepResult& result,
                    double seconds_left) {
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
               {"target_tokens_per_second", target_tokens_per_second()}};
  if (result.gradient_norm > 0) json["gradient_norm"] = result.gradient_norm;
  log(json.dump());
  status_.show([&] { return status(step, epoch, lr, seconds_left); });
}

std::string Progress::status(std::int64_t step, std::int64_t epoch, double lr,
                             double seconds_left) const {
  char line[200], rates[80];
  if (source_tokens_ > 0) {
    std::snprintf(rates, sizeof rates, "%.0f source + %.0f target tokens/s",
                  source_tokens_per_second(), target_tokens_per_second());
  } else {
    std::snprintf(rates, sizeof rates, "%.0f tokens/s", target_tokens_per_second());
  }
  std::snprintf(line, sizeof line, "epoch %lld  step %lld  loss %.3f  lr %.2e  %s  %s left",
                static_cast<long long>(epoch) + 1, static_cast<long long>(step), recent_loss_, lr,
                rates, clock_time(seconds_left).c_str());
  return line;
}

void Progress::log(const std::string& json) {
  log_ << json << '\n' << std::flush;
  KETTE_CHECK(log_.good(), name_, ": expected room for all of the log, given none (",
              std::strerror(errno), "; free some space, then go on with --resume)");
}

}  // namespace kette
