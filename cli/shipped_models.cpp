#include "cli/shipped_models.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "train/launch.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

/// Where the program lies, and the shared object that has this code in it, such as the Python module.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders{program_folder()};
  Dl_info object{};
  if (dladdr(reinterpret_cast<const void*>(&shipped_model), &object) != 0) {
    const fs::path file = object.dli_fname;  // of a program as it was called
    if (file.is_absolute()) folders.push_back(file.parent_path());
  }
  return folders;
}

bool holds_model(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "config.json", ignored);
}

}  // namespace

fs::path shipped_model(const std::string& name) {
  const char* named = std::getenv("KETTE_MODELS");
  if (named != nullptr && holds_model(fs::path(named) / name)) return fs::path(named) / name;
  for (const fs::path& folder : own_folders()) {
    for (const fs::path& models : {folder / "models", folder.parent_path() / "share/kette/models"})
      if (holds_model(models / name)) return models / name;
  }
  return {};
}

std::string model_folder(const std::string& given) {
  std::error_code ignored;
  if (given.empty() || given.find('/') != std::string::npos || fs::exists(given, ignored))
    return given;
  const fs::path shipped = shipped_model(given);
  return shipped.empty() ? given : shipped.string();
}

std::string or_model_to_try() {
  return std::string(" (default: ") + kModelToTry + ", the small model that comes with Kette)";
}

std::string without_model_to_try() {
  return std::string("--model: expected a model directory, given none (this Kette comes without ") +
         kModelToTry + ", the small model that stands in for one)";
}

}  // namespace kette::cli
