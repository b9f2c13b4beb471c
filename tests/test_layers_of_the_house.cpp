// The folders form a chain: a file includes only from its own folder and from those before it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "tests/support.h"
#include "train/optimizer.h"

namespace {

using kette::testing::contains;

const std::filesystem::path root = kette::testing::source_folder();

/// Calls function(path, text) for every source file below a folder.
template <class Function>
void for_sources(const std::string& folder, const Function& function) {
  if (!std::filesystem::exists(root / folder)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
    function(entry.path().string(), kette::testing::read_file(entry.path()));
  }
}

}  // namespace

TEST_CASE("a folder includes only folders before it in the order of dependency") {
  const std::vector<std::string> order = {"tensor", "autograd", "nn",    "data", "models", "decode",
                                          "train",  "inspect",  "serve", "cli",  "python"};
  int files = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    for_sources(order[rank], [&](const std::string& path, const std::string& text) {
      ++files;
      const std::string include = "#include \"";
      for (std::size_t at = 0; (at = text.find(include, at)) != std::string::npos;) {
        at += include.size();
        const std::string folder = text.substr(at, text.find('/', at) - at);
        const auto found = std::find(order.begin(), order.end(), folder);
        CAPTURE(path);
        CAPTURE(folder);
        REQUIRE(found != order.end());
        CHECK(found - order.begin() <= static_cast<std::ptrdiff_t>(rank));
      }
    });
  }
  CHECK(files > 50);
}

TEST_CASE("only tensor knows its kernels: all others come by its own headers") {
  for (const char* folder :
       {"autograd", "nn", "data", "models", "decode", "train", "inspect", "cli"}) {
    for_sources(folder, [](const std::string& path, const std::string& text) {
      CAPTURE(path);
      CHECK_FALSE(contains(text, "#include \"tensor/cpu/"));
      CHECK_FALSE(contains(text, "#include \"tensor/cuda/"));
    });
  }
}

TEST_CASE("what the paper does not have is known to few files beside its kernels and ops") {
  const auto files_with_any = [](const std::vector<std::string>& names) {
    std::vector<std::string> files;
    for (const char* folder : {"nn", "data", "models", "decode", "train", "inspect", "cli"}) {
      for_sources(folder, [&](const std::string& path, std::string text) {
        if (contains(path, "/cli/bench/")) return;  // has a list of all ops
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const bool knows = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return contains(text, name);
        });
        if (knows) files.push_back(path);
      });
    }
    return files;
  };
  const std::vector<std::vector<std::string>> features = {
      {"smear"},
      {"linear attention", "linear_attention", "linearattention", "linear_weights", "is_linear()",
       "attentionweights::linear"},
      {"count_tags", "counts tags", "counts of tags", "first_tag"}};
  for (const std::vector<std::string>& names : features) {
    const std::vector<std::string> files = files_with_any(names);
    std::string all;
    for (const std::string& file : files) all += file + " ";
    CAPTURE(all);
    CHECK(files.size() > 2);
    CHECK(files.size() < 8);
  }
}

TEST_CASE("within data, models and inspect, too, rooms lie one behind the other") {
  const std::vector<std::vector<std::string>> orders = {
      {"data/files/", "data/sentences/", "data/tokenizers/", "data/metrics/"},
      {"data/files/", "data/trees/", "data/metrics/"},
      {"data/files/", "data/documents/"},
      {"data/files/", "data/sentences/"},
      {"data/files/", "data/tokenizers/", "data/checks/", "data/corpora/"},
      {"data/files/", "data/sentences/", "data/checks/", "data/corpora/"},
      {"data/files/", "data/documents/", "data/checks/"},
      {"models/", "models/exchange/"},
      {"inspect/page/", "inspect/report/", "inspect/heads/", "inspect/passes/", "inspect/lab/"},
      {"inspect/page/", "inspect/report/", "inspect/heads/", "inspect/passes/",
       "inspect/training/"},
      {"inspect/page/", "inspect/report/", "inspect/steps/"}};
  int files = 0;
  for (const auto& order : orders) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      for_sources(order[i], [&](const std::string& path, const std::string& text) {
        CAPTURE(path);
        for (std::size_t later = i + 1; later < order.size(); ++later) {
          if (contains(path, order[later])) return;  // it lies within this one
        }
        ++files;
        for (std::size_t later = i + 1; later < order.size(); ++later) {
          CHECK_FALSE(contains(text, "#include \"" + order[later]));
        }
      });
    }
  }
  CHECK(files > 50);
}

TEST_CASE("few files name an optimiser: its own, the interface, and its kernels") {
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  for (const std::string& name : kette::all_names<kette::OptimizerKind>()) {
    CAPTURE(name);
    std::string capital = name;
    capital.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    const auto names_it = [&](const std::string& text) {
      if (contains(text, capital)) return true;
      const std::string all = lower(text);
      for (std::size_t at = 0; (at = all.find(name, at)) != std::string::npos; ++at) {
        if (at == 0 || !std::isalpha(static_cast<unsigned char>(all[at - 1]))) return true;
      }
      return false;  // "million" is no lion
    };
    const auto files_of = [&](const std::vector<std::string>& folders) {
      std::vector<std::string> files;
      for (const std::string& folder : folders) {
        for_sources(folder, [&](const std::string& path, const std::string& text) {
          if (path.ends_with("cli/synonyms.cpp")) return;  // options of other programs
          if (names_it(text)) files.push_back(path);
        });
      }
      return files;
    };
    const auto kernels = files_of({"tensor"});
    const auto others =
        files_of({"autograd", "nn", "data", "models", "decode", "train", "inspect", "cli"});
    CAPTURE(kernels);
    CAPTURE(others);
    CHECK(kernels.size() <= 4);
    CHECK(others.size() <= 4);
  }
}

TEST_CASE("what a thread throws comes out: no region of OpenMP lets it end the program") {
  int regions = 0;
  for (const char* folder :
       {"tensor", "autograd", "nn", "data", "models", "decode", "train", "inspect", "cli"}) {
    for_sources(folder, [&](const std::string& path, const std::string& text) {
      CAPTURE(path);
      if (!contains(text, "#pragma omp parallel")) return;
      ++regions;
      const bool only_measures = path.ends_with("tensor/machine.cpp");
      CHECK((only_measures || contains(text, "ParallelError error;")));
    });
  }
  CHECK(regions > 5);
}

TEST_CASE("no source file is longer than 400 lines") {
  for (const char* folder : {"tensor", "autograd", "nn", "data", "models", "decode", "train",
                             "inspect", "serve", "cli", "python", "tests"}) {
    for_sources(folder, [](const std::string& path, const std::string& text) {
      CAPTURE(path);
      CHECK(kette::testing::count_of(text, "\n") <= 400);
    });
  }
}

TEST_CASE("no file of a command is longer than 200 lines") {
  int files = 0;
  for_sources("cli/commands", [&](const std::string& path, const std::string& text) {
    CAPTURE(path);
    ++files;
    CHECK(kette::testing::count_of(text, "\n") <= 200);
  });
  CHECK(files > 20);
}
