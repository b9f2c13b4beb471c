#include "decode/decoder_state.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

/// All layers have the same window.
KvCache past_of(const AutoregressiveModel& model) {
  std::vector<SlotLayout> layers;
  for (const Block& block : model.decoder()) {
    layers.push_back(block.self_attention.slots(model.cache_type()));
  }
  return KvCache(std::move(layers), model.device());
}

/// Has no layers if there is no cross-attention.
KvCache memory_of(const AutoregressiveModel& model) {
  std::vector<SlotLayout> layers;
  for (const Block& block : model.decoder()) {
    if (block.cross_attention) layers.push_back(block.cross_attention->slots(model.cache_type()));
  }
  return KvCache(std::move(layers), model.device());
}

/// Uploads all tables of a step in one copy.
class StepTables {
 public:
  /// Returns the index of the table.
  std::size_t add(const Ids& table) {
    begins_.push_back(std::ssize(values_));
    values_.insert(values_.end(), table.begin(), table.end());
    return begins_.size() - 1;
  }
  void upload(Device device) { there_ = Tensor::from(values_, device); }
  Tensor operator()(std::size_t number, const Shape& shape) const {
    return there_.view(begins_[number], shape);
  }

 private:
  Ids values_;
  std::vector<std::int64_t> begins_;
  Tensor there_;
};

using Part = std::span<const std::int32_t>;

/// Concatenated parts.
struct Joined {
  Ids ids;
  Segments segments;
};

Joined join(const std::vector<Part>& parts) {
  Ids ids;
  std::vector<std::int64_t> lengths;
  for (const Part& part : parts) {
    ids.insert(ids.end(), part.begin(), part.end());
    lengths.push_back(std::ssize(part));
  }
  return {std::move(ids), Segments::from_lengths(lengths)};
}

}  // namespace

std::int64_t padded_size(std::int64_t count) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
}

bool refill(Tensor& there, const Tensor& values, Device device) {
  const bool fits = there.defined() && there.shape() == values.shape();
  if (!fits) there = Tensor::empty(values.shape(), values.dtype(), device);
  there.copy_from(values);
  return fits;
}

DecoderState::DecoderState(const AutoregressiveModel& model, Tap* tap)
    : model_(&model), tap_(tap), past_(past_of(model)), memory_(memory_of(model)) {}

void DecoderState::add(const std::vector<RowStart>& starts) {
  if (starts.empty()) return;
  if (model_->has_encoder()) {
    drop_unread_sentences();
    keep_memory(starts);
  }
  std::vector<std::int64_t> added;
  std::vector<std::span<const std::int32_t>> pasts;
  for (const RowStart& start : starts) {
    added.push_back(rows());
    past_.add_line();
    pasts.push_back(start.past);
  }
  read(added, pasts);
}

void DecoderState::drop_unread_sentences() {
  std::vector<std::int64_t> read, place(static_cast<std::size_t>(memory_.lines()), -1);
  for (std::int32_t& sentence : sentences_) {
    std::int64_t& at = place[sentence];
    if (at < 0) {
      at = std::ssize(read);
      read.push_back(sentence);
    }
    sentence = static_cast<std::int32_t>(at);
  }
  memory_.select(read);
}

/// Encodes the sources, and caches the keys and values that every layer computes from them.
void DecoderState::keep_memory(const std::vector<RowStart>& starts) {
  const Work work("encode");
  std::vector<Part> parts;
  for (const RowStart& start : starts) parts.push_back(start.source);
  const Joined sources = join(parts);
  for (std::int64_t i = 0; i < sources.segments.count(); ++i) {
    KETTE_CHECK(sources.segments.length(i) > 0,
                "decoder: expected a source, with its end mark, for each row, given none for one");
    sentences_.push_back(static_cast<std::int32_t>(memory_.lines() + i));
  }
  Run run(tap_);
  const Variable memory =
      model_->encode(Tensor::from(sources.ids), PackedSequences(sources.segments), run);
  const CachePlaces places = memory_.add_lines(sources.segments);
  memory_table_ = places.table;
  for (const Block& block : model_->decoder()) {
    const Work keys("keep_keys");
    const MultiHeadCrossAttention& attention = *block.cross_attention;
    write_to_cache(attention.key_value(memory, run).value(), 0, places,
                   memory_.layer(attention.layer));
  }
}

