// Options in a file: entries that are read can be written as lines and read again.
#include "cli/config_file.h"

#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {"# a run\nsrc = \"train.en\"\nsteps = 2_000 # many\nref = [\"a.de\", 'b.de']\n",
          "quiet=true\n\"lr\" = 1e-3\r\nname = \"a\\\\b\\\"c\\t\"\n"};
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result + "\"";
}

void read(std::string_view input) {
  const auto entries = cli::parse_config(std::string(input), "run.toml");
  std::string text;
  for (const cli::ConfigEntry& entry : entries) {
    text += quoted(entry.key) + " = [";
    for (const std::string& value : entry.values) text += quoted(value) + ",";
    text += "]\n";
  }
  must("lines that can be read again", [&] {
    const auto again = cli::parse_config(text, "again.toml");
    expect(again.size() == entries.size(), "as many entries as were written");
    for (std::size_t i = 0; i < again.size(); ++i) {
      expect(again[i].key == entries[i].key && again[i].values == entries[i].values,
             "the entries that were written");
    }
  });
}

}  // namespace

const Target config_file = {"config-file", seeds, read};

}  // namespace kette::fuzz
