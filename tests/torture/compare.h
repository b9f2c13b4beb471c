// Whether files are whole, and whether two runs left the same.
#pragma once

#include <filesystem>

namespace kette::torture {

/// Throws an Error unless every file under its final name, below a path or at it, can be read whole.
void check_whole(const std::filesystem::path& path);

/// Throws an Error unless both hold the same files with the same bytes. What a clock says may
/// differ, and nothing else: the seconds of training in the metadata of training.safetensors, and
/// with them its checksum; tokens per second in log.jsonl; who held a lock.
void check_equal(const std::filesystem::path& path, const std::filesystem::path& twin);

/// Throws an Error if an unfinished file is left below a folder.
void check_no_leftovers(const std::filesystem::path& folder);

}  // namespace kette::torture
