// The tape of a step as tables, as JSON and as a page of all its nodes.
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
/// The tape has to live as long as the report. Its text is what was put in before, and the sum of all.
Report to_report(const TapeListing& tape, const ShownTape& shown, Report before);

/// What nodes of one scope add up to, in the order in which scopes are met. depth: how many parts of it count, 0: all.
Table folded_nodes(const TapeListing& tape, std::int64_t depth);
/// A line for each.
Table lines_of_nodes(const TapeListing& tape);
/// One, with its gradients.
std::string text_of(const TapeNode& node, const ShownTape& shown);
/// All that is known of every node.
Data nodes_data(const TapeListing& tape, const ShownTape& shown);

}  // namespace kette
