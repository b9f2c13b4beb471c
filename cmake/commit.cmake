# Writes a C++ file with the commit that a source tree is at:
#   cmake -DSOURCE=FOLDER -DOUT=FILE -P cmake/commit.cmake
# The short hash, with "+changes" when files differ from it; "" where the folder is not the top of a git
# work tree, such as an unpacked archive, be it inside of another project's. A file that would say the same
# stays untouched, so that nothing is compiled again.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --show-cdup
                RESULT_VARIABLE failed OUTPUT_VARIABLE way_to_top ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
set(commit "")
if(NOT failed AND way_to_top STREQUAL "")
  # No tag is looked for, and no lock taken that a git at work beside this build would meet.
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env GIT_OPTIONAL_LOCKS=0
                          git -C "${SOURCE}" describe --always --exclude=* --dirty=+changes
                  OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [[
// Written by cmake/commit.cmake at each build.
#include "cli/version.h"

const char* kette::cli::built_commit() { return "@commit@"; }
]])
