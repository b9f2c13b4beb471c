#include "inspect/passes/token_drawings.h"

#include <algorithm>
#include <cmath>

#include "data/files/unicode.h"
#include "data/files/visible_text.h"
#include "inspect/page/html.h"

namespace kette {
namespace {

/// About what a monospaced text of this size takes, in pixels.
double width_of(const std::string& text) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  return 8.0 * static_cast<double>(characters) + 14;
}

std::string number(double value) { return fixed(value, 1); }

/// A group, as scripts make buttons of its words.
std::string svg(double width, double height, const std::string& label, const std::string& content) {
  return "<div class=\"scroll\"><svg class=\"tokens\" width=\"" + number(width) + "\" height=\"" +
         number(height) + "\" viewBox=\"0 0 " + number(width) + " " + number(height) +
         "\" role=\"group\" aria-label=\"" + escaped(label) + "\">" + content + "</svg></div>\n";
}

std::string box(double x, double y, double width, const std::string& classes,
                const std::string& text, const std::string& help, double shade) {
  return "<g class=\"" + classes + "\"><title>" + escaped(help) + "</title><rect x=\"" + number(x) +
         "\" y=\"" + number(y) + "\" width=\"" + number(width) +
         "\" height=\"22\" rx=\"3\" style=\"--shade:" + fixed(shade, 2) + "\"/><text x=\"" +
         number(x + width / 2) + "\" y=\"" + number(y + 15.5) + "\" text-anchor=\"middle\">" +
         escaped(text) + "</text></g>";
}

std::string link(double x0, double y0, double x1, double y1, bool across,
                 const std::string& classes) {
  const double bend = across ? (x1 - x0) / 2 : (y1 - y0) / 2;
  const double dx = across ? bend : 0, dy = across ? 0 : bend;
  return "<path class=\"" + classes + "\" d=\"M" + number(x0) + " " + number(y0) + "C" +
         number(x0 + dx) + " " + number(y0 + dy) + " " + number(x1 - dx) + " " + number(y1 - dy) +
         " " + number(x1) + " " + number(y1) + "\"/>";
}

}  // namespace

std::string shown_piece(const std::string& piece) {
  if (piece.empty()) return "(end)";
  std::string shown;
  for (const char c : piece) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      shown += encode_utf8(U"\u2423");
    } else if (c == '\n') {
      shown += encode_utf8(U"\u21B5");
    } else if (byte < 0x20 || byte == 0x7F) {
      shown += encode_utf8(std::u32string(1, byte == 0x7F ? U'\u2421' : U'\u2400' + byte));
    } else {
      shown += c;
    }
  }
  return visible(shown);
}

std::string alignment_drawing(const std::vector<std::string>& source,
                              const std::vector<std::string>& target,
                              const std::vector<std::int64_t>& aligned,
                              const std::vector<double>& shade) {
  constexpr double kGap = 6, kLower = 92;
  std::string lines, boxes;
  std::vector<double> middles;
  double right = 0, x = 1;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const double width = width_of(source[i]);
    boxes += box(x, 1, width, "token", source[i], source[i], 0);
    middles.push_back(x + width / 2);
    x += width + kGap;
  }
  right = x;
  x = 1;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double width = width_of(target[i]), middle = x + width / 2;
    const bool is_aligned = i < aligned.size() && aligned[i] >= 0;
    const std::string from = is_aligned ? ", from " + source[aligned[i]] : "";
    boxes += box(x, kLower, width, "token said", target[i],
                 target[i] + from + ", P " + fixed(shade[i], 3), shade[i]);
    if (is_aligned) lines += link(middles[aligned[i]], 23, middle, kLower, false, "aligned");
    x += width + kGap;
  }
  return svg(std::max(right, x), kLower + 24, "alignment of source and target", lines + boxes);
}

std::string beam_drawing(const Explanation& e) {
  constexpr double kRow = 28, kGap = 30;
  std::string links, boxes;
  std::vector<double> before;  // the right edges of the step before
  double x = 1, height = 0;
  for (const auto& step : e.beam.steps) {
    double widest = 0;
    std::vector<double> edges;
    for (const BeamBranch& branch : step) {
      widest = std::max(widest, width_of(shown_piece(e.piece(branch.token))));
    }
    for (std::size_t place = 0; place < step.size(); ++place) {
      const BeamBranch& branch = step[place];
      const double y = 1 + kRow * static_cast<double>(place);
      const std::string piece = shown_piece(e.piece(branch.token));
      const std::string fate = branch.fate();
      boxes += box(x, y, width_of(piece), "token " + fate, piece,
                   piece + ", " + fate + ", log P " + fixed(branch.log_probability, 3),
                   std::exp(branch.log_probability));
      if (branch.parent >= 0) {
        links += link(before[branch.parent], 12 + kRow * static_cast<double>(branch.parent), x,
                      y + 11, true, "branch " + fate);
      }
      edges.push_back(x + width_of(piece));
      height = std::max(height, y + kRow);
    }
    before = edges;
    x += widest + kGap;
  }
  return svg(x, height, "the beam, step by step", links + boxes);
}

}  // namespace kette
