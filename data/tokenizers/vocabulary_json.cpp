#include "data/tokenizers/vocabulary_json.h"

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "tensor/error.h"

namespace kette {
namespace {

struct Entry {
  std::string token;
  Json id;
};

/// The entries of one flat JSON object, in order. Without a Json, which would take longer than all
/// the rest.
std::vector<Entry> read_entries(const std::filesystem::path& file) {
  std::vector<Entry> entries;
  const auto collect = [&entries](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key) {
      entries.push_back({std::move(parsed.get_ref<std::string&>()), {}});
    } else if (depth == 1 && event == Json::parse_event_t::value && !entries.empty()) {
      entries.back().id = parsed;
    }
    return depth == 0;
  };
  const Json object = Json::parse(read_text(file), collect, /*allow_exceptions=*/false);
  KETTE_CHECK(object.is_object(), file.string(),
              ": expected a JSON object of tokens and their ids, given something else");
  return entries;
}

/// The tokens by id, as they are written.
std::vector<std::string> read_tokens(const std::filesystem::path& file) {
  std::vector<Entry> entries = read_entries(file);
  const std::string name = file.string();
  std::vector<std::string> tokens(entries.size());
  std::vector<char> is_taken(entries.size());
  for (Entry& entry : entries) {
    const auto id = entry.id.is_number_integer() ? entry.id.get<std::int64_t>() : -1;
    KETTE_CHECK(id >= 0 && id < static_cast<std::int64_t>(tokens.size()), name,
                ": expected ids from 0 to ", tokens.size() - 1, ", one for each of ", tokens.size(),
                " tokens, given ", entry.id.dump(), " for ", entry.token);
    const auto place = static_cast<std::size_t>(id);
    KETTE_CHECK(!is_taken[place], name, ": expected every id once, given ", id, " for both ",
                tokens[place], " and ", entry.token);
    is_taken[place] = true;
    tokens[place] = std::move(entry.token);
  }
  return tokens;
}

}  // namespace

TokenTable read_vocabulary_json(const std::filesystem::path& file) {
  TokenTable table(read_tokens(file));
  for (std::int32_t id = 0; id < table.size(); ++id) {
    KETTE_CHECK(table.find(table.text(id)) == id, file.string(),
                ": expected every token once, given ", table.text(id), " again for the id ", id);
  }
  return table;
}

std::string vocabulary_json(const std::vector<std::string>& tokens) {
  // Without a Json, which would compare each key with all keys before it.
  std::string json = "{";
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    json += (id > 0 ? ", " : "") + Json(tokens[id]).dump() + ": " + std::to_string(id);
  }
  return json + "}\n";
}

}  // namespace kette
