// Whether a file is still the one it was, wherever it lies now.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kette {

/// Its length and a CRC-32 of its content; of a file above 64 MiB, of 256 blocks of 64 KiB spread
/// evenly over it, the first and the last among them. "1234 bytes, crc32 89abcdef". Throws unless
/// it is a file that can be read as often as one likes: not a folder, not a pipe.
std::string file_fingerprint(const std::filesystem::path& path);

/// Of several files in this order; of one the same as above.
std::string file_fingerprint(const std::vector<std::filesystem::path>& paths);

}  // namespace kette
