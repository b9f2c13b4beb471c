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

bool is_evaluation(const ConfigTable& table) {
  return table.name == kEvaluate || table.name.starts_with(std::string(kEvaluate) + " ");
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

std::string text_of(const std::vector<ConfigEntry>& entries) {
  std::string text;
  for (const ConfigEntry& entry : entries) text += entry.text + "\n";
  return text;
}

/// The values of a key that is not for `kette train`; the key is gone then.
std::vector<std::string> taken(std::vector<ConfigEntry>& entries, const std::string& key) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const ConfigEntry& entry) { return entry.key == key; });
  if (found == entries.end()) return {};
  std::vector<std::string> values = std::move(found->values);
  entries.erase(found);
  return values;
}

/// Without quotes and comments, for the table.
std::string shown(const ConfigEntry& entry) {
  const std::string values = joined(entry.values);
  return entry.key + " = " + (entry.values.size() == 1 ? values : "[" + values + "]");
}

SweepRun run_of(const ConfigTable& shared, const ConfigTable& table) {
  std::vector<ConfigEntry> entries = shared.entries;
  std::string own;
  for (const ConfigEntry& entry : table.entries) {
    std::erase_if(entries, [&](const ConfigEntry& other) { return other.key == entry.key; });
    entries.push_back(entry);
    own += (own.empty() ? "" : ", ") + shown(entry);
  }
  return {table.name, text_of(entries), entries, own, ""};
}

/// What the sweep itself tells its runs and their evaluation.
void check_keys(const std::vector<ConfigTable>& tables) {
  const std::set<std::string> of_all = {"json", "device", "threads"},
                              of_run = {"out", "resume", "force-data"},
                              of_evaluation = {"model", "output"};
  for (const ConfigTable& table : tables) {
    for (const ConfigEntry& entry : table.entries) {
      if (of_all.contains(entry.key) ||
          (is_evaluation(table) ? of_evaluation : of_run).contains(entry.key)) {
        throw UsageError(entry.origin + ": " + entry.key +
                         ": expected nothing of it, which kette sweep sets itself");
      }
    }
  }
}

void check_seeds(const std::vector<std::string>& seeds, const std::vector<ConfigTable>& tables,
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
  for (const ConfigTable& table : tables) {
    for (const ConfigEntry& entry : table.entries) {
      const std::string where = table.name.empty() ? file : table.origin + ": [" + table.name + "]";
      if (entry.key == kSeeds) {
        throw UsageError(where + ": expected seeds before the first table, for all runs alike");
      }
      // Of an evaluation it is that of sampling.
      if (entry.key == "seed" && !seeds.empty() && !is_evaluation(table)) {
        throw UsageError(where + ": expected seed or seeds, given both");
      }
    }
  }
}

}  // namespace

SweepFile read_sweep_file(const std::filesystem::path& path) {
  std::vector<ConfigTable> tables = parse_tables(read_lines(path, kWholeText), path.string());
  ConfigTable& shared = tables.front();
  SweepFile file;
  file.seeds = taken(shared.entries, kSeeds);
  check_seeds(file.seeds, tables, path.string());
  check_keys(tables);
  const std::vector<std::string> of_all = taken(shared.entries, kAgainst);
  for (std::size_t i = 1; i < tables.size(); ++i) {
    ConfigTable& table = tables[i];
    check_name(table.name, table.origin);
    if (is_evaluation(table)) {
      if (table.entries.empty()) continue;
      const std::size_t begin = std::string_view(kEvaluate).size() + 1;
      file.evaluations.push_back({begin < table.name.size() ? table.name.substr(begin) : "",
                                  text_of(table.entries), table.entries});
      continue;
    }
    std::vector<std::string> against = taken(table.entries, kAgainst);
    if (against.empty()) against = of_all;
    if (against.empty() && !file.runs.empty()) against = {file.runs.back().name};
    SweepRun run = run_of(shared, table);
    for (const std::string& name : against) {
      const bool is_known = std::any_of(
          tables.begin() + 1, tables.end(),
          [&](const ConfigTable& other) { return other.name == name && !is_evaluation(other); });
      if (against.size() > 1 || !is_known) {
        throw UsageError(table.origin + ": against: expected the name of a run, given " + name);
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
