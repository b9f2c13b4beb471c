#include "cli/model_report.h"

#include <algorithm>

#include "cli/common.h"
#include "data/files/json_text.h"
#include "data/files/safetensors.h"
#include "data/files/visible_text.h"
#include "inspect/report/text.h"
#include "models/model_directory.h"
#include "models/model_summary.h"
#include "models/points.h"
#include "tensor/shortest.h"

namespace kette::cli {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;

/// A part of a model, or all of it, which is counted once.
struct Part {
  SummaryRow row;
  bool is_total = false;

  double training_flops() const { return 3 * (row.source_flops + row.target_flops); }
  std::string name() const {
    return row.part +
           (row.count > 1 && !is_total ? " (each of " + std::to_string(row.count) + ")" : "");
  }
  std::int64_t weight_bytes() const { return 4 * row.parameters; }
  std::int64_t training_bytes() const { return kTrainingBytesPerParameter * row.parameters; }
};

std::vector<Part> parts_of(const ModelConfig& config) {
  std::vector<Part> parts;
  Part total{{"total", 1, 0, 0, 0}, true};
  for (const SummaryRow& row : summary_of(config)) {
    parts.push_back({row});
    const auto count = static_cast<double>(row.count);
    total.row.parameters += row.count * row.parameters;
    total.row.source_flops += count * row.source_flops;
    total.row.target_flops += count * row.target_flops;
  }
  parts.push_back(total);
  return parts;
}

Table table_of(const std::vector<Part>& parts) {
  constexpr Where kShown = kText | kPage;
  const Digits three = decimals(3), two = decimals(2);
  const auto mega = [](double flops) { return flops / 1e6; };
  const auto mebi = [](std::int64_t bytes) { return static_cast<double>(bytes) / kMebi; };
  Table table = tabulated(
      "parts", parts,
      {{{.key = "part", .title = "part", .width = -42},
        [](const Part& part) { return Cell(part.row.part).as(part.name()); }},
       {{.key = "count", .where = kJson}, [](const Part& part) { return part.row.count; }},
       {{.key = "parameters", .title = "parameters", .digits = grouped(), .width = 12},
        [](const Part& part) { return part.row.parameters; }},
       {{.key = "source_token_flops", .where = kJson},
        [](const Part& part) { return part.row.source_flops; }},
       {{.key = "target_token_flops", .where = kJson},
        [](const Part& part) { return part.row.target_flops; }},
       {{.key = "training_flops", .where = kJson}, &Part::training_flops},
       {{.title = "src token",
         .digits = three,
         .width = 10,
         .where = kShown,
         .page_title = "MFLOP a src token"},
        [mega](const Part& part) { return mega(part.row.source_flops); }},
       {{.title = "tgt token",
         .digits = three,
         .width = 10,
         .where = kShown,
         .page_title = "MFLOP a tgt token"},
        [mega](const Part& part) { return mega(part.row.target_flops); }},
       {{.title = "both",
         .digits = three,
         .width = 10,
         .where = kShown,
         .page_title = "training, both"},
        [mega](const Part& part) { return mega(part.training_flops()); }},
       {{.title = "MiB", .digits = two, .width = 9, .where = kShown, .page_title = "weights, MiB"},
        [mebi](const Part& part) { return mebi(part.weight_bytes()); }},
       {{.title = "MiB", .digits = two, .width = 9, .where = kShown, .page_title = "training, MiB"},
        [mebi](const Part& part) { return mebi(part.training_bytes()); }},
       {{.key = "weight_bytes", .where = kJson}, &Part::weight_bytes},
       {{.key = "training_bytes", .where = kJson}, &Part::training_bytes}});
  table.rows.back().where = kShown;
  table.rows.back().is_sum = true;
  return table;
}

std::string explained(const ModelConfig& config) {
  const CacheSize cached = config.largest_cache();
  const double bytes = static_cast<double>(cached.bytes) / kMebi;
  std::string all =
      "MFLOP: matrix products of the forward pass, and of a training step over a source and a target token; "
      "attention over n keys\nadds " +
      (cached.is_state
           ? shortest(static_cast<double>(4 * config.width * config.heads_of(0).width) / 1e6)
           : shortest(static_cast<double>(4 * config.width) / 1e6) + " n") +
      " for each attention layer. Training MiB: weights, gradients and an optimiser's two moments, without "
      "activations.\n";
  if (cached.bytes == 0) return all;
  return all + "Decoding keeps " + (cached.is_state ? "states of " : "keys and values of ") +
         text("%.2f MiB for a text", bytes) +
         (cached.is_state ? ", whatever the length.\n"
                          : text(" of %lld tokens, what the model sees at once.\n",
                                 static_cast<long long>(cached.tokens)));
}

/// What the parameters of a model directory lie in, and how many bytes they take there.
void add_file(Report& report, const std::filesystem::path& folder) {
  const std::filesystem::path file = parameter_file(folder);
  if (!std::filesystem::is_regular_file(file)) return;
  const std::string weights = name_of(weights_of(SafetensorsFile::open(file).metadata(), file));
  const std::uintmax_t bytes = std::filesystem::file_size(file);
  report.line(visible(name_of_folder(folder)) + ": weights in " + weights +
                  text(", %.2f MiB\n", static_cast<double>(bytes) / kMebi),
              kText | kPage);
  report.fact("weights", weights);
  report.fact("file_bytes", bytes);
}

}  // namespace

