// What unpacks gzip, xz and zstd, through zlib, liblzma and libzstd: one part of a file after the other. A part is a gzip
// file, of which several make one again (RFC 1952, section 2.2), a stream of an xz file, or a frame of a zstd file, which may
// be one to skip (RFC 8878, section 3.1.2).
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
  /// As many as tell how a file is packed.
  static constexpr std::size_t kMagicBytes = 6;

  /// What unpacks a file that starts like this; nothing where it is plain. The name of the file stands in errors.
  static std::unique_ptr<Decoder> of(Bytes start, const std::string& file);

  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;  // the libraries keep addresses of their own state
  Decoder& operator=(const Decoder&) = delete;

  virtual const char* format() const = 0;
  virtual bool is_magic(Bytes start) const = 0;
  /// Zeros may stand before another part, in multiples of this; 0: none may.
  virtual std::size_t padding() const { return 0; }
  /// Makes ready for a part.
  virtual void begin_part() = 0;
  /// Unpacks from the front of `packed` to the front of `room`, and cuts both off where it stops: at the end of one of them,
  /// or at that of the part, and then this is true. Throws an Error where they are damaged.
  virtual bool unpack(Bytes& packed, Room& room) = 0;

 protected:
  explicit Decoder(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail_without_memory() const;
  [[noreturn]] void fail_damaged(const std::string& why) const;
  /// wanted: of how much, if that is known.
  [[noreturn]] void fail_too_large(const std::string& most, const std::string& wanted) const;

 private:
  std::string file_;
};

}  // namespace kette
