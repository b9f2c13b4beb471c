// Whether a model directory holds as many parameters as its config.json says. A few bytes there
// could request any amount of memory. So before a model is built, its summary
// (models/model_summary.h) is compared with the headers of the files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kette {

/// An Error unless the file has at least `parameters` values. origin: the file that requires them,
/// for the Error.
void expect_room(const std::filesystem::path& file, std::int64_t parameters,
                 const std::string& origin);

}  // namespace kette
