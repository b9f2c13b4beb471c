#include "data/documents/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <numeric>

#include "data/documents/document_bytes.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kZipEndRecord = 22, kZipDirectoryRecord = 46, kZipLocalHeader = 30;
constexpr unsigned kStored = 0, kDeflated = 8;
constexpr unsigned kIsEncrypted = 1, kHasSizesBehind = 8;

std::uint32_t zip_checksum(const std::string& content) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

void put_number(std::string& to, std::size_t at, std::size_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    to[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
}

std::string zip_deflated(const std::string& content) {
  z_stream stream{};
  KETTE_CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                           Z_DEFAULT_STRATEGY) == Z_OK,
              "zip: expected memory to deflate with, given none");
  std::string packed(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int code = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  KETTE_CHECK(code == Z_STREAM_END, "zip: deflate failed");
  return packed;
}

}  // namespace

ZipArchive::ZipArchive(std::string bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  KETTE_CHECK(bytes_.size() <= kMost, name_, ": expected a ZIP archive of at most ", kMost,
              " bytes, given ", bytes_.size());
  end_record_ = find_end_record();
  read_directory();
  read_places();
}

std::uint32_t ZipArchive::number(std::size_t at, int bytes) const {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value |= std::uint32_t{static_cast<unsigned char>(bytes_[at + static_cast<std::size_t>(i)])}
             << (8 * i);
  }
  return value;
}

std::size_t ZipArchive::find_end_record() const {
  constexpr std::size_t kLongestComment = 65535;
  for (std::size_t back = kZipEndRecord;
       back <= bytes_.size() && back <= kZipEndRecord + kLongestComment; ++back) {
    const std::size_t at = bytes_.size() - back;
    if (bytes_.compare(at, 4, "PK\5\6") == 0 && number(at + 20, 2) == back - kZipEndRecord)
      return at;
  }
  fail(name_,
       ": expected a ZIP archive, given something else (is it cut off, or another kind of file?)");
}

void ZipArchive::read_directory() {
  const std::size_t count = number(end_record_ + 10, 2);
  directory_ = number(end_record_ + 16, 4);
  KETTE_CHECK(number(end_record_ + 4, 4) == 0 && number(end_record_ + 8, 2) == count &&
                  directory_ <= end_record_,
              name_, ": expected a ZIP archive of one file without ZIP64, given another one");
  std::size_t at = directory_;
  for (std::size_t i = 0; i < count; ++i) {
    KETTE_CHECK(end_record_ - at >= kZipDirectoryRecord && bytes_.compare(at, 4, "PK\1\2") == 0,
                name_, ": expected ", count, " entries in the archive's directory, given ", i,
                " (it is damaged)");
    Entry entry;
    entry.record = at;
    entry.flags = number(at + 8, 2);
    entry.method = number(at + 10, 2);
    entry.checksum = number(at + 16, 4);
    entry.packed = number(at + 20, 4);
    entry.size = number(at + 24, 4);
    entry.begin = number(at + 42, 4);
    const std::size_t name_bytes = number(at + 28, 2);
    const std::size_t record =
        kZipDirectoryRecord + name_bytes + number(at + 30, 2) + number(at + 32, 2);
    KETTE_CHECK(record <= end_record_ - at, name_,
                ": expected whole entries in the archive's directory, given one that is cut off");
    entry.name = bytes_.substr(at + kZipDirectoryRecord, name_bytes);
    at += record;
    entries_.push_back(std::move(entry));
  }
}

void ZipArchive::read_places() {
  by_place_.resize(entries_.size());
  std::iota(by_place_.begin(), by_place_.end(), std::size_t{0});
  std::sort(by_place_.begin(), by_place_.end(),
            [&](std::size_t a, std::size_t b) { return entries_[a].begin < entries_[b].begin; });
  for (std::size_t i = 0; i < by_place_.size(); ++i) {
    Entry& entry = entries_[by_place_[i]];
    entry.end = i + 1 < by_place_.size() ? entries_[by_place_[i + 1]].begin : directory_;
    const auto fits = [&](std::size_t bytes) {
      return entry.begin <= entry.end && entry.end <= directory_ &&
             bytes <= entry.end - entry.begin;
    };
    const bool has_header = fits(kZipLocalHeader) && bytes_.compare(entry.begin, 4, "PK\3\4") == 0;
    const std::size_t header =
        has_header ? kZipLocalHeader + number(entry.begin + 26, 2) + number(entry.begin + 28, 2)
                   : 0;
    KETTE_CHECK(
        has_header && fits(header + entry.packed), name_, ": ", entry.name,
        ": expected an entry with bytes of its own in the archive, given none (it is damaged)");
    entry.data = entry.begin + header;
  }
}

