#include "inspect/page/html.h"

#include <cstdio>

#include "data/files/utf8.h"
#include "tensor/error.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

std::string escaped_character(char32_t code_point, std::string_view bytes) {
  switch (code_point) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\n':
      return "&#10;";
    default:
      break;
  }
  if (code_point < 0x20) return "&#" + std::to_string(0x2400 + static_cast<int>(code_point)) + ";";
  if (code_point == 0x7F) return "&#" + std::to_string(0x2421) + ";";
  return std::string(bytes);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = utf8_character(text, at);
    if (character.bytes == 0) {
      result += "\xEF\xBF\xBD";
      ++at;
      continue;
    }
    result += escaped_character(character.code_point, text.substr(at, character.bytes));
    at += character.bytes;
  }
  return result;
}

std::string caption(const std::string& text) {
  return "<caption class=\"heard\">" + escaped(text) + "</caption>";
}

std::string folded(const std::string& summary, const std::string& html) {
  return "<details><summary>" + escaped(summary) + "</summary>\n" + html + "</details>\n";
}

std::string note(const std::string& html) { return "<p class=\"note\">" + html + "</p>\n"; }

std::string fixed(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  const std::string text = buffer;
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1)
                                                                              : text;
}

std::string with_sign(double value, int decimals) {
  const std::string text = fixed(value, decimals);
  return (text[0] == '-' ? "" : "+") + text;
}

std::string fixed(const std::vector<double>& values, int decimals) {
  return joined(values, [decimals](double value) { return fixed(value, decimals); });
}

std::string HtmlTable::of_cells(const std::vector<Cell>& cells) const {
  KETTE_CHECK(cells.size() == columns_.size(), "HtmlTable: expected ", columns_.size(),
              " cells, given ", cells.size());
  std::string html;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    html += columns_[i].is_number ? "<td class=\"number" : "<td class=\"text";
    if (!std::isnan(cell.balance)) {
      html += std::string(cell.balance < 0 ? " bar less" : " bar more") +
              "\" style=\"--share:" + fixed(50 * std::min(1.0, std::abs(cell.balance)), 1) + "%";
    } else if (cell.share >= 0) {
      html += " bar\" style=\"--share:" + fixed(100 * cell.share, 1) + "%";
    }
    html += "\">" + (cell.is_html ? cell.text : escaped(cell.text)) + "</td>";
  }
  return html + "</tr>\n";
}

void HtmlTable::row(const std::vector<Cell>& cells, const std::string& id) {
  rows_ += (id.empty() ? "<tr>" : "<tr id=\"" + escaped(id) + "\">") + of_cells(cells);
}

std::string fixed_or_dash(double value, int decimals) {
  return std::isnan(value) ? "\xE2\x80\x93" : fixed(value, decimals);
}

void HtmlTable::footer(const std::vector<Cell>& cells) { footer_ += "<tr>" + of_cells(cells); }

std::string HtmlTable::str() const {
  std::string head;
  for (const Column& column : columns_) {
    head += std::string("<th scope=\"col\"") + (column.is_number ? " class=\"number\"" : "") +
            (column.help.empty() ? "" : " title=\"" + escaped(column.help) + "\"") + ">" +
            escaped(column.title) + "</th>";
  }
  return "<div class=\"scroll\"><table class=\"sortable\">" + caption(caption_) + "<thead><tr>" +
         head + "</tr></thead><tbody>\n" + rows_ + "</tbody>" +
         (footer_.empty() ? "" : "<tfoot>\n" + footer_ + "</tfoot>") + "</table></div>\n" +
         meanings();
}

std::string HtmlTable::meanings() const {
  std::string list;
  for (const Column& column : columns_) {
    if (column.help.empty()) continue;
    list +=
        "<div><dt>" + escaped(column.title) + "</dt><dd>" + escaped(column.help) + "</dd></div>";
  }
  return list.empty() ? ""
                      : folded("What the columns mean", "<dl class=\"meanings\">" + list + "</dl>");
}

}  // namespace kette
