#include "inspect/training/training_recorder.h"

#include <cmath>
#include <numeric>

#include "data/files/json_text.h"
#include "inspect/heads/head_scores.h"
#include "inspect/heads/induction.h"
#include "inspect/page/chart_drawing.h"
#include "inspect/passes/logit_lens.h"
#include "tensor/parallel_for.h"
#include "tensor/stopwatch.h"
#include "train/task.h"

namespace kette {
namespace {

constexpr std::int64_t kTexts = 8, kMostTokens = 64;

std::vector<std::int32_t> ids_of(const std::vector<std::int32_t>& ids, const Segments& segments,
                                 std::int64_t i) {
  const auto begin = ids.begin() + segments.begin(i);
  return {begin, begin + std::min(segments.length(i), kMostTokens)};
}

/// The beginning of one sequence of a batch, as a batch.
Batch text_of(const Batch& batch, std::int64_t i) {
  Batch text;
  if (!batch.source.empty()) {
    text.source = ids_of(batch.source, batch.source_segments, i);
    text.source.back() =
        batch.source[batch.source_segments.end(i) - 1];  // without the end mark it is no source
    text.source_segments = Segments::from_lengths({std::ssize(text.source)});
  }
  text.target_in = ids_of(batch.target_in, batch.target_segments, i);
  text.target_out = ids_of(batch.target_out, batch.target_segments, i);
  text.target_segments = Segments::from_lengths({std::ssize(text.target_in)});
  return text;
}

/// encoder/2/... -> "encoder 2", embedding/table -> "embedding".
std::string layer_of(const std::string& path) {
  const std::size_t first = path.find('/');
  if (first == std::string::npos || first + 1 >= path.size()) return path;
  const std::size_t second = std::min(path.find('/', first + 1), path.size());
  const std::string number = path.substr(first + 1, second - first - 1);
  const bool is_number = number.find_first_not_of("0123456789") == std::string::npos;
  return path.substr(0, first) + (is_number ? " " + number : "");
}

double norm_of(const Tensor& values) {
  double squares = 0;
  for (const float value : values.values<float>()) squares += double(value) * double(value);
  return std::sqrt(squares);
}

double norm_of_change(const Tensor& after, const Tensor& before) {
  const std::vector<float> a = after.values<float>(), b = before.values<float>();
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += (double(a[i]) - double(b[i])) * (double(a[i]) - double(b[i]));
  }
  return std::sqrt(squares);
}

/// What each attention's heads are like; each number is a list, by head.
Json of_heads(const AutoregressiveModel& model, const std::vector<Batch>& texts) {
  const std::vector<AttentionPart> attentions = attentions_of(model);
  const std::vector<Head> heads = heads_of(attentions);
  const std::vector<HeadScores> scores = head_scores(model, texts);
  const std::vector<double> induction = induction_scores(model);
  Json json = Json::object();
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const AttentionPart& part = attentions[heads[i].attention];
    Json& of_part = json[part.name()];
    const auto add = [&](const char* name, double value) {
      of_part[name].push_back(rounded_json(value));
    };
    add("entropy", scores[i].entropy);
    add("confidence", scores[i].confidence);
    add("sink", scores[i].sink);
    if (part.kind == AttentionKind::cross) continue;
    add("previous", scores[i].previous);
    add("same", scores[i].same);
    if (part.kind == AttentionKind::encoder) add("next", scores[i].next);
    if (!induction.empty()) add("induction", induction[i]);
  }
  return json;
}

/// The residual streams of one side: their rows at every level, of all texts.
class Streams {
 public:
  Streams(const AutoregressiveModel& model, Side side)
      : model_(model),
        side_(side),
        levels_(side == Side::source ? std::ssize(model.encoder()) + 1
                                     : std::ssize(model.decoder()) + 1),
        rows_(static_cast<std::size_t>(levels_)) {}

