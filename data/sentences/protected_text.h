// Finds what a translation must not change, such as addresses and placeholders, by its form.
// Doubtful cases are text: "100 % sicher", "$5", "{a, b}", "and/or".
//
// - web addresses: with a scheme, with www., or bare domains of well-known endings, with their
//   paths; without punctuation after them, but with brackets that they opened; mail addresses;
// - placeholders: {x} {x.y} {0} {} {x:>5} {n, number} {n, plural, ...} {{x}} ${x} #{x} @{x} %{x}
//   $(x) $X $x.y %(x)s %<x>s %s %5.2f %1$s %@ %% %X% %Y-%m <<x>> __X__;
// - tags of HTML and XML: <b> </b> <a href="x"> <br/>; names of emoji: :tada:;
// - command-line options (--help, --out=x; but not dashes: "--because", "--he said--"), and paths of files that begin with / ~/ ./ ../ or
//   C:\ and have at least two parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kette {

struct ProtectedSpan {
  enum class Kind : std::uint8_t { address, mail, placeholder, tag, emoji, option, path };
  std::size_t begin = 0, end = 0;  ///< bytes
  Kind kind = Kind::address;

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// Ascending and disjoint. Takes linear time.
std::vector<ProtectedSpan> protected_spans(std::string_view text);

}  // namespace kette
