#include "decode/decoder_state.h"

#include "tensor/kernels.h"

namespace kette {
namespace {

KvCache cache_for(const PackedTransformer& model) {
  const TransformerConfig& config = model.config();
  return KvCache(config.decoder_layers, config.width, model.device());
}

/// What a step tells the device, in one copy.
class StepTables {
 public:
  /// The number of a table.
  std::size_t add(const std::vector<std::int32_t>& table) {
    begins_.push_back(static_cast<std::int64_t>(values_.size()));
    values_.insert(values_.end(), table.begin(), table.end());
    return begins_.size() - 1;
  }
  void upload(Device device) { there_ = Tensor::from(values_, device); }
  Tensor operator()(std::size_t number, const Shape& shape) const {
    return there_.view(begins_[number], shape);
  }

 private:
  std::vector<std::int32_t> values_;
  std::vector<std::int64_t> begins_;
  Tensor there_;
};

}  // namespace

DecoderState::DecoderState(const PackedTransformer& model)
    : model_(&model), past_(cache_for(model)), memory_(cache_for(model)) {}

void DecoderState::add(const std::vector<std::span<const std::int32_t>>& sources) {
  if (sources.empty()) return;
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> lengths;
  for (const auto& source : sources) {
    ids.insert(ids.end(), source.begin(), source.end());
    ids.push_back(model_->config().special.end);
    lengths.push_back(static_cast<std::int64_t>(source.size()) + 1);
  }
  const Segments segments = Segments::from_lengths(lengths);
  KETTE_CHECK(segments.longest() <= model_->config().max_length,
              "decoder: expected sources of at most ", model_->config().max_length - 1,
              " tokens, given one of ", segments.longest() - 1);
  drop_unread_sentences();
  keep_memory(model_->encode(ids, segments), segments);
}

void DecoderState::drop_unread_sentences() {
  std::vector<std::int64_t> read, place(static_cast<std::size_t>(memory_.lines()), -1);
  for (std::int64_t& sentence : sentences_) {
    std::int64_t& at = place[static_cast<std::size_t>(sentence)];
    if (at < 0) {
      at = static_cast<std::int64_t>(read.size());
      read.push_back(sentence);
    }
    sentence = at;
  }
  memory_.select(read);
}

/// A row and a line of the memory for each sentence, and the keys and values of every layer.
void DecoderState::keep_memory(const Tensor& memory, const Segments& segments) {
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    sentences_.push_back(memory_.lines() + i);
    past_.add_line();
  }
  const CachePlaces places = memory_.add_lines(segments);
  memory_table_ = places.table;
  for (std::size_t index = 0; index < model_->decoder().size(); ++index) {
    const Tensor keys_values = model_->decoder()[index].memory_key_value(memory);
    write_to_cache(keys_values, 0, places, memory_.layer(static_cast<std::int64_t>(index)));
  }
}

Tensor DecoderState::step(const std::vector<std::int32_t>& tokens) {
  KETTE_CHECK(static_cast<std::int64_t>(tokens.size()) == rows() && rows() > 0,
              "decoder: expected a token for each of ", rows(), " rows, given ", tokens.size());
  past_.reserve(rows());
  std::vector<std::int32_t> positions, lines, memory_lines, memory_positions;
  for (std::int64_t row = 0; row < rows(); ++row) {
    KETTE_CHECK(past_.length(row) < model_->config().max_length, "decoder: expected at most ",
                model_->config().max_length, " tokens in a row, given one more");
    const std::int64_t sentence = sentences_[static_cast<std::size_t>(row)];
    lines.push_back(static_cast<std::int32_t>(row));
    positions.push_back(static_cast<std::int32_t>(past_.length(row)));
    memory_lines.push_back(static_cast<std::int32_t>(sentence));
    memory_positions.push_back(static_cast<std::int32_t>(memory_.length(sentence) - 1));
    past_.extend(row);
  }
  StepTables tables;
  const std::size_t token = tables.add(tokens), line = tables.add(lines),
                    position = tables.add(positions), memory_line = tables.add(memory_lines),
                    memory_position = tables.add(memory_positions),
                    table = tables.add(past_.table());
  tables.upload(model_->device());
  const Shape each{rows()};
  const CachePlaces past{tables(table, {rows(), past_.table_width()}), tables(line, each),
                         tables(position, each)};
  const CachePlaces memory{memory_table_, tables(memory_line, each), tables(memory_position, each)};

  Run run;
  ResidualStream x(model_->embed(tables(token, each), past.positions));
  const std::int64_t heads = model_->config().heads, width = model_->config().width;
  for (std::size_t index = 0; index < model_->decoder().size(); ++index) {
    const PackedDecoderLayer& layer = model_->decoder()[index];
    const auto at = static_cast<std::int64_t>(index);
    const auto attend_to_self = [&](const Variable& in) {
      const Tensor fused = layer.query_key_value(in.value());
      write_to_cache(fused, width, past, past_.layer(at));
      return Variable(layer.output(attend_to_cache(fused, heads, past, past_.layer(at))));
    };
    const auto attend_to_source = [&](const Variable& in) {
      const Tensor query = layer.memory_query(in.value());
      return Variable(
          layer.memory_output(attend_to_cache(query, heads, memory, memory_.layer(at))));
    };
    x = layer.after_self_attention(x, attend_to_self, run);
    x = layer.after_cross_attention(x, attend_to_source, run);
    x = layer.after_feed_forward(
        x, [&](const Variable& in) { return Variable(layer.feed_forward(in.value())); }, run);
  }
  return model_->finish_decoder(x);
}

void DecoderState::select(const std::vector<std::int64_t>& parents) {
  past_.select(parents);
  std::vector<std::int64_t> sentences;
  for (const std::int64_t parent : parents) {
    sentences.push_back(sentences_[static_cast<std::size_t>(parent)]);
  }
  sentences_ = std::move(sentences);
}

}  // namespace kette
