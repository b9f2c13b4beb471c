// docs/ops.md is generated from the op table: a test fails when it is stale, and writes it anew when
// the environment variable KETTE_UPDATE_DOCS is set. The code in docs/guide.md must fit the source, links must lead
// somewhere, and the exercises of docs/paths.md must fail until they are solved.
#include <doctest/doctest.h>

#include <cctype>
#include <cstdlib>
#include <set>
#include <sstream>

#include "autograd/all_ops.h"
#include "tests/cli/run_bash.h"

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

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The name of a heading in links, or "" of another line: small letters, no marks, a dash for each space.
std::string anchor_of(const std::string& line) {
  const auto level = line.find_first_not_of('#');
  if (level == 0 || level == std::string::npos || line[level] != ' ') return "";
  std::string anchor;
  for (const char c : line.substr(level + 1)) {
    if (c == ' ' || c == '-') anchor += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return anchor;
}

struct Link {
  std::string text, file, anchor;
};
/// Those of a line of Markdown that lead to files of this project, or to a heading.
std::vector<Link> links_in(const std::string& line) {
  std::vector<Link> links;
  for (std::size_t at = 0; (at = line.find("](", at)) != std::string::npos;) {
    const auto end = line.find(')', at), text = line.rfind('[', at);
    const std::string to = line.substr(at + 2, end - at - 2);
    const auto mark = to.find('#');
    const bool in_code = count_of(line.substr(0, at), "`") % 2 == 1;
    if (!in_code && to.find("://") == std::string::npos && end != std::string::npos) {
      links.push_back({line.substr(text + 1, at - text - 1), to.substr(0, mark),
                       mark == std::string::npos ? "" : to.substr(mark + 1)});
    }
    at += 2;
  }
  return links;
}

/// The lines of a section: from its heading to before the next one of its level or above.
std::size_t lines_of_section(const std::string& markdown, const std::string& anchor) {
  std::size_t level = 0, count = 0;
  for (const std::string& line : lines_of(markdown)) {
    const std::size_t its_level = anchor_of(line).empty() ? 9 : line.find(' ');
    if (level > 0 && its_level <= level) break;
    if (anchor_of(line) == anchor) level = its_level;
    if (level > 0) ++count;
  }
  return count;
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
  CHECK(lines < 4300);
}

TEST_CASE("every link of a document leads to a file, and to a heading that is there") {
  const std::filesystem::path source = kette::testing::source_folder();
  std::vector<std::filesystem::path> documents;
  for (const char* folder : {"", "docs", "docs/results", "bench/peers"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source / folder)) {
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
    }
  }
  int links = 0;
  for (const auto& document : documents) {
    bool in_code = false;
    for (const std::string& line : lines_of(kette::testing::read_file(document))) {
      if (line.starts_with("```")) in_code = !in_code;
      if (in_code) continue;
      for (const Link& link : links_in(line)) {
        CAPTURE(document.string());
        CAPTURE(link.file);
        CAPTURE(link.anchor);
        ++links;
        const auto file = link.file.empty() ? document : document.parent_path() / link.file;
        REQUIRE(std::filesystem::exists(file));
        if (link.anchor.empty()) continue;
        CHECK(lines_of_section(kette::testing::read_file(file), link.anchor) > 0);
      }
    }
  }
  CHECK(links > 150);
}

TEST_CASE("the glossary is in order, and each word says where to see it") {
  std::vector<std::pair<std::string, bool>> entries;  // the word, and whether it has a link
  for (const std::string& line :
       lines_of(kette::testing::read_file(kette::testing::source_folder() / "docs/glossary.md"))) {
    if (line.starts_with("## ")) entries.emplace_back(line.substr(3), false);
    if (!entries.empty() && !links_in(line).empty()) entries.back().second = true;
  }
  CHECK(entries.size() >= 70);
  CHECK(entries.size() <= 110);
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CAPTURE(entries[i].first);
    CHECK(entries[i].second);
    if (i > 0) CHECK(lower(entries[i - 1].first) < lower(entries[i].first));
  }
}

TEST_CASE("an hour is enough for each of the three paths") {
  const std::filesystem::path docs = kette::testing::source_folder() / "docs";
  std::string path;
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const std::string& line : lines_of(kette::testing::read_file(docs / "paths.md"))) {
    if (line.starts_with("## ")) counts.emplace_back(line.substr(3), 0);
    const std::vector<Link> links = line.starts_with("| [") ? links_in(line) : std::vector<Link>{};
    if (links.empty()) continue;
    CAPTURE(line);
    const std::string column = line.substr(line.find(" | ") + 3);
    const std::string part = column.substr(0, column.find(" | "));
    const std::string text = kette::testing::read_file(docs / links[0].file);
    const std::vector<std::string> lines = lines_of(text);
    std::size_t begin = 1, end = lines.size();
    if (part != "all") {
      begin = std::stoul(part);
      end = std::stoul(part.substr(part.find('-') + 1));
      REQUIRE(begin < end);
      REQUIRE(end <= lines.size());
      // So that lines which have moved are found.
      CHECK((begin == 1 || lines[begin - 2].empty()));
      CHECK(!lines[begin - 1].empty());
      CHECK(!lines[end - 1].empty());
      CHECK((end == lines.size() || lines[end].empty()));
    }
    counts.back().second +=
        links[0].anchor.empty() ? end - begin + 1 : lines_of_section(text, links[0].anchor);
  }
  REQUIRE(counts.size() == 3);
  for (const auto& one : counts) {
    CAPTURE(one.first);
    CHECK(one.second > 400);
    CHECK(one.second <= 800);
  }
}

TEST_CASE(
    "each exercise fails with its hole, says what was expected, and passes with the solution") {
  using kette::testing::contains, kette::testing::Outcome;
  const std::filesystem::path folder = kette::testing::source_folder() / "docs" / "exercises";
  const std::string paths =
      kette::testing::read_file(kette::testing::source_folder() / "docs" / "paths.md");
  const auto outcome_of = [](const std::string& name) {
    const std::string program = std::string(KETTE_EXERCISES) + "/" + name;
    if (std::filesystem::exists(program)) return kette::testing::run_bash(program);
    const std::string library = std::string(KETTE_EXERCISES) + "/lib" + name + ".so";
    return kette::testing::run_kette({"gradcheck", "--library", library});
  };
  int exercises = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".h") continue;
    const std::string name = entry.path().stem().string();
    if (name == "fast_product" && kette::testing::kSanitizer) continue;  // it measures time
    CAPTURE(name);
    ++exercises;
    CHECK(contains(paths, "[" + name + "](exercises/" + name + ".h)"));
    CHECK(contains(kette::testing::read_file(entry.path()), "your turn"));
    CHECK_FALSE(
        contains(kette::testing::read_file(folder / "solutions" / (name + ".h")), "your turn"));
    const Outcome hole = outcome_of(name), solved = outcome_of(name + "_solution");
    INFO(hole.out << hole.err << solved.out << solved.err);
    CHECK(hole.code == 1);
    CHECK(contains(hole.out, "expected "));
    CHECK((contains(hole.out, "not yet: ") || contains(hole.out, "FAILED ")));
    CHECK(solved.code == 0);
    CHECK((contains(solved.out, name + ": done: ") || contains(solved.out, "1 passed, 0 failed")));
  }
  CHECK(exercises >= 11);
}
