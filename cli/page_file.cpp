#include "cli/page_file.h"

#include "cli/common.h"
#include "cli/host.h"
#include "data/files/atomic_file.h"
#include "data/files/text_file.h"
#include "data/files/visible_text.h"
#include "inspect/page/page.h"

namespace kette::cli {

Option add_page_option(OptionGroup& group, const std::string& name, std::filesystem::path& file,
                       const std::string& help) {
  Option option = group.custom(
      name,
      [&file](const std::string& text) {
        KETTE_CHECK(!text.empty(), "expected a path, given nothing");
        KETTE_CHECK(!std::filesystem::is_directory(text), "expected a file, given ", text,
                    ", which is a folder");
        const std::filesystem::path folder = std::filesystem::path(text).parent_path();
        KETTE_CHECK(folder.empty() || std::filesystem::is_directory(folder),
                    "expected a file in a folder, given ", text, " (create ", folder.string(),
                    " first)");
        const std::string start = first_bytes(text, kPageStart.size());
        KETTE_CHECK(start.empty() || start == kPageStart,
                    "expected a new file or an earlier page, given ", text,
                    ", which holds something else");
        file = text;
      },
      [&file] { return file.string(); }, help, "FILE");
  return option.writes();
}

void write_page(const std::filesystem::path& file, const std::string& page) {
  write_file_atomically(file, page);
  to_stderr() << text("%s: %.0f KB\n", visible(file.string()).c_str(),
                      static_cast<double>(page.size()) / 1000);
}

}  // namespace kette::cli
