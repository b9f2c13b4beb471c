// A translation metric: how it counts and scores, and its options. data/metrics/metrics.h is the
// table of all. To add one: write its MetricConfig, and add a line to that table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/enum_names.h"

namespace kette {

using ScoreLines = std::vector<std::string_view>;
using ScoreCounts = std::vector<std::int64_t>;

/// Marks a line that a reference lacks: its data() is null, unlike that of an empty line.
inline constexpr std::string_view kNoReference{};

/// How a metric counts and scores, with all its options.
struct Metric {
  std::string name;    ///< "chrF2++"
  std::string fields;  ///< for the signature: "case:mixed|eff:yes|..."
  /// The counts of one segment of text; unset if the metric is not about text. All rows of a metric
  /// have the same length.
  std::function<ScoreCounts(const std::u32string& hypothesis,
                            const std::vector<std::u32string>& references)>
      count;
  std::function<double(const ScoreCounts& sum)> score;
  /// Details of a sum, for people; may be unset.
  std::function<std::string(const ScoreCounts& sum)> details{};
  /// The same as a JSON object; may be unset.
  std::function<nlohmann::ordered_json(const ScoreCounts& sum)> detail_values{};
  /// Whether it splits off punctuation itself; then scores of tokenised text mean something else.
  bool takes_raw_text = false;
};

/// The longest n-grams that options allow.
inline constexpr std::int64_t kLongestNgram = 100;

/// A command-line option of a metric. It points into its MetricConfig.
struct MetricOption {
  struct Whole {
    std::int64_t* value;
    std::int64_t least, most;
  };
  /// At least 0; a negative value means unset.
  using Real = double*;
  struct Choice {
    std::vector<std::string> names;
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;  ///< an unknown name is an Error
  };
  struct Text {
    std::string type;  ///< "FILE"
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;  ///< an invalid text is an Error
  };

  std::string name;  ///< "--chrf-beta"; two metrics may share an option
  std::variant<bool*, Whole, Real, Choice, Text> value;
  std::string help;
  std::string excludes{};  ///< the name of another option

  template <class Enum>
  static Choice choice(Enum& value) {
    return {all_names<Enum>(), [&value] { return enum_name(value); },
            [&value](const std::string& name) { value = enum_named<Enum>(name); }};
  }
};

/// A metric with the values of its options.
class MetricConfig {
 public:
  virtual ~MetricConfig() = default;

  /// In the order of --help.
  virtual std::vector<MetricOption> options() = 0;
  /// Copies the values of shared options from another metric, except `lowercase`.
  virtual void copy_options(const MetricConfig&) {}
  /// Throws an Error with the options that do not fit together.
  virtual void check() const {}
  /// of_sentence: for single sentences.
  virtual Metric metric(bool of_sentence = false) const = 0;
  /// The sentence score of every text with every text as its only reference: [texts, texts], a
  /// hypothesis per row.
  virtual std::vector<double> pairwise(const ScoreLines& texts) const;

  bool lowercase = false;  ///< an option of every metric

 protected:
  MetricOption lowercase_option() {
    return {"--lowercase", &lowercase, "Compare lower-cased text, which ter does anyway"};
  }
};

}  // namespace kette
