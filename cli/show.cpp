#include "cli/show.h"

#include "cli/host.h"
#include "cli/page_file.h"
#include "data/files/json_text.h"
#include "inspect/report/written.h"

namespace kette::cli {

Option add_page_option(OptionGroup& group, CommonOptions& options) {
  return add_page_option(group, "--out", options.out,
                         "Where a page goes (default: none, only text)");
}

std::size_t print_text(const Report& report, std::size_t from) {
  to_stdout() << for_stdout(as_text(report, from)) << std::flush;
  return report.parts.size();
}

void print_lines(const Report& report) {
  Column column;
  column.digits = significant(4);
  for (const Report::Part& part : report.parts) {
    if (const auto* fact = std::get_if<Report::Fact>(&part.what)) {
      to_stdout() << text("%-34s %s\n", fact->key.c_str(), written(fact->value, column).c_str());
    }
  }
}

void show(const Report& report, const CommonOptions& options, std::size_t printed) {
  print_text(report, printed);
  if (CommandHost* host = CommandHost::current()) host->take(report);
  Json file = Json::object();
  if (!options.out.empty()) {
    const std::string page = as_page(report);
    write_page(options.out, page);
    file = {{"page", options.out.string()}, {"page_bytes", page.size()}};
  }
  if (options.json) print_json(options, as_json(report, file));
}

}  // namespace kette::cli
