#include "models/families.h"

#include <algorithm>

#include "models/bert_config.h"
#include "models/gpt_config.h"
#include "models/transformer_config.h"
#include "tensor/suggestion.h"

namespace kette {

const std::vector<const Family*>& families() {
  static const std::vector<const Family*> all = {&transformer_family(), &gpt_family(),
                                                 &bert_family()};
  return all;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family* family : families()) names.push_back(family->name);
  return names;
}

const Family& family_named(const std::string& name) {
  for (const Family* family : families()) {
    if (family->name == name) return *family;
  }
  fail("model: expected one of ", joined(family_names()), ", given ", name);
}

const Family& family_of_preset(const std::string& preset) {
  for (const Family* family : families()) {
    const auto& names = family->presets;
    if (std::find(names.begin(), names.end(), preset) != names.end()) return *family;
  }
  fail("preset: expected one of ", joined(all_presets()), ", given ", preset);
}

std::vector<std::string> all_presets() {
  std::vector<std::string> names;
  for (const Family* family : families()) {
    names.insert(names.end(), family->presets.begin(), family->presets.end());
  }
  return names;
}

}  // namespace kette
