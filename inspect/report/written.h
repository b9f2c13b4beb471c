// A cell as text and page write it.
#pragma once

#include "inspect/report/table.h"

namespace kette {

/// dash: what NaN is.
std::string written(const Cell& cell, const Column& column, const char* dash = "-");

}  // namespace kette
