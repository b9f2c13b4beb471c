#include "models/families.h"

#include "models/gpt_config.h"
#include "models/transformer_config.h"

namespace kette {

const std::vector<const Family*>& families() {
  static const std::vector<const Family*> all = {&transformer_family(), &gpt_family()};
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
  fail("model: expected one of the families, given ", name);
}

const Family& family_of_preset(const std::string& preset) {
  std::string known;
  for (const Family* family : families()) {
    for (const std::string& name : family->presets) {
      if (name == preset) return *family;
      known += (known.empty() ? "" : ", ") + name;
    }
  }
  fail("preset: expected one of ", known, ", given ", preset);
}

std::vector<std::string> all_presets() {
  std::vector<std::string> names;
  for (const Family* family : families()) {
    names.insert(names.end(), family->presets.begin(), family->presets.end());
  }
  return names;
}

}  // namespace kette
