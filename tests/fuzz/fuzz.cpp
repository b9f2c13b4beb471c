#include "tests/fuzz/fuzz.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/support.h"

namespace kette::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kMark = "\xFE\xFF|\xFF\xFE";
constexpr std::uint64_t kMostData = 1 << 18;

/// Where the data of the last tensor ends; 0 for a header that says nothing of the kind.
std::uint64_t promised_bytes(std::string_view header) {
  const Json json = Json::parse(header, nullptr, false);
  std::uint64_t end = 0;
  if (!json.is_object()) return end;
  for (const Json& tensor : json) {
    if (!tensor.is_object() || !tensor.contains("data_offsets")) continue;
    const Json& offsets = tensor["data_offsets"];
    if (offsets.is_array() && offsets.size() == 2 && offsets[1].is_number_unsigned()) {
      end = std::max(end, offsets[1].get<std::uint64_t>());
    }
  }
  return end;
}

void repair_checksum(std::string& header, std::string_view data) {
  const std::string_view key = "\"kette.crc32\":\"";
  const std::size_t digits = header.find(key) + key.size();
  if (header.find(key) == std::string::npos || digits + 8 > header.size()) return;
  header.replace(digits, 8, 8, '0');
  const auto add = [](unsigned long sum, std::string_view bytes) {
    return crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  };
  char checksum[9];
  std::snprintf(checksum, sizeof checksum, "%08lx", add(add(0, header), data));
  header.replace(digits, 8, checksum);
}

}  // namespace

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "kette-fuzz: expected %s\n", what);
  std::abort();
}

void expect_finite(const ParamStore& parameters) {
  for (const auto& leaf : parameters.leaves()) {
    for (const float value : parameters.value_of(*leaf).values<float>()) {
      expect(std::isfinite(value), "finite parameters in a model that was accepted");
    }
  }
}

const fs::path& scratch() {
  static const fs::path folder = [] {
    const fs::path memory = "/dev/shm";
    const fs::path parent = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    const fs::path made = parent / ("kette-fuzz-" + std::to_string(::getpid()));
    fs::create_directories(made);
    std::atexit([] {
      std::error_code ignored;
      fs::remove_all(scratch(), ignored);
    });
    return made;
  }();
  return folder;
}

fs::path put(const std::string& name, std::string_view content) {
  const fs::path path = scratch() / name;
  if (name.find('/') != std::string::npos) fs::create_directories(path.parent_path());
  std::FILE* file = std::fopen(path.c_str(), "wb");
  expect(file != nullptr, "a scratch folder that can be written");
  std::fwrite(content.data(), 1, content.size(), file);
  std::fclose(file);
  return path;
}

std::vector<std::string_view> parts(std::string_view input, std::size_t count) {
  std::vector<std::string_view> found;
  while (found.size() + 1 < count) {
    const std::size_t end = std::min(input.find(kMark), input.size());
    found.push_back(input.substr(0, end));
    input.remove_prefix(std::min(end + kMark.size(), input.size()));
  }
  found.push_back(input);
  return found;
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string input;
  for (const std::string_view part : parts) input.append(input.empty() ? "" : kMark).append(part);
  return input;
}

std::string safetensors(std::string_view header, std::string_view data) {
  const std::uint64_t bytes = promised_bytes(header);
  std::string content(data);
  if (bytes <= kMostData && !data.empty()) {
    content.resize(bytes);
    for (std::size_t i = data.size(); i < content.size(); ++i) content[i] = data[i % data.size()];
  }
  std::string text(header);
  repair_checksum(text, content);
  const std::uint64_t length = text.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  return file + text + content;
}

std::string header_of(const fs::path& file) {
  const std::string content = testing::read_file(file);
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), sizeof length);
  return content.substr(sizeof length, length);
}

std::string fixture(const std::string& name) {
  return testing::read_file(testing::source_folder() / "tests/fixtures" / name);
}

}  // namespace kette::fuzz
