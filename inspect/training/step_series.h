// The numbers that a run has logged by step, in log.jsonl and record.jsonl of its folder. The file of a run
// in progress can be read again as it grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/files/json_fwd.h"

namespace kette {

/// Steps increase. Numbers that were not finite are NaN.
struct Series {
  std::vector<double> steps, values;
};

class StepSeries {
 public:
  /// The file need not exist yet. Its lines are objects with a "step". Every other number in them, at any
  /// depth, has a series named by its path of keys and indices: "loss", or "heads/encoder 0/entropy/2".
  explicit StepSeries(std::filesystem::path file) : file_(std::move(file)) {}

  /// Reads the complete lines added since the last call. A step before the last one means that the
  /// run was resumed there: numbers of this step and later ones are dropped.
  void read();

  const std::filesystem::path& file() const { return file_; }
  bool empty() const { return all_.empty(); }
  double last_step() const { return last_step_; }
  const std::map<std::string, Series>& all() const { return all_; }
  /// The series of a name; empty if there is none.
  const Series& operator[](const std::string& name) const;
  /// The number of invalid lines, which a crash of the machine can leave.
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

/// A running mean of the first values, then an exponential one over about `span` values.
Series smoothed(const Series& series, double span);
/// At most `most` points: the smallest and the largest of each interval, so that no peak is lost.
Series thinned(const Series& series, std::size_t most);
/// The series whose names begin with `prefix`, by the rest of the name.
std::map<std::string, Series> below(const StepSeries& all, const std::string& prefix);

}  // namespace kette
