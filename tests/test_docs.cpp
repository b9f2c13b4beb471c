// docs/ops.md is generated from the op table: this test fails when it is stale, and writes it anew
// when the environment variable KETTE_UPDATE_DOCS is set.
#include <doctest/doctest.h>

#include <cstdlib>

#include "autograd/all_ops.h"
#include "tests/support.h"

namespace {

std::string ops_table() {
  std::ostringstream text;
  text << "# The differentiable ops\n\n"
          "Generated from the op table (`autograd/all_ops.h`); `KETTE_UPDATE_DOCS=1 kette-tests "
          "-tc='docs*'` writes "
          "it anew.\nEvery sample is checked: gradients in f64 against central differences, values "
          "against a plain "
          "reference\nin f64, f32 and bf16, and f32 and bf16 gradients against f64 ones.\n\n"
          "| op | formula | samples checked |\n| --- | --- | --- |\n";
  for (const kette::OpInfo& op : kette::all_ops()) {
    std::string formula = op.formula;
    for (std::size_t at = 0; (at = formula.find('|', at)) != std::string::npos; at += 2)
      formula.insert(at, "\\");
    text << "| `" << op.name << "` | `" << formula << "` | ";
    for (std::size_t i = 0; i < op.samples.size(); ++i)
      text << (i ? "; " : "") << op.samples[i].label;
    text << " |\n";
  }
  return text.str();
}

}  // namespace

TEST_CASE("docs/ops.md is what the op table says") {
  const auto file = std::filesystem::path(KETTE_SOURCE_DIR) / "docs" / "ops.md";
  if (std::getenv("KETTE_UPDATE_DOCS")) kette::testing::write_file(file, ops_table());
  CHECK(kette::testing::read_file(file) == ops_table());
}
