#include "train/stages.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "tensor/read_number.h"
#include "tensor/shortest.h"

namespace kette {
namespace {

/// Takes the number that leads a text; nothing where none does.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [stopped, error] = read_number(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  return number;
}

/// "60%", "20000steps", "1epoch"
void set_end(Stage& stage, const std::string& text) {
  std::string_view unit = text;
  const std::optional<double> until = take_number(unit);
  const auto& names = kNamesOf<StageUnit>;
  const auto known = std::find_if(names.begin(), names.end(), [&](const auto& entry) {
    return unit == entry.second || std::string(unit) + "s" == entry.second;
  });
  KETTE_CHECK(until && *until > 0 && known != names.end(),
              "stages: expected an end such as 60%, 20000 steps, 3 epochs or 90 minutes, given ",
              text.empty() ? "nothing" : text);
  stage.until = *until;
  stage.unit = known->first;
}

Stage parsed(const std::string& text) {
  Stage stage;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "until") {
      std::string end;
      while (words >> word) end += word;
      set_end(stage, end);
      break;
    }
    std::string_view rest = word;
    const std::optional<double> weight = take_number(rest);
    KETTE_CHECK(
        weight && rest.empty(),
        "stages: expected weights of at least 0, then until when (\"1 0.5 until 60%\"), given ",
        word, " in ", text);
    stage.weights.push_back(*weight);
  }
  KETTE_CHECK(std::any_of(stage.weights.begin(), stage.weights.end(),
                          [](double weight) { return weight > 0; }),
              "stages: expected a weight above 0 in each, given ", text.empty() ? "none" : text);
  return stage;
}

}  // namespace

double RunDone::in(StageUnit unit) const {
  switch (unit) {
    case StageUnit::percent:
      return 100 * share;
    case StageUnit::steps:
      return steps;
    case StageUnit::epochs:
      return epochs;
    case StageUnit::minutes:
      return minutes;
  }
  fail("stages: expected a known unit, given ", static_cast<int>(unit));
}

std::string Stage::end() const {
  return shortest(until) + (unit == StageUnit::percent ? "" : " ") + enum_name(unit);
}

std::string Stage::str() const {
  return joined(weights, shortest, " ") + (lasts_to_the_end() ? "" : " until " + end());
}

Stages::Stages(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    stages_.push_back(parsed(text));
    const Stage& stage = stages_.back();
    const bool is_last = stages_.size() == texts.size();
    KETTE_CHECK(!is_last || stage.lasts_to_the_end(),
                "stages: expected a last one without an end, given ", text);
    KETTE_CHECK(
        is_last || stage.unit != StageUnit::percent || stage.until < 100,
        "stages: expected an end before that of the run of each but the last (\"1 0 until 60%\"), given ",
        text);
    for (std::size_t i = 0; i + 1 < stages_.size() && !is_last; ++i) {
      KETTE_CHECK(stages_[i].unit != stage.unit || stages_[i].until < stage.until,
                  "stages: expected an end after ", stages_[i].end(),
                  ", as one before it has, given ", text);
    }
  }
}

bool Stages::go_by(StageUnit unit) const {
  return std::any_of(stages_.begin(), stages_.end(), [&](const Stage& stage) {
    return stage.unit == unit && !stage.lasts_to_the_end();
  });
}

std::int64_t Stages::at(const RunDone& done) const {
  std::int64_t number = 0;
  // Of a share the same quotient is computed where the run's length is given, and so no rounding moves an end.
  const auto is_over = [&](const Stage& stage) {
    return stage.unit == StageUnit::percent ? done.share >= stage.until / 100
                                            : done.in(stage.unit) >= stage.until;
  };
  while (number + 1 < size() && is_over((*this)[number])) ++number;
  return number;
}

void Stages::check_texts(std::size_t texts) const {
  for (const Stage& stage : stages_) {
    KETTE_CHECK(stage.weights.size() == texts, "stages: expected a weight for each of the ", texts,
                " texts, given ", stage.str());
  }
}

}  // namespace kette
