// Learning-rate schedules; steps count from 1.
//   noam          factor * width^-0.5 * min(step^-0.5, step * warmup^-1.5)
//                 Vaswani et al. 2017, equation (3)
//   inverse_sqrt  lr * min(step / warmup, sqrt(warmup / step)): the same curve, named by its peak
//   cosine        linear warm-up to lr, then half a cosine down to lr / 10
//                 Loshchilov and Hutter 2017
//   linear        linear warm-up to lr, then a line that would be 0 one step after the last
//                 Devlin et al. 2019, appendix A.2; Bergsma et al. 2025
//   constant      linear warm-up to lr, then lr
#pragma once

#include <cstdint>

#include "tensor/enum_names.h"

namespace kette {

enum class ScheduleKind : std::uint8_t { noam, inverse_sqrt, cosine, linear, constant };
template <>
inline constexpr auto kNamesOf<ScheduleKind> =
    enum_names<ScheduleKind>({{ScheduleKind::noam, "noam"},
                              {ScheduleKind::inverse_sqrt, "inverse_sqrt"},
                              {ScheduleKind::cosine, "cosine"},
                              {ScheduleKind::linear, "linear"},
                              {ScheduleKind::constant, "constant"}});

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::noam;
  double lr = 1;               ///< the peak; for noam the factor
  std::int64_t warmup = 4000;  ///< steps
  std::int64_t width = 512;    ///< d_model, for noam; training sets the model's
  std::int64_t total_steps =
      0;  ///< where cosine and linear end; 0: not known. Training sets the run's
  /// The warm-up is at most this share of the run; 1: always `warmup` steps.
  double warmup_share = 1;
};

/// Whether the rate falls until the last step, which must be known then.
bool falls_until_end(ScheduleKind kind);
double learning_rate(const ScheduleOptions& options, std::int64_t step);
/// Throws an Error that names the steps that the kind goes by and the options lack. Not for training, which may learn
/// the length of its run as it goes.
void check_schedule(const ScheduleOptions& options);
/// The number of steps until the peak. A shorter warm-up does not change the peak.
double warmup_steps(const ScheduleOptions& options);

/// Changes the kind; warm-up and peak stay the same.
ScheduleOptions with_kind(const ScheduleOptions& options, ScheduleKind kind);

}  // namespace kette
