// What files of parameters that training writes say of their validation.
#pragma once

#include <filesystem>
#include <vector>

namespace kette {

/// The loss of the validation of these parameters. Infinite for those without one, and for an average, which is worth
/// something else.
double loss_in(const std::filesystem::path& file);
/// Makes a file of the one of these that has the least loss.
void copy_best(const std::vector<std::filesystem::path>& files, const std::filesystem::path& to);

}  // namespace kette
