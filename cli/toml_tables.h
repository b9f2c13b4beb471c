// TOML 1.0 (toml.io, by toml++) as command lines read it: a value is the text that an option is given, so that 1e-3 stays 1e-3 and
// a date is what was written; only 0x10 becomes 16, and 2_000 loses its underscore. In a file that is no TOML, words where
// values stand, and names of tables with spaces, are taken as if they had the quotes that they lack:
//   schedule = inverse_sqrt
//   [one head]
#pragma once

#include <string>
#include <vector>

#include "data/files/text_file.h"

namespace kette::cli {

struct ConfigEntry {
  std::string key;
  std::vector<std::string> values;  ///< one, or those of an array
  std::string origin;               ///< "run.toml:3"
  std::string text;                 ///< as the file has it: "heads = 1  # as before"
};

/// A table without those in it, which are tables of their own: of [a.b] the name is "a.b".
struct ConfigTable {
  std::string name, origin;
  std::vector<ConfigEntry> entries;
};

/// The tables of a file in its order. The first is what stands before them, without a name, be that nothing. Throws UsageError
/// with the file, the line and mostly the column of what is not understood.
std::vector<ConfigTable> parse_tables(const TextLines& lines, const std::string& file);

/// Whether TOML takes the text for a number, a truth value or a time, and not for a string, which has quotes.
bool is_bare_value(const std::string& text);
/// A string of TOML. The text must be UTF-8.
std::string quoted(const std::string& text);

}  // namespace kette::cli
