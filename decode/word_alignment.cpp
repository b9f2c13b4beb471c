#include "decode/word_alignment.h"

#include <algorithm>

#include "decode/job_queue.h"
#include "tensor/parallel_for.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

const AutoregressiveModel& first_of(const Ensemble& model) { return *model.models().front(); }

/// Observes the cross-attentions of a pass, one layer at a time.
class CrossTap final : public Tap {
 public:
  CrossTap(const AutoregressiveModel& model, const std::vector<HeadOutputs>& outputs,
           const Batch& batch)
      : model_(model), outputs_(outputs), batch_(batch) {}

  bool wants(const std::string& point) const override {
    const MultiHeadCrossAttention* layer = layer_of(point);
    return layer != nullptr &&
           (point == layer->key_value.path || point == points::probabilities(layer->path));
  }

  /// The keys and values of a layer come before its probabilities.
  Variable at(const std::string& point, const Variable& value) override {
    const MultiHeadCrossAttention& layer = *layer_of(point);
    if (point == layer.key_value.path) {
      lengths_ = outputs_[static_cast<std::size_t>(layer.layer)].lengths(value.value());
    } else {
      add(value.value());
    }
    return value;
  }

  /// [pairs][layers]
  std::vector<std::vector<SoftAlignment>>& alignments() { return alignments_; }

 private:
  const MultiHeadCrossAttention* layer_of(const std::string& point) const {
    for (const Block& block : model_.decoder()) {
      if (block.cross_attention && point.starts_with(block.cross_attention->path + "/")) {
        return &*block.cross_attention;
      }
    }
    return nullptr;
  }

  /// probabilities: [rows, heads, longest source]
  void add(const Tensor& probabilities) {
    const std::int64_t heads = probabilities.shape()[1], longest = probabilities.shape()[2],
                       all_keys = std::ssize(batch_.source);
    const std::vector<float> p = probabilities.values<float>();
    alignments_.resize(static_cast<std::size_t>(batch_.target_segments.count()));
    parallel_for(batch_.target_segments.count(), 1, [&](std::int64_t pair) {
      const std::int64_t row = batch_.target_segments.begin(pair),
                         key = batch_.source_segments.begin(pair);
      SoftAlignment soft{
          batch_.target_segments.length(pair), batch_.source_segments.length(pair), {}};
      for (std::int64_t i = 0; i < soft.queries; ++i) {
        for (std::int64_t j = 0; j < soft.keys; ++j) {
          double sum = 0;
          for (std::int64_t head = 0; head < heads; ++head) {
            sum += double(p[((row + i) * heads + head) * longest + j]) *
                   double(lengths_[head * all_keys + key + j]);
          }
          soft.values.push_back(sum);
        }
      }
      alignments_[pair].push_back(std::move(soft));
    });
  }

  const AutoregressiveModel& model_;
  const std::vector<HeadOutputs>& outputs_;
  const Batch& batch_;
  std::vector<float> lengths_;  // of the layer's values: [heads, keys]
  std::vector<std::vector<SoftAlignment>> alignments_;
};

Batch batch_of(const std::vector<Ids>& sources, const std::vector<Ids>& targets,
               const std::vector<std::int64_t>& numbers, const SpecialTokens& special) {
  Batch batch;
  std::vector<std::int64_t> source_lengths, target_lengths;
  for (const std::int64_t number : numbers) {
    const Ids &source = sources[number], &target = targets[number];
    batch.source.insert(batch.source.end(), source.begin(), source.end());
    batch.source.push_back(special.end);
    batch.target_in.push_back(special.begin);
    batch.target_in.insert(batch.target_in.end(), target.begin(), target.end());
    source_lengths.push_back(std::ssize(source) + 1);
    target_lengths.push_back(std::ssize(target) + 1);
  }
  batch.target_out = batch.target_in;
  batch.source_segments = Segments::from_lengths(source_lengths);
  batch.target_segments = Segments::from_lengths(target_lengths);
  return batch;
}

