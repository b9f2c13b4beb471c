// What is carried to a machine with a GPU, and run there: the scripts around the program.
#include <doctest/doctest.h>

#include <sstream>

#include "tests/cli/run_bash.h"

using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

/// A root in which there is nothing but what is unpacked, and the tools that scripts call.
constexpr const char* kEmptyRoot = R"bash(
set -euo pipefail
mkdir -p root/usr/bin root/usr/lib root/usr/lib64 root/dev root/tmp
ln -s usr/bin usr/lib usr/lib64 root
touch root/dev/null
for tool in bash sh env timeout mktemp tee tail head grep sed awk cat rm mkdir realpath dirname basename; do
  cp -L "$(command -v $tool)" root/usr/bin
  for library in $(ldd "$(command -v $tool)" | grep -o '/[^ ]*'); do
    cp -L --parents "$library" root
  done
done
cp -L --parents "$(ldconfig -p | awk '$1 == "libm.so.6" { print $NF; exit }')" root
tar -C root -xf archive.tar.xz
chroot root /usr/bin/env -i PATH=/usr/bin bash /kette-gpu/scripts/gpu-check.sh --part cpu --logs /logs
)bash";

}  // namespace

TEST_CASE("gpu-check: unknown parts and options without a value are refused by name") {
  const Outcome part = run_bash("scripts/gpu-check.sh --part all");
  CHECK(part.code == 2);
  CHECK(contains(part.out, "expected a part among cpu tests sanitizers train bench"));
  const Outcome value = run_bash("scripts/gpu-check.sh --logs");
  CHECK(value.code == 2);
  CHECK(contains(value.out, "expected a value after --logs, given none"));
  CHECK(run_bash("scripts/gpu-pack.sh --arch").code == 2);
  const Outcome data = run_bash("scripts/gpu-pack.sh --data nothing-there");  // before it builds
  CHECK(data.code == 2);
  CHECK(contains(data.out, "--data: expected a folder, given nothing-there"));
}

TEST_CASE("gpu-check: all tests that run on devices are run on the GPU") {
  // Patterns "*part of a path*", several in a list.
  std::vector<std::string> parts;
  const std::string script = read_file(source_folder() / "scripts" / "gpu-check.sh");
  const std::string option = "--source-file='";
  for (std::size_t at = 0; (at = script.find(option, at)) != std::string::npos; ++at) {
    const std::size_t begin = at + option.size();
    std::istringstream list(script.substr(begin, script.find('\'', begin) - begin));
    for (std::string pattern; std::getline(list, pattern, ',');) {
      REQUIRE(pattern.size() > 2);
      parts.push_back(pattern.substr(1, pattern.size() - 2));
    }
  }
  REQUIRE(parts.size() > 3);
  int on_devices = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() / "tests")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".cpp" || !contains(read_file(path), "test_devices()"))
      continue;
    CAPTURE(path);
    ++on_devices;
    CHECK((contains(path, "test_gpu_check") ||
           std::any_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return contains(path, part); })));
  }
  CHECK(on_devices > 20);
}

TEST_CASE("peers: a comparison gives both programs the same batch") {
  if (run_bash("python3 --version").code != 0) {
    MESSAGE("skipped: the program python3 is not installed");
    return;
  }
  const Outcome plan = run_bash(
      "PYTHONDONTWRITEBYTECODE=1 python3 bench/peers/compare.py train --preset gpt2 --nanogpt x "
      "--device cuda --precision bf16 --dropout 0 --dry-run");
  REQUIRE(plan.code == 0);
  const std::size_t middle = plan.out.find('\n');
  const std::string ours = plan.out.substr(0, middle), peer = plan.out.substr(middle);
  CHECK(contains(ours, " --tokens 65536 --dropout 0 --attention-dropout 0"));
  CHECK(contains(peer, " --windows 64 --dropout 0"));  // of 1,024 tokens
  for (const char* shared : {" --ids zipf", " --steps 20 --warmup 8", " --device cuda"}) {
    CAPTURE(shared);
    CHECK(contains(ours, shared));
    CHECK(contains(peer, shared));
  }
}

TEST_CASE("gpu-pack: the archive runs in an empty root") {
  if (kSanitizer || geteuid() != 0 || run_bash("command -v chroot xz strip").code != 0) {
    MESSAGE("skipped: it takes root, chroot, xz and strip, and a build without sanitizers");
    return;
  }
  const ScratchFolder folder;
  const std::string build = std::filesystem::path(kette_binary()).parent_path().string();
  const Outcome packed = run_bash("XZ_OPT=-0 scripts/gpu-pack.sh --build '" + build + "' --out '" +
                                  folder.path().string() + "/archive.tar.xz'");
  CAPTURE(packed.out);
  if (contains(packed.out, "given a tree without git")) {
    MESSAGE("skipped: the sources are no clone, and what git knows is packed");
    return;
  }
  if (contains(packed.out + packed.err, "expected an archive below 50 MB")) {
    MESSAGE("skipped: this build has kernels for several architectures, too many for an archive");
    return;
  }
  REQUIRE(packed.code == 0);
  const Outcome run = run_bash("cd '" + folder.path().string() + "'\n" + kEmptyRoot);
  CAPTURE(run.out);
  CHECK(run.code == 0);
  const std::string table = read_file(folder / "root/logs/cpu.table");
  CHECK(count_of(table, "\n") == 3);
  CHECK_FALSE(contains(table, "FAILED"));
  // What a build over there takes, and nothing that was fetched.
  const fs::path tree = folder / "root/kette-gpu";
  for (const char* part : {"serve", "python/src", "examples/own-op"}) {
    CAPTURE(part);
    CHECK(fs::is_directory(tree / part));
  }
  CHECK_FALSE(fs::exists(tree / "data/downloads"));
}
