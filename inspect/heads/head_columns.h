// The columns that name the head, for tables with a row per head.
#pragma once

#include "inspect/heads/attention_heads.h"
#include "inspect/report/table.h"

namespace kette {

/// head: the member of a row. The attentions must outlive the columns.
template <class Of>
std::vector<ColumnOf<Of>> head_columns(const std::vector<AttentionPart>& attentions,
                                       Head Of::*head) {
  const auto part = [&attentions, head](const Of& row) -> const AttentionPart& {
    return attentions[(row.*head).attention];
  };
  return {{{.title = "attention", .width = -10, .where = kText},
           [part](const Of& row) { return part(row).name(); }},
          {{.key = "attention", .title = "attention", .where = kJson | kPage},
           [part](const Of& row) { return enum_name(part(row).kind); }},
          {{.key = "layer", .title = "layer", .digits = whole(), .where = kJson | kPage},
           [part](const Of& row) { return part(row).layer; }},
          {{.key = "head", .title = "head", .digits = whole(), .width = 4},
           [head](const Of& row) { return (row.*head).head; }}};
}

}  // namespace kette