Report report_of_model(const ModelConfig& config, const std::filesystem::path& folder) {
  Report report;
  const Json settings = Json::parse(to_json(config));
  for (const auto& [key, value] : settings.items()) report.fact(key, nested(value));
  const std::vector<Part> parts = parts_of(config);
  const SummaryRow& all = parts.back().row;
  report.line("\n" + headline(config) + "\n\n" +
              text("%-42s %12s %10s %10s %10s %9s %9s\n", "", "", "MFLOP a", "MFLOP a", "training,",
                   "weights,", "training,"));
  const std::int64_t parameters = count_parameters(config);
  report.section("The model");
  report.note(headline(config));
  report.fact("parameters", parameters);
  report.table(table_of(parts));
  report.line("\n" + explained(config), kText | kPage);
  const double forward = all.source_flops + all.target_flops;
  report.fact("forward_flops_per_token_pair", forward);
  report.fact("training_flops_per_token_pair", 3 * forward);
  report.fact("weight_bytes", 4 * parameters);
  report.fact("training_bytes", kTrainingBytesPerParameter * parameters);
  if (const CacheSize cached = config.largest_cache(); cached.bytes > 0) {
    report.fact("cache_tokens", cached.tokens);
    report.fact("cache_bytes", cached.bytes);
  }
  if (!folder.empty()) add_file(report, folder);
  return report;
}

Report report_of_points(const ModelConfig& config) {
  const std::unique_ptr<Model> model = config.make_model();
  model->allocate(DType::f32, {}, Gradients::none);
  const std::int64_t source = std::min<std::int64_t>(5, model->positions()),
                     target = std::min<std::int64_t>(3, model->positions());
  const std::vector<SummaryRow> rows = summary_of(config);
  const bool reads_source = std::any_of(rows.begin(), rows.end(),
                                        [](const SummaryRow& row) { return row.source_flops > 0; });
  Report report;
  report.section("Points");
  report.line(
      "\nPoints of a pass over " +
          (reads_source ? text("a source of %lld and a target of %lld tokens",
                               static_cast<long long>(source), static_cast<long long>(target))
                        : text("%lld tokens", static_cast<long long>(target))) +
          "\n\n",
      kText | kPage);
  Table points =
      tabulated("points", points_of(*model, source, target),
                {{{.key = "point", .title = "point", .width = -54}, &Point::name},
                 {{.key = "shape", .title = "shape", .width = -1}, [](const Point& point) {
                    Json shape = Json::array();
                    for (std::int64_t axis = 0; axis < point.shape.rank(); ++axis) {
                      shape.push_back(point.shape[axis]);
                    }
                    return Cell(nested(std::move(shape))).as(point.shape.str());
                  }}});
  points.has_titles = false;
  report.table(std::move(points));
  return report;
}

}  // namespace kette::cli
