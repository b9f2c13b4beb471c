#include "inspect/passes/patching.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "autograd/ops/embedding.h"
#include "inspect/page/html.h"
#include "inspect/passes/logit_lens.h"

namespace kette {
namespace {

Batch copies_of(const Batch& one, std::int64_t count) {
  Batch all;
  std::vector<std::int64_t> sources, targets;
  for (std::int64_t i = 0; i < count; ++i) {
    all.source.insert(all.source.end(), one.source.begin(), one.source.end());
    all.target_in.insert(all.target_in.end(), one.target_in.begin(), one.target_in.end());
    sources.push_back(std::ssize(one.source));
    targets.push_back(std::ssize(one.target_in));
  }
  if (!one.source.empty()) all.source_segments = Segments::from_lengths(sources);
  all.target_segments = Segments::from_lengths(targets);
  return all;
}

/// The batch of one prompt, up to the word that is predicted.
Batch batch_of(const AutoregressiveModel& model, const std::vector<std::int32_t>& prompt,
               const std::vector<std::int32_t>& prefix) {
  return model.has_encoder() ? one_sentence(model, prompt, prefix)
                             : one_sentence(model, {}, prompt);
}

/// Rows of all copies in one pass, so that memory does not grow with the number of patches.
constexpr std::int64_t kRowsAtOnce = 4096;

/// Puts recorded values into the copies of a pass: patch i into copy i.
class Patching final : public Tap {
 public:
  Patching(const std::vector<Patch>& patches, const Activations& activations)
      : patches_(patches), activations_(activations) {
    for (const Patch& patch : patches) points_.insert(patch.point);
  }
  bool wants(const std::string& point) const override { return points_.contains(point); }

  Variable at(const std::string& point, const Variable& value) override {
    const Tensor donor = activations_[point].to(Device{});
    const Tensor result = value.value().to(Device{}).clone();
    const std::int64_t rows = donor.rows(), width = donor.width();
    const std::size_t element = size_of(donor.dtype());
    for (std::size_t copy = 0; copy < patches_.size(); ++copy) {
      const Patch& patch = patches_[copy];
      if (patch.point != point) continue;
      const std::int64_t columns = patch.columns > 0 ? patch.columns : width;
      const std::int64_t begin = patch.row < 0 ? 0 : patch.row,
                         end = patch.row < 0 ? rows : begin + 1;
      for (std::int64_t row = begin; row < end; ++row) {
        const auto from = static_cast<std::size_t>(row * width + patch.first_column);
        const std::size_t to = copy * static_cast<std::size_t>(rows * width) + from;
        std::memcpy(static_cast<char*>(result.raw()) + to * element,
                    static_cast<const char*>(donor.raw()) + from * element,
                    static_cast<std::size_t>(columns) * element);
      }
    }
    return result.to(value.value().device());
  }

