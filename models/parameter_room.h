// Whether a model directory can hold what its config.json promises. A few bytes there could ask for
// any amount of memory; so they are held against the parameters that are really there, by the summary
// of a model (models/model_summary.h) and the headers of files, before one is built.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kette {

/// An Error unless this file of parameters has at least so many numbers, which `origin` asks for.
void expect_room(const std::filesystem::path& file, std::int64_t parameters,
                 const std::string& origin);

}  // namespace kette