std::string ZipArchive::content(std::size_t index) const {
  const Entry& entry = entries_[index];
  const std::string name = name_ + ": " + entry.name;
  KETTE_CHECK((entry.flags & kIsEncrypted) == 0, name,
              ": expected an entry that is not encrypted, given one that is (save it without a "
              "password)");
  KETTE_CHECK(entry.method == kStored || entry.method == kDeflated, name,
              ": expected an entry that is stored or deflated, given method ", entry.method);
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  KETTE_CHECK(entry.size <= kMostDocumentBytes &&
                  (entry.size <= kSmall || entry.size / kMostRatio <= entry.packed),
              name, ": expected an entry of at most ", kMostDocumentBytes, " bytes and ",
              kMostRatio, " times its packed ones, given ", entry.size, " of ", entry.packed,
              " (it looks like a bomb)");
  std::string content;
  if (entry.method == kStored) {
    content = bytes_.substr(entry.data, entry.packed);
  } else {
    content.resize(entry.size + 1);  // one more detects data longer than declared
    z_stream stream{};
    KETTE_CHECK(inflateInit2(&stream, -MAX_WBITS) == Z_OK, name,
                ": expected memory to read it with, given none");
    stream.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data() + entry.data));  // read
    stream.avail_in = static_cast<uInt>(entry.packed);
    stream.next_out = reinterpret_cast<Bytef*>(content.data());
    stream.avail_out = static_cast<uInt>(content.size());
    const int code = inflate(&stream, Z_FINISH);
    content.resize(stream.total_out);
    inflateEnd(&stream);
    KETTE_CHECK(code == Z_STREAM_END, name, ": expected sound data of ", entry.size,
                " bytes, given others (it is damaged)");
  }
  KETTE_CHECK(content.size() == entry.size && zip_checksum(content) == entry.checksum, name,
              ": expected ", entry.size, " bytes with the checksum ", entry.checksum,
              ", given others (it is damaged)");
  return content;
}

std::string ZipArchive::with(const std::map<std::size_t, std::string>& contents) const {
  std::string directory = bytes_.substr(directory_);
  std::string out = bytes_.substr(0, entries_.empty() ? directory_ : entries_[by_place_[0]].begin);
  for (const std::size_t index : by_place_) {
    const Entry& entry = entries_[index];
    const std::size_t record = entry.record - directory_;
    put_number(directory, record + 42, out.size(), 4);
    const auto found = contents.find(index);
    if (found == contents.end()) {
      out.append(bytes_, entry.begin, entry.end - entry.begin);
      continue;
    }
    const std::string packed = zip_deflated(found->second);
    const auto put_sizes = [&](std::string& to, std::size_t at) {    // the same in both headers
      put_number(to, at, entry.flags & ~(kHasSizesBehind | 6U), 2);  // 6: how well it was deflated
      put_number(to, at + 2, kDeflated, 2);
      put_number(to, at + 8, zip_checksum(found->second), 4);
      put_number(to, at + 12, packed.size(), 4);
      put_number(to, at + 16, found->second.size(), 4);
    };
    std::string header = bytes_.substr(entry.begin, entry.data - entry.begin);
    put_sizes(header, 6);
    put_sizes(directory, record + 8);
    out += header;
    out += packed;
    const bool is_behind = (entry.flags & kHasSizesBehind) != 0;
    const std::size_t behind = is_behind ? entry.end : entry.data + entry.packed;
    out.append(bytes_, behind, entry.end - behind);
  }
  put_number(directory, end_record_ - directory_ + 16, out.size(), 4);
  return out + directory;
}

}  // namespace kette
