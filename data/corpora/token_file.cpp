#include "data/corpora/token_file.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "data/files/text_file.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr const char *kTokens = "tokens", *kLengths = "lengths", *kNote = "note";
/// A longer one is a tensor: the header has little room.
constexpr std::size_t kNoteInHeader = 1024;       // bytes
constexpr std::int64_t kLargestOf16Bits = 65536;  // a vocabulary, not an id
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

const char* stored_type(std::int64_t vocabulary) {
  return vocabulary <= kLargestOf16Bits ? "U16" : "I32";
}

template <class Stored>
void append_as(std::string& bytes, std::span<const std::int32_t> ids) {
  const std::vector<Stored> stored(ids.begin(), ids.end());
  bytes.append(reinterpret_cast<const char*>(stored.data()), stored.size() * sizeof(Stored));
}

/// The metadata of a token file, key by key.
class InfoReader {
 public:
  InfoReader(const std::map<std::string, std::string>& metadata, const std::string& path)
      : metadata_(metadata), path_(path) {}

  const std::string& text(const char* key) const {
    const auto found = metadata_.find(key);
    KETTE_CHECK(found != metadata_.end(), path_, ": expected \"", key,
                "\" in its metadata, given none (make the file with kette tokenize)");
    return found->second;
  }

  std::string text_or_nothing(const char* key) const {
    return metadata_.contains(key) ? text(key) : "";
  }

  std::int64_t number(const char* key, std::int64_t low, std::int64_t high) const {
    const std::string& digits = text(key);
    const char* end = digits.data() + digits.size();
    std::int64_t value = 0;
    const auto [stopped, error] = std::from_chars(digits.data(), end, value);
    KETTE_CHECK(error == std::errc() && stopped == end && value >= low && value <= high, path_,
                ": expected a whole number from ", low, " to ", high, " for \"", key,
                "\" in its metadata, given \"", digits, "\"");
    return value;
  }

 private:
  const std::map<std::string, std::string>& metadata_;
  const std::string& path_;
};

}  // namespace

TokenFileWriter::TokenFileWriter(const std::filesystem::path& path, std::int64_t vocabulary)
    : path_(path.string()),
      vocabulary_(vocabulary),
      file_(path, kTokens, stored_type(vocabulary)) {}

void TokenFileWriter::append(std::span<const std::int32_t> ids) {
  const auto wrong = std::find_if(ids.begin(), ids.end(),
                                  [&](std::int32_t id) { return id < 0 || id >= vocabulary_; });
  KETTE_CHECK(wrong == ids.end(), path_, ": expected ids from 0 to ", vocabulary_ - 1, ", given ",
              *wrong, " as token ", size_ + (wrong - ids.begin()));
  if (vocabulary_ <= kLargestOf16Bits) {
    append_as<std::uint16_t>(waiting_, ids);
  } else {
    append_as<std::int32_t>(waiting_, ids);
  }
  size_ += static_cast<std::int64_t>(ids.size());
  if (waiting_.size() >= kBufferBytes) flush();
}

void TokenFileWriter::flush() {
  file_.write(waiting_);
  waiting_.clear();
}

void TokenFileWriter::finish(const TokenFileInfo& info, const std::vector<std::int32_t>& lengths) {
  KETTE_CHECK(info.vocabulary == vocabulary_, path_, ": expected the vocabulary ", vocabulary_,
              " that the writer was made for, given ", info.vocabulary);
  flush();
  if (!lengths.empty()) {
    const bool is_narrow = *std::max_element(lengths.begin(), lengths.end()) < kLargestOf16Bits;
    std::string bytes;
    is_narrow ? append_as<std::uint16_t>(bytes, lengths) : append_as<std::int32_t>(bytes, lengths);
    file_.add(kLengths, is_narrow ? "U16" : "I32", bytes);
  }
  const bool is_long = info.note.size() > kNoteInHeader;
  if (is_long) file_.add(kNote, "U8", info.note);
  file_.commit({{"tokenizer", info.tokenizer},
                {"vocabulary", std::to_string(info.vocabulary)},
                {"end_of_text", std::to_string(info.end_of_text)},
                {"documents", std::to_string(info.documents)},
                {"bytes", std::to_string(info.bytes)},
                {"made_of", info.made_of},
                {"note", is_long ? "" : info.note}});
}

TokenFile TokenFile::open(const std::filesystem::path& path) {
  return TokenFile(SafetensorsFile::open(path, Checksum::by_block), path.string());
}

