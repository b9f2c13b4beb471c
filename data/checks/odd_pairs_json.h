// Odd pairs as JSON, stored beside the text that they were dropped from.
#pragma once

#include <vector>

#include "data/checks/odd_pairs.h"
#include "data/files/json_fwd.h"

namespace kette {

Json odd_pairs_to_json(const std::vector<OddPairs>& odd);
std::vector<OddPairs> odd_pairs_of_json(const Json& json);

}  // namespace kette
