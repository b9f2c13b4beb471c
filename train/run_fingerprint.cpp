#include "train/run_fingerprint.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>

#include "data/files/file_fingerprint.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "models/config_json.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr const char* kOfTokenizer[] = {"vocabulary", "pad", "unknown", "begin", "end"};

/// The entry of this name, or nothing.
template <class Entry>
const Entry* find(const std::vector<Entry>& entries, std::string Entry::*name,
                  const std::string& wanted) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.*name == wanted; });
  return found == entries.end() ? nullptr : &*found;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

void RunFingerprint::add(const std::string& name, double value) { add(name, Json(value).dump()); }

void RunFingerprint::add_model(const ModelConfig& config) {
  const Json json = Json::parse(kette::to_json(config));
  for (const auto& [name, value] : json.items()) {
    const bool is_ours =
        std::find(std::begin(kOfTokenizer), std::end(kOfTokenizer), name) == std::end(kOfTokenizer);
    if (is_ours) add("model." + name, text_of(value));
  }
  const auto plain = config.family().config("");
  const Json of_plain = Json::parse(kette::to_json(*plain));
  for (const Field& field : plain->fields()) {
    if (field.optional) defaults.push_back({"model." + field.key, text_of(of_plain[field.key])});
  }
}

void RunFingerprint::add_data(const std::string& role,
                              const std::vector<std::filesystem::path>& files) {
  if (files.empty()) return;
  const std::string more =
      files.size() > 1 ? " and " + std::to_string(files.size() - 1) + " more" : "";
  data.push_back({role, file_fingerprint(files), files.front().string() + more});
}

std::string RunFingerprint::id() const {
  std::string all;
  for (const Setting& setting : settings) all += setting.name + "=" + setting.value + "\n";
  for (const Data& one : data) all += one.role + "=" + one.fingerprint + "\n";
  char digits[9];
  std::snprintf(
      digits, sizeof digits, "%08lx",
      crc32(0, reinterpret_cast<const Bytef*>(all.data()), static_cast<uInt>(all.size())));
  return digits;
}

std::string RunFingerprint::to_json() const {
  Json of_settings = Json::object(), of_data = Json::object();
  for (const Setting& setting : settings) of_settings[setting.name] = setting.value;
  for (const Data& one : data) {
    of_data[one.role] = {{"fingerprint", one.fingerprint}, {"path", visible(one.path)}};
  }
  return Json{{"settings", of_settings}, {"data", of_data}}.dump();
}

RunFingerprint RunFingerprint::from_json(const std::string& text) {
  const Json json = Json::parse(text);
  RunFingerprint fingerprint;
  for (const auto& [name, value] : json.at("settings").items()) {
    const auto setting = value.get<std::string>();
    // Version 0.1.0 called it so, like the order of a translation model's norms.
    const bool is_norm_kind = name == "model.norm" && (setting == "layer" || setting == "rms");
    fingerprint.add(is_norm_kind ? "model.norm_kind" : name, setting);
  }
  for (const auto& [role, value] : json.at("data").items()) {
    fingerprint.data.push_back({role, value.at("fingerprint"), value.at("path")});
  }
  return fingerprint;
}

void RunFingerprint::check_settings(const RunFingerprint& stored, const std::string& file) const {
  const auto value_in = [&](const std::vector<Setting>& all, const std::string& name) {
    const Setting* setting = find(all, &Setting::name, name);
    if (!setting) setting = find(defaults, &Setting::name, name);
    return setting ? setting->value : "none";
  };
  const auto check = [&](const std::string& name) {
    const std::string before = value_in(stored.settings, name), now = value_in(settings, name);
    KETTE_CHECK(before == now, file, ": expected ", name, " = ", before,
                ", as in the run that is resumed, given ", now,
                "; resume with the same options, or start a new run in another --out");
  };
  // First what others may follow from, as the learning rate from the optimiser.
  for (const Setting& setting : defaults) check(setting.name);
  for (const Setting& setting : settings) check(setting.name);
  for (const Setting& setting : stored.settings) check(setting.name);
}

void RunFingerprint::check_same(const RunFingerprint& other, const std::string& whose) const {
  for (const Setting& setting : settings) {
    const Setting* theirs = find(other.settings, &Setting::name, setting.name);
    KETTE_CHECK(theirs && theirs->value == setting.value, "train: expected ", setting.name, " = ",
                theirs ? theirs->value : "none", ", as in ", whose, ", given ", setting.value);
  }
  for (const Data& one : data) {
    const Data* theirs = find(other.data, &Data::role, one.role);
    KETTE_CHECK(theirs && theirs->fingerprint == one.fingerprint, one.path, ": expected the ",
                one.role, " text that ", whose, " has, ", theirs ? theirs->fingerprint : "none",
                ", given ", one.fingerprint,
                " (copy it, or take a file system that the hosts share)");
  }
}

std::vector<RunFingerprint::Data> RunFingerprint::changed_data(const RunFingerprint& stored) const {
  std::vector<Data> changed;
  const auto fingerprint = [](const Data* one) { return one ? one->fingerprint : "none"; };
  for (const Data& now : data) {
    const Data* before = find(stored.data, &Data::role, now.role);
    if (fingerprint(before) != now.fingerprint) changed.push_back(now);
  }
  for (const Data& before : stored.data) {
    if (!find(data, &Data::role, before.role)) changed.push_back({before.role, "none", "none"});
  }
  return changed;
}

}  // namespace kette
