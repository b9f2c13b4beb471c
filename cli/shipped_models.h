// Models that come with Kette, by their names: `kette translate "Good morning."` needs no --model.
#pragma once

#include <filesystem>
#include <string>

namespace kette::cli {

/// The English-German one (data/en-de/README.md).
inline constexpr const char* kModelToTry = "en-de";

/// The folder of the shipped model of that name: below $KETTE_MODELS, in `models` beside the program or the Python module,
/// or in share/kette/models of an installed Kette. Empty if there is none.
std::filesystem::path shipped_model(const std::string& name);

/// What --model says: a folder that is there, or else the name of a shipped model. Other text stays as it is.
std::string model_folder(const std::string& given);

/// For the help of a --model that may be left out: " (default: en-de, ...)".
std::string or_model_to_try();
/// For an Error: what to do without the model to try.
std::string without_model_to_try();

}  // namespace kette::cli
