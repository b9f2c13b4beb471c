#include "models/exchange/hugging_face_parts.h"

#include "autograd/ops/shaping.h"

namespace kette::hugging_face {
namespace {

/// The first name of each is the one that is written.
constexpr std::pair<const char*, FeedForwardKind> kActivations[] = {
    {"swish", FeedForwardKind::silu},    {"silu", FeedForwardKind::silu},
    {"relu", FeedForwardKind::relu},     {"gelu", FeedForwardKind::gelu_erf},
    {"gelu_new", FeedForwardKind::gelu}, {"gelu_pytorch_tanh", FeedForwardKind::gelu}};

}  // namespace

FeedForwardKind read_activation(const Settings& settings, const char* key) {
  const auto given = settings.get<std::string>(key);
  std::string known;
  for (const auto& [name, activation] : kActivations) {
    if (given == name) return activation;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  fail(settings.origin(), ": expected one of ", known, " for \"", key, "\", given ", given);
}

const char* name_of_activation(FeedForwardKind activation) {
  for (const auto& [name, known] : kActivations) {
    if (activation == known) return name;
  }
  return "";
}

void check_tied_head(Parameters& parameters, const char* embedding, const Tensor& table) {
  if (!parameters.contains(kHead)) return;
  KETTE_CHECK(
      parameters.of_vocabulary(kHead, table.shape()).values<float>() == table.values<float>(),
      parameters.origin(), ": tensor \"", kHead, "\": expected the values of \"", embedding,
      "\", given others (a model that was trained with a head of its own has "
      "\"tie_word_embeddings\": false in its config.json)");
}

void add_norm(Parts& parts, const std::string& name, const Norm& norm) {
  parts.push_back({name + ".weight", norm.gain.value()});
  parts.push_back({name + ".bias", norm.bias.value()});
}

void add_linear(Parts& parts, const std::string& name, const Linear& linear, std::int64_t begin,
                std::int64_t end) {
  parts.push_back({name + ".weight", linear.weight.value().slice(begin, end)});
  parts.push_back({name + ".bias", linear.bias.value().slice(begin, end)});
}

void read(Parameters& from, const Parts& parts) {
  for (const Part& part : parts) {
    const Shape& shape = part.ours.shape();
    const Tensor theirs =
        part.of_vocabulary
            ? from.of_vocabulary(part.name, shape)
            : from.tensor(part.name, part.transposed ? Shape{shape[1], shape[0]} : shape);
    part.ours.copy_from(part.transposed ? ops::Transpose::transposed(theirs) : theirs);
  }
}

void write(const std::filesystem::path& folder, const Parts& parts) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const Part& part : parts) {
    tensors.emplace_back(part.name,
                         part.transposed ? ops::Transpose::transposed(part.ours) : part.ours);
  }
  write_safetensors(folder / kParameterFile, tensors, {{"format", "pt"}});
}

}  // namespace kette::hugging_face
