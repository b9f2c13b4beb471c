// A run in stages, in each of which its texts are mixed by other weights: "1 1 0 until 60%", then "1 1 4".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/enum_names.h"

namespace kette {

/// What the end of a stage is measured in; percent of the run.
enum class StageUnit : std::uint8_t { percent, steps, epochs, minutes };
template <>
inline constexpr auto kNamesOf<StageUnit> = enum_names<StageUnit>({{StageUnit::percent, "%"},
                                                                   {StageUnit::steps, "steps"},
                                                                   {StageUnit::epochs, "epochs"},
                                                                   {StageUnit::minutes,
                                                                    "minutes"}});

/// How much of a run is done, in each of them.
struct RunDone {
  double share = 0, steps = 0, epochs = 0, minutes = 0;

  double in(StageUnit unit) const;
};

struct Stage {
  std::vector<double> weights;  ///< how often each text is drawn, in any unit; 0: never
  double until = 100;
  StageUnit unit = StageUnit::percent;

  bool lasts_to_the_end() const { return unit == StageUnit::percent && until == 100; }
  /// "60%" or "20000 steps".
  std::string end() const;
  /// As parsed.
  std::string str() const;
};

class Stages {
 public:
  Stages() = default;
  /// Of "1 1 0 until 60%", "1 1 0 until 20000 steps", ...; the last one ends with the run. Throws where that makes no sense.
  explicit Stages(const std::vector<std::string>& texts);

  bool empty() const { return stages_.empty(); }
  std::int64_t size() const { return std::ssize(stages_); }
  const Stage& operator[](std::int64_t number) const {
    return stages_[static_cast<std::size_t>(number)];
  }
  /// Whether the end of any is measured so.
  bool go_by(StageUnit unit) const;
  /// The first whose end is not reached.
  std::int64_t at(const RunDone& done) const;
  /// Throws unless each has a weight for each of so many texts.
  void check_texts(std::size_t texts) const;

 private:
  std::vector<Stage> stages_;
};

}  // namespace kette
