#include "models/average.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "data/files/folder_entries.h"
#include "data/files/safetensors.h"
#include "models/lora.h"
#include "models/model_directory.h"
#include "models/quantized.h"
#include "tensor/suggestion.h"

namespace kette {
namespace fs = std::filesystem;

std::int64_t step_of_checkpoint(const fs::path& file) {
  const std::string name = file.filename().string(), prefix = "step-", suffix = ".safetensors";
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) ||
      !name.ends_with(suffix)) {
    return -1;
  }
  std::int64_t step = -1;
  const char* end = name.data() + name.size() - suffix.size();
  const auto result = std::from_chars(name.data() + prefix.size(), end, step);
  return result.ptr == end ? step : -1;
}

std::vector<fs::path> list_checkpoints(const fs::path& model_folder) {
  std::vector<fs::path> files;
  std::error_code error;
  const fs::path folder = model_folder / kCheckpointFolder;
  for (const fs::path& file : folder_entries(folder, error)) {
    if (step_of_checkpoint(file) >= 0) files.push_back(file);
  }
  KETTE_CHECK(!error || error == std::errc::no_such_file_or_directory ||
                  error == std::errc::not_a_directory,
              folder.string(), ": expected a folder that can be listed, given an error (",
              error.message(), ")");
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return step_of_checkpoint(a) < step_of_checkpoint(b);
  });
  return files;
}

bool is_average(const fs::path& file) {
  return fs::exists(file) &&
         SafetensorsFile::open(file, Checksum::none).metadata().contains("averaged_steps");
}

namespace {

/// The one value of a key in all files; files may lack the key. An Error if there are several.
std::string common_value(const std::vector<SafetensorsFile>& stored,
                         const std::vector<fs::path>& files, const char* key, const char* what,
                         const char* advice = "") {
  std::string common;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::string value = value_in(stored[i].metadata(), key);
    KETTE_CHECK(value.empty() || common.empty() || value == common, files[i].string(),
                ": expected a checkpoint of the ", what, " of those before it, ", common,
                ", given one of ", value, advice);
    if (!value.empty()) common = value;
  }
  return common;
}

}  // namespace

void average_checkpoints(const std::vector<fs::path>& files, const fs::path& result, bool any_run) {
  KETTE_CHECK(!files.empty(), "average: expected at least one checkpoint, given none");
  std::vector<SafetensorsFile> stored;
  for (const fs::path& file : files) {
    stored.push_back(SafetensorsFile::open(file, Checksum::crc32));
  }
  Metadata metadata;
  metadata[kTokenizerKey] = common_value(stored, files, kTokenizerKey, "vocabulary");
  if (any_run) {
    metadata["averaged_runs"] = joined(
        stored, [](const SafetensorsFile& file) { return value_in(file.metadata(), kRunKey); },
        ",");
  } else {
    metadata[kRunKey] =
        common_value(stored, files, kRunKey, "run", " (--any-run takes those of several)");
  }
  const std::vector<std::string>& names = stored.front().names();
  for (const std::string& name : names) {
    KETTE_CHECK(
        !any_run || !is_of_adapters(name), files.front().string(),
        ": expected whole models to average those of any run, given adapters, which may sit "
        "on different bases (kette merge makes a whole model of them)");
  }
  std::string steps;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    KETTE_CHECK(stored[i].names().size() == names.size(), files[i].string(), ": expected ",
                names.size(), " tensors as in ", files[0].string(), ", given ",
                stored[i].names().size());
    for (const std::string& name : names) stored[i].expect(name, stored[0].shape(name));
    expect_whole_weights(stored[i].metadata(), files[i], "average");
    const auto step = stored[i].metadata().find("step");
    steps += (i ? "," : "") + (step == stored[i].metadata().end() ? "?" : step->second);
  }
  std::erase_if(metadata, [](const auto& one) { return one.second.empty(); });
  metadata["averaged_steps"] = steps;
  std::vector<std::pair<std::string, Tensor>> means;
  for (const std::string& name : names) {
    std::vector<double> sum(static_cast<std::size_t>(stored[0].shape(name).elements()));
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const std::vector<double> values = stored[i].tensor(name).values<double>();
      for (std::size_t j = 0; j < sum.size(); ++j) {
        KETTE_CHECK(std::isfinite(values[j]), files[i].string(), ": expected finite values, given ",
                    values[j], " in ", name, " (leave this checkpoint out)");
        sum[j] += values[j];
      }
    }
    for (double& value : sum) value /= static_cast<double>(stored.size());
    means.emplace_back(name, Tensor::from(sum, stored[0].shape(name)).to(stored[0].dtype(name)));
  }
  write_safetensors(result, means, metadata, Checksum::crc32);
}

}  // namespace kette
