// The style sheet and the script of a server's page: the files of serve/assets, made part of the program when it is built
// (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace kette::assets {

extern const std::string_view serve_css, serve_js;

}  // namespace kette::assets
