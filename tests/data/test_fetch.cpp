// data/fetch.sh against a mirror on disk, made from the files at hand: nothing here needs a
// network.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <zlib.h>

#include <cstdlib>
#include <string>

#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;

struct Outcome {
  int exit_code;
  std::string output;
};

/// A scratch folder with a mirror and a place to download to.
struct FetchFixture {
  testing::ScratchFolder folder;
  fs::path mirror = folder / "mirror", target = folder / "data set";
  fs::path upstream = mirror / "raw.githubusercontent.com/multi30k/dataset/master/data/task1";

  Outcome fetch(const std::string& arguments) const {
    const std::string command = "KETTE_FETCH_MIRROR='file://" + mirror.string() + "' bash '" +
                                testing::source_folder().string() + "/data/fetch.sh' " + arguments +
                                " > '" + (folder / "log").string() + "' 2>&1";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), testing::read_file(folder / "log")};
  }

  Outcome fetch_multi30k() const { return fetch("multi30k '" + target.string() + "'"); }

  /// False when the data is not at hand or curl, which alone reads file://, is missing.
  bool make_multi30k_mirror() const {
    const auto data = testing::shared_data();
    if (!data || std::system("command -v curl > /dev/null") != 0) {
      MESSAGE("skipped: needs shared data and curl");
      return false;
    }
    fs::create_directories(upstream / "raw");
    fs::create_directories(upstream / "tok");
    for (const std::string part : {"train", "val", "test_2016_flickr", "test_2017_flickr"}) {
      for (const std::string language : {".en", ".de", ".fr"}) {
        const std::string content = testing::read_file(*data / "multi30k" / (part + language));
        gzFile file = gzopen((upstream / "raw" / (part + language + ".gz")).c_str(), "wb1");
        gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
        gzclose(file);
        fs::create_symlink(*data / "multi30k" / "lc-tok" / (part + language),
                           upstream / "tok" / (part + ".lc.norm.tok" + language));
      }
    }
    return true;
  }
};

TEST_CASE_FIXTURE(FetchFixture, "fetch.sh explains itself and refuses what it does not know") {
  const Outcome help = fetch("--help");
  CHECK(help.exit_code == 0);
  CHECK(contains(
      help.output,
      "usage: data/fetch.sh multi30k|captions|tatoeba|europarl|wmt14|tinyshakespeare|opus-mt-en-de [DIR]"));
  CHECK(fetch("").exit_code == 2);
  const Outcome unknown = fetch("multi31k");
  CHECK(unknown.exit_code == 1);
  CHECK(contains(
      unknown.output,
      "expected multi30k, captions, tatoeba, europarl, wmt14, tinyshakespeare or opus-mt-en-de, given 'multi31k'"));
}

TEST_CASE_FIXTURE(FetchFixture,
                  "fetch.sh multi30k: all files, an interrupted one too, and only once") {
  if (!make_multi30k_mirror()) return;
  const std::string archive = testing::read_file(upstream / "raw" / "train.en.gz");
  fs::create_directories(target / ".download");
  testing::write_file(target / ".download" / "raw-train.en.gz.part",
                      archive.substr(0, archive.size() / 2));

  const Outcome first = fetch_multi30k();
  INFO(first.output);
  CHECK(first.exit_code == 0);
  for (const char* name : {"train.en", "val.fr", "test_2016_flickr.de", "lc-tok/train.de"}) {
    CHECK(testing::read_file(target / name) ==
          testing::read_file(*testing::shared_data() / "multi30k" / name));
  }
  CHECK_FALSE(fs::exists(target / ".download"));

  fs::remove_all(mirror);
  const Outcome second = fetch_multi30k();
  CHECK(second.exit_code == 0);
  CHECK_FALSE(contains(second.output, "fetching"));
}

TEST_CASE_FIXTURE(FetchFixture, "fetch.sh refuses a file with another checksum, or none at all") {
  if (!make_multi30k_mirror()) return;
  fs::remove(upstream / "tok" / "val.lc.norm.tok.de");
  testing::write_file(upstream / "tok" / "val.lc.norm.tok.de", "something else\n");
  const Outcome changed = fetch_multi30k();
  CHECK(changed.exit_code == 1);
  CHECK(contains(changed.output, "lc-tok/val.de: expected the sha256 97232bd273"));
  CHECK_FALSE(fs::exists(target / "lc-tok" / "val.de"));

  fs::remove_all(mirror);
  const Outcome absent = fetch_multi30k();
  CHECK(absent.exit_code == 1);
  CHECK(contains(absent.output, "fetch.sh: could not fetch file://"));
}

TEST_CASE_FIXTURE(FetchFixture, "fetch.sh captions: refuses a text that is not the known one") {
  if (std::system("command -v curl > /dev/null") != 0) {
    MESSAGE("skipped: needs curl");
    return;
  }
  const fs::path captions =
      mirror / "raw.githubusercontent.com/multi30k/dataset/master/data/task2/tok";
  fs::create_directories(captions);
  testing::write_file(captions / "train.lc.norm.tok.1.en", "two dogs .\n");
  const Outcome changed = fetch("captions '" + target.string() + "'");
  CHECK(changed.exit_code == 1);
  CHECK(contains(changed.output, "parts/train.1.en: expected the sha256 4ad9fa3db9d3"));
  CHECK_FALSE(fs::exists(target / "captions.en"));
}

TEST_CASE_FIXTURE(FetchFixture, "fetch.sh europarl: pairs with both sides, in today's spelling") {
  if (std::system("command -v curl > /dev/null && command -v tar > /dev/null") != 0) {
    MESSAGE("skipped: needs curl and tar");
    return;
  }
  const fs::path europarl = mirror / "www.statmt.org/europarl/v7";
  fs::create_directories(europarl);
  testing::write_file(folder / "europarl-v7.de-en.en", "I know that I must.\n\nThat, that\nEnd\n");
  testing::write_file(folder / "europarl-v7.de-en.de",
                      "Ich weiß, daß ich muß.\nohne Satz\nDaß daß „daß“ Muß mußte mußten mußt\n"
                      "Muße, Müßiggang, müßte, daß\n");
  const std::string pack = "tar -czf '" + (europarl / "de-en.tgz").string() + "' -C '" +
                           folder.path().string() + "' europarl-v7.de-en.en europarl-v7.de-en.de";
  REQUIRE(std::system(pack.c_str()) == 0);
  const Outcome fetched = fetch("europarl '" + target.string() + "'");
  INFO(fetched.output);
  CHECK(fetched.exit_code == 0);
  CHECK(testing::read_file(target / "train.en") == "I know that I must.\nThat, that\nEnd\n");
  CHECK(testing::read_file(target / "train.de") ==
        "Ich weiß, dass ich muss.\nDass dass „dass“ Muss musste mussten musst\n"
        "Muße, Müßiggang, müßte, dass\n");
}

}  // namespace
}  // namespace kette
