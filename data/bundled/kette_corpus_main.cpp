// kette-corpus: writes the bundled English-German corpus as plain text files.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "data/bundled/corpus.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app{"Writes the bundled English-German corpus: {train,valid,test}.{en,de}"};
  std::string folder;
  std::uint64_t seed = 2017;
  kette::bundled::Sizes sizes;
  app.add_option("--out", folder, "Folder to write to")->required();
  app.add_option("--seed", seed, "Same seed, same corpus")->capture_default_str();
  app.add_option("--train", sizes.train, "Training pairs")->capture_default_str();
  app.add_option("--valid", sizes.valid, "Validation pairs")->capture_default_str();
  app.add_option("--test", sizes.test, "Test pairs")->capture_default_str();
  bool force = false;
  app.add_flag("--force", force, "Replace other text in files of these names, too");
  CLI11_PARSE(app, argc, argv);
  using kette::bundled::Replace;
  kette::bundled::write(kette::bundled::generate(seed, sizes), folder,
                        force ? Replace::all : Replace::same);
  std::cout << sizes.train << " training, " << sizes.valid << " validation and " << sizes.test
            << " test pairs written to " << folder << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "kette-corpus: " << error.what() << '\n';
    return 1;
  }
}
