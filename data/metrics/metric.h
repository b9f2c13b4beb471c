// A metric of translations: how it counts and scores, and the options that it takes. The table of them is
// data/metrics/metrics.h. To add one: a file with its MetricConfig, and a line in that table.
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

/// Stands in a reference for a line that it does not have: its data() is null, which that of an empty line never is.
inline constexpr std::string_view kNoReference{};

/// How a metric counts and scores, with all its options.
struct Metric {
  std::string name;    ///< "chrF2++"
  std::string fields;  ///< of the signature: "case:mixed|eff:yes|..."
  /// The counts of one segment of text; empty where it is of something else. All rows of one metric have the same length.
  std::function<ScoreCounts(const std::u32string& hypothesis,
                            const std::vector<std::u32string>& references)>
      count;
  std::function<double(const ScoreCounts& sum)> score;
  /// What else there is to say of a sum, for people; may be empty.
  std::function<std::string(const ScoreCounts& sum)> details{};
  /// The same as keys of JSON, each with a value; may be empty.
  std::function<nlohmann::ordered_json(const ScoreCounts& sum)> detail_values{};
  /// Whether it sets punctuation apart itself: of text that was tokenised before it says something else.
  bool takes_raw_text = false;
};

/// Of n-grams that --help lets anybody ask for.
inline constexpr std::int64_t kLongestNgram = 100;

/// An option of a metric as command lines know it. It points into its MetricConfig.
struct MetricOption {
  struct Whole {
    std::int64_t* value;
    std::int64_t least, most;
  };
  /// At least 0; a value below is none.
  using Real = double*;
  struct Choice {
    std::vector<std::string> names;
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;  ///< an unknown name is an Error
  };
  struct Text {
    std::string type;  ///< "FILE"
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;  ///< what makes no sense is an Error
  };

  std::string name;  ///< "--chrf-beta"; of two metrics it is the same option
  std::variant<bool*, Whole, Real, Choice, Text> value;
  std::string help;
  std::string excludes{};  ///< the name of another option

  template <class Enum>
  static Choice choice(Enum& value) {
    return {all_names<Enum>(), [&value] { return enum_name(value); },
            [&value](const std::string& name) { value = enum_named<Enum>(name); }};
  }
};

/// A metric, with values of its options.
class MetricConfig {
 public:
  virtual ~MetricConfig() = default;

  /// In the order that help lists them.
  virtual std::vector<MetricOption> options() = 0;
  /// Takes the values that another metric has of the same options, but for `lowercase`.
  virtual void copy_options(const MetricConfig&) {}
  /// Throws an Error that names the options that do not go together.
  virtual void check() const {}
  /// of_sentence: as of a sentence by itself.
  virtual Metric metric(bool of_sentence = false) const = 0;
  /// The score of every text, as a sentence, beside every other as its only reference: [texts, texts], a hypothesis a row.
  virtual std::vector<double> pairwise(const ScoreLines& texts) const;

  bool lowercase = false;  ///< an option of every metric

 protected:
  MetricOption lowercase_option() {
    return {"--lowercase", &lowercase, "Compare lower-cased text, which ter does anyway"};
  }
};

}  // namespace kette
