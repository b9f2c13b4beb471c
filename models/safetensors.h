// Tensors by name in a safetensors file, the format of Hugging Face, which other tools open too:
//   8 bytes: n, little-endian | n bytes: JSON header, padded with spaces to 8 | the data,
//   row-major, no holes.
// Opening checks the whole header against the file, so a damaged or hostile file is an Error and
// nothing else; tensors are read on demand. Files of our own can carry a checksum (crc32, zlib)
// over header and data, in the metadata.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/file_descriptor.h"
#include "models/safetensors_header.h"
#include "tensor/tensor.h"

namespace kette {

/// crc32: written with a checksum; opened only if there is one that agrees, so every changed byte
/// is found.
enum class Checksum { none, crc32 };

class SafetensorsFile {
 public:
  static SafetensorsFile open(const std::filesystem::path& path,
                              Checksum checksum = Checksum::none);

  /// In the order of the data.
  const std::vector<std::string>& names() const { return names_; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  bool contains(const std::string& name) const { return positions_.contains(name); }
  const Shape& shape(const std::string& name) const { return entry(name).shape; }
  /// The type tensor() gives: F16 becomes f32; I64 becomes i32, if the values fit.
  DType dtype(const std::string& name) const;
  /// A copy on the CPU.
  Tensor tensor(const std::string& name) const;
  /// Throws unless there is a tensor of this name and shape.
  void expect(const std::string& name, const Shape& shape) const;

 private:
  const safetensors::Entry& entry(const std::string& name) const;
  void read(void* to, std::uint64_t bytes, std::uint64_t offset) const;
  template <class Stored, class Result, class Convert>
  Tensor converted(const safetensors::Entry& entry, Convert&& convert) const;
  void check_checksum(std::string header_text, std::uint64_t data_bytes) const;

  std::string path_;
  FileDescriptor descriptor_;
  std::uint64_t data_start_ = 0;
  safetensors::Header header_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> positions_;
};

/// Writes atomically, tensor by tensor; tensors on a GPU are copied one at a time.
void write_safetensors(const std::filesystem::path& path,
                       const std::vector<std::pair<std::string, Tensor>>& tensors,
                       std::map<std::string, std::string> metadata = {},
                       Checksum checksum = Checksum::none);

}  // namespace kette
