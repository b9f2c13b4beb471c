# Writes a C++ file with the text of another file:
#   cmake -DSOURCE=FILE -DNAME=kette::assets::page_css -DHEADER=inspect/page/assets.h -DOUT=FILE -P cmake/embed.cmake
# Addresses in its comments, such as those of a license, lose their scheme: nothing in a page is to look as if it
# were fetched.
file(READ "${SOURCE}" content)
string(REGEX REPLACE "https?://" "" content "${content}")
string(REGEX REPLACE "/\\*# sourceMappingURL=[^*]*\\*/|//# sourceMappingURL=[^\n]*" "" content "${content}")
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [=[
// Written by cmake/embed.cmake.
#include "@HEADER@"

const std::string_view @NAME@ = R"kette(@content@)kette";
]=])