 private:
  const std::vector<Patch>& patches_;
  const Activations& activations_;
  std::set<std::string> points_;
};

/// The logit difference of each sequence, in its last row. Only this row's logits are computed.
std::vector<double> odds(const AutoregressiveModel& model, const Batch& batch, Run& run,
                         const PromptPair& pair) {
  const Segments& targets = batch.target_segments;
  std::vector<std::int32_t> last;
  for (std::int64_t i = 0; i < targets.count(); ++i) {
    last.push_back(static_cast<std::int32_t>(targets.end(i) - 1));
  }
  const Variable states = embedding(model.states(batch, run), Tensor::from(last));
  const Tensor logits = model.logits(states, run).value();
  std::vector<double> result;
  for (std::int64_t i = 0; i < targets.count(); ++i) {
    const std::vector<double> row = logits.slice(i, i + 1).values<double>();
    result.push_back(row[pair.clean_answer] - row[pair.corrupted_answer]);
  }
  return result;
}

/// The 97.5 % quantile of Student's t distribution (Abramowitz and Stegun 1964, 26.7.5; from 3 degrees of freedom).
double quantile_of_t(double degrees) {
  if (degrees < 3) return degrees < 2 ? 12.706 : 4.303;
  constexpr double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * degrees) + (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees * degrees * degrees);
}

/// Mean over the words of one pair that have one role. Words of one sentence are not independent.
struct RowMean {
  double sum = 0, count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double mean() const { return sum / count; }
};

/// Sums over pairs, for the mean and its interval.
struct PairSums {
  double sum = 0, squares = 0;
  std::int64_t count = 0;

  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  MeanOfPairs mean() const {
    const auto n = static_cast<double>(count);
    const double mean = sum / n;
    if (count < 2) return {mean, std::numeric_limits<double>::quiet_NaN(), count};
    const double variance = std::max(0.0, (squares - n * mean * mean) / (n - 1));
    return {mean, quantile_of_t(n - 1) * std::sqrt(variance / n), count};
  }
};

/// The role of row `row` of a prompt.
std::string role_of(const PromptPair& pair, std::int64_t row) {
  const auto length = std::ssize(pair.clean);
  if (row >= length) return "end mark";
  std::int64_t before = 0, all = 0;  // positions that differ
  for (std::int64_t i = 0; i < length; ++i) {
    before += i < row && pair.differs(i);
    all += pair.differs(i);
  }
  if (pair.differs(row)) {
    return all == 1 ? "differs" : "differs (" + std::to_string(before + 1) + ".)";
  }
  return before == 0 ? "before" : before == all ? "after" : "between";
}

/// Sorts roles by their usual place in a text.
std::size_t place_of_role(const std::string& role) {
  static const std::vector<std::string> order = {
      "before",       "differs", "differs (1.)", "between", "differs (2.)",
      "differs (3.)", "after",   "end mark",     "prefix",  "last"};
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), role) - order.begin());
}

/// One patch for each level and row of a side, with the role of the row.
struct Places {
  std::vector<Patch> patches;
  std::vector<std::tuple<Side, std::int64_t, std::string>> what;

  void add(const AutoregressiveModel& model, Side side, std::int64_t rows,
           const std::function<std::string(std::int64_t)>& role) {
    const auto levels = std::ssize(side == Side::source ? model.encoder() : model.decoder());
    for (std::int64_t level = 0; level <= levels; ++level) {
      for (std::int64_t row = 0; row < rows; ++row) {
        patches.push_back({level_point(model, side, level), row});
        what.emplace_back(side, level, role(row));
      }
    }
  }
};

Places places_of(const AutoregressiveModel& model, const PromptPair& pair) {
  Places places;
  const auto of_text = [&](std::int64_t row) { return role_of(pair, row); };
  const auto length = std::ssize(pair.clean);
  if (!model.has_encoder()) {
    places.add(model, Side::target, length, [&](std::int64_t row) {
      return row + 1 == length && !pair.differs(row) ? "last" : of_text(row);
    });
    return places;
  }
  places.add(model, Side::source, length + 1, of_text);
  const auto last = std::ssize(pair.prefix);
  places.add(model, Side::target, last + 1,
             [&](std::int64_t row) { return row == last ? "last" : "prefix"; });
  return places;
}

}  // namespace

std::string MeanOfPairs::str(const char* plus_minus) const {
  const std::string text = fixed(mean, 3);
  return pairs < 2 ? text : text + " " + plus_minus + " " + fixed(half_width, 3);
}

