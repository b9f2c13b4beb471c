#include "models/exchange/hugging_face_parts.h"

#include <algorithm>
#include <map>

#include "autograd/ops/shaping.h"

namespace kette::hugging_face {
namespace {

/// The first name of each is the one that is written.
constexpr std::pair<const char*, FeedForwardKind> kActivations[] = {
    {"swish", FeedForwardKind::silu},    {"silu", FeedForwardKind::silu},
    {"relu", FeedForwardKind::relu},     {"gelu", FeedForwardKind::gelu_erf},
    {"gelu_new", FeedForwardKind::gelu}, {"gelu_pytorch_tanh", FeedForwardKind::gelu}};

FeedForwardKind read_activation(const Settings& settings, const char* key) {
  const auto given = settings.get<std::string>(key);
  std::string known;
  for (const auto& [name, activation] : kActivations) {
    if (given == name) return activation;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  fail(settings.origin(), ": expected one of ", known, " for \"", key, "\", given ", given);
}

/// "layers/" of "layers/*/attention"; of what is no layer's nothing.
std::string_view stack_of(const Name& name) {
  const std::string_view path = name.ours;
  const std::size_t star = path.find('*');
  return star == std::string_view::npos ? std::string_view() : path.substr(0, star);
}

std::string numbered(std::string name, std::int64_t layer) {
  const std::size_t star = name.find('*');
  return star == std::string::npos ? name : name.replace(star, 1, std::to_string(layer));
}

/// Finds what names mean in a model.
class Finder {
 public:
  Finder(Model& model, std::string prefix, const NormNames& norms)
      : store_(model.parameters()), prefix_(std::move(prefix)), norms_(norms) {
    model.each_linear([&](const Linear& map, const std::vector<MapPart>& parts) {
      maps_[map.weight.leaf().get()] = parts;
      if (map.bias.leaf()) maps_[map.bias.leaf().get()] = parts;
    });
  }

  void add(const Name& name, std::int64_t layer, Parts& parts) const {
    const std::string ours = numbered(name.ours, layer),
                      theirs = (name.is_apart ? "" : prefix_) + numbered(name.theirs, layer);
    const bool is_norm = store_.find(ours + "/gain") != nullptr;
    const std::pair<const char*, const char*> suffixes[] = {
        {"", ""},
        {"/weight", ".weight"},
        {"/gain", norms_.gain},
        {"/bias", is_norm ? norms_.bias : ".bias"}};
    for (const auto& [own, suffix] : suffixes) {
      const Leaf* leaf = store_.find(ours + own);
      if (leaf == nullptr) continue;
      const Tensor value = name.part < 0 ? leaf->value : part_of(*leaf, name.part);
      parts.push_back({theirs + suffix, value, name.transposed && value.shape().rank() == 2,
                       name.of_vocabulary});
    }
  }

 private:
  Tensor part_of(const Leaf& leaf, int part) const {
    std::int64_t all = 0, before = 0, own = 0;
    for (const MapPart& stacked : maps_.at(&leaf)) {
      if (part == 0) own = stacked.shares;
      if (part-- > 0) before += stacked.shares;
      all += stacked.shares;
    }
    const std::int64_t rows = leaf.value.shape()[0] / all;
    return leaf.value.slice(rows * before, rows * (before + own));
  }

  const ParamStore& store_;
  std::string prefix_;
  NormNames norms_;
  std::map<const Leaf*, std::vector<MapPart>> maps_;  // by weight and by bias
};

}  // namespace

void read(const Settings& from, const std::vector<Setting>& settings) {
  for (const auto& [key, value, optional] : settings) {
    if (optional && !from.has(key)) continue;
    if (auto* const* number = std::get_if<std::int64_t*>(&value)) {
      **number = from.get<std::int64_t>(key);
    } else if (auto* const* real = std::get_if<double*>(&value)) {
      **real = from.get<double>(key);
    } else if (auto* const* flag = std::get_if<bool*>(&value)) {
      **flag = from.get<bool>(key);
    } else if (auto* const* activation = std::get_if<FeedForwardKind*>(&value)) {
      **activation = read_activation(from, key);
    }
  }
}

void write(const std::vector<Setting>& settings, Json& json) {
  for (const Setting& setting : settings) {
    json[setting.key] = std::visit(
        [](const auto& value) -> Json {
          using Value = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, Json>) {
            return value;
          } else if constexpr (std::is_same_v<Value, FeedForwardKind*>) {
            return name_of_activation(*value);
          } else {
            return *value;
          }
        },
        setting.value);
  }
}

Parts parts_of(Model& model, std::span<const Name> names, const std::string& prefix,
               const NormNames& norms) {
  const Finder finder(model, prefix, norms);
  Parts parts;
  for (auto begin = names.begin(); begin != names.end();) {
    const std::string_view stack = stack_of(*begin);
    const auto end =
        std::find_if(begin, names.end(), [&](const Name& name) { return stack_of(name) != stack; });
    std::size_t before = 0;
    for (std::int64_t layer = 0; layer == 0 || before < parts.size(); ++layer) {
      before = parts.size();
      for (auto name = begin; name != end; ++name) finder.add(*name, layer, parts);
      if (stack.empty()) break;
    }
    begin = end;
  }
  std::int64_t named = 0;
  for (const Part& part : parts) named += part.ours.elements();
  KETTE_CHECK(named == model.parameters().elements(), "exchange: expected names for all ",
              model.parameters().elements(), " parameters of a model, given those of ", named);
  return parts;
}

const char* name_of_activation(FeedForwardKind activation) {
  for (const auto& [name, known] : kActivations) {
    if (activation == known) return name;
  }
  return "";
}

std::unique_ptr<Model> make_model(const ModelConfig& config, const Parameters& parameters) {
  std::unique_ptr<Model> model = config.make_model();
  parameters.expect_at_least(model->parameters().elements());
  model->allocate(DType::f32, {}, Gradients::none);
  return model;
}

void check_tied_head(Parameters& parameters, const Part& embedding) {
  if (!parameters.contains(kHead)) return;
  KETTE_CHECK(parameters.of_vocabulary(kHead, embedding.ours.shape()).values<float>() ==
                  embedding.ours.values<float>(),
              parameters.origin(), ": tensor \"", kHead, "\": expected the values of \"",
              embedding.name,
              "\", given others (a model that was trained with a head of its own has "
              "\"tie_word_embeddings\": false in its config.json)");
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
