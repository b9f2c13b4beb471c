// Style sheets and scripts for pages: the files of inspect/page/assets and of dygraphs (MIT). The build embeds
// them in the program (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace kette::assets {

extern const std::string_view page_css, page_js, charts_js, explain_js, trace_js, tape_js,
    gradient_js;
extern const std::string_view dygraph_css, dygraph_js;

}  // namespace kette::assets
