#include "data/files/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "tensor/error.h"

namespace kette::safetensors {
namespace {

using SortedJson = nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr const char* kKeys[] = {"dtype", "shape", "data_offsets"};  // of a tensor

constexpr std::pair<std::string_view, std::uint64_t> kElementBits[] = {
    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"BOOL", 8},        {"U8", 8},
    {"I8", 8},      {"F8_E4M3", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F8_E5M2", 8},
    {"F8_E8M0", 8}, {"U16", 16},    {"I16", 16},        {"F16", 16},        {"BF16", 16},
    {"U32", 32},    {"I32", 32},    {"F32", 32},        {"U64", 64},        {"I64", 64},
    {"F64", 64},    {"C64", 64},
};

/// Keeps messages readable for any content of a broken file.
std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 160;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + " ...";
}

std::string shortened(const SortedJson& value) { return shortened(value.dump(-1, ' ', true)); }

class EntryParser {
 public:
  EntryParser(const std::string& file, const std::string& name, const SortedJson& value)
      : where_(file + ": tensor \"" + name + "\""), value_(value) {
    const auto has = [&](const char* key) { return value.contains(key); };
    KETTE_CHECK(value.is_object() && std::all_of(std::begin(kKeys), std::end(kKeys), has), where_,
                ": expected dtype, shape and data_offsets, given ", shortened(value));
    entry_.name = name;
  }

  Entry parse() {
    parse_dtype();
    parse_shape();
    parse_offsets();
    return entry_;
  }

 private:
  void parse_dtype() {
    const SortedJson& dtype = value_["dtype"];
    KETTE_CHECK(dtype.is_string() && element_bits(dtype.get_ref<const std::string&>()) > 0, where_,
                ": expected a dtype of safetensors (F32, BF16, ...), given ", shortened(dtype));
    entry_.dtype = dtype.get<std::string>();
  }

  void parse_shape() {
    const SortedJson& shape = value_["shape"];
    const auto is_extent = [](const SortedJson& extent) {
      return extent.is_number_unsigned() && extent.get<std::uint64_t>() <= INT64_MAX;
    };
    KETTE_CHECK(shape.is_array() && shape.size() <= Shape::kMaxRank &&
                    std::all_of(shape.begin(), shape.end(), is_extent),
                where_, ": expected a shape of at most ", Shape::kMaxRank, " extents, given ",
                shortened(shape));
    try {
      for (const SortedJson& extent : shape) entry_.shape.push_back(extent.get<std::int64_t>());
    } catch (const Error& error) {
      fail(where_, ": ", error.what());
    }
  }

  void parse_offsets() {
    const SortedJson& offsets = value_["data_offsets"];
    KETTE_CHECK(offsets.is_array() && offsets.size() == 2 && offsets[0].is_number_unsigned() &&
                    offsets[1].is_number_unsigned() && offsets[0] <= offsets[1],
                where_, ": expected data_offsets [begin, end], given ", shortened(offsets));
    entry_.begin = offsets[0].get<std::uint64_t>();
    entry_.end = offsets[1].get<std::uint64_t>();
    const std::uint64_t bytes = entry_.end - entry_.begin;
    const auto elements = static_cast<std::uint64_t>(entry_.shape.elements());
    const std::uint64_t bits = element_bits(entry_.dtype), rest = elements % 8 * bits;
    std::uint64_t expected = 0;  // eight elements are whole bytes
    KETTE_CHECK(!__builtin_mul_overflow(elements / 8, bits, &expected) && rest % 8 == 0 &&
                    !__builtin_add_overflow(expected, rest / 8, &expected) && expected == bytes,
                where_, ": expected the bytes of ", entry_.dtype, " ", entry_.shape, ", given ",
                bytes, " bytes");
  }

  std::string where_;
  const SortedJson& value_;
  Entry entry_;
};

/// Takes each member of the header as soon as it is parsed and keeps no other part of the JSON,
/// since nlohmann's parser walks through all of an object wherever an object in it ends.
class HeaderReader {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  Header read(std::string_view text) {
    const auto take = [this](int depth, SortedJson::parse_event_t event, SortedJson& parsed) {
      return take_part(depth, event, parsed);
    };
    try {
      [[maybe_unused]] const SortedJson nothing = SortedJson::parse(text, take);
    } catch (const SortedJson::exception& error) {
      fail(file_, ": expected a safetensors header of JSON, given text that is not (",
           shortened(std::string(error.what())), ")");
    }
    return std::move(header_);
  }

 private:
  using Event = SortedJson::parse_event_t;