PatchedOdds patched_odds(const AutoregressiveModel& model, const PromptPair& pair,
                         const std::vector<Patch>& patches) {
  KETTE_CHECK(pair.clean.size() == pair.corrupted.size() && !pair.clean.empty(),
              "patching: expected two texts of as many tokens, given ", pair.clean.size(), " and ",
              pair.corrupted.size());
  std::set<std::string> points;
  for (const Patch& patch : patches) points.insert(patch.point);
  Activations activations([&](const std::string& point) { return points.contains(point); });
  const auto pass = [&](const Batch& batch, Tap* tap) {
    Run run(tap);
    return odds(model, batch, run, pair);
  };
  const Batch corrupted = batch_of(model, pair.corrupted, pair.prefix);
  PatchedOdds result;
  result.clean = pass(batch_of(model, pair.clean, pair.prefix), &activations).front();
  result.corrupted = pass(corrupted, nullptr).front();
  if (patches.empty()) return result;
  const std::int64_t rows = corrupted.source_segments.rows() + corrupted.target_segments.rows(),
                     at_once = std::max<std::int64_t>(1, kRowsAtOnce / rows);
  for (auto begin = patches.begin(); begin != patches.end();) {
    const auto end = begin + std::min<std::int64_t>(at_once, patches.end() - begin);
    const std::vector<Patch> part(begin, end);
    Patching tap(part, activations);
    const std::vector<double> found = pass(copies_of(corrupted, std::ssize(part)), &tap);
    result.patched.insert(result.patched.end(), found.begin(), found.end());
    begin = end;
  }
  return result;
}

PatchStudy study_patches(const AutoregressiveModel& model, const std::vector<PromptPair>& pairs,
                         const PatchProgress& progress) {
  PatchStudy study;
  study.attentions = attentions_of(model);
  const std::vector<Head> heads = heads_of(study.attentions);
  std::map<std::tuple<Side, std::size_t, std::string>, std::vector<PairSums>>
      of_places;  // by level
  std::vector<PairSums> of_heads(heads.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PromptPair& pair = pairs[i];
    Places places = places_of(model, pair);
    const std::size_t rows = places.patches.size();
    for (const Head& head : heads) {
      const AttentionPart& part = study.attentions[head.attention];
      const std::int64_t width = part.head_width;
      places.patches.push_back({points::heads(part.path), -1, head.head * width, width});
    }
    const PatchedOdds odds = patched_odds(model, pair, places.patches);
    if (progress) progress(static_cast<std::int64_t>(i) + 1, std::ssize(pairs));
    if (!(odds.clean > 0 && odds.corrupted < 0)) {
      ++study.wrong;
      continue;
    }
    std::map<std::tuple<Side, std::int64_t, std::string>, RowMean> of_pair;
    for (std::size_t place = 0; place < rows; ++place) {
      of_pair[places.what[place]].add(odds.recovered(place));
    }
    for (const auto& [what, words] : of_pair) {
      const auto& [side, level, role] = what;
      std::vector<PairSums>& levels = of_places[{side, place_of_role(role), role}];
      if (level >= std::ssize(levels)) levels.resize(static_cast<std::size_t>(level) + 1);
      levels[level].add(words.mean());
    }
    for (std::size_t head = 0; head < heads.size(); ++head) {
      of_heads[head].add(odds.recovered(rows + head));
    }
    if (study.pairs++ > 0) continue;
    study.example = pair;
    const Side side = model.has_encoder() ? Side::source : Side::target;
    for (std::size_t place = 0; place < rows; ++place) {
      const auto& [of_side, level, role] = places.what[place];
      if (of_side != side) continue;
      if (level >= std::ssize(study.example_grid)) study.example_grid.emplace_back();
      study.example_grid[level].push_back(odds.recovered(place));
    }
  }
  KETTE_CHECK(study.pairs > 0, "patching: expected pairs of which the model has both words right, ",
              "given ", pairs.size(), " of which it has none");
  for (const auto& [what, levels] : of_places) {
    study.places.push_back({std::get<0>(what), std::get<2>(what), {}});
    for (const PairSums& sums : levels) study.places.back().recovered.push_back(sums.mean());
  }
  for (std::size_t head = 0; head < heads.size(); ++head) {
    study.heads.push_back({heads[head], of_heads[head].mean()});
  }
  return study;
}

}  // namespace kette
