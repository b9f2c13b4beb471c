// Scalars in the form that TensorBoard reads: a file of records (TFRecord), each an Event of
// tensorflow/core/util/event.proto. Its few fields are written by hand.
//   record:  length (8 bytes), masked CRC-32C of these, the event, masked CRC-32C of the event; little-endian
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "data/files/json_fwd.h"

namespace kette {

/// Castagnoli's CRC-32 (RFC 3720, appendix B.4). Of "123456789" it is 0xE3069283.
std::uint32_t crc32c(std::string_view bytes);
/// A record with its length and both checksums.
std::string event_record(std::string_view event);

class EventFile {
 public:
  /// Begins a file in the folder. At step 0 it removes those of earlier runs; else it tells TensorBoard to forget the
  /// steps after `step`, as a killed run leaves them.
  EventFile(const std::filesystem::path& folder, std::int64_t step);

  /// Writes what a line of log.jsonl (train/step_log.h) says of a step or a validation: "train/loss", "valid/bleu",
  /// "average/valid_loss". Leaves other lines out. Flushes the file.
  void write(const Json& line);

 private:
  /// what: the event's fields but for time and step.
  void write_event(std::int64_t step, std::string_view what);

  std::string name_;
  std::ofstream file_;
};

}  // namespace kette
