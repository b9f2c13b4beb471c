// The style sheet and the script of a server's page. The build embeds the files of serve/assets in
// the program (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace kette::assets {

extern const std::string_view serve_css, serve_js;

}  // namespace kette::assets
