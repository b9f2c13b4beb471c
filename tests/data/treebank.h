// Trees written for tests, and the treebank of the optional data.
#pragma once

#include <string>
#include <vector>

#include "data/trees/tree.h"
#include "tests/support.h"

namespace kette::testing {

inline Treebank trees_in(const std::string& text) {
  return parse_trees(TextLines(text, "trees"), "trees");
}

/// As distributed: an outer bracket, function tags, traces, two trees on many lines.
inline const std::string kWrittenTrees =
    "( (S \n"
    "    (NP-SBJ-1 (DT The) (JJ old) (NN cat) )\n"
    "    (VP (VBD was)\n"
    "      (VP (VBN seen)\n"
    "        (NP (-NONE- *-1) )\n"
    "        (PP-LOC (IN on)\n"
    "          (NP (DT the) (NN mat) (-LRB- -LRB-) (ADVP|PRT (RB again) ) (-RRB- -RRB-) ))))\n"
    "    (. .) ))\n"
    "( (S=2 (NP-SBJ (-NONE- *) ) (VP (VB Sleep) ) (. !) ))\n";

/// Part "train", "dev" or "test" of the Penn Treebank sample; nothing where it is absent.
inline std::optional<Treebank> treebank_sample(const std::string& part) {
  const auto folder = shared_data();
  if (!folder) return std::nullopt;
  const auto file = *folder / "treebank-sample" / (part + ".mrg");
  if (!std::filesystem::exists(file)) return std::nullopt;
  return read_trees(file);
}

}  // namespace kette::testing
