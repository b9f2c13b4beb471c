#include "data/tokenizers/tokenizer_class.h"

#include <algorithm>
#include <string>

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "tensor/error.h"

namespace kette {

void expect_tokenizer_class(const std::filesystem::path& folder,
                            std::initializer_list<std::string_view> allowed) {
  for (const char* name : {"tokenizer_config.json", "config.json"}) {
    const std::filesystem::path file = folder / name;
    if (!std::filesystem::exists(file)) continue;
    const auto json = parse_json<nlohmann::json>(read_text(file), file.string());
    KETTE_CHECK(json.is_object(), file.string(), ": expected a JSON object, given something else");
    const auto given = json.value("tokenizer_class", nlohmann::json());
    if (given.is_null()) continue;
    const auto is_given = [&](std::string_view one) { return given == std::string(one); };
    KETTE_CHECK(std::any_of(allowed.begin(), allowed.end(), is_given), file.string(), ": expected ",
                *allowed.begin(),
                " for \"tokenizer_class\", which is what Kette's tokenizer does, given ",
                given.dump(), " (a tokenizer.json beside it would say what that one does)");
    return;
  }
}

}  // namespace kette