/// One pair of texts with tokens and units.
struct AlignedPair {
  const std::vector<SoftAlignment>& layers;
  const std::vector<TextUnit>&source_units, &target_units;
  const std::vector<TokenUnits>&source, &target;  // of each token
};

/// The attention of target words to source words, [target units, source units], summed over layers,
/// because layers err at different words. Each layer is read in the way, shifted or not, that
/// agrees better with the others.
std::vector<double> taken_by_words(const AlignedPair& pair) {
  const std::size_t width = pair.source_units.size();
  std::vector<double> taken(width * pair.target_units.size());
  std::vector<bool> is_read(pair.layers.size());
  for (const LayerAlignment& one : alignments(pair.layers)) {
    const auto layer = static_cast<std::size_t>(one.layer);
    if (is_read[layer]) continue;  // in the better way
    is_read[layer] = true;
    const SoftAlignment& soft = pair.layers[layer];
    for (std::size_t i = 0; i < pair.target.size(); ++i) {
      const std::int64_t query = static_cast<std::int64_t>(i) + (one.shifted ? 1 : 0);
      const double* row = soft.values.data() + query * soft.keys;
      double sum = 0;
      for (std::int64_t j = 0; j < soft.keys; ++j) sum += row[j];
      if (sum <= 0) continue;
      for (std::size_t j = 0; j < pair.source.size(); ++j) {
        for (std::size_t to = pair.target[i].first; to <= pair.target[i].last; ++to) {
          for (std::size_t from = pair.source[j].first; from <= pair.source[j].last; ++from) {
            taken[to * width + from] += row[j] / sum;
          }
        }
      }
    }
  }
  return taken;
}

/// Links each target word to the source word it attends to most, if that is at least kLeast of its
/// attention. Then links each unlinked source word to the target word that attends to it most, if
/// that is not far below the attention of this one to another.
UnitLinks links_of(const AlignedPair& pair) {
  constexpr double kLeast = 0.4, kNotFarBelow = 0.35;  // measured by bench/marks.sh
  const std::size_t width = pair.source_units.size(), height = pair.target_units.size();
  const std::vector<double> taken = taken_by_words(pair);
  const auto of = [&](std::size_t to, std::size_t from) { return taken[to * width + from]; };
  UnitLinks links;
  std::vector<double> most(height);
  std::vector<bool> is_taken(width);
  for (std::size_t to = 0; to < height; ++to) {
    if (!pair.target_units[to].is_word) continue;
    double all = 0, most_of_word = 0;
    std::size_t word = width;
    for (std::size_t from = 0; from < width; ++from) {
      all += of(to, from);
      most[to] = std::max(most[to], of(to, from));
      if (!pair.source_units[from].is_word || of(to, from) <= most_of_word) continue;
      most_of_word = of(to, from);
      word = from;
    }
    if (word == width || most_of_word < kLeast * all) continue;
    links.emplace_back(word, to);
    is_taken[word] = true;
  }
  for (std::size_t from = 0; from < width; ++from) {
    if (is_taken[from] || !pair.source_units[from].is_word) continue;
    double most_of_it = 0;
    std::size_t word = height;
    for (std::size_t to = 0; to < height; ++to) {
      if (!pair.target_units[to].is_word || of(to, from) <= most_of_it) continue;
      most_of_it = of(to, from);
      word = to;
    }
    if (word < height && most_of_it >= kNotFarBelow * most[word]) links.emplace_back(from, word);
  }
  return links;
}

}  // namespace

WordAligner::WordAligner(const Ensemble& model, SharedTokenizer tokenizer)
    : model_(model), tokenizer_(std::move(tokenizer)) {
  KETTE_CHECK(first_of(model_).has_encoder(),
              "word alignment: expected a translation model, given one without an encoder");
  for (const Block& block : first_of(model_).decoder()) {
    const MultiHeadCrossAttention& cross = *block.cross_attention;
    outputs_.emplace_back(cross.output, cross.heads.computed(), cross.heads.width);
  }
}

