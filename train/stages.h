// A run in stages. Each stage mixes the texts by its own weights: "1 1 0 until 60%", then "1 1 4".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/enum_names.h"

namespace kette {

/// The unit of a stage's end. percent: of the run.
enum class StageUnit : std::uint8_t { percent, steps, epochs, minutes };
template <>
inline constexpr auto kNamesOf<StageUnit> = enum_names<StageUnit>({{StageUnit::percent, "%"},
                                                                   {StageUnit::steps, "steps"},
                                                                   {StageUnit::epochs, "epochs"},
                                                                   {StageUnit::minutes,
                                                                    "minutes"}});

/// How much of a run is done, in each unit.
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
  /// "1 1 0 until 60%"
  std::string str() const;
};

class Stages {
 public:
  Stages() = default;
  /// Parses "1 1 0 until 60%", "1 1 0 until 20000 steps", ... The last stage has no end. Throws an Error otherwise, or
  /// if ends do not increase.
  explicit Stages(const std::vector<std::string>& texts);

  bool empty() const { return stages_.empty(); }
  std::int64_t size() const { return std::ssize(stages_); }
  const Stage& operator[](std::int64_t number) const {
    return stages_[static_cast<std::size_t>(number)];
  }
  /// Whether any stage's end has this unit.
  bool go_by(StageUnit unit) const;
  /// The number of the first stage whose end is not reached.
  std::int64_t at(const RunDone& done) const;
  /// Throws an Error unless each stage has `texts` weights.
  void check_texts(std::size_t texts) const;

 private:
  std::vector<Stage> stages_;
};

}  // namespace kette
