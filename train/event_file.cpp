#include "train/event_file.h"

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "data/files/atomic_file.h"
#include "data/files/folder_entries.h"
#include "data/files/json_text.h"

namespace kette {
namespace {

constexpr std::string_view kPrefix = "events.out.tfevents.";

template <class T>
std::string little_endian(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i & 0xff);
  }
  return bytes;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// Fields of Protocol Buffers by their wire types.
std::string varint_field(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
std::string bytes_field(int field, std::string_view bytes) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(bytes.size()) +
         std::string(bytes);
}
std::string double_field(int field, double value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 1) +
         little_endian(std::bit_cast<std::uint64_t>(value));
}
std::string float_field(int field, float value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 5) +
         little_endian(std::bit_cast<std::uint32_t>(value));
}

std::uint32_t masked(std::uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }

/// Adds a Summary.Value for each number.
void add_scalars(std::string& summary, const std::string& group, const Json& numbers) {
  const std::string validation = "valid_";
  for (const auto& [key, value] : numbers.items()) {
    if (!value.is_number() || key == "step") continue;
    const bool is_valid = group.empty() && key.starts_with(validation);
    const std::string tag = is_valid        ? "valid/" + key.substr(validation.size())
                            : group.empty() ? "train/" + key
                                            : group + "/" + key;
    summary += bytes_field(1, bytes_field(1, tag) + float_field(2, value.get<float>()));
  }
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

std::string event_record(std::string_view event) {
  const std::string length = little_endian(static_cast<std::uint64_t>(event.size()));
  return length + little_endian(masked(crc32c(length))) + std::string(event) +
         little_endian(masked(crc32c(event)));
}

EventFile::EventFile(const std::filesystem::path& folder, std::int64_t step) {
  make_folder(folder);
  if (step == 0) {
    for (const std::filesystem::path& file : folder_entries(folder)) {
      if (file.filename().string().starts_with(kPrefix)) std::filesystem::remove(file);
    }
  }
  // TensorBoard reads the files of a folder in the order of their names.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  char number[64];
  std::snprintf(number, sizeof number, "%010lld.%012lld",
                static_cast<long long>(std::chrono::floor<std::chrono::seconds>(now).count()),
                static_cast<long long>(step));
  name_ = (folder / (std::string(kPrefix) + number + ".kette")).string();
  file_.open(name_, std::ios::binary | std::ios::app);
  KETTE_CHECK(file_.good(), name_, ": expected a log that can be written, given one that cannot (",
              std::strerror(errno), ")");
  write_event(0, bytes_field(3, "brain.Event:2"));
  if (step > 0) write_event(step + 1, bytes_field(7, varint_field(1, 1)));  // SessionLog: START
}

void EventFile::write(const Json& line) {
  std::string summary;
  if (line.contains("loss") || line.contains("valid_loss")) add_scalars(summary, "", line);
  if (line.contains("average")) add_scalars(summary, "average", line["average"]);
  if (!summary.empty()) write_event(line["step"].get<std::int64_t>(), bytes_field(5, summary));
}

void EventFile::write_event(std::int64_t step, std::string_view what) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  file_ << event_record(double_field(1, now.count()) +
                        varint_field(2, static_cast<std::uint64_t>(step)) + std::string(what))
        << std::flush;
  KETTE_CHECK(file_.good(), name_, ": expected room for all of the log, given none (",
              std::strerror(errno), "; free some space, then go on with --resume)");
}

}  // namespace kette