  /// Whether the parser should keep the part.
  bool take_part(int depth, Event event, SortedJson& parsed) {
    KETTE_CHECK(depth <= kDeepest, file_,
                ": expected a safetensors header, given JSON nested too deep");
    const bool begins = event == Event::object_start || event == Event::array_start;
    if (event == Event::key && depth <= 2) return take_key(depth, parsed.get<std::string>());
    if (depth == 1 && !begins) {
      take_member(parsed);
      return false;
    }
    KETTE_CHECK(depth < 2 || !is_wanted_ || event != Event::object_start, file_, ": \"", member_,
                "\": expected no object within it, given one");
    return true;
  }

  bool take_key(int depth, const std::string& key) {
    std::set<std::string>& before = depth == 1 ? members_ : keys_;
    KETTE_CHECK(before.insert(key).second, file_,
                ": expected names that occur once in the header, given \"", shortened(key),
                "\" twice");
    if (depth == 1) {
      member_ = key;
      keys_.clear();
    }
    is_wanted_ = depth == 1 || member_ == kMetadata ||
                 std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
    return is_wanted_;
  }

  void take_member(const SortedJson& value) {
    if (member_ != kMetadata) {
      header_.entries.push_back(EntryParser(file_, member_, value).parse());
    } else if (!value.is_null()) {
      header_.metadata = parse_metadata(value);
    }
  }

  std::map<std::string, std::string> parse_metadata(const SortedJson& value) const {
    const auto is_string = [](const SortedJson& item) { return item.is_string(); };
    KETTE_CHECK(value.is_object() && std::all_of(value.begin(), value.end(), is_string), file_,
                ": expected ", kMetadata, " to hold strings by name, given something else");
    return value.get<std::map<std::string, std::string>>();
  }

  static constexpr int kDeepest = 128;  // as the format's own library

  const std::string& file_;
  Header header_;
  std::string member_;  // the one that is parsed
  std::set<std::string> members_, keys_;
  bool is_wanted_ = true;  // a key of the format
};

void check_coverage(const std::string& file, const std::vector<Entry>& entries,
                    std::uint64_t data_bytes) {
  std::uint64_t covered = 0;
  for (const Entry& entry : entries) {
    KETTE_CHECK(entry.begin == covered, file, ": tensor \"", entry.name,
                "\": expected data from byte ", covered, " on, where the one before ends, given ",
                entry.begin, entry.begin < covered ? " (they overlap)" : " (there is a hole)");
    covered = entry.end;
  }
  KETTE_CHECK(covered == data_bytes, file, ": expected ", covered,
              " bytes of data after the header, given ", data_bytes,
              covered > data_bytes ? " (the file is truncated: copy it again)"
                                   : " (the rest belongs to no tensor)");
}

}  // namespace

std::uint64_t element_bits(std::string_view dtype) {
  for (const auto& [name, bits] : kElementBits) {
    if (name == dtype) return bits;
  }
  return 0;
}

Header parse_header(const std::string& file, std::string_view text, std::uint64_t data_bytes) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  KETTE_CHECK(begin != std::string_view::npos && text[begin] == '{', file,
              ": expected a safetensors header, which starts with {, given other text");
  // nlohmann's parser stops at a NUL.
  const std::size_t nul = text.find('\0');
  KETTE_CHECK(nul == std::string_view::npos, file,
              ": expected a safetensors header of JSON alone, given a NUL in it at byte ", nul);
  Header header = HeaderReader(file).read(text);
  std::sort(header.entries.begin(), header.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  check_coverage(file, header.entries, data_bytes);
  return header;
}

std::string format_header(const std::string& file, const Header& header) {
  SortedJson object = SortedJson::object();
  if (!header.metadata.empty()) object[kMetadata] = header.metadata;
  for (const Entry& entry : header.entries) {
    KETTE_CHECK(entry.name != kMetadata && !object.contains(entry.name), file,
                ": expected tensors with names of their own, given \"", entry.name,
                entry.name == kMetadata ? "\", which the format reserves" : "\" twice");
    SortedJson shape = SortedJson::array();
    for (int axis = 0; axis < entry.shape.rank(); ++axis) shape.push_back(entry.shape[axis]);
    object[entry.name] = {
        {"dtype", entry.dtype}, {"shape", shape}, {"data_offsets", {entry.begin, entry.end}}};
  }
  try {
    return object.dump();
  } catch (const SortedJson::exception& error) {
    fail(file, ": expected names and metadata in UTF-8, given others (", error.what(), ")");
  }
}

}  // namespace kette::safetensors
