#include "data/files/decoders.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "tensor/error.h"

namespace kette {
namespace {

template <std::size_t n>
bool begins_with(Decoder::Bytes bytes, const std::array<unsigned char, n>& magic) {
  return bytes.size() >= n && std::equal(magic.begin(), magic.end(), bytes.begin());
}

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(const std::string& file) : Decoder(file) {
    constexpr int kGzipAlone = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipAlone) != Z_OK) fail_without_memory();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }

  static bool is_its_magic(Bytes start) {
    return begins_with(start, std::array<unsigned char, 2>{0x1f, 0x8b});
  }
  const char* format() const override { return "gzip"; }
  bool is_magic(Bytes start) const override { return is_its_magic(start); }
  void begin_part() override { inflateReset(&stream_); }

  bool unpack(Bytes& packed, Room& room) override {
    stream_.next_in = const_cast<unsigned char*>(packed.data());  // zlib only reads it
    stream_.avail_in = static_cast<unsigned>(packed.size());
    stream_.next_out = room.data();
    stream_.avail_out = static_cast<unsigned>(room.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    packed = packed.last(stream_.avail_in);
    room = room.last(stream_.avail_out);
    if (code == Z_MEM_ERROR) fail_without_memory();
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      fail_damaged(stream_.msg != nullptr ? stream_.msg : "unknown");
    }
    return code == Z_STREAM_END;
  }

 private:
  z_stream stream_{};
};

class XzDecoder final : public Decoder {
 public:
  explicit XzDecoder(const std::string& file) : Decoder(file) {}
  ~XzDecoder() override { lzma_end(&stream_); }

  static bool is_its_magic(Bytes start) {
    return begins_with(start, std::array<unsigned char, 6>{0xfd, '7', 'z', 'X', 'Z', 0});
  }
  const char* format() const override { return "xz"; }
  bool is_magic(Bytes start) const override { return is_its_magic(start); }
  std::size_t padding() const override { return 4; }
  void begin_part() override {
    if (lzma_stream_decoder(&stream_, kMostMemory, 0) != LZMA_OK) fail_without_memory();
  }

  bool unpack(Bytes& packed, Room& room) override {
    stream_.next_in = packed.data();
    stream_.avail_in = packed.size();
    stream_.next_out = room.data();
    stream_.avail_out = room.size();
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    packed = packed.last(stream_.avail_in);
    room = room.last(stream_.avail_out);
    switch (code) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:  // there was nothing to read
        return false;
      case LZMA_STREAM_END:
        return true;
      case LZMA_MEM_ERROR:
        fail_without_memory();
      case LZMA_MEMLIMIT_ERROR:
        fail_too_large("1 GiB", std::to_string(lzma_memusage(&stream_) >> 20) + " MiB");
      case LZMA_OPTIONS_ERROR:
        fail_damaged("it asks for what liblzma does not know");
      default:
        fail_damaged("its data or a checksum is wrong");
    }
  }

 private:
  static constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 30;

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(const std::string& file)
      : Decoder(file), stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    if (!stream_) fail_without_memory();
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }

  static bool is_its_magic(Bytes start) {
    if (begins_with(start, std::array<unsigned char, 4>{0x28, 0xb5, 0x2f, 0xfd})) return true;
    // A skippable frame, as pzstd writes first.
    return start.size() >= 4 && (start[0] & 0xf0) == 0x50 &&
           begins_with(start.subspan(1), std::array<unsigned char, 3>{0x2a, 0x4d, 0x18});
  }
  const char* format() const override { return "zstd"; }
  bool is_magic(Bytes start) const override { return is_its_magic(start); }
  void begin_part() override { ZSTD_DCtx_reset(stream_.get(), ZSTD_reset_session_only); }

  bool unpack(Bytes& packed, Room& room) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const std::size_t code = ZSTD_decompressStream(stream_.get(), &out, &in);
    packed = packed.subspan(in.pos);
    room = room.subspan(out.pos);
    if (ZSTD_isError(code) == 0) return code == 0;
    const ZSTD_ErrorCode error = ZSTD_getErrorCode(code);
    if (error == ZSTD_error_memory_allocation) fail_without_memory();
    if (error == ZSTD_error_frameParameter_windowTooLarge) fail_too_large("128 MiB", "more");
    fail_damaged(ZSTD_getErrorName(code));
  }

 private:
  static constexpr int kWindowLog = 27;  // 128 MiB

  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
};

}  // namespace

std::unique_ptr<Decoder> Decoder::of(Bytes start, const std::string& file) {
  if (GzipDecoder::is_its_magic(start)) return std::make_unique<GzipDecoder>(file);
  if (XzDecoder::is_its_magic(start)) return std::make_unique<XzDecoder>(file);
  if (ZstdDecoder::is_its_magic(start)) return std::make_unique<ZstdDecoder>(file);
  return nullptr;
}

void check_can_be_read(Decoder::Bytes start, const std::string& file) {
  const char *format = nullptr, *tool = nullptr;
  if (begins_with(start, std::array<unsigned char, 4>{'P', 'K', 3, 4})) {
    format = "zip";
    tool = "unzip";
  } else if (start.size() > 5 && start[3] >= '1' && start[3] <= '9' &&
             begins_with(start, std::array<unsigned char, 3>{'B', 'Z', 'h'}) &&
             begins_with(start.subspan(4), std::array<unsigned char, 2>{'1', 'A'})) {
    format = "bzip2";  // its first block begins with the digits of pi
    tool = "bunzip2";
  } else if (begins_with(start, std::array<unsigned char, 6>{'7', 'z', 0xbc, 0xaf, 0x27, 0x1c})) {
    format = "7z";
    tool = "7z x";
  }
  KETTE_CHECK(format == nullptr, file, ": expected plain text, gzip, xz or zstd, given a ", format,
              " file (unpack it first: ", tool, ")");
}

void Decoder::fail_without_memory() const {
  fail(file_, ": expected memory to read it with, given none");
}

void Decoder::fail_damaged(const std::string& why) const {
  fail(file_, ": expected a sound ", format(), " file, given a damaged one (", why,
       "; copy or download it again)");
}

void Decoder::fail_too_large(const std::string& most, const std::string& wanted) const {
  fail(file_, ": expected the ", format(), " file to take at most ", most,
       " of memory to read, given one that takes ", wanted,
       " (unpack it, or pack it with a smaller window)");
}

}  // namespace kette
