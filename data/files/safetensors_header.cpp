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

constexpr std::pair<std::string_view, std::uint64_t> kElementSizes[] = {
    {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1},
    {"U16", 2},  {"I16", 2}, {"F16", 2}, {"BF16", 2},    {"U32", 4},
    {"I32", 4},  {"F32", 4}, {"U64", 8}, {"I64", 8},     {"F64", 8},
};

/// A message must stay readable whatever a broken file holds.
std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 160;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + " ...";
}

std::string shortened(const SortedJson& value) { return shortened(value.dump(-1, ' ', true)); }

/// JSON in which no object has the same key twice and nothing nests deeper than a header does.
SortedJson parse_strictly(const std::string& file, std::string_view text) {
  constexpr int kDeepest = 3;
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, SortedJson::parse_event_t event, SortedJson& parsed) {
    KETTE_CHECK(depth <= kDeepest, file,
                ": expected a safetensors header, given JSON nested too deep");
    if (event == SortedJson::parse_event_t::object_start) keys.emplace_back();
    if (event == SortedJson::parse_event_t::object_end) keys.pop_back();
    if (event == SortedJson::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      KETTE_CHECK(keys.back().insert(key).second, file,
                  ": expected names that occur once in the header, given \"", key, "\" twice");
    }
    return true;
  };
  try {
    return SortedJson::parse(text, check);
  } catch (const SortedJson::exception& error) {
    fail(file, ": expected a safetensors header of JSON, given text that is not (",
         shortened(std::string(error.what())), ")");
  }
}

class EntryParser {
 public:
  EntryParser(const std::string& file, const std::string& name, const SortedJson& value)
      : where_(file + ": tensor \"" + name + "\""), value_(value) {
    KETTE_CHECK(value.is_object() && value.size() == 3 && value.contains("dtype") &&
                    value.contains("shape") && value.contains("data_offsets"),
                where_, ": expected dtype, shape and data_offsets, given ", shortened(value));
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
    KETTE_CHECK(dtype.is_string() && element_size(dtype.get_ref<const std::string&>()) > 0, where_,
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
    std::uint64_t bytes = 0;
    KETTE_CHECK(!__builtin_mul_overflow(static_cast<std::uint64_t>(entry_.shape.elements()),
                                        element_size(entry_.dtype), &bytes) &&
                    bytes == entry_.end - entry_.begin,
                where_, ": expected the bytes of ", entry_.dtype, " ", entry_.shape, ", given ",
                entry_.end - entry_.begin, " bytes");
  }

  std::string where_;
  const SortedJson& value_;
  Entry entry_;
};

std::map<std::string, std::string> parse_metadata(const std::string& file,
                                                  const SortedJson& value) {
  const auto is_string = [](const SortedJson& item) { return item.is_string(); };
  KETTE_CHECK(value.is_object() && std::all_of(value.begin(), value.end(), is_string), file,
              ": expected ", kMetadata, " to hold strings by name, given something else");
  return value.get<std::map<std::string, std::string>>();
}

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

std::uint64_t element_size(std::string_view dtype) {
  for (const auto& [name, size] : kElementSizes) {
    if (name == dtype) return size;
  }
  return 0;
}

Header parse_header(const std::string& file, std::string_view text, std::uint64_t data_bytes) {
  KETTE_CHECK(text.starts_with('{'), file,
              ": expected a safetensors header, which starts with {, given other text");
  const SortedJson parsed = parse_strictly(file, text);
  Header header;
  for (const auto& [name, value] : parsed.items()) {
    if (name == kMetadata) {
      header.metadata = parse_metadata(file, value);
    } else {
      header.entries.push_back(EntryParser(file, name, value).parse());
    }
  }
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