void DecoderState::read(const std::vector<std::int64_t>& rows, const std::vector<Part>& pasts) {
  if (past_.pass() == 0) return read_at_once(rows, pasts);
  // In parts, so that the cache need not store positions outside the window.
  const auto at_once = static_cast<std::size_t>(past_.pass());
  std::size_t longest = 0;
  for (const Part& past : pasts) longest = std::max(longest, past.size());
  for (std::size_t begin = 0; begin < longest; begin += at_once) {
    std::vector<Part> parts;
    for (const Part& past : pasts) {
      const std::size_t from = std::min(begin, past.size());
      parts.push_back(past.subspan(from, std::min(at_once, past.size() - from)));
    }
    read_at_once(rows, parts);
  }
}

void DecoderState::read_at_once(const std::vector<std::int64_t>& rows,
                                const std::vector<Part>& pasts) {
  const Joined past = join(pasts);
  if (past.ids.empty()) return;
  const Work work("read_past");
  CachePlaces places = past_.extend_lines(rows, past.segments);
  Run run(tap_);
  const Tensor ids = Tensor::from(past.ids);
  if (!model_->has_encoder()) {
    model_->decode(ids, CachedSequences(past_, places), run);
    return;
  }
  const PositionStream stream = model_->second_positions();
  Ids sentences, second;
  for (std::int64_t i = 0; i < past.segments.count(); ++i) {
    for (std::int64_t at = past.segments.begin(i); at < past.segments.end(i); ++at) {
      second.push_back(past_.advance(rows[i], stream.advance(past.ids[at])));
    }
    sentences.insert(sentences.end(), static_cast<std::size_t>(past.segments.length(i)),
                     sentences_[rows[i]]);
  }
  const CachePlaces memory{memory_table_, Tensor::from(sentences, model_->device()),
                           Tensor::from(memory_ends(sentences), model_->device())};
  if (stream.exists()) places.second_positions = Tensor::from(second, model_->device());
  model_->decode(ids, CachedSequences(past_, places, memory_, memory), run);
}

Ids DecoderState::memory_ends(const Ids& lines) const {
  Ids ends;
  for (const std::int32_t line : lines) {
    ends.push_back(static_cast<std::int32_t>(memory_.length(line) - 1));
  }
  return ends;
}

Tensor DecoderState::step(const Ids& tokens, const std::vector<std::int64_t>& rows) {
  const Work work("step");
  KETTE_CHECK(tokens.size() == rows.size() && !rows.empty() && rows.back() < this->rows(),
              "decoder: expected a token for each of some of ", this->rows(), " rows, given ",
              tokens.size(), " for ", rows.size());
  past_.reserve(std::ssize(rows));
  const PositionStream stream = model_->second_positions();
  Ids positions, lines, second, sentences;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t row = rows[i];
    KETTE_CHECK(past_.length(row) < model_->positions(), "decoder: expected at most ",
                model_->positions(), " tokens in a row, given one more");
    lines.push_back(static_cast<std::int32_t>(row));
    positions.push_back(static_cast<std::int32_t>(past_.length(row)));
    past_.extend(row);
    second.push_back(past_.advance(row, stream.advance(tokens[i])));
    if (model_->has_encoder()) sentences.push_back(sentences_[row]);
  }
  StepTables tables;
  const std::size_t token = tables.add(tokens), line = tables.add(lines),
                    position = tables.add(positions), next = tables.add(second),
                    sentence = tables.add(sentences),
                    memory_end = tables.add(memory_ends(sentences)),
                    table = tables.add(past_.table());
  tables.upload(model_->device());
  const Shape each{std::ssize(rows)};
  const CachePlaces past{tables(table, {this->rows(), past_.table_width()}), tables(line, each),
                         tables(position, each), stream.exists() ? tables(next, each) : Tensor()};
  Run run(tap_);
  if (!model_->has_encoder()) {
    return model_->decode(tables(token, each), CachedSequences(past_, past), run).value();
  }
  const CachePlaces memory{memory_table_, tables(sentence, each), tables(memory_end, each)};
  return model_->decode(tables(token, each), CachedSequences(past_, past, memory_, memory), run)
      .value();
}

