#include "data/files/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tensor/error.h"
#include "tensor/half.h"

namespace kette {
namespace {

static_assert(std::endian::native == std::endian::little, "the data is copied as it is");

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // the format's own limit
constexpr std::uint64_t kChunkBytes = 1 << 20;
constexpr std::uint64_t kStreamDataStart = 4096;  // of SafetensorsStream
constexpr std::string_view kNoDigits = "00000000";

const char* stored_name(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "F32";
    case DType::f64:
      return "F64";
    case DType::bf16:
      return "BF16";
    case DType::i32:
      return "I32";
    case DType::int8:
      return "I8";
  }
  return "?";
}

std::string_view bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw()), tensor.bytes()};
}

/// The checksum of the header and of the table of block checksums.
constexpr const char* kBlocksKey = "kette.crc32_of_blocks";

/// The place of a checksum's digits in a header written by Kette.
std::size_t find_digits(const std::string& header_text, const char* key) {
  const std::string before = std::string("\"") + key + "\":\"";
  const std::size_t at = header_text.find(before);
  const std::size_t digits = at + before.size();
  const bool found = at != std::string::npos && digits + kNoDigits.size() <= header_text.size();
  return found ? digits : std::string::npos;
}

std::string digits_in(const std::string& header_text, const char* key) {
  const std::size_t at = find_digits(header_text, key);
  return at == std::string::npos ? "" : header_text.substr(at, kNoDigits.size());
}

void put_digits(std::string& header_text, const char* key, std::uint32_t checksum) {
  header_text.replace(find_digits(header_text, key), kNoDigits.size(), hexadecimal(checksum));
}

/// The header as it was when the checksum was computed: without the checksum itself.
std::string without_digits(std::string header_text, const char* key) {
  const std::size_t at = find_digits(header_text, key);
  if (at != std::string::npos) header_text.replace(at, kNoDigits.size(), kNoDigits);
  return header_text;
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path, Checksum checksum) {
  SafetensorsFile file;
  file.path_ = path.string();
  file.descriptor_ =
      FileDescriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));  // a pipe would wait
  KETTE_CHECK(file.descriptor_.is_open(), file.path_,
              ": expected a readable file, given one that is not (", std::strerror(errno), ")");
  struct stat status {};
  KETTE_CHECK(::fstat(file.descriptor_.get(), &status) == 0 && S_ISREG(status.st_mode), file.path_,
              ": expected a safetensors file, given a directory, a pipe or a device");
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  KETTE_CHECK(file_bytes >= kLengthBytes, file.path_, ": expected a safetensors file, given only ",
              file_bytes, " bytes (it is truncated: copy it again)");
  std::uint64_t header_bytes = 0;
  file.read(&header_bytes, kLengthBytes, 0);
  KETTE_CHECK(header_bytes <= std::min(file_bytes - kLengthBytes, kLongestHeader), file.path_,
              ": expected a safetensors file, given ", file_bytes,
              " bytes that promise a header of ", header_bytes,
              " (it is truncated, or not safetensors)");
  std::string text(header_bytes, '\0');
  file.read(text.data(), header_bytes, kLengthBytes);
  file.data_start_ = kLengthBytes + header_bytes;
  const std::uint64_t data_bytes = file_bytes - file.data_start_;
  file.header_ = safetensors::parse_header(file.path_, text, data_bytes);
  for (const safetensors::Entry& entry : file.header_.entries) {
    file.positions_.emplace(entry.name, file.names_.size());
    file.names_.push_back(entry.name);
  }
  file.check(checksum, text, data_bytes);
  return file;
}

void SafetensorsFile::check(Checksum checksum, const std::string& header_text,
                            std::uint64_t data_bytes) {
  const bool has_blocks = !digits_in(header_text, kBlocksKey).empty();
  const bool has_one = has_blocks || !digits_in(header_text, kChecksumKey).empty();
  if (checksum == Checksum::none || (checksum != Checksum::crc32 && !has_one)) return;
  if (checksum == Checksum::by_block && has_blocks) {
    take_block_checksums(header_text, data_bytes);
  } else {
    check_checksum(header_text, data_bytes);
  }
}

