// What the program says it was built from.
#include <doctest/doctest.h>

#include <regex>

#include "serve/openapi.h"
#include "tests/cli/run_kette.h"

using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

int run_shell(const std::string& command) {
  return std::system(("{ " + command + "; } > /dev/null 2>&1").c_str());
}

/// git in a folder, with an identity and without the settings of whoever runs the tests.
int git(const fs::path& folder, const std::string& arguments) {
  return run_shell("GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -C '" + folder.string() +
                   "' -c user.name=a -c user.email=a@b " + arguments);
}

/// What a build of a source tree in `folder` would call its commit.
std::string commit_of(const fs::path& folder, const fs::path& out) {
  const std::string script = (source_folder() / "cmake" / "commit.cmake").string();
  REQUIRE(run_shell("cmake '-DSOURCE=" + folder.string() + "' '-DOUT=" + out.string() + "' -P '" +
                    script + "'") == 0);
  const std::string text = read_file(out), before = "return \"";
  const std::size_t at = text.find(before) + before.size();
  return text.substr(at, text.find('"', at) - at);
}

/// What the parentheses of the expression match in the file, the first time.
std::string found_in(const fs::path& file, const std::string& expression) {
  const std::string text = read_file(file);
  std::smatch match;
  CAPTURE(file);
  REQUIRE(std::regex_search(text, match, std::regex(expression)));
  return match[1];
}

}  // namespace

TEST_CASE("version: one place says it, CMake's project(), and all others the same") {
  const fs::path sources = source_folder(), build = fs::path(kette_binary()).parent_path();
  const std::string number = R"((\d+\.\d+\.\d+))";
  const std::string version =
      found_in(sources / "CMakeLists.txt", R"(\nproject\(Kette VERSION )" + number);
  CHECK(run_kette({"--version"}).out.starts_with("kette " + version));
  CHECK(run_kette({"info", "--json"}).json()["version"] == version);
  CHECK(kette::openapi_document({}, {}, true)["info"]["version"].get<std::string>() == version);
  // The last that is one.
  CHECK(found_in(sources / "CHANGELOG.md", R"(\n## \[)" + number) == version);
  // The wheel reads it where this test does.
  CHECK(found_in(sources / "pyproject.toml", "\\ninput = \"(.*)\"") == "CMakeLists.txt");
  CHECK(found_in(sources / "pyproject.toml", "\\nregex = '(.*)'") ==
        R"(project\(Kette VERSION (?P<value>[0-9.]+))");
  if (!fs::exists(build / "CMakeCache.txt")) {
    MESSAGE("skipped: the packages' version stands in a build folder");
    return;
  }
  CHECK(found_in(build / "KetteConfigVersion.cmake", "PACKAGE_VERSION \"(.*)\"") == version);
  CHECK(found_in(build / "CPackConfig.cmake", "CPACK_PACKAGE_VERSION \"(.*)\"") == version);
  CHECK(found_in(build / "CPackConfig.cmake", "CPACK_KETTE_ARCHIVE \"kette-(.*?)-linux") ==
        version);
}

TEST_CASE("version: a number, and the commit if the sources came with one") {
  const Outcome version = run_kette({"--version"});
  CHECK(version.code == 0);
  const std::regex form(R"(kette \d+\.\d+\.\d+( \([0-9a-f]{7,40}(\+changes)?\))?\n)");
  CAPTURE(version.out);
  CHECK(std::regex_match(version.out, form));
  const Outcome info = run_kette({"info"});
  CHECK(info.out.starts_with(version.out));
}

TEST_CASE("version: the commit of a work tree, and of nothing around it") {
  if (run_shell("cmake --version && git --version") != 0) {
    MESSAGE("skipped: it takes the programs cmake and git");
    return;
  }
  const ScratchFolder folder;
  const fs::path tree = folder / "tree", out = folder / "commit.cpp";
  fs::create_directories(tree / "unpacked");
  write_file(tree / "file", "one\n");
  write_file(tree / "unpacked" / "file", "two\n");
  CHECK(commit_of(tree, out) == "");  // no git

  REQUIRE(git(tree, "init") == 0);
  CHECK(commit_of(tree, out) == "");  // no commit yet
  REQUIRE(git(tree, "add file") == 0);
  REQUIRE(git(tree, "commit -m one") == 0);
  const std::string first = commit_of(tree, out);
  CHECK(std::regex_match(first, std::regex("[0-9a-f]{7,40}")));
  CHECK(commit_of(tree / "unpacked", out) == "");  // inside of another project

  write_file(tree / "file", "three\n");
  CHECK(commit_of(tree, out) == first + "+changes");
  REQUIRE(git(tree, "commit -a -m two") == 0);
  const std::string second = commit_of(tree, out);
  CHECK(second != first);
  CHECK(second.find('+') == std::string::npos);
}

TEST_CASE("version: a file that says the same stays as it is, so that nothing is compiled again") {
  if (run_shell("cmake --version") != 0) {
    MESSAGE("skipped: it takes the program cmake");
    return;
  }
  const ScratchFolder folder;
  const fs::path out = folder / "commit.cpp";
  commit_of(folder.path(), out);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(out, long_ago);
  const auto before = fs::last_write_time(out);
  commit_of(folder.path(), out);
  CHECK(fs::last_write_time(out) == before);
}
