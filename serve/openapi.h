// The description of a server's interfaces (OpenAPI 3.1). The build embeds serve/openapi.json in the
// program (cmake/embed.cmake). The server adds its own limits and models.
#pragma once

#include <string_view>

#include "data/files/json_text.h"
#include "serve/limits.h"
#include "serve/served_models.h"

namespace kette {

namespace assets {
extern const std::string_view openapi_json;
}

/// "x-limit": {"maximum": "beam"} next to "maximum": 16 names the limit that replaces the value. It is
/// not part of the answer.
Json openapi_document(const ServedModels& models, const ServeLimits& limits, bool needs_key);

}  // namespace kette