/// Checks all but the first tensor's data, for which it loads the block checksums.
void SafetensorsFile::take_block_checksums(const std::string& header_text,
                                           std::uint64_t data_bytes) {
  KETTE_CHECK(!header_.entries.empty(), path_, ": expected tensors, given none");
  const safetensors::Entry& data = header_.entries.front();
  const safetensors::Entry& sums = entry(block_checksums_of(data.name));
  KETTE_CHECK(sums.begin == data.end, path_, ": expected checksums behind the data, given them at ",
              sums.begin);
  std::string behind(data_bytes - sums.begin, '\0');
  read(behind.data(), behind.size(), data_start_ + sums.begin);
  const std::string expected = digits_in(header_text, kBlocksKey);
  const std::string given =
      hexadecimal(checksum_of(behind, checksum_of(without_digits(header_text, kBlocksKey))));
  KETTE_CHECK(given == expected, path_, ": expected a header with the checksum ", expected,
              ", given ", given, " (the file is damaged: make it again)");
  blocks_ = std::make_unique<BlockChecksums>(path_, behind.substr(0, sums.end - sums.begin),
                                             data.end - data.begin);
}

void SafetensorsFile::check_checksum(const std::string& header_text,
                                     std::uint64_t data_bytes) const {
  const std::string expected = digits_in(header_text, kChecksumKey);
  KETTE_CHECK(!expected.empty(), path_,
              ": expected a file with Kette's checksum, given one without it",
              " (it was damaged, or written by another program)");
  std::uint32_t checksum =
      checksum_of(without_digits(without_digits(header_text, kBlocksKey), kChecksumKey));
  std::string chunk;
  for (std::uint64_t done = 0; done < data_bytes; done += chunk.size()) {
    chunk.resize(std::min(kChunkBytes, data_bytes - done));
    read(chunk.data(), chunk.size(), data_start_ + done);
    checksum = checksum_of(chunk, checksum);
  }
  KETTE_CHECK(hexadecimal(checksum) == expected, path_, ": expected content with the checksum ",
              expected, ", given ", hexadecimal(checksum),
              " (the file is damaged: take a copy of it, or another checkpoint)");
}

const safetensors::Entry& SafetensorsFile::entry(const std::string& name) const {
  const auto found = positions_.find(name);
  KETTE_CHECK(found != positions_.end(), path_, ": expected a tensor \"", name, "\", given ",
              names_.size(), " others",
              names_.empty() ? "" : ", the first is \"" + names_.front() + "\"",
              " (is it a model of another kind?)");
  return header_.entries[found->second];
}

DType SafetensorsFile::dtype(const std::string& name) const {
  const std::string& stored = entry(name).dtype;
  if (stored == "F32" || stored == "F16") return DType::f32;
  if (stored == "I32" || stored == "I64") return DType::i32;
  if (stored == "F64") return DType::f64;
  KETTE_CHECK(stored == "BF16", path_, ": tensor \"", name,
              "\": expected F16, BF16, F32, F64, I32 or I64, given ", stored);
  return DType::bf16;
}

Tensor SafetensorsFile::tensor(const std::string& name) const {
  const safetensors::Entry& found = entry(name);
  const DType result_dtype = dtype(name);
  if (found.dtype == "F16") return converted<std::uint16_t, float>(name, float_of_half);
  if (found.dtype == "I64") {
    return converted<std::int64_t, std::int32_t>(name, [&](std::int64_t value) {
      KETTE_CHECK(value == static_cast<std::int32_t>(value), path_, ": tensor \"", name,
                  "\": expected whole numbers of 32 bits, given ", value);
      return static_cast<std::int32_t>(value);
    });
  }
  Tensor result = Tensor::empty(found.shape, result_dtype);
  read_data(result.raw(), found.end - found.begin, data_start_ + found.begin);
  return result;
}

