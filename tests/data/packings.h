// Content packed in memory, as gzip, xz and zstd pack it.
#pragma once

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <string>

namespace kette::testing {

inline std::string gzip(const std::string& content) {
  constexpr int kGzipAlone = 16;
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipAlone, 8,
               Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<unsigned>(content.size());
  stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string xz(const std::string& content) {
  std::string packed(lzma_stream_buffer_bound(content.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                          reinterpret_cast<const unsigned char*>(content.data()), content.size(),
                          reinterpret_cast<unsigned char*>(packed.data()), &size, packed.size());
  packed.resize(size);
  return packed;
}

inline std::string zstd(const std::string& content, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log > 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  }
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  // In two steps, or the size of the content, which is known, makes the window smaller.
  ZSTD_inBuffer in{content.data(), content.size(), 0};
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  packed.resize(out.pos);
  ZSTD_freeCCtx(context);
  return packed;
}

struct Packing {
  std::string format;
  std::string (*pack)(const std::string& content);
};
inline const std::array<Packing, 3> kPackings = {
    Packing{"gzip", gzip}, Packing{"xz", xz},
    Packing{"zstd", [](const std::string& content) { return zstd(content); }}};

}  // namespace kette::testing
