// Opens pages in a headless Chromium and reads back what became of them. Without one (CHROMIUM names another),
// the tests skip with a message.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "tests/support.h"

namespace kette::testing {

inline std::optional<std::string> browser() {
  if (const char* named = std::getenv("CHROMIUM")) return std::string(named);
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser"}) {
    if (std::filesystem::exists(path)) return std::string(path);
  }
  return std::nullopt;
}

struct Opened {
  std::string document;  ///< as HTML, after its scripts
  std::string console;   ///< what they complained of
};

/// more: options of the browser, each behind a space.
inline Opened open_address(const std::string& address, const std::string& more = "") {
  const ScratchFolder folder;
  const std::string at = folder.path().string();
  const std::string command =
      *browser() +
      " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr "
      "--user-data-dir=" +
      at + "/profile --virtual-time-budget=3000 --dump-dom" + more + " '" + address + "' > " + at +
      "/document 2> " + at + "/log";
  const int status = std::system(command.c_str());
  Opened opened{read_file(folder / "document"), ""};
  std::istringstream log(read_file(folder / "log"));
  for (std::string line; std::getline(log, line);) {
    if (contains(line, ":CONSOLE")) opened.console += line + "\n";
  }
  if (status != 0) opened.console += "exit status " + std::to_string(status);
  return opened;
}

/// Opens the page; then runs `script`, a person's part: clicks and keys.
inline Opened open_page(const std::string& page, const std::string& script = "") {
  const ScratchFolder folder;
  const std::string end = "</body>";
  std::string with_script = page;
  with_script.insert(with_script.rfind(end),
                     "<script>window.addEventListener('load', () => {" + script + "});</script>");
  write_file(folder / "page.html", with_script);
  return open_address("file://" + (folder / "page.html").string());
}

/// A page, with the sizes and the absence of addresses that all have.
inline std::string checked_page(const std::filesystem::path& path) {
  std::string page = read_file(path);
  CHECK(page.size() > 10'000);
  CHECK(page.size() < 300'000);
  CHECK_FALSE(contains(page, "http:"));
  CHECK_FALSE(contains(page, "https:"));
  return page;
}

#define KETTE_NEEDS_BROWSER()                                                     \
  if (!kette::testing::browser()) {                                               \
    MESSAGE("skipped: no chromium (CHROMIUM names another browser of its kind)"); \
    return;                                                                       \
  }

}  // namespace kette::testing
