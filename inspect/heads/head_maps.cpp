#include "inspect/heads/head_maps.h"

#include <algorithm>
#include <cmath>

#include "inspect/page/labelled_map.h"
#include "tensor/error.h"

namespace kette {
namespace {

std::vector<std::string> numbered(const std::string& name, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(name + " " + std::to_string(i));
  return names;
}

}  // namespace

std::string head_maps(const std::vector<AttentionPart>& attentions, const HeadNumbers& numbers) {
  const std::vector<Head> heads = heads_of(attentions);
  KETTE_CHECK(heads.size() == numbers.values.size(), "head maps: expected a number for each of ",
              heads.size(), " heads, given ", numbers.values.size());
  double most = numbers.most;
  for (const double value : numbers.values) {
    if (numbers.most == 0 && std::isfinite(value)) most = std::max(most, std::abs(value));
  }
  std::string html;
  for (const AttentionKind kind : numbers.kinds) {
    std::int64_t layers = 0, columns = 0;
    for (const AttentionPart& part : attentions) {
      if (part.kind != kind) continue;
      layers = std::max(layers, part.layer + 1);
      columns = std::max(columns, part.heads);
    }
    if (layers == 0) continue;
    std::vector<double> values(static_cast<std::size_t>(layers * columns), std::nan(""));
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const AttentionPart& part = attentions[heads[i].attention];
      if (part.kind == kind) values[part.layer * columns + heads[i].head] = numbers.values[i];
    }
    html += labelled_map({std::string(enum_name(kind)) + ": " + numbers.title,
                          numbered("layer", layers), numbered("head", columns), values,
                          most > 0 ? most : 1, numbers.unit, numbers.decimals});
  }
  return "<div class=\"labelled-maps\">" + html + "</div>\n";
}

}  // namespace kette