Tensor SafetensorsFile::part(const std::string& name, std::int64_t begin,
                             std::int64_t count) const {
  const Tensor result = Tensor::empty({count}, dtype(name));
  const std::uint64_t offset = offset_of(name, begin, count, size_of(result.dtype()));
  read_data(result.raw(), result.bytes(), offset);
  return result;
}

void SafetensorsFile::expect(const std::string& name, const Shape& shape) const {
  KETTE_CHECK(entry(name).shape == shape, path_, ": tensor \"", name, "\": expected shape ", shape,
              ", given ", entry(name).shape, " (is it a model of another preset or vocabulary?)");
}

void SafetensorsFile::read(void* to, std::uint64_t bytes, std::uint64_t offset) const {
  // pread rather than mmap: if another program truncates the file, this gives an Error instead of a
  // bus error.
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t count = ::pread(descriptor_.get(), static_cast<char*>(to) + done, bytes - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    KETTE_CHECK(count >= 0, path_, ": expected a readable file, given a failure (",
                std::strerror(errno), ")");
    KETTE_CHECK(count > 0, path_, ": expected ", bytes, " bytes from byte ", offset,
                " on, given the end of the file (it was cut short while in use)");
    done += static_cast<std::uint64_t>(count);
  }
}

void SafetensorsFile::read_data(void* to, std::uint64_t bytes, std::uint64_t offset) const {
  const std::uint64_t in_data = offset - data_start_;
  if (blocks_ && in_data < header_.entries.front().end) {
    blocks_->check(in_data, bytes, [&](char* block, std::uint64_t size, std::uint64_t at) {
      read(block, size, data_start_ + at);
    });
  }
  read(to, bytes, offset);
}

std::uint64_t SafetensorsFile::offset_of(const std::string& name, std::int64_t begin,
                                         std::int64_t count, std::size_t element_bytes) const {
  const safetensors::Entry& found = entry(name);
  KETTE_CHECK(8 * element_bytes == safetensors::element_bits(found.dtype), path_, ": tensor \"",
              name, "\": expected elements of ", element_bytes, " bytes, given ", found.dtype);
  const std::int64_t size = found.shape.elements();
  KETTE_CHECK(begin >= 0 && begin <= size && count >= 0 && count <= size - begin, path_,
              ": tensor \"", name, "\": expected elements among its ", size, ", given ", count,
              " from ", begin, " on");
  return data_start_ + found.begin + static_cast<std::uint64_t>(begin) * element_bytes;
}

template <class Stored, class Result, class Convert>
Tensor SafetensorsFile::converted(const std::string& name, Convert&& convert) const {
  const std::vector<Stored> stored = elements<Stored>(name, 0, shape(name).elements());
  Tensor result = Tensor::empty(shape(name), dtype_of<Result>);
  std::transform(stored.begin(), stored.end(), result.data<Result>(), convert);
  return result;
}

TensorSource TensorSource::of(const std::string& name, const Tensor& tensor) {
  return {name, tensor.dtype(), tensor.shape(), [tensor](const auto& take) { take(tensor); }};
}

void write_safetensors_from(const std::filesystem::path& path, std::vector<TensorSource> tensors,
                            std::map<std::string, std::string> metadata, Checksum checksum) {
  // Wide elements first, so that every tensor starts at a multiple of its element size.
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return size_of(a.dtype) > size_of(b.dtype);
  });
  safetensors::Header header{{}, std::move(metadata)};
  if (checksum == Checksum::crc32) header.metadata[kChecksumKey] = kNoDigits;
  std::uint64_t end = 0;
  for (const auto& [name, dtype, shape, read] : tensors) {
    const std::uint64_t begin = end;
    end += static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
    header.entries.push_back({name, stored_name(dtype), shape, begin, end});
  }
  std::string text = safetensors::format_header(path.string(), header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t header_bytes = text.size();
  const std::string length(reinterpret_cast<const char*>(&header_bytes), kLengthBytes);
  AtomicFile file(path);
  file.write(length + text);
  std::uint32_t sum = checksum_of("");
  std::uint64_t written = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].read([&](const Tensor& part) {
      const Tensor host = part.to(Device{});
      const std::string_view bytes = bytes_of(host);
      file.write(bytes);
      if (checksum == Checksum::crc32) sum = checksum_of(bytes, sum);
      written += bytes.size();
    });
    KETTE_CHECK(written == header.entries[i].end, path.string(), ": tensor \"", tensors[i].name,
                "\": expected all of its elements, given others");
  }
  if (checksum == Checksum::crc32) {
    const auto all = static_cast<std::uint32_t>(
        crc32_combine(checksum_of(text), sum, static_cast<z_off_t>(written)));
    put_digits(text, kChecksumKey, all);
    file.overwrite_start(length + text);
  }
  file.commit();
}

