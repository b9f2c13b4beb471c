#include <doctest/doctest.h>

#include "decode/loops.h"

using namespace kette;
using Ids = std::vector<std::int32_t>;

TEST_CASE("loops: up to eight tokens, four times one behind the other") {
  CHECK(loop_in(Ids{}) == Ids{});
  CHECK(loop_in(Ids{5, 5, 5}) == Ids{});
  CHECK(loop_in(Ids{5, 5, 5, 5}) == Ids{5});
  CHECK(loop_in(Ids{9, 1, 2, 1, 2, 1, 2, 7}) == Ids{});
  CHECK(loop_in(Ids{9, 1, 2, 1, 2, 1, 2, 1, 2, 7}) == Ids{1, 2});
  Ids eight, nine;
  for (int time = 0; time < 4; ++time) {
    for (int token = 0; token < 9; ++token) {
      if (token < 8) eight.push_back(token);
      nine.push_back(token);
    }
  }
  CHECK(loop_in(eight) == Ids{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(loop_in(nine) == Ids{});
}

TEST_CASE("loops: a search without them stops before the second round") {
  const NoLoop of_two({1, 2}, 6);
  CHECK(of_two.masks() == std::vector<std::vector<bool>>{{true, true, false, true, true, true}});
  CHECK(of_two.after(Ids{1}).mask == -1);
  CHECK(of_two.after(Ids{1, 2}).mask == -1);
  CHECK(of_two.after(Ids{3, 1, 2, 1}).mask == 0);
  CHECK(of_two.after(Ids{3, 2, 2, 1}).mask == -1);
  const NoLoop of_one({4}, 6);
  CHECK_FALSE(of_one.masks()[0][4]);
  CHECK(of_one.after(Ids{4}).mask == 0);
  CHECK(of_one.after(Ids{4, 5}).mask == -1);
}
