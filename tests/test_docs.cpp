// docs/ops.md is generated from the op table: a test fails when it is stale, and writes it anew when
// the environment variable KETTE_UPDATE_DOCS is set. The code in docs/guide.md must fit the source.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "autograd/all_ops.h"
#include "tests/support.h"

namespace {

using kette::testing::count_of;

std::string ops_table() {
  std::ostringstream text;
  text
      << "# The differentiable ops\n\n"
         "Generated from the op table (`autograd/all_ops.h`); `KETTE_UPDATE_DOCS=1 kette-tests -tc='docs*'` writes it anew.\n"
         "Every sample is checked: gradients in f64 against central differences, values against a plain reference\n"
         "in f64, f32 and bf16, and f32 and bf16 gradients against f64 ones.\n\n"
         "| op | in Python | formula | what it does | samples checked |\n| --- | --- | --- | --- | --- |\n";
  for (const kette::OpInfo& op : kette::all_ops()) {
    std::string formula = op.formula;
    for (std::size_t at = 0; (at = formula.find('|', at)) != std::string::npos; at += 2)
      formula.insert(at, "\\");
    text << "| `" << op.name << "` | `" << op.signature << "` | `" << formula << "` | " << op.about
         << " | ";
    for (std::size_t i = 0; i < op.samples.size(); ++i)
      text << (i ? "; " : "") << op.samples[i].label;
    text << " |\n";
  }
  return text.str();
}

/// The blocks of a Markdown text that begin with ```LANGUAGE.
std::vector<std::string> code_blocks(const std::string& markdown, const std::string& language) {
  const std::string begin = "```" + language + "\n", end = "```";
  std::vector<std::string> blocks;
  for (std::size_t at = 0; (at = markdown.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    blocks.push_back(markdown.substr(at, markdown.find(end, at) - at));
  }
  return blocks;
}

}  // namespace

TEST_CASE("docs/ops.md is what the op table says") {
  const auto file = kette::testing::source_folder() / "docs" / "ops.md";
  if (std::getenv("KETTE_UPDATE_DOCS")) kette::testing::write_file(file, ops_table());
  CHECK(kette::testing::read_file(file) == ops_table());
}

TEST_CASE("every op has a signature, a formula, a line that says what it does, and a source") {
  for (const kette::OpInfo& op : kette::all_ops()) {
    CAPTURE(op.name);
    CHECK(op.signature.starts_with(op.name + "("));
    CHECK(op.signature.ends_with(")"));
    CHECK(!op.formula.empty());
    CHECK(op.about.ends_with("."));
    const std::string file = op.source.substr(0, op.source.find(':'));
    CHECK(std::filesystem::exists(kette::testing::source_folder() / file));
  }
}

TEST_CASE("the guide's program is one that is built and run, and it names the others") {
  const std::filesystem::path source = kette::testing::source_folder();
  const std::string guide = kette::testing::read_file(source / "docs" / "guide.md");
  const std::filesystem::path folder = source / "examples" / "own-op";
  CHECK(kette::testing::contains(
      guide, "```cpp\n" + kette::testing::read_file(folder / "own_op.cpp") + "```\n"));
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".cpp" || name == "own_op.cpp") continue;
    CAPTURE(name);
    CHECK(kette::testing::contains(guide, "* `" + name + "`: "));
    ++programs;
  }
  CHECK(programs == 5);
}

TEST_CASE("the guide's own ops and its own model are diffs of few files that fit the source") {
  if (std::system("patch --version > /dev/null 2>&1") != 0) {
    MESSAGE("skipped: the program patch is not installed");
    return;
  }
  const std::filesystem::path source = kette::testing::source_folder();
  const auto diffs = code_blocks(kette::testing::read_file(source / "docs" / "guide.md"), "diff");
  REQUIRE(diffs.size() == 3);
  CHECK(count_of(diffs[0], "\n+++ b/") == 2);
  CHECK(count_of(diffs[1], "\n+++ b/") == 4);
  CHECK(count_of(diffs[2], "\n+++ b/") == 3);
  const kette::testing::ScratchFolder folder;
  for (const std::string& diff : diffs) {
    kette::testing::write_file(folder / "diff", diff);
    const std::string command = "patch --dry-run --fuzz=0 -p1 -d '" + source.string() + "' -i '" +
                                (folder / "diff").string() + "' > /dev/null";
    CHECK(std::system(command.c_str()) == 0);
  }
}

TEST_CASE("the guide's own model is the one that is tested, and changes one file of six at most") {
  if (std::system("patch --version > /dev/null 2>&1") != 0) {
    MESSAGE("skipped: the program patch is not installed");
    return;
  }
  const std::filesystem::path source = kette::testing::source_folder();
  const std::string diff =
      code_blocks(kette::testing::read_file(source / "docs" / "guide.md"), "diff").back();
  CHECK(count_of("\n" + diff, "\n--- a/") == 1);
  const kette::testing::ScratchFolder folder;
  std::filesystem::create_directories(folder / "models");
  std::filesystem::copy(source / "models" / "families.cpp", folder / "models" / "families.cpp");
  kette::testing::write_file(folder / "diff", diff);
  const std::string command = "patch --fuzz=0 -p1 -d '" + folder.path().string() + "' -i '" +
                              (folder / "diff").string() + "' > /dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(count_of(kette::testing::read_file(folder / "models" / "families.cpp"),
                 "&classifier_family()") == 1);
  for (const char* name : {"classifier.h", "classifier.cpp"}) {
    std::string tested = kette::testing::read_file(source / "tests" / "models" / name);
    const std::string here = "\"tests/models/classifier.h\"";
    if (const auto at = tested.find(here); at != std::string::npos) {
      tested.replace(at, here.size(), "\"models/classifier.h\"");
    }
    CHECK(kette::testing::read_file(folder / "models" / name) == tested);
  }
}

TEST_CASE("the guide's path for an evening is there, and an evening is enough for it") {
  const std::filesystem::path source = kette::testing::source_folder();
  const std::string guide = kette::testing::read_file(source / "docs" / "guide.md");
  const auto begin = guide.find("## An evening's path"), end = guide.find("\n## ", begin + 1);
  REQUIRE(begin < end);
  std::set<std::string> files;
  std::size_t lines = 0;
  for (std::size_t at = begin; (at = guide.find('`', at)) < end;) {
    const auto close = guide.find('`', at + 1);
    const std::string file = guide.substr(at + 1, close - at - 1);
    CAPTURE(file);
    REQUIRE(std::filesystem::is_regular_file(source / file));
    CHECK(files.insert(file).second);
    lines += count_of(kette::testing::read_file(source / file), "\n");
    at = close + 1;
  }
  CHECK(files.size() > 30);
  CHECK(lines > 3000);
  CHECK(lines < 4200);
}
