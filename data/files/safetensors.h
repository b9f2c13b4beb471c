// Tensors by name in a safetensors file, the format of Hugging Face, which other tools open too:
//   8 bytes: n, little-endian | n bytes: JSON header, padded with spaces to 8 | the data,
//   row-major, no holes.
// Opening checks the whole header against the file, so a damaged or hostile file is an Error and
// nothing else; tensors are read on demand, whole or in part. Files of our own can carry a checksum
// (crc32, zlib) over header and data, in the metadata, and large ones another for each block.
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

/// crc32: written with a checksum; opened only if there is one that agrees, so every changed byte
/// is found. if_present: likewise, but a file of another program needs none. by_block: like that,
/// but of a file of SafetensorsStream the header alone is checked at once, and the data block by
/// block as it is read.
enum class Checksum { none, crc32, if_present, by_block };
/// Where it stands in the metadata.
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
  /// The type tensor() gives: F16 becomes f32; I64 becomes i32, if the values fit.
  DType dtype(const std::string& name) const;
  /// Its type by its name in the file: "F32", "U16", ...
  const std::string& stored_dtype(const std::string& name) const { return entry(name).dtype; }
  /// A copy on the CPU.
  Tensor tensor(const std::string& name) const;
  /// Elements [begin, begin + count) in row-major order, as a flat tensor of the stored type, which is none of those that
  /// tensor() converts.
  Tensor part(const std::string& name, std::int64_t begin, std::int64_t count) const;
  /// Elements [begin, begin + count) in row-major order, as they are stored. Safe to call from
  /// several threads.
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
  /// Of the data, after a look at the checksums of its blocks.
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
  std::unique_ptr<const BlockChecksums> blocks_;  // of the first tensor's data
};

/// A tensor to be written whose elements come part by part.
struct TensorSource {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  /// Calls take with all elements in their order, in parts of any size, on any device.
  std::function<void(const std::function<void(const Tensor&)>& take)> read;

  static TensorSource of(const std::string& name, const Tensor& tensor);
};
/// Writes atomically, tensor by tensor, each read once: those of wider elements first, otherwise in their order.
void write_safetensors_from(const std::filesystem::path& path, std::vector<TensorSource> tensors,
                            std::map<std::string, std::string> metadata = {},
                            Checksum checksum = Checksum::none);
/// Likewise; tensors on a GPU are copied one at a time.
void write_safetensors(const std::filesystem::path& path,
                       const std::vector<std::pair<std::string, Tensor>>& tensors,
                       std::map<std::string, std::string> metadata = {},
                       Checksum checksum = Checksum::none);

/// Writes one tensor of rank 1 that is not held in memory: its data goes to disk as it comes,
/// behind it the checksums of its blocks as a second tensor (NAME.crc32), others that are small, and the header, known
/// only at the end, into room left before it. Atomic, with a checksum.
class SafetensorsStream {
 public:
  /// dtype: as the format names it, "U16".
  SafetensorsStream(const std::filesystem::path& path, std::string name, std::string dtype);

  void write(std::string_view data);
  /// One more tensor of rank 1, which is read and checked as a whole.
  void add(const std::string& name, const std::string& dtype, std::string_view bytes);
  /// Without it nothing is left of the file.
  void commit(std::map<std::string, std::string> metadata);

 private:
  std::string path_;
  AtomicFile file_;
  safetensors::Entry entry_;
  std::uint32_t checksum_ = 0;  // of the data so far
  BlockChecksumWriter blocks_;
  std::vector<safetensors::Entry> more_;  // whose places are those in more_bytes_
  std::string more_bytes_;
};

/// The name of the tensor of block checksums beside that of the data.
inline std::string block_checksums_of(const std::string& name) { return name + ".crc32"; }

}  // namespace kette
