// The list of all families of models. No other file names them all.
#pragma once

#include "models/model_config.h"

namespace kette {

const std::vector<const Family*>& families();
std::vector<std::string> family_names();
/// An unknown name is an Error.
const Family& family_named(const std::string& name);
/// The family that has a preset. An unknown name is an Error that lists all.
const Family& family_of_preset(const std::string& preset);
std::vector<std::string> all_presets();

}  // namespace kette