  bool reads(const std::string& point) const {
    for (std::int64_t level = 0; level < levels_; ++level) {
      if (level_point(model_, side_, level) == point) return true;
    }
    return false;
  }
  void add(const Activations& recording) {
    for (std::int64_t level = 0; level < levels_; ++level) {
      const auto values = recording[level_point(model_, side_, level)].values<float>();
      rows_[level].insert(rows_[level].end(), values.begin(), values.end());
    }
  }
  void write(Json& norms) const {
    const std::string name = side_ == Side::source ? "encoder" : "decoder";
    const std::int64_t width = model_.config().width;
    for (const std::vector<float>& rows : rows_) {
      double sum = 0;
      for (std::size_t row = 0; row < rows.size(); row += static_cast<std::size_t>(width)) {
        double squares = 0;
        for (std::int64_t i = 0; i < width; ++i) squares += std::pow(double(rows[row + i]), 2);
        sum += std::sqrt(squares);
      }
      norms["stream"][name].push_back(rounded_json(sum * double(width) / double(rows.size())));
      norms["dimensions"][name].push_back(rounded_json(effective_dimensions(rows, width)));
    }
  }

 private:
  const AutoregressiveModel& model_;
  Side side_;
  std::int64_t levels_;
  std::vector<std::vector<float>> rows_;
};

}  // namespace

std::vector<Batch> recorded_texts(const std::vector<Batch>& batches) {
  constexpr std::int64_t kFewestTokens = 4;
  std::vector<std::pair<const Batch*, std::int64_t>> all, long_enough;
  for (const Batch& batch : batches) {
    for (std::int64_t i = 0; i < batch.target_segments.count(); ++i) {
      all.emplace_back(&batch, i);
      if (batch.target_segments.length(i) >= kFewestTokens) long_enough.emplace_back(&batch, i);
    }
  }
  if (long_enough.empty()) long_enough = all;
  std::vector<Batch> texts;
  const auto count = std::min<std::int64_t>(kTexts, std::ssize(long_enough));
  for (std::int64_t i = 0; i < count; ++i) {
    // The middle of each of `count` equal parts.
    const auto& [batch, at] = long_enough[(2 * i + 1) * std::ssize(long_enough) / (2 * count)];
    texts.push_back(text_of(*batch, at));
  }
  return texts;
}

double effective_dimensions(const std::vector<float>& rows, std::int64_t width) {
  const std::int64_t count = std::ssize(rows) / width;
  std::vector<double> centred(rows.begin(), rows.end());
  for (std::int64_t i = 0; i < width; ++i) {
    double mean = 0;
    for (std::int64_t row = 0; row < count; ++row) mean += centred[row * width + i] / double(count);
    for (std::int64_t row = 0; row < count; ++row) centred[row * width + i] -= mean;
  }
  // X X^T has the eigenvalues of X^T X that are not zero; their sum is its trace, that of their
  // squares the sum of its elements squared.
  // Of each row, so that threads do not choose the order in which they are added.
  std::vector<double> traces(count), sums(count);
  parallel_for(count, 1, [&](std::int64_t a) {
    for (std::int64_t b = 0; b <= a; ++b) {
      double product = 0;
      for (std::int64_t i = 0; i < width; ++i) {
        product += centred[a * width + i] * centred[b * width + i];
      }
      if (a == b) traces[a] = product;
      sums[a] += (a == b ? 1 : 2) * product * product;
    }
  });
  const double trace = std::accumulate(traces.begin(), traces.end(), 0.0),
               squares = std::accumulate(sums.begin(), sums.end(), 0.0);
  return squares > 0 ? trace * trace / squares : 0;
}

