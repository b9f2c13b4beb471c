#include "models/model_config.h"

#include "data/tokenizers/tokenizer.h"
#include "tensor/random.h"

namespace kette {
namespace {

std::vector<std::int32_t> random_tokens(Random& random, std::int64_t count,
                                        std::int64_t vocabulary) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
  for (std::int32_t& token : tokens) {
    token = static_cast<std::int32_t>(random.uniform(0, static_cast<double>(vocabulary)));
  }
  return tokens;
}

struct Text {
  std::string operator()(const Field::Choice& choice) const { return choice.get(); }
  std::string operator()(const bool* value) const { return *value ? "yes" : "no"; }
  std::string operator()(const double* value) const {
    char text[32];
    std::snprintf(text, sizeof text, "%g", *value);
    return text;
  }
  std::string operator()(const Field::Numbers* values) const {
    std::string text;
    for (const std::int64_t value : *values) text += (text.empty() ? "" : " ") + operator()(&value);
    return text;
  }
  template <class Int>
  std::string operator()(const Int* value) const {
    return std::to_string(*value);
  }
};

/// Both values have the same type.
void assign(const Field::Value& from, const Field::Value& to) {
  std::visit(
      [&to](const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_pointer_v<Value>) {
          *std::get<Value>(to) = *value;
        } else {
          std::get<Value>(to).set(value.get());
        }
      },
      from);
}

}  // namespace

std::vector<Field> ModelConfig::fields() {
  return {
      {"width", &width, "--width", "Width of the residual stream, d_model"},
      {"hidden", &hidden, "--hidden",
       "Width inside the feed-forward layers, d_ff; 0 (of language models): there are none", 0},
      {"heads", &heads, "--heads", "Attention heads; a divisor of the width"},
      {"vocabulary", &vocabulary},
      {"dropout", &dropout, "--dropout", "Dropout on sub-layer outputs and embeddings"},
      {"attention_dropout", &attention_dropout, "--attention-dropout",
       "Dropout on attention weights"},
      {.key = "heads_left", .value = &heads_left, .optional = true},
  };
}

void ModelConfig::check() const {
  check_size("width", width, kMaxWidth);
  check_size("hidden", hidden, kMaxHidden, min_hidden());
  check_size("heads", heads, width);
  check_size("vocabulary", vocabulary, kMaxVocabulary);
  KETTE_CHECK(width % heads == 0, "heads: expected a divisor of the width ", width, ", given ",
              heads);
  check_rate("dropout", dropout);
  check_rate("attention_dropout", attention_dropout);
  if (heads_left.empty()) return;
  KETTE_CHECK(std::ssize(heads_left) == attentions(), "heads_left: expected a number for each of ",
              attentions(), " attentions, given ", heads_left.size());
  for (const std::int64_t left : heads_left) check_size("heads_left", left, heads);
}

void ModelConfig::check_tokenizer(const Tokenizer& tokenizer, const std::string& where) const {
  KETTE_CHECK(tokenizer.vocabulary() <= vocabulary, where, ": expected a tokenizer of at most ",
              vocabulary, " pieces, given ", tokenizer.vocabulary(),
              "; it belongs to another model");
  KETTE_CHECK(tokenizer.source_vocabulary() <= source_pieces(), where,
              ": expected a tokenizer of at most ", source_pieces(), " pieces of sources, given ",
              tokenizer.source_vocabulary(), "; it belongs to another model");
}

Batch ModelConfig::example_batch(std::uint64_t seed) const {
  Random random(seed, 2000);
  Batch batch;
  batch.source_segments = Segments::from_lengths({5, 3});
  batch.target_segments = Segments::from_lengths({4, 6});
  batch.source = random_tokens(random, batch.source_segments.rows(), source_pieces());
  batch.target_in = random_tokens(random, batch.target_segments.rows(), vocabulary);
  batch.target_out = random_tokens(random, batch.target_segments.rows(), vocabulary);
  batch.sentence_ids = {0, 1};
  return batch;
}

void copy_fields(ModelConfig& from, ModelConfig& to) {
  for (const Field& source : from.fields()) {
    for (const Field& target : to.fields()) {
      if (source.key == target.key) assign(source.value, target.value);
    }
  }
}

std::string text_of_value(const Field& field) { return std::visit(Text(), field.value); }

std::string headline(const ModelConfig& config) {
  std::string text;
  const auto copy = config.clone();
  for (const Field& field : copy->fields()) {
    if (field.option.empty() && field.key != "vocabulary") continue;
    std::string name = field.key;
    for (char& letter : name) letter = letter == '_' ? ' ' : letter;
    text += (text.empty() ? "" : ", ") + name + " " + text_of_value(field);
  }
  return text;
}

}  // namespace kette
