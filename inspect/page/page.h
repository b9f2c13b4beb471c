// Writes all pages. A page is one HTML file. It needs no other file and no network, and tells the browser to
// refuse both. It can be read without scripts; they add tooltips, larger maps, sorted tables and zoom.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/json_fwd.h"

namespace kette {

inline constexpr std::string_view kPageStart = "<!DOCTYPE html>\n";

enum class CurveKind : std::uint8_t {
  line,
  marked,  ///< dashed, with a dot at each point; for few points
  faint    ///< behind the others; for noise around a mean
};

/// Points joined by lines. x must increase; a NaN y leaves a gap.
struct Curve {
  std::string name;  ///< unique in the chart
  std::vector<double> x, y;
  CurveKind kind = CurveKind::line;
  int color = -1;  ///< of seven colours, modulo 7; -1: by the position in the chart
  std::string
      legend{};    ///< curves with the same legend are shown and hidden together; empty: the name
  int scale = -1;  ///< the entry of the page's data "scales" with another unit for x; -1: none
};

struct Chart {
  std::string title, x_title, y_title;
  std::vector<Curve> curves;
  bool log_x = false, log_y = false;
  /// Charts of a group zoom together and hide the same curves; empty: it stands alone.
  std::string group{};
};

class Page {
 public:
  /// Plain text. lead: the first sentence, which says what was found and how to read it. about: folded at the end.
  Page(std::string title, std::string lead, std::string about = "");
  Page(const Page& other);
  Page(Page&&) noexcept;
  ~Page();

  void lead(std::string sentence) { lead_ = std::move(sentence); }
  /// A section with a heading, which the contents list; neither shows if it is the only one and has the page's
  /// title. html: not escaped; foreign text must be passed through escaped() first.
  void section(const std::string& heading, const std::string& html);
  /// The HTML of a chart, for a section.
  std::string chart(const Chart& chart);
  /// Gives scripts a value as data[key].
  void data(const std::string& key, Json value);
  /// Names of rows or columns of heat maps: data["labels"][key].
  void label(const std::string& key, const std::vector<std::string>& names);
  /// Adds a script, which runs after those of every page.
  void script(std::string_view source) { scripts_.emplace_back(source); }

  std::string str() const;

 private:
  struct Section {
    std::string heading, id, html;
  };

  std::string title_, lead_, about_;
  std::vector<Section> sections_;
  std::vector<std::string> scripts_;
  std::unique_ptr<Json> data_, charts_;
};

}  // namespace kette
