// The report of a step's tape: tables, JSON and a page of all nodes.
#pragma once

#include <functional>

#include "inspect/report/report.h"
#include "inspect/steps/tape_listing.h"

namespace kette {

struct ShownTape {
  std::string model, precision, headline;
  int threads = 1;
  std::function<std::string(std::int64_t node)> check{};  ///< the command line that checks a node
};
/// Appends to `before`; its text adds only the summary. The tape must outlive the report.
Report to_report(const TapeListing& tape, const ShownTape& shown, Report before);

/// Sums over the nodes of each scope, in the order of first use. depth: the number of parts of a scope, 0: all.
Table folded_nodes(const TapeListing& tape, std::int64_t depth);
/// A line for each node.
Table lines_of_nodes(const TapeListing& tape);
/// One node with its gradients.
std::string text_of(const TapeNode& node, const ShownTape& shown);
/// JSON with all data of every node.
Data nodes_data(const TapeListing& tape, const ShownTape& shown);

}  // namespace kette
