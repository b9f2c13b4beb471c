// Tensors by name in a safetensors file, the format of Hugging Face, which other tools open too:
//   8 bytes: n, little-endian | n bytes: JSON header, padded with spaces to 8 | the data,
//   row-major, no holes.
// Opening checks the whole header against the file, so a damaged or hostile file is only an Error.
// Tensors are read on demand, whole or in part. Files of Kette can have a checksum (zlib's crc32)
// over header and data in the metadata, and large ones also one per block.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/files/atomic_file.h"
#include "data/files/block_checksums.h"
#include "data/files/file_descriptor.h"
#include "data/files/safetensors_header.h"
#include "tensor/tensor.h"

namespace kette {

/// crc32: writes a checksum; opening requires one that agrees, so every changed byte is found.
/// if_present: likewise, but files of other programs need none. by_block: as if_present, but for a
/// file of SafetensorsStream only the header is checked at once, and the data block by block as it
/// is read.
enum class Checksum { none, crc32, if_present, by_block };
/// Its key in the metadata.
inline constexpr const char* kChecksumKey = "kette.crc32";

class SafetensorsFile {
 public:
  static SafetensorsFile open(const std::filesystem::path& path,
                              Checksum checksum = Checksum::none);

  /// In the order of the data.
  const std::vector<std::string>& names() const { return names_; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  bool contains(const std::string& name) const { return positions_.contains(name); }
  const Shape& shape(const std::string& name) const { return entry(name).shape; }
  /// The type of tensor(): F16 becomes f32; I64 becomes i32, if the values fit.
  DType dtype(const std::string& name) const;
  /// The name of its type in the file: "F32", "U16", ...
  const std::string& stored_dtype(const std::string& name) const { return entry(name).dtype; }
  /// A copy on the CPU.
  Tensor tensor(const std::string& name) const;
  /// Elements [begin, begin + count) in row-major order, as a flat tensor of the stored type; not
  /// for types that tensor() converts.
  Tensor part(const std::string& name, std::int64_t begin, std::int64_t count) const;
  /// Elements [begin, begin + count) in row-major order, as stored. Thread-safe.
  template <class Stored>
  std::vector<Stored> elements(const std::string& name, std::int64_t begin,
                               std::int64_t count) const {
    const std::uint64_t offset = offset_of(name, begin, count, sizeof(Stored));
    std::vector<Stored> result(count);
    read_data(result.data(), result.size() * sizeof(Stored), offset);
    return result;
  }
  /// Throws unless there is a tensor of this name and shape.
  void expect(const std::string& name, const Shape& shape) const;

 private:
  const safetensors::Entry& entry(const std::string& name) const;
  void read(void* to, std::uint64_t bytes, std::uint64_t offset) const;
  /// Reads data after checking its blocks.
  void read_data(void* to, std::uint64_t bytes, std::uint64_t offset) const;
  std::uint64_t offset_of(const std::string& name, std::int64_t begin, std::int64_t count,
                          std::size_t element_bytes) const;
  template <class Stored, class Result, class Convert>
  Tensor converted(const std::string& name, Convert&& convert) const;
  void check(Checksum checksum, const std::string& header_text, std::uint64_t data_bytes);
  void check_checksum(const std::string& header_text, std::uint64_t data_bytes) const;
  void take_block_checksums(const std::string& header_text, std::uint64_t data_bytes);

  std::string path_;
  FileDescriptor descriptor_;
  std::uint64_t data_start_ = 0;
  safetensors::Header header_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> positions_;
  std::unique_ptr<const BlockChecksums> blocks_;  // for the first tensor's data
};

/// A tensor to write whose elements come in parts.
struct TensorSource {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  /// Calls take() with all elements in order, in parts of any size, on any device.
  std::function<void(const std::function<void(const Tensor&)>& take)> read;

  static TensorSource of(const std::string& name, const Tensor& tensor);
};
/// Writes atomically, tensor by tensor, each read once; wider elements first, else in order.
void write_safetensors_from(const std::filesystem::path& path, std::vector<TensorSource> tensors,
                            std::map<std::string, std::string> metadata = {},
                            Checksum checksum = Checksum::none);
/// Likewise; tensors on a GPU are copied one at a time.
void write_safetensors(const std::filesystem::path& path,
                       const std::vector<std::pair<std::string, Tensor>>& tensors,
                       std::map<std::string, std::string> metadata = {},
                       Checksum checksum = Checksum::none);

/// Writes one tensor of rank 1 without holding it in memory: first its data, as it comes, then its
/// block checksums as a second tensor (NAME.crc32) and other small tensors. The header is written
/// last, to space reserved at the start. Atomic, with a checksum.
class SafetensorsStream {
 public:
  /// dtype: the format's name, "U16".
  SafetensorsStream(const std::filesystem::path& path, std::string name, std::string dtype);

  void write(std::string_view data);
  /// Adds another tensor of rank 1, which is read and checked as a whole.
  void add(const std::string& name, const std::string& dtype, std::string_view bytes);
  /// Without commit() no file remains.
  void commit(std::map<std::string, std::string> metadata);

 private:
  std::string path_;
  AtomicFile file_;
  safetensors::Entry entry_;
  std::uint32_t checksum_ = 0;  // of the data so far
  BlockChecksumWriter blocks_;
  std::vector<safetensors::Entry> more_;  // begin, end: in more_bytes_
  std::string more_bytes_;
};

/// The name of the tensor with the block checksums of `name`.
inline std::string block_checksums_of(const std::string& name) { return name + ".crc32"; }

}  // namespace kette
