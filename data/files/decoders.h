// Unpacks gzip, xz and zstd with zlib, liblzma and libzstd, one part of a file after the other. A
// part is a gzip member (several may follow each other, RFC 1952, section 2.2), a stream of an xz
// file, or a frame of a zstd file, perhaps a skippable one (RFC 8878, section 3.1.2).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace kette {

class Decoder {
 public:
  using Bytes = std::span<const unsigned char>;
  using Room = std::span<unsigned char>;
  /// The first bytes that identify the format.
  static constexpr std::size_t kMagicBytes = 6;

  /// The decoder for a file with this start; null for a plain file. file: its name, for errors.
  static std::unique_ptr<Decoder> of(Bytes start, const std::string& file);

  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;  // the libraries keep addresses of their own state
  Decoder& operator=(const Decoder&) = delete;

  virtual const char* format() const = 0;
  virtual bool is_magic(Bytes start) const = 0;
  /// Zeros allowed between parts, in multiples of this; 0: none.
  virtual std::size_t padding() const { return 0; }
  /// Prepares for a part.
  virtual void begin_part() = 0;
  /// Unpacks from the front of `packed` to the front of `room` and removes what it used from both.
  /// Returns true at the end of the part, false at the end of either. Damaged data is an Error.
  virtual bool unpack(Bytes& packed, Room& room) = 0;

 protected:
  explicit Decoder(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail_without_memory() const;
  [[noreturn]] void fail_damaged(const std::string& why) const;
  /// wanted: the size needed, if known.
  [[noreturn]] void fail_too_large(const std::string& most, const std::string& wanted) const;

 private:
  std::string file_;
};

/// Throws if a file with this start is packed in a way that no decoder reads: zip, bzip2, 7z. file: its name, for errors.
void check_can_be_read(Decoder::Bytes start, const std::string& file);

}  // namespace kette