Tensor DecoderState::step(const Ids& tokens) {
  KETTE_CHECK(std::ssize(tokens) == rows() && rows() > 0, "decoder: expected a token for each of ",
              rows(), " rows, given ", tokens.size());
  std::vector<std::int64_t> all(tokens.size());
  std::iota(all.begin(), all.end(), 0);
  return step(tokens, all);
}

void DecoderState::select(const std::vector<std::int64_t>& parents) {
  past_.select(parents);
  Ids sentences;
  for (const std::int64_t parent : parents) {
    if (model_->has_encoder()) sentences.push_back(sentences_[parent]);
  }
  sentences_ = std::move(sentences);
  if (model_->has_encoder() && rows() == 0) drop_unread_sentences();
}

bool DecoderState::begin_static_batch(const std::vector<std::int64_t>& lengths,
                                      const Tensor& positions, StaticPlaces& places) {
  const std::int64_t padded = positions.elements(), padding = padded - rows();
  std::int64_t more = padding;
  for (std::int64_t row = 0; row < rows(); ++row) {
    more += past_.slots_for_passes(lengths[row] - past_.length(row));
  }
  past_.reserve(more);
  for (std::int64_t row = 0; row < rows(); ++row) {
    past_.extend_in_passes(row, lengths[row] - past_.length(row));
  }
  const std::int64_t moves = past_.moves() + memory_.moves();
  bool same = std::exchange(places.moves, moves) == moves;
  const auto put = [&](Tensor& there, const Ids& values, const Shape& shape) {
    same = refill(there, Tensor::from(values, shape), model_->device()) && same;
  };
  Ids table = past_.table(), lines(static_cast<std::size_t>(padded));
  for (const std::int32_t slot : past_.spare_slots(padding)) {
    table.insert(table.end(), static_cast<std::size_t>(past_.table_width()), slot);
  }
  std::iota(lines.begin(), lines.end(), 0);
  put(places.past.table, table, {padded, past_.table_width()});
  put(places.past.lines, lines, {padded});
  places.past.positions = positions;
  if (!model_->has_encoder()) return same;
  Ids sentences = sentences_, memory_table = memory_.table();
  sentences.resize(static_cast<std::size_t>(padded));
  const std::int64_t memory_lines = padded_size(memory_.lines());
  memory_table.resize(static_cast<std::size_t>(memory_lines * memory_.table_width()));
  put(places.memory.table, memory_table, {memory_lines, memory_.table_width()});
  put(places.memory.lines, sentences, {padded});
  put(places.memory.positions, memory_ends(sentences), {padded});
  return same;
}

CachedSequences DecoderState::static_sequences(const StaticPlaces& places) const {
  if (!model_->has_encoder()) return CachedSequences(past_, places.past);
  return CachedSequences(past_, places.past, memory_, places.memory);
}

void DecoderState::end_static_batch(const std::vector<std::int64_t>& parents,
                                    const std::vector<std::int64_t>& lengths) {
  // In this order, for a cache that gives memory back would take it again for the next batch.
  select(parents);
  for (std::int64_t row = 0; row < rows(); ++row) past_.shorten(row, lengths[row]);
}

}  // namespace kette
