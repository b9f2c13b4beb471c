// Options in a file: entries that are read can be written as lines and read again.
#include "cli/toml_tables.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      "# a run\nsrc = \"train.en\"\nsteps = 2_000 # many\nref = [\"a.de\", 'b.de']\n",
      "quiet=true\n\"lr\" = 1e-3\r\nname = \"a\\\\b\\\"c\\t\"\n",
      "[one run]\nschedule = inverse_sqrt\nlr = .5\n[\"evaluate a\"]\nref = [b, 01]\n",
      "a = [\n  0x1F, +5, # c\n  1979-05-27T07:32:00Z,\n]\nb.c = '''\nx\n'''\n[d.e]\nf = \"\\u00e9\"\n"};
}

void read(std::string_view input) {
  const auto tables = cli::parse_tables(TextLines(std::string(input), "run.toml"), "run.toml");
  std::string text, as_written;
  for (const cli::ConfigTable& table : tables) {
    const std::string header = table.name.empty() ? "" : "[" + cli::quoted(table.name) + "]\n";
    text += header;
    as_written += header;
    for (const cli::ConfigEntry& entry : table.entries) {
      text += cli::quoted(entry.key) + " = [";
      for (const std::string& value : entry.values) text += cli::quoted(value) + ",";
      text += "]\n";
      as_written += entry.text + "\n";
    }
  }
  for (const std::string& written : {text, as_written}) {
    must("tables that can be read again", [&] {
      const auto again = cli::parse_tables(TextLines(written, "again.toml"), "again.toml");
      expect(again.size() == tables.size(), "as many tables as were written");
      for (std::size_t i = 0; i < again.size(); ++i) {
        expect(again[i].name == tables[i].name, "the tables that were written");
        expect(again[i].entries.size() == tables[i].entries.size(), "as many keys");
        for (std::size_t k = 0; k < again[i].entries.size(); ++k) {
          const cli::ConfigEntry &one = again[i].entries[k], &other = tables[i].entries[k];
          expect(one.key == other.key && one.values == other.values, "the keys that were written");
        }
      }
    });
  }
}

}  // namespace

const Target config_file = {"config-file", seeds, read};

}  // namespace kette::fuzz
