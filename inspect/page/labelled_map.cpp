#include "inspect/page/labelled_map.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "data/files/utf8.h"
#include "inspect/page/html.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kLongestLabel = 18;  // characters
constexpr double kCharacter = 7.2, kMostCell = 46, kLeastCell = 9, kCellWithNumber = 30;
constexpr double kWidestMap = 900;

/// Cut to kLongestLabel characters.
std::string label_of(const std::string& text) {
  std::size_t end = 0, count = 0;
  while (end < text.size() && (continues_utf8(text[end]) || count++ < kLongestLabel)) ++end;
  return end < text.size() ? text.substr(0, end) + "…" : text;
}

double width_of(const std::vector<std::string>& labels) {
  std::size_t most = 0;
  for (const std::string& label : labels) most = std::max(most, characters_in(label_of(label)));
  return kCharacter * static_cast<double>(most) + 8;
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + fixed(value, 1) + "\"";
}

}  // namespace

std::string color_scale(double most, const std::string& unit, bool has_negative) {
  char end[32];
  std::snprintf(end, sizeof end, "%.3g", most);
  return std::string("<span class=\"scale\">") +
         (has_negative ? "\xE2\x88\x92" + std::string(end) + " <i class=\"both\"></i> "
                       : "0 <i></i> ") +
         end + (unit.empty() ? "" : " " + escaped(unit)) + "</span>";
}

std::string labelled_map(const LabelledMap& map) {
  const std::size_t rows = map.rows.size(), columns = map.columns.size();
  KETTE_CHECK(map.values.size() == rows * columns, "heat map: expected a value for each of ", rows,
              " rows and ", columns, " columns, given ", map.values.size());
  const double cell = std::clamp(
      kWidestMap / static_cast<double>(std::max<std::size_t>(1, columns)), kLeastCell, kMostCell);
  const double height = std::min(cell, 26.0), left = width_of(map.rows),
               top = width_of(map.columns) * 0.8 + 8;
  const double width = left + cell * static_cast<double>(columns) + width_of(map.columns) * 0.6;
  const bool has_numbers = cell >= kCellWithNumber;
  std::string texts, cells;
  bool has_negative = false;
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = top + height * static_cast<double>(row);
    texts += "<text" + attribute("x", left - 6) + attribute("y", y + height / 2 + 4) +
             " text-anchor=\"end\">" + escaped(label_of(map.rows[row])) + "</text>";
    for (std::size_t column = 0; column < columns; ++column) {
      const double value = map.values[row * columns + column],
                   x = left + cell * static_cast<double>(column);
      const double share = std::isnan(value) ? 0 : std::clamp(value / map.most, -1.0, 1.0);
      has_negative = has_negative || share < 0;
      cells +=
          std::string("<rect") + (share < 0 ? " class=\"less\"" : "") + attribute("x", x) +
          attribute("y", y) + " fill-opacity=\"" + fixed(std::abs(share), 3) + "\"><title>" +
          escaped(map.rows[row] + ", " + map.columns[column] + ": " + fixed_or_dash(value, 4)) +
          "</title></rect>";
      if (!has_numbers) continue;
      texts += "<text class=\"number\"" + attribute("x", x + cell / 2) +
               attribute("y", y + height / 2 + 4) + ">" + fixed_or_dash(value, map.decimals) +
               "</text>";
    }
  }
  for (std::size_t column = 0; column < columns; ++column) {
    const std::string place =
        fixed(left + cell * (static_cast<double>(column) + 0.5), 1) + " " + fixed(top - 6, 1);
    texts += "<text transform=\"translate(" + place + ") rotate(-40)\">" +
             escaped(label_of(map.columns[column])) + "</text>";
  }
  const double whole = top + height * static_cast<double>(rows) + 2;
  return "<figure class=\"labelled\"><figcaption>" + escaped(map.title) + " <small>" +
         color_scale(map.most, map.unit, has_negative) +
         "</small></figcaption><div class=\"scroll\"><svg role=\"img\" aria-label=\"" +
         escaped(map.title) + "\" viewBox=\"0 0 " + fixed(width, 0) + " " + fixed(whole, 0) +
         "\" style=\"width:" + fixed(width, 0) +
         "px\"><g class=\"cells\" style=\"--wide:" + fixed(cell, 1) +
         "px;--high:" + fixed(height, 1) + "px\">" + cells + "</g>" + texts +
         "</svg></div></figure>\n";
}

}  // namespace kette
