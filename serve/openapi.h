// The description of a server's interfaces (OpenAPI 3.1): serve/openapi.json, made part of the program when it is built
// (cmake/embed.cmake), with the limits and models of the server that tells it.
#pragma once

#include <string_view>

#include "data/files/json_text.h"
#include "serve/limits.h"
#include "serve/served_models.h"

namespace kette {

namespace assets {
extern const std::string_view openapi_json;
}

/// "x-limit": {"maximum": "beam"} beside "maximum": 16 says whose limit that is, and is not told.
Json openapi_document(const ServedModels& models, const ServeLimits& limits, bool needs_key);

}  // namespace kette
