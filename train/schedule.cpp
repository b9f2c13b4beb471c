#include "train/schedule.h"

#include <algorithm>
#include <cmath>

#include "tensor/error.h"

namespace kette {

double warmup_steps(const ScheduleOptions& options) {
  const double steps = static_cast<double>(std::max<std::int64_t>(1, options.warmup));
  if (options.warmup_share >= 1 || options.total_steps == 0) return steps;
  return std::clamp(options.warmup_share * static_cast<double>(options.total_steps), 1.0, steps);
}

bool falls_until_end(ScheduleKind kind) {
  return kind == ScheduleKind::cosine || kind == ScheduleKind::linear;
}

double learning_rate(const ScheduleOptions& options, std::int64_t step) {
  KETTE_CHECK(step >= 1, "learning_rate: expected a step of at least 1, given ", step);
  const double t = static_cast<double>(step);
  const double warmup = warmup_steps(options);
  const double rise = std::min(1.0, t / warmup);
  switch (options.kind) {
    case ScheduleKind::noam: {
      const double given = static_cast<double>(std::max<std::int64_t>(1, options.warmup));
      return options.lr / std::sqrt(static_cast<double>(options.width)) *
             std::sqrt(warmup / given) *
             std::min(1 / std::sqrt(t), t / (warmup * std::sqrt(warmup)));
    }
    case ScheduleKind::inverse_sqrt:
      return options.lr * std::min(rise, std::sqrt(warmup / t));
    case ScheduleKind::cosine: {
      if (t <= warmup) return options.lr * rise;
      const double span = std::max(1.0, static_cast<double>(options.total_steps) - warmup);
      const double progress = std::min(1.0, (t - warmup) / span);
      constexpr double kPi = 3.14159265358979323846, kFloor = 0.1;
      return options.lr * (kFloor + (1 - kFloor) * 0.5 * (1 + std::cos(kPi * progress)));
    }
    case ScheduleKind::linear: {
      if (t <= warmup) return options.lr * rise;
      const double after_last = static_cast<double>(options.total_steps) + 1;
      return options.lr * std::max(0.0, after_last - t) / std::max(1.0, after_last - warmup);
    }
    case ScheduleKind::constant:
      return options.lr * rise;
  }
  return 0;
}

void check_schedule(const ScheduleOptions& options) {
  const bool goes_by_warmup =
      options.kind == ScheduleKind::noam || options.kind == ScheduleKind::inverse_sqrt;
  KETTE_CHECK(!goes_by_warmup || options.warmup >= 1,
              "warmup: expected at least 1 step, from which ", enum_name(options.kind),
              " falls, given ", options.warmup);
  KETTE_CHECK(!falls_until_end(options.kind) || options.total_steps > options.warmup,
              "total_steps: expected more than the ", options.warmup,
              " steps of the warm-up, for there ", enum_name(options.kind), " ends, given ",
              options.total_steps);
}

ScheduleOptions with_kind(const ScheduleOptions& options, ScheduleKind kind) {
  if (kind == options.kind) return options;  // with all of its digits
  // What noam's factor is divided by at the peak.
  const double divisor =
      std::sqrt(static_cast<double>(options.width) * static_cast<double>(options.warmup));
  ScheduleOptions other = options;
  other.kind = kind;
  if (options.kind == ScheduleKind::noam) other.lr /= divisor;
  if (kind == ScheduleKind::noam) other.lr *= divisor;
  return other;
}

}  // namespace kette