void WordAligner::for_pairs(const std::vector<Ids>& sources, const std::vector<Ids>& targets,
                            const AlignOptions& options, const TakeAlignments& take) const {
  KETTE_CHECK(sources.size() == targets.size(),
              "word alignment: expected as many targets as sources, given ", sources.size(),
              " sources and ", targets.size(), " targets");
  KETTE_CHECK(options.batch_tokens > 0, "batch tokens: expected at least 1, given ",
              options.batch_tokens);
  const AutoregressiveModel& model = first_of(model_);
  const auto limit = static_cast<std::size_t>(model.positions() - 1);
  std::vector<std::int64_t> costs, pairs;  // of those that have anything to align
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty() || targets[i].empty()) continue;
    if (sources[i].size() > limit || targets[i].size() > limit) continue;
    costs.push_back(static_cast<std::int64_t>(sources[i].size() + targets[i].size()) + 2);
    pairs.push_back(static_cast<std::int64_t>(i));
  }
  const std::int64_t share = minimum_share(options.batch_tokens);
  const WorkerGroup group(model.device(), options.threads, costs, share);
  JobQueue queue(std::move(costs), group.workers, share);
  group.run(queue, [&] {
    for (;;) {
      std::vector<std::int64_t> numbers = queue.take(options.batch_tokens, true);
      if (numbers.empty()) return;
      for (std::int64_t& number : numbers) number = pairs[number];
      const Batch batch = batch_of(sources, targets, numbers, model.special());
      CrossTap tap(model, outputs_, batch);
      Run run(&tap);
      model.states(batch, run);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        take(static_cast<std::size_t>(numbers[i]), std::move(tap.alignments()[i]));
      }
    }
  });
}

std::vector<std::vector<SoftAlignment>> WordAligner::soft_alignments(
    const std::vector<Ids>& sources, const std::vector<Ids>& targets,
    const AlignOptions& options) const {
  std::vector<std::vector<SoftAlignment>> all(sources.size());
  for_pairs(sources, targets, options, [&](std::size_t pair, std::vector<SoftAlignment> layers) {
    all[pair] = std::move(layers);
  });
  return all;
}

std::vector<UnitLinks> WordAligner::align(const std::vector<std::string>& sources,
                                          const std::vector<std::string>& targets,
                                          const AlignOptions& options) const {
  KETTE_CHECK(sources.size() == targets.size(),
              "word alignment: expected as many targets as sources, given ", sources.size(),
              " sources and ", targets.size(), " targets");
  std::vector<Ids> source_ids, target_ids;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    source_ids.push_back(tokenizer_->encode_source(sources[i], options.language));
    target_ids.push_back(tokenizer_->encode(targets[i], Side::target));
  }
  std::vector<UnitLinks> links(sources.size());
  for_pairs(source_ids, target_ids, options,
            [&](std::size_t i, const std::vector<SoftAlignment>& layers) {
              // A tag that the text has itself is of its units.
              const bool has_own = tokenizer_->written_tag(sources[i]).size > 0;
              const std::size_t tags = options.language.empty() || has_own ? 0 : 1;
              const std::vector<TextUnit> source_units = text_units(sources[i]),
                                          target_units = text_units(targets[i]);
              std::vector<TokenUnits> source =
                  units_of_tokens(*tokenizer_, Side::source, sources[i], source_units,
                                  std::span(source_ids[i]).subspan(tags));
              source.insert(source.begin(), tags, TokenUnits{});
              const std::vector<TokenUnits> target = units_of_tokens(
                  *tokenizer_, Side::target, targets[i], target_units, target_ids[i]);
              links[i] = links_of({layers, source_units, target_units, source, target});
            });
  return links;
}

}  // namespace kette
