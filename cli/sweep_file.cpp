#include "cli/sweep_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <set>

#include "cli/common.h"
#include "data/files/text_file.h"

namespace kette::cli {
namespace {

constexpr const char *kEvaluate = "evaluate", *kSeeds = "seeds", *kAgainst = "against";

struct Setting {
  ConfigEntry entry;
  std::string line;
};

/// A table, or with no name what stands before the first.
struct Section {
  std::string name, origin;
  std::vector<Setting> settings;

  bool is_evaluation() const {
    return name == kEvaluate || name.starts_with(std::string(kEvaluate) + " ");
  }
};

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
}

/// Becomes the name of a folder.
void check_name(const std::string& name, const std::string& origin) {
  const bool fits = !name.empty() && name.front() != '.' && name.front() != ' ' &&
                    name.back() != ' ' && name != kSweepTable &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                             std::string_view(" ._=+-").find(c) != std::string_view::npos;
                    });
  if (fits) return;
  throw UsageError(origin +
                   ": expected a name of letters, digits, ._=+- and spaces within, other than " +
                   kSweepTable + ", given [" + name + "]");
}

/// The name in a header such as ["one head"].
std::string name_in(const std::string& line, const std::string& origin) {
  const std::size_t end = line.find(']');
  const std::string rest = trimmed(std::string_view(line).substr(end + 1));
  if (!rest.empty() && rest.front() != '#') {
    throw UsageError(origin + ": expected the end of the line after " + line.substr(0, end + 1) +
                     ", given " + rest);
  }
  std::string name = trimmed(line.substr(1, end - 1));
  const bool quoted = name.size() > 1 && (name.front() == '"' || name.front() == '\'') &&
                      name.back() == name.front();
  if (quoted) name = name.substr(1, name.size() - 2);
  check_name(name, origin);
  return name;
}

std::vector<Section> sections_of(const TextLines& lines, const std::string& file) {
  std::vector<Section> sections(1);
  for (std::int64_t i = 0; i < lines.size(); ++i) {
    const std::string line = trimmed(lines[i]), origin = file + ":" + std::to_string(i + 1);
    if (line.starts_with('[') && line.find(']') != std::string::npos) {
      sections.push_back({name_in(line, origin), origin, {}});
      continue;
    }
    const std::string before(static_cast<std::size_t>(i), '\n');  // for the number of the line
    for (const ConfigEntry& entry : parse_config(before + line, file)) {
      for (const Setting& earlier : sections.back().settings) {
        if (earlier.entry.key != entry.key) continue;
        throw UsageError(origin + ": expected each key once in a table, given " + entry.key +
                         " again");
      }
      sections.back().settings.push_back({entry, line});
    }
  }
  return sections;
}

std::string lines_of(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) text += setting.line + "\n";
  return text;
}
std::vector<ConfigEntry> entries_of(const std::vector<Setting>& settings) {
  std::vector<ConfigEntry> entries;
  for (const Setting& setting : settings) entries.push_back(setting.entry);
  return entries;
}

/// The values of a key that is not for `kette train`; the key is gone then.
std::vector<std::string> taken(std::vector<Setting>& settings, const std::string& key) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.entry.key == key; });
  if (found == settings.end()) return {};
  std::vector<std::string> values = std::move(found->entry.values);
  settings.erase(found);
  return values;
}

/// Without quotes and comments, for the table.
std::string shown(const ConfigEntry& entry) {
  const std::string values = joined(entry.values);
  return entry.key + " = " + (entry.values.size() == 1 ? values : "[" + values + "]");
}

SweepRun run_of(const Section& shared, const Section& section) {
  std::vector<Setting> settings = shared.settings;
  std::string own;
  for (const Setting& setting : section.settings) {
    std::erase_if(settings,
                  [&](const Setting& other) { return other.entry.key == setting.entry.key; });
    settings.push_back(setting);
    own += (own.empty() ? "" : ", ") + shown(setting.entry);
  }
  return {section.name, lines_of(settings), entries_of(settings), own, ""};
}

