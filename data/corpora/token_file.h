// A corpus as ids on disk: larger than memory if need be. A safetensors file (data/files/safetensors.h)
// with the tensors
//   tokens        [n], U16 for vocabularies up to 65536, else I32
//   tokens.crc32  checksums, so that what is read is known to be what was written
//   lengths       of the documents without their ends, U16 or I32, where who wrote the file gave them
//   note          of the program that made it, U8, where it is long
// and in its metadata what the ids mean. Windows are read with pread and not through a memory map:
// the page cache serves both alike, a copy of a few KiB costs nothing beside a training step, and a
// file that another program cuts short is an Error instead of a bus error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/files/safetensors.h"

namespace kette {

struct TokenFileInfo {
  std::string tokenizer;         ///< Tokenizer::fingerprint()
  std::int64_t vocabulary = 0;   ///< every id is below
  std::int32_t end_of_text = 0;  ///< stands after each document
  std::int64_t documents = 0;
  std::int64_t bytes = 0;    ///< of the text, for bits per byte
  std::string made_of = {};  ///< names the text and how it was read, where that is asked for
  std::string note = {};     ///< by the program that made it
};

/// Writes in bounded memory and atomically: without finish() nothing is left.
class TokenFileWriter {
 public:
  TokenFileWriter(const std::filesystem::path& path, std::int64_t vocabulary);

  /// All of them or, if one is outside the vocabulary, an Error and none.
  void append(std::span<const std::int32_t> ids);
  std::int64_t size() const { return size_; }
  /// info.vocabulary must be the writer's. lengths: of the documents, for who wants to find them without a look at all tokens.
  void finish(const TokenFileInfo& info, const std::vector<std::int32_t>& lengths = {});

 private:
  void flush();

  std::string path_;
  std::int64_t vocabulary_, size_ = 0;
  SafetensorsStream file_;
  std::string waiting_;  // bytes for the next write
};

/// Safe to read from several threads.
class TokenFile {
 public:
  /// Quick for a file of any size: what is read later is checked then.
  static TokenFile open(const std::filesystem::path& path);
  /// Nothing if there is none, or it was made of something else, or is damaged: then it is to be made anew.
  static std::optional<TokenFile> find(const std::filesystem::path& path,
                                       const std::string& made_of);

  std::int64_t size() const { return size_; }
  const TokenFileInfo& info() const { return info_; }
  const std::string& name() const { return path_; }
  /// Of the documents of the whole file; none where it has none.
  std::vector<std::int32_t> lengths() const;
  /// Reads all of it once; an Error where it is not as it was written.
  void check() const;
  /// Tokens [begin, begin + count) as a corpus of their own; info() stays that of the whole.
  TokenFile part(std::int64_t begin, std::int64_t count) const;
  /// The ids [begin, begin + count). One outside the vocabulary is an Error.
  std::vector<std::int32_t> copy(std::int64_t begin, std::int64_t count) const;

 private:
  TokenFile(SafetensorsFile file, std::string path);

  template <class Stored>
  std::vector<std::int32_t> checked_copy(std::int64_t begin, std::int64_t count) const;

  std::shared_ptr<const SafetensorsFile> file_;
  std::string path_;
  TokenFileInfo info_;
  std::int64_t first_ = 0, size_ = 0;  // of the file's tokens
};

/// Whether a file begins as one of these, or another safetensors file, does, and not as text.
bool is_token_file(const std::filesystem::path& path);

}  // namespace kette
