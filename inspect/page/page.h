// The one writer of all pages to look at. A page is one HTML file that needs no other file and no network (it
// tells the browser to refuse both) and can be read without its scripts, which add what paper
// cannot: numbers under the pointer, larger maps, sorted tables, curves to zoom into.
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
  marked,  ///< dashed, with a dot at each point: for points that are few
  faint    ///< behind the others: the noise that another is the mean of
};

/// Points joined by lines. x rises; a y that is NaN leaves a gap.
struct Curve {
  std::string name;  ///< unlike that of any other curve of the chart
  std::vector<double> x, y;
  CurveKind kind = CurveKind::line;
  int color = -1;        ///< one of seven, and again from the first; -1: by the place in the chart
  std::string legend{};  ///< what the curve is shown and hidden with; empty: its name
  int scale = -1;        ///< which of the page's data "scales" says what else x is; -1: none
};

struct Chart {
  std::string title, x_title, y_title;
  std::vector<Curve> curves;
  bool log_x = false, log_y = false;
  std::string group{};  ///< charts of one group are zoomed together, and hide the same curves
};

class Page {
 public:
  /// lead: a sentence or two below the title, plain text.
  Page(std::string title, std::string lead);
  Page(const Page& other);
  Page(Page&&) noexcept;
  ~Page();

  /// A part with a heading, which the list of contents names. html: as it is; what comes from
  /// outside must have been through escaped().
  void section(const std::string& heading, const std::string& html);
  /// The drawing of some curves, for a section.
  std::string chart(const Chart& chart);
  /// Something that scripts know as data[key].
  void data(const std::string& key, Json value);
  /// Names of the rows or columns of maps, which are data["labels"][key].
  void label(const std::string& key, const std::vector<std::string>& names);
  /// For scripts that more than the page itself needs; runs after those of every page.
  void script(std::string_view source) { scripts_.emplace_back(source); }

  std::string str() const;

 private:
  std::string title_, lead_, contents_, sections_;
  std::vector<std::string> scripts_;
  std::unique_ptr<Json> data_, charts_;
};

}  // namespace kette
