// A fingerprint tells whether a file has changed, independent of its path.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kette {

/// "1234 bytes, crc32 89abcdef": length and CRC-32 of the content (above 4 GiB: of 4096 blocks of
/// 64 KiB, evenly spread, with the first and the last). Throws unless it is a regular file.
std::string file_fingerprint(const std::filesystem::path& path);

/// Of several files in this order; for one file as above.
std::string file_fingerprint(const std::vector<std::filesystem::path>& paths);

}  // namespace kette
