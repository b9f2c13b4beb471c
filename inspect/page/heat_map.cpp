#include "inspect/page/heat_map.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "inspect/page/html.h"
#include "inspect/page/labelled_map.h"
#include "tensor/error.h"

namespace kette {
namespace {

void append_big_endian(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
}

/// Length, type, content, and the CRC-32 of the two in the middle.
void append_chunk(std::string& png, const std::string& type, const std::string& content) {
  append_big_endian(png, static_cast<std::uint32_t>(content.size()));
  const std::string checked = type + content;
  png += checked;
  append_big_endian(
      png, static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                                              static_cast<uInt>(checked.size()))));
}

std::string deflated(const std::string& bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  const int status = ::compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()),
                                 static_cast<uLong>(bytes.size()), 9);
  KETTE_CHECK(status == Z_OK, "png: expected zlib to compress ", bytes.size(),
              " bytes, given error ", status);
  result.resize(size);
  return result;
}

/// Six digits of whatever size: fixed ones would make a small number 0.
std::string shortest_of(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

}  // namespace

std::string gray_png(std::int64_t rows, std::int64_t columns,
                     std::span<const std::uint8_t> pixels) {
  KETTE_CHECK(rows > 0 && columns > 0 && std::ssize(pixels) == rows * columns,
              "png: expected pixels of at least one row and column, given ", pixels.size(), " of ",
              rows, " x ", columns);
  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(columns));
  append_big_endian(header, static_cast<std::uint32_t>(rows));
  header += {8, 0, 0, 0, 0};  // bits, gray, deflate, filters of the standard, not interlaced
  std::string lines;
  for (std::int64_t row = 0; row < rows; ++row) {
    lines += '\0';  // no filter
    for (std::int64_t column = 0; column < columns; ++column) {
      lines += static_cast<char>(pixels[row * columns + column]);
    }
  }
  std::string png = "\x89PNG\r\n\x1A\n";
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", deflated(lines));
  append_chunk(png, "IEND", "");
  return png;
}

std::string base64(std::string_view bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    const std::size_t given = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < given ? static_cast<std::uint8_t>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= given ? kDigits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

std::string heat_map(const HeatMap& map) {
  std::vector<std::uint8_t> pixels;
  for (const float value : map.values) {
    const float share = value > 0 ? std::min(value / map.most, 1.0F) : 0;  // NaN is not above 0
    pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * share)));
  }
  const std::string size =
      std::to_string(map.rows) + " x " + std::to_string(map.columns) + " values";
  const auto attribute = [](const std::string& name, const std::string& value) {
    return " " + name + "=\"" + escaped(value) + "\"";
  };
  const std::string kind =
      map.wide ? "map wide\" style=\"--rows:" + std::to_string(map.rows) : std::string("map");
  return "<button type=\"button\" class=\"" + kind + "\"" + attribute("data-rows", map.row_labels) +
         attribute("data-columns", map.column_labels) +
         attribute("data-most", shortest_of(map.most)) + attribute("data-note", map.note) +
         attribute("title", map.title) + "><img" + attribute("alt", map.title + ", " + size) +
         " src=\"data:image/png;base64," + base64(gray_png(map.rows, map.columns, pixels)) +
         "\"></button>";
}

std::string titled_heat_map(const HeatMap& map) {
  return "<figure><figcaption>" + escaped(map.caption.empty() ? map.title : map.caption) +
         " <small>" + color_scale(map.most, map.unit) + "</small></figcaption>" + heat_map(map) +
         (map.axes.empty() ? "" : "<small>" + escaped(map.axes) + "</small>") + "</figure>\n";
}

}  // namespace kette
