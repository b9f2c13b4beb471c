#include "tests/torture/compare.h"

#include <cstring>
#include <set>

#include "cli/config_file.h"
#include "data/files/safetensors.h"
#include "data/tokenizers/tokenizer.h"
#include "tests/json_view.h"
#include "tests/support.h"

namespace kette::torture {
namespace {

namespace fs = std::filesystem;
using kette::testing::contains;
using testing::JsonView;
using testing::lines_of;

bool is_unfinished(const fs::path& path) {
  return contains(path.string(), ".kette-unfinished-") ||
         contains(path.string(), ".kette-replaced-");
}

/// Relative to the path; a file has none below it and stands for itself.
std::set<std::string> files_of(const fs::path& path) {
  std::set<std::string> files;
  if (!fs::is_directory(path)) return {""};
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.insert(entry.path().lexically_relative(path).string());
  }
  return files;
}

fs::path at(const fs::path& path, const std::string& name) {
  return name.empty() ? path : path / name;
}

bool is_json(const std::string& text) {
  return testing::message_of([&] { JsonView::parse(text); }).empty();
}

/// A log grows line by line, so its last one may be a part until a resume.
void check_log(const fs::path& file) {
  const std::vector<std::string> lines = lines_of(testing::read_file(file));
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    KETTE_CHECK(is_json(lines[i]), file.string(), ":", i + 1, ": expected a line of JSON, given ",
                lines[i]);
  }
}

void check_whole_file(const fs::path& file) {
  const std::string name = file.filename(), extension = file.extension();
  if (extension == ".jsonl") {
    check_log(file);
  } else if (extension == ".safetensors" || extension == ".tokens") {
    const auto metadata = SafetensorsFile::open(file).metadata();
    // Files for other programs carry no checksum.
    if (!metadata.contains("format")) SafetensorsFile::open(file, Checksum::crc32);
  } else if (extension == ".json") {
    KETTE_CHECK(is_json(testing::read_file(file)), file.string(),
                ": expected whole JSON, given a part");
  } else if (extension == ".toml") {
    cli::read_config_file(file);
  } else if (name == "tokenizer.model") {
    load_tokenizer(file);
  }
}

void check_equal_logs(const fs::path& file, const fs::path& twin) {
  const std::vector<std::string> lines = lines_of(testing::read_file(file)),
                                 others = lines_of(testing::read_file(twin));
  KETTE_CHECK(lines.size() == others.size(), file.string(), ": expected ", others.size(),
              " lines as in the undisturbed run, given ", lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto timeless = [](const std::string& line) {
      return JsonView::parse(line).without({"target_tokens_per_second", "seconds"});
    };
    KETTE_CHECK(timeless(lines[i]) == timeless(others[i]), file.string(), ":", i + 1,
                ": expected the line of the undisturbed run, ", others[i], ", given ", lines[i]);
  }
}

std::map<std::string, std::string> timeless_metadata(const SafetensorsFile& file) {
  std::map<std::string, std::string> metadata = file.metadata();
  metadata.erase(kChecksumKey);
  std::string& state = metadata.at("training_state");
  state = JsonView::parse(state).without({"seconds"}).dump();
  return metadata;
}

void check_equal_states(const fs::path& path, const fs::path& twin_path) {
  const SafetensorsFile file = SafetensorsFile::open(path, Checksum::crc32);
  const SafetensorsFile twin = SafetensorsFile::open(twin_path, Checksum::crc32);
  KETTE_CHECK(file.names() == twin.names(), path.string(),
              ": expected the tensors of the undisturbed run, given others");
  for (const std::string& name : file.names()) {
    const Tensor tensor = file.tensor(name), same = twin.tensor(name);
    KETTE_CHECK(tensor.shape() == same.shape() &&
                    std::memcmp(tensor.raw(), same.raw(), tensor.bytes()) == 0,
                path.string(), ": tensor \"", name,
                "\": expected the values of the undisturbed run, given others");
  }
  KETTE_CHECK(timeless_metadata(file) == timeless_metadata(twin), path.string(),
              ": expected the counters of the undisturbed run, given ",
              file.metadata().at("training_state"));
}

void check_equal_files(const fs::path& file, const fs::path& twin) {
  const std::string name = file.filename();
  if (contains(name, "lock")) return;
  if (name == "log.jsonl") return check_equal_logs(file, twin);
  if (name == "training.safetensors") return check_equal_states(file, twin);
  KETTE_CHECK(testing::read_file(file) == testing::read_file(twin), file.string(),
              ": expected the bytes of the undisturbed run, given others");
}

}  // namespace

void check_whole(const fs::path& path) {
  if (!fs::exists(path)) return;
  for (const std::string& name : files_of(path)) {
    if (!is_unfinished(at(path, name))) check_whole_file(at(path, name));
  }
}

void check_equal(const fs::path& path, const fs::path& twin) {
  KETTE_CHECK(fs::exists(path), path.string(), ": expected what the run makes, given nothing");
  const std::set<std::string> files = files_of(path), others = files_of(twin);
  for (const std::string& name : others) {
    KETTE_CHECK(files.contains(name), path.string(), ": expected ", name,
                " as in the undisturbed run, given none");
  }
  for (const std::string& name : files) {
    KETTE_CHECK(others.contains(name), path.string(),
                ": expected the files of the undisturbed run alone, given ", name);
    check_equal_files(at(path, name), at(twin, name));
  }
}

void check_no_leftovers(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    KETTE_CHECK(!is_unfinished(entry.path()), folder.string(),
                ": expected no unfinished file to be left, given ", entry.path().string());
  }
}

}  // namespace kette::torture