/// What the sweep itself tells its runs and their evaluation.
void check_keys(const std::vector<Section>& sections) {
  const std::set<std::string> of_all = {"json", "device", "threads"},
                              of_run = {"out", "resume", "force-data"},
                              of_evaluation = {"model", "output"};
  for (const Section& section : sections) {
    for (const Setting& setting : section.settings) {
      const std::string& key = setting.entry.key;
      if (of_all.contains(key) ||
          (section.is_evaluation() ? of_evaluation : of_run).contains(key)) {
        throw UsageError(setting.entry.origin + ": " + key +
                         ": expected nothing of it, which kette sweep sets itself");
      }
    }
  }
}

void check_seeds(const std::vector<std::string>& seeds, const std::vector<Section>& sections,
                 const std::string& file) {
  for (const std::string& seed : seeds) {
    // In one spelling only, so that different texts are different seeds.
    std::uint64_t value = 0;
    std::from_chars(seed.data(), seed.data() + seed.size(), value);
    const bool is_number = std::to_string(value) == seed;
    if (!is_number || std::count(seeds.begin(), seeds.end(), seed) > 1) {
      throw UsageError(file + ": seeds: expected different whole numbers, given " + seed +
                       (is_number ? " twice" : ""));
    }
  }
  for (const Section& section : sections) {
    for (const Setting& setting : section.settings) {
      const std::string where =
          section.name.empty() ? file : section.origin + ": [" + section.name + "]";
      if (setting.entry.key == kSeeds) {
        throw UsageError(where + ": expected seeds before the first table, for all runs alike");
      }
      // Of an evaluation it is that of sampling.
      if (setting.entry.key == "seed" && !seeds.empty() && !section.is_evaluation()) {
        throw UsageError(where + ": expected seed or seeds, given both");
      }
    }
  }
}

}  // namespace

SweepFile read_sweep_file(const std::filesystem::path& path) {
  const TextLines lines = read_lines(path, kWholeText);
  std::vector<Section> sections = sections_of(lines, path.string());
  SweepFile file;
  file.seeds = taken(sections.front().settings, kSeeds);
  check_seeds(file.seeds, sections, path.string());
  check_keys(sections);
  const std::vector<std::string> of_all = taken(sections.front().settings, kAgainst);
  for (std::size_t i = 1; i < sections.size(); ++i) {
    Section& section = sections[i];
    for (std::size_t k = 1; k < i; ++k) {
      if (sections[k].name != section.name) continue;
      throw UsageError(section.origin + ": expected each table once, given [" + section.name +
                       "] again");
    }
    if (section.is_evaluation()) {
      if (section.settings.empty()) continue;
      const std::size_t begin = std::string_view(kEvaluate).size() + 1;
      file.evaluations.push_back({begin < section.name.size() ? section.name.substr(begin) : "",
                                  lines_of(section.settings), entries_of(section.settings)});
      continue;
    }
    std::vector<std::string> against = taken(section.settings, kAgainst);
    if (against.empty()) against = of_all;
    if (against.empty() && !file.runs.empty()) against = {file.runs.back().name};
    SweepRun run = run_of(sections.front(), section);
    for (const std::string& name : against) {
      const bool is_known = std::any_of(
          sections.begin() + 1, sections.end(),
          [&](const Section& other) { return other.name == name && !other.is_evaluation(); });
      if (against.size() > 1 || !is_known) {
        throw UsageError(section.origin + ": against: expected the name of a run, given " + name);
      }
      if (name != run.name) run.against = name;
    }
    file.runs.push_back(std::move(run));
  }
  if (file.runs.empty()) {
    throw UsageError(path.string() +
                     ": expected runs, a table such as [base] for each, given none");
  }
  return file;
}

}  // namespace kette::cli