void write_safetensors(const std::filesystem::path& path,
                       const std::vector<std::pair<std::string, Tensor>>& tensors,
                       std::map<std::string, std::string> metadata, Checksum checksum) {
  std::vector<TensorSource> sources;
  for (const auto& [name, tensor] : tensors) {
    KETTE_CHECK(tensor.defined(), path.string(), ": tensor \"", name,
                "\": expected storage, given none");
    sources.push_back(TensorSource::of(name, tensor));
  }
  write_safetensors_from(path, std::move(sources), std::move(metadata), checksum);
}

SafetensorsStream::SafetensorsStream(const std::filesystem::path& path, std::string name,
                                     std::string dtype)
    : path_(path.string()), file_(path), entry_{std::move(name), std::move(dtype), {}, 0, 0} {
  file_.write(std::string(kStreamDataStart, ' '));
}

void SafetensorsStream::write(std::string_view data) {
  file_.write(data);
  checksum_ = checksum_of(data, checksum_);
  blocks_.add(data);
  entry_.end += data.size();
}

void SafetensorsStream::add(const std::string& name, const std::string& dtype,
                            std::string_view bytes) {
  const std::uint64_t begin = more_bytes_.size();
  more_.push_back({name,
                   dtype,
                   {static_cast<std::int64_t>(8 * bytes.size() / safetensors::element_bits(dtype))},
                   begin,
                   begin + bytes.size()});
  more_bytes_ += bytes;
}

void SafetensorsStream::commit(std::map<std::string, std::string> metadata) {
  for (const char* key : {kChecksumKey, kBlocksKey}) metadata[key] = kNoDigits;
  entry_.shape = {
      static_cast<std::int64_t>(8 * entry_.end / safetensors::element_bits(entry_.dtype))};
  const std::uint64_t sums_end = entry_.end + blocks_.table().size();
  std::vector<safetensors::Entry> entries{
      entry_,
      {block_checksums_of(entry_.name), "U8", {std::ssize(blocks_.table())}, entry_.end, sums_end}};
  for (safetensors::Entry& entry : more_) {
    entry.begin += sums_end;
    entry.end += sums_end;
    entries.push_back(entry);
  }
  const std::string behind = blocks_.table() + more_bytes_;
  file_.write(behind);
  std::string text = safetensors::format_header(path_, {std::move(entries), std::move(metadata)});
  constexpr std::uint64_t kHeaderBytes = kStreamDataStart - kLengthBytes;
  KETTE_CHECK(text.size() <= kHeaderBytes, path_, ": expected a header of at most ", kHeaderBytes,
              " bytes, given ", text.size(), " (shorten the metadata)");
  text.resize(kHeaderBytes, ' ');
  const auto of_data = static_cast<std::uint32_t>(
      crc32_combine(checksum_of(text), checksum_, static_cast<z_off_t>(entry_.end)));
  put_digits(text, kChecksumKey, checksum_of(behind, of_data));
  put_digits(text, kBlocksKey, checksum_of(behind, checksum_of(text)));
  text.insert(0, reinterpret_cast<const char*>(&kHeaderBytes), kLengthBytes);
  file_.overwrite_start(text);
  file_.commit();
}

}  // namespace kette