std::vector<RecordPart> RecordOptions::parse_parts(const std::string& list) {
  std::vector<RecordPart> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(enum_named<RecordPart>(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

std::string RecordOptions::names() const {
  std::string list;
  for (const RecordPart part : parts) list += (list.empty() ? "" : ",") + enum_name(part);
  return list;
}

void TrainingRecorder::at_start(Task& task, std::int64_t step) {
  KETTE_CHECK(dynamic_cast<const AutoregressiveModel*>(&task.model()) != nullptr,
              "record: expected a model that writes text, given a ",
              task.model().config().family().what);
  texts_ = recorded_texts(task.validation_batches());
  log_.emplace(task.folder().path() / kRecordFile, step);
  if (step == 0) record(task, 0);
  last_ = step;
}

void TrainingRecorder::before_step(Task& task, std::int64_t step) {
  if (!is_due(step) || !options_.has(RecordPart::norms)) return;
  const Stopwatch watch;
  before_.clear();
  const ParamStore& parameters = task.parameters();
  for (const auto& leaf : parameters.leaves()) {
    before_.push_back(parameters.value_of(*leaf).clone());
  }
  seconds_ += watch.seconds();
}

void TrainingRecorder::after_step(Task& task, std::int64_t step) {
  if (is_due(step)) record(task, step);
}

void TrainingRecorder::after_training(Task& task, std::int64_t step) {
  before_.clear();  // of a step that an interrupt prevented
  if (last_ != step) record(task, step);
}

void TrainingRecorder::record(Task& task, std::int64_t step) {
  const Stopwatch watch;
  Json json = {{"step", step}};
  json.update(of_passes(dynamic_cast<const AutoregressiveModel&>(task.model())));
  if (options_.has(RecordPart::norms)) json["norms"].update(of_parameters(task.parameters()));
  before_.clear();
  log_->write(json.dump());
  last_ = step;
  seconds_ += watch.seconds();
}

Json TrainingRecorder::of_passes(const AutoregressiveModel& model) const {
  const bool norms = options_.has(RecordPart::norms), lens = options_.has(RecordPart::lens);
  std::vector<Streams> streams;
  if (norms && model.has_encoder()) streams.emplace_back(model, Side::source);
  if (norms) streams.emplace_back(model, Side::target);
  LensMeans lens_means;
  for (const Batch& text : texts_) {
    if (!norms && !lens) break;
    Activations recording([&](const std::string& point) {
      const auto reads = [&](const Streams& side) { return side.reads(point); };
      return (lens && is_for_logit_lens(model, point)) ||
             std::any_of(streams.begin(), streams.end(), reads);
    });
    Run run(&recording);
    model.logits(text, run);
    for (Streams& side : streams) side.add(recording);
    if (lens) lens_means.add(logit_lens(model, recording, 1), text.target_out);
  }
  Json json = Json::object();
  if (options_.has(RecordPart::heads)) json["heads"] = of_heads(model, texts_);
  for (const Streams& side : streams) {
    side.write(json["norms"]);
  }
  if (lens) {
    json["lens"] = {{"divergence", rounded_list(lens_means.divergence())},
                    {"agreement", rounded_list(lens_means.agreement())}};
  }
  return json;
}

Json TrainingRecorder::of_parameters(const ParamStore& parameters) const {
  if (before_.empty()) return Json::object();  // nothing has been trained since
  struct Sums {
    double gradient = 0, change = 0, values = 0;
  };
  std::map<std::string, Sums> layers;
  for (std::size_t i = 0; i < parameters.leaves().size(); ++i) {
    const Leaf& leaf = *parameters.leaves()[i];
    Sums& sums = layers[layer_of(leaf.name)];
    sums.gradient += std::pow(norm_of(leaf.gradient), 2);
    sums.change += std::pow(norm_of_change(parameters.value_of(leaf), before_[i]), 2);
    sums.values += std::pow(norm_of(before_[i]), 2);
  }
  Json json = Json::object();
  for (const auto& [layer, sums] : layers) {
    json["gradient"][layer] = rounded_json(std::sqrt(sums.gradient));
    json["update"][layer] =
        rounded_json(sums.values > 0 ? std::sqrt(sums.change / sums.values) : std::nan(""));
  }
  return json;
}

}  // namespace kette
