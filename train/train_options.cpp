#include "train/train_options.h"

#include <algorithm>

#include "data/files/safetensors.h"
#include "models/adapter_directory.h"
#include "models/model_directory.h"
#include "tensor/suggestion.h"

namespace kette {

void TrainOptions::check() const {
  const auto at_least = [](const char* what, double value, double least) {
    KETTE_CHECK(value >= least, what, ": expected at least ", least, ", given ", value);
  };
  at_least("batch_tokens", static_cast<double>(batch_tokens), 1);
  at_least("accumulate", static_cast<double>(accumulate), 1);
  at_least("steps", static_cast<double>(steps), 0);
  at_least("epochs", static_cast<double>(epochs), 0);
  at_least("minutes", minutes, 0);
  at_least("keep", static_cast<double>(keep), 0);
  KETTE_CHECK(steps > 0 || epochs > 0 || minutes > 0 || patience > 0,
              "train: expected a limit (steps, epochs, minutes or patience), given none");
  KETTE_CHECK(!falls_until_end(schedule.kind) || steps > 0 || epochs > 0 || minutes > 0,
              "train: expected steps, epochs or minutes beside the schedule ",
              enum_name(schedule.kind), ", which falls until then, given none");
  KETTE_CHECK(
      !stages.go_by(StageUnit::percent) || steps > 0 || epochs > 0 || minutes > 0,
      "stages: expected steps, epochs or minutes beside shares of them, given none (or stages that end by steps)");
  KETTE_CHECK(lora.rank == 0 || !from.empty(),
              "lora_rank: expected a model to put adapters on (from), given none");
  if (lora.rank != 0) {
    lora.check();
    path_to_base(from, out);  // an Error now, not after the text was read
  }
  KETTE_CHECK(average <= kept_checkpoints(),
              "average: expected at most the number of checkpoints kept, ", keep, ", given ",
              average);
  KETTE_CHECK(ema >= 0 && ema < 1, "ema: expected a decay in [0, 1), given ", ema);
  KETTE_CHECK(
      consistency.kind != ConsistencyKind::none || consistency.weight == 0,
      "consistency_weight: expected a kind of consistency training beside it (r_drop or simcut), given none");
  const std::vector<std::string> names = names_of_best_by();
  KETTE_CHECK(std::find(names.begin(), names.end(), best_by) != names.end(),
              "best_by: expected one of ", joined(names), ", given ", best_by);
  KETTE_CHECK(schedule.lr > 0, "lr: expected more than 0, given ", schedule.lr);
  KETTE_CHECK(schedule.warmup_share > 0 && schedule.warmup_share <= 1,
              "warmup_share: expected more than 0 and at most 1, given ", schedule.warmup_share);
  KETTE_CHECK(label_smoothing >= 0 && label_smoothing < 1,
              "label_smoothing: expected a value in [0, 1), given ", label_smoothing);
}

void add_to_fingerprint(const TrainOptions& o, RunFingerprint& fingerprint) {
  fingerprint.add("batch_tokens", o.batch_tokens);
  fingerprint.add("accumulate", o.accumulate);
  for (std::int64_t stage = 0; stage < o.stages.size(); ++stage) {
    fingerprint.add("stage " + std::to_string(stage + 1), o.stages[stage].str());
  }
  const OptimizerKind usual = OptimizerOptions().kind;  // of runs that do not say which
  fingerprint.defaults.push_back({"optimizer", enum_name(usual)});
  if (o.optimizer.kind != usual) fingerprint.add("optimizer", enum_name(o.optimizer.kind));
  fingerprint.add("schedule", enum_name(o.schedule.kind));
  fingerprint.add("lr", o.schedule.lr);
  fingerprint.add("warmup", o.schedule.warmup);
  if (o.schedule.warmup_share < 1) fingerprint.add("warmup_share", o.schedule.warmup_share);
  for (const OptimizerSetting& setting : optimizer_settings()) {
    if (setting.is_of(o.optimizer.kind)) fingerprint.add(setting.name, o.optimizer.*setting.value);
  }
  fingerprint.add("label_smoothing", o.label_smoothing);
  fingerprint.add("clip_norm", o.clip_norm);
  if (o.ema > 0) fingerprint.add("ema", o.ema);
  if (o.best_by != kByLoss) fingerprint.add("best_by", o.best_by);
  if (o.consistency.kind != ConsistencyKind::none) {
    fingerprint.add("consistency", enum_name(o.consistency.kind));
    fingerprint.add("consistency_weight", o.consistency.alpha());
  }
  if (o.consistency.kind == ConsistencyKind::simcut)
    fingerprint.add("cutoff", o.consistency.cutoff);
  fingerprint.add("precision", std::string(name_of(o.precision)));
  fingerprint.add("seed", std::to_string(o.seed));
  if (!o.from.empty()) {
    const std::filesystem::path from = parameter_file(o.from);
    fingerprint.add("from_crc32", checksum_of(SafetensorsFile::open(from).metadata(), from));
  }
  if (o.lora.rank > 0) {
    fingerprint.add("lora_rank", o.lora.rank);
    fingerprint.add("lora_scale", o.lora.scale());
    fingerprint.add("lora_on", joined(o.lora.on, ","));
  }
}

}  // namespace kette
