// Ops made outside of Kette: shared objects that kette gradcheck loads, and the guide's programs.
#include <doctest/doctest.h>

#include "tests/cli/run_bash.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// One that the build made.
std::string library(const std::string& name) {
  return std::string(KETTE_OP_LIBRARIES) + "/lib" + name + ".so";
}

}  // namespace

TEST_CASE("gradcheck: ops of a library, on the program's tape") {
  const Outcome right = run_kette({"gradcheck", "--library", library("my_ops")});
  INFO(right.err);
  CHECK(right.code == 0);
  CHECK(contains(right.out, "ok     my_cube"));
  CHECK(contains(right.out, "ok     my_distance"));
  CHECK(contains(right.out, "no tangent"));
  CHECK(contains(right.out, "2 passed, 0 failed"));
  CHECK(run_kette({"gradcheck", "--library", library("my_ops"), "my_cube", "--order", "2"}).code ==
        0);
  CHECK(contains(run_kette({"gradcheck", "--library", library("my_ops"), "--list"}).out, "x^3"));

  const Outcome faulty = run_kette({"gradcheck", "--library", library("faulty_ops")});
  CHECK(faulty.code == 1);
  CHECK(contains(faulty.out, "ok     right"));
  CHECK(contains(faulty.out, "FAILED zero_below_zero"));
  CHECK(contains(faulty.out, "FAILED throws"));
  CHECK(contains(faulty.out, "no luck today"));
  CHECK(contains(faulty.out, "by differences at input 0 ["));
  CHECK(contains(faulty.out, "1 passed, 2 failed"));
}

TEST_CASE("gradcheck: a library that cannot serve is an error by name") {
  const auto refuses = [](const std::string& file, const std::string& why) {
    CAPTURE(file);
    const Outcome outcome = run_kette({"gradcheck", "--library", file});
    CHECK(outcome.code == 1);
    INFO(outcome.err);
    CHECK(contains(outcome.err, file));
    CHECK(contains(outcome.err, why));
  };
  refuses("/nowhere/libops.so", "given no file");
  refuses(std::string(KETTE_SOURCE_DIR) + "/README.md", "expected a shared object");
  refuses(library("no_list"), "KETTE_OPS(...)");
  refuses(library("other_version"), "given one compiled with those of 0.0.9");
  refuses(library("missing_symbol"), "kette_function_that_is_nowhere");
  refuses(library("throwing_list"), "no samples today");
  if (std::filesystem::exists(library("own_tape"))) {  // not beside a sanitizer
    refuses(library("own_tape"), "a tape of its own");
  }
  CHECK(run_kette({"gradcheck", "--library", library("my_ops"), "--model", "gpt"}).code == 2);
}

TEST_CASE("the example own-op: each program checks what it says") {
  for (const std::string program :
       {"own_op", "own_tensors", "several_outputs", "f32_op", "second_order"}) {
    CAPTURE(program);
    const Outcome outcome = run_bash(std::string(KETTE_EXAMPLES) + "/own-op/" + program);
    INFO(outcome.out);
    CHECK(outcome.code == 0);
    CHECK(contains(outcome.out, "differences: ok"));
  }
}

TEST_CASE("the example own-model: its gradients are right, and it learns") {
  const Outcome outcome =
      run_bash("OMP_NUM_THREADS=1 " + std::string(KETTE_EXAMPLES) + "/own-model/own_model 100");
  INFO(outcome.out);
  CHECK(outcome.code == 0);
  CHECK(contains(outcome.out, "state/weight: the gradient is right"));
  const std::size_t at = outcome.out.find("loss ");
  REQUIRE(at != std::string::npos);
  CHECK(std::stod(outcome.out.substr(at + 5)) < 1.5);  // ln 10 = 2.3 before
}
