// The numbers that a run has noted, by step: log.jsonl and record.jsonl of its folder. A run that is
// still going is read further as it grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/files/json_fwd.h"

namespace kette {

/// Steps rise; a number that was not finite is NaN.
struct Series {
  std::vector<double> steps, values;
};

class StepSeries {
 public:
  /// A file that need not be there yet. Lines are objects with a "step". Every other number in one,
  /// however deep, has a series, named by the keys and places that lead to it: "loss", or
  /// "heads/encoder 0/entropy/2".
  explicit StepSeries(std::filesystem::path file) : file_(std::move(file)) {}

  /// Reads the whole lines that have come since the last time. A step before the last one is where
  /// the run was taken up again: what is known of it and of what came after it is forgotten.
  void read();

  const std::filesystem::path& file() const { return file_; }
  /// A step that nothing was noted of yet has none.
  bool empty() const { return all_.empty(); }
  double last_step() const { return last_step_; }
  const std::map<std::string, Series>& all() const { return all_; }
  /// An empty one if there is none of that name.
  const Series& operator[](const std::string& name) const;
  /// Lines that were no such object, as a crash of the machine can leave them.
  std::int64_t skipped() const { return skipped_; }

 private:
  void add_line(const std::string& line);
  void add(const std::string& name, const Json& value);
  void forget_from(double step);

  std::filesystem::path file_;
  std::uintmax_t read_bytes_ = 0;
  double last_step_ = 0;
  std::int64_t skipped_ = 0;
  std::map<std::string, Series> all_;
};

/// The mean of the values so far, each counting less the more steps lie between: of about `span` of them.
Series smoothed(const Series& series, double span);
/// At most `most` points: of each stretch the smallest and the largest, so that no peak is lost.
Series thinned(const Series& series, std::size_t most);
/// "loss" of `all`: those whose names begin so, by what follows.
std::map<std::string, Series> below(const StepSeries& all, const std::string& prefix);

}  // namespace kette
