#include "cli/run_page.h"

#include "cli/common.h"
#include "cli/config_file.h"
#include "data/files/atomic_file.h"
#include "inspect/training/training_recorder.h"
#include "tensor/suggestion.h"
#include "train/task.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

PlottedRun run_in(const fs::path& folder, const std::string& name) {
  PlottedRun run{name,
                 folder.string(),
                 {},
                 StepSeries(folder / "log.jsonl"),
                 StepSeries(folder / kRecordFile)};
  if (!fs::exists(folder / "config.toml")) return run;
  for (const ConfigEntry& entry : read_config_file(folder / "config.toml")) {
    run.settings.emplace_back(entry.key, joined(entry.values));
  }
  return run;
}

}  // namespace

PlottedRun read_run(const fs::path& folder, const std::string& name) {
  KETTE_CHECK(fs::is_directory(folder), folder.string(),
              ": expected the folder of a training run, given ",
              fs::exists(folder) ? "a file" : "nothing that is there");
  KETTE_CHECK(fs::exists(folder / "log.jsonl"), folder.string(),
              ": expected the folder of a training run, given one without a log.jsonl (kette train "
              "--out makes one)");
  PlottedRun run = run_in(folder, name);
  run.log.read();
  run.record.read();
  return run;
}

void RunPage::at_start(Task& task, std::int64_t) {
  const fs::path folder = task.folder().path();
  runs_ = {run_in(folder, name_of_folder(folder))};
}

void RunPage::write_after(Task& task, std::int64_t step, double seconds) {
  constexpr double kTimesAsLong = 50;
  if (since_.seconds() > std::max(seconds, kTimesAsLong * last_took_)) write(task, step, false);
}

void RunPage::at_end(Task& task, std::int64_t step) { write(task, step, true); }

void RunPage::write(Task& task, std::int64_t step, bool is_over) {
  const Stopwatch watch;
  PlottedRun& run = runs_.front();
  run.log.read();
  run.record.read();
  Report report = to_report(runs_);
  report.title = run.name;
  report.about = "A " + task.model().config().family().what + " (" +
                 headline(task.model().config()) + "), " +
                 (is_over ? "after " : "being trained, at ") + with_commas(step) +
                 " steps. Made by kette train.";
  write_file_atomically(task.folder().path() / "page.html", as_page(report));
  last_took_ = watch.seconds();
  seconds_ += last_took_;
  since_.restart();
}

}  // namespace kette::cli
