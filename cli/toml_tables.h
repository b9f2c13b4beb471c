// Reads TOML 1.0 (toml.io, by toml++) for command lines. A value is the text for an option: 1e-3 stays 1e-3 and a date
// stays as written; only 0x10 becomes 16, and 2_000 loses its underscore. If a file is not TOML, missing quotes are
// accepted around words as values, and around table names with spaces:
//   schedule = inverse_sqrt
//   [one head]
#pragma once

#include <string>
#include <vector>

#include "data/files/text_file.h"

namespace kette::cli {

struct ConfigEntry {
  std::string key;
  std::vector<std::string> values;  ///< one, or the elements of an array
  std::string origin;               ///< "run.toml:3"
  std::string text;                 ///< as in the file: "heads = 1  # as before"
};

/// A table without its sub-tables, which are tables of their own: [a.b] has the name "a.b".
struct ConfigTable {
  std::string name, origin;
  std::vector<ConfigEntry> entries;
};

/// The tables of a file in order. The first has no name and all entries before the first header. Throws a UsageError
/// with file, line and mostly column of what is not understood.
std::vector<ConfigTable> parse_tables(const TextLines& lines, const std::string& file);

/// Whether the text without quotes is a TOML number, boolean or time.
bool is_bare_value(const std::string& text);
/// The text as a TOML string. It must be UTF-8.
std::string quoted(const std::string& text);

}  // namespace kette::cli
