// Forward declaration of Json, for headers that only name it; see data/files/json_text.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace kette {

/// Objects keep the order of their keys.
using Json = nlohmann::ordered_json;

}  // namespace kette