std::optional<TokenFile> TokenFile::find(const std::filesystem::path& path,
                                         const std::string& made_of) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    TokenFile file = open(path);
    if (file.info().made_of != made_of) return std::nullopt;
    file.check();
    return file;
  } catch (const Error&) {
    return std::nullopt;
  }
}

TokenFile::TokenFile(SafetensorsFile file, std::string path)
    : file_(std::make_shared<const SafetensorsFile>(std::move(file))), path_(std::move(path)) {
  std::vector<std::string> expected{kTokens};
  for (const std::string& name :
       {block_checksums_of(kTokens), std::string(kLengths), std::string(kNote)}) {
    if (file_->contains(name)) expected.push_back(name);
  }
  KETTE_CHECK(file_->names() == expected, path_,
              ": expected the tensor \"tokens\" and its checksums alone, given ",
              file_->names().size(), " tensors of other names (make the file with kette tokenize)");
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const InfoReader reader(file_->metadata(), path_);
  info_.tokenizer = reader.text("tokenizer");
  info_.vocabulary = reader.number("vocabulary", 1, std::numeric_limits<std::int32_t>::max());
  info_.end_of_text =
      static_cast<std::int32_t>(reader.number("end_of_text", 0, info_.vocabulary - 1));
  info_.documents = reader.number("documents", 0, kMost);
  info_.bytes = reader.number("bytes", 0, kMost);
  info_.made_of = reader.text_or_nothing("made_of");
  info_.note = reader.text_or_nothing(kNote);
  if (file_->contains(kNote)) {
    const auto bytes = file_->elements<std::uint8_t>(kNote, 0, file_->shape(kNote)[0]);
    info_.note.assign(bytes.begin(), bytes.end());
  }
  const Shape& shape = file_->shape(kTokens);
  const std::string& type = file_->stored_dtype(kTokens);
  KETTE_CHECK(shape.rank() == 1 && type == stored_type(info_.vocabulary), path_,
              ": tensor \"tokens\": expected ", stored_type(info_.vocabulary), " [n], given ", type,
              " ", shape);
  size_ = shape[0];
}

TokenFile TokenFile::part(std::int64_t begin, std::int64_t count) const {
  KETTE_CHECK(begin >= 0 && count >= 0 && count <= size_ - begin, path_,
              ": expected a part of its ", size_, " tokens, given ", count, " from ", begin);
  TokenFile result = *this;
  result.first_ += begin;
  result.size_ = count;
  return result;
}

std::vector<std::int32_t> TokenFile::copy(std::int64_t begin, std::int64_t count) const {
  return info_.vocabulary <= kLargestOf16Bits ? checked_copy<std::uint16_t>(begin, count)
                                              : checked_copy<std::int32_t>(begin, count);
}

template <class Stored>
std::vector<std::int32_t> TokenFile::checked_copy(std::int64_t begin, std::int64_t count) const {
  KETTE_CHECK(begin >= 0 && count >= 0 && count <= size_ - begin, path_, ": expected some of its ",
              size_, " tokens, given ", count, " from ", begin);
  const std::vector<Stored> stored = file_->elements<Stored>(kTokens, first_ + begin, count);
  std::vector<std::int32_t> ids(stored.begin(), stored.end());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    KETTE_CHECK(ids[i] >= 0 && ids[i] < info_.vocabulary, path_, ": expected ids from 0 to ",
                info_.vocabulary - 1, ", given ", ids[i], " as token ",
                first_ + begin + static_cast<std::int64_t>(i),
                " (the file is damaged: make it again)");
  }
  return ids;
}

std::vector<std::int32_t> TokenFile::lengths() const {
  if (!file_->contains(kLengths)) return {};
  const std::int64_t count = file_->shape(kLengths)[0];
  if (file_->stored_dtype(kLengths) == "I32") {
    return file_->elements<std::int32_t>(kLengths, 0, count);
  }
  const auto stored = file_->elements<std::uint16_t>(kLengths, 0, count);
  return {stored.begin(), stored.end()};
}

void TokenFile::check() const {
  lengths();
  constexpr std::int64_t kAtOnce = std::int64_t{1} << 20;
  for (std::int64_t at = 0; at < size_; at += kAtOnce) copy(at, std::min(kAtOnce, size_ - at));
}

bool is_token_file(const std::filesystem::path& path) {
  // The length of a header is below 2^32, so the fifth to the eighth byte are zero; a JSON object
  // comes next.
  const std::string start = first_bytes(path, 9);
  return start.size() == 9 && start.substr(4) == std::string("\0\0\0\0{", 5);
}

}  // namespace kette
