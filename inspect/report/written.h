// The text of a cell, for text and page.
#pragma once

#include "inspect/report/table.h"

namespace kette {

/// dash: written for NaN.
std::string written(const Cell& cell, const Column& column, const char* dash = "-");

}  // namespace kette
