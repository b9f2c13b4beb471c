#include "train/validated_files.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "data/files/safetensors.h"

namespace kette {
namespace fs = std::filesystem;

double loss_in(const fs::path& file) {
  double loss = std::numeric_limits<double>::infinity();
  if (!fs::exists(file)) return loss;
  const auto metadata = SafetensorsFile::open(file).metadata();
  const auto text = metadata.find("valid_loss");
  if (text == metadata.end() || metadata.contains("averaged_steps")) return loss;
  std::from_chars(text->second.data(), text->second.data() + text->second.size(), loss);
  return loss;
}

void copy_best(const std::vector<fs::path>& files, const fs::path& to) {
  const auto best = std::min_element(
      files.begin(), files.end(),
      [](const fs::path& a, const fs::path& b) { return loss_in(a) < loss_in(b); });
  const SafetensorsFile stored = SafetensorsFile::open(*best, Checksum::crc32);
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const std::string& name : stored.names()) tensors.emplace_back(name, stored.tensor(name));
  write_safetensors(to, tensors, stored.metadata(), Checksum::crc32);
}

}  // namespace kette
