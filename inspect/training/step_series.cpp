#include "inspect/training/step_series.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "data/files/json_text.h"

namespace kette {

void StepSeries::read() {
  std::error_code absent;
  const std::uintmax_t size = std::filesystem::file_size(file_, absent);
  if (absent && !std::filesystem::exists(file_)) return;
  KETTE_CHECK(!absent, file_.string(), ": expected a file of JSON lines, given none (",
              absent.message(), ")");
  if (size < read_bytes_) *this = StepSeries(file_);  // another run has begun there
  std::ifstream file(file_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(read_bytes_));
  KETTE_CHECK(file.good(), file_.string(),
              ": expected a file that can be read, given one that cannot (", std::strerror(errno),
              ")");
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) break;  // without its end, it is still being written, or was cut off
    read_bytes_ += line.size() + 1;
    add_line(line);
  }
  KETTE_CHECK(!file.bad(), file_.string(), ": expected a file that can be read, given an error (",
              std::strerror(errno), ")");
}

void StepSeries::add_line(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  const bool has_step =
      json.is_object() && json.contains("step") && json["step"].is_number_integer();
  if (!has_step) {
    ++skipped_;
    return;
  }
  const auto step = json["step"].get<double>();
  if (step < last_step_) forget_from(step);
  last_step_ = step;
  for (const auto& [key, value] : json.items()) {
    if (key != "step") add(key, value);
  }
}

void StepSeries::add(const std::string& name, const Json& value) {
  if (value.is_structured()) {
    for (const auto& [key, inner] : value.items()) add(name + "/" + key, inner);
  }
  if (!value.is_number() && !value.is_null()) return;
  Series& series = all_[name];
  if (series.steps.empty() || series.steps.back() < last_step_) {
    series.steps.push_back(last_step_);
    series.values.push_back(0);
  }
  series.values.back() =
      value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

void StepSeries::forget_from(double step) {
  for (auto& [name, series] : all_) {
    const auto first = std::lower_bound(series.steps.begin(), series.steps.end(), step);
    series.values.resize(static_cast<std::size_t>(first - series.steps.begin()));
    series.steps.erase(first, series.steps.end());
  }
}

const Series& StepSeries::operator[](const std::string& name) const {
  static const Series none;
  const auto found = all_.find(name);
  return found == all_.end() ? none : found->second;
}

Series smoothed(const Series& series, double span) {
  Series result;
  result.steps = series.steps;
  double mean = 0, count = 0;
  for (const double value : series.values) {
    if (std::isfinite(value)) {
      // A mean over the first ones, then an exponential one, as the progress line has it.
      count = std::min(count + 1, span);
      mean += (value - mean) / count;
    }
    result.values.push_back(std::isfinite(value) ? mean : value);
  }
  return result;
}

Series thinned(const Series& series, std::size_t most) {
  const std::size_t size = series.steps.size(), stretches = std::max<std::size_t>(1, most / 2);
  if (size <= most) return series;
  Series result;
  const auto keep = [&](std::size_t at) {
    result.steps.push_back(series.steps[at]);
    result.values.push_back(series.values[at]);
  };
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto begin = series.values.begin() + static_cast<std::ptrdiff_t>(size * i / stretches);
    const auto end =
        series.values.begin() + static_cast<std::ptrdiff_t>(size * (i + 1) / stretches);
    const auto by_value = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
    const auto [low, high] = std::minmax_element(begin, end, by_value);
    keep(static_cast<std::size_t>(std::min(low, high) - series.values.begin()));
    if (low != high) keep(static_cast<std::size_t>(std::max(low, high) - series.values.begin()));
  }
  return result;
}

std::map<std::string, Series> below(const StepSeries& all, const std::string& prefix) {
  std::map<std::string, Series> found;
  for (const auto& [name, series] : all.all()) {
    if (name.starts_with(prefix)) found[name.substr(prefix.size())] = series;
  }
  return found;
}

}  // namespace kette
