// The configuration of a model in Python.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/bert.h"
#include "models/gpt.h"
#include "models/transformer.h"
#include "python/src/bindings.h"

namespace kette::python {

/// kette.Config: the settings as they are, in the order of config.json.
struct Config {
  explicit Config(const ModelConfig& config);
  std::string family, headline;
  std::vector<std::pair<std::string, nb::object>> fields;
};

/// Sets fields by their keys. A TypeError for a key that the configuration lacks, or a value of another type.
void set_fields(ModelConfig& config, const nb::kwargs& fields, const std::string& what);
/// A line for each field: key, default and help.
std::string described_fields(ModelConfig& config);

void bind_configs(nb::module_& m);

}  // namespace kette::python
