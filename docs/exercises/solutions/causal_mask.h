#pragma once

#include "tensor/segments.h"

/// Of the rows up to the query's own, those that begin no earlier than its sentence.
inline bool sees(std::int64_t query, std::int64_t key, const kette::Segments& sentences) {
  std::int64_t i = 0;
  while (query >= sentences.end(i)) ++i;
  return key >= sentences.begin(i) && key <= query;
}
