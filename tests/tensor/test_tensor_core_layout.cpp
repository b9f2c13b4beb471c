// Which lane holds what in the operands of mma.m16n8k16 and ldmatrix, as the figures of the PTX ISA
// show it ("Matrix Fragments for mma.m16n8k16 with floating point type", "ldmatrix"). The emulator's
// instructions are to agree with them, since the kernels that were made to agree with the emulator
// run on the hardware.
#include <vector>

#include "tensor/dtype.h"
#include "tensor/random.h"
#include "tests/emulated.h"

using namespace kette;

namespace {

// Two neighbours of a row of A: the lane, and the number i of the first in a_i.
constexpr int kLanesOfA[16][8] = {
    {0, 1, 2, 3, 0, 1, 2, 3},         {4, 5, 6, 7, 4, 5, 6, 7},
    {8, 9, 10, 11, 8, 9, 10, 11},     {12, 13, 14, 15, 12, 13, 14, 15},
    {16, 17, 18, 19, 16, 17, 18, 19}, {20, 21, 22, 23, 20, 21, 22, 23},
    {24, 25, 26, 27, 24, 25, 26, 27}, {28, 29, 30, 31, 28, 29, 30, 31},
    {0, 1, 2, 3, 0, 1, 2, 3},         {4, 5, 6, 7, 4, 5, 6, 7},
    {8, 9, 10, 11, 8, 9, 10, 11},     {12, 13, 14, 15, 12, 13, 14, 15},
    {16, 17, 18, 19, 16, 17, 18, 19}, {20, 21, 22, 23, 20, 21, 22, 23},
    {24, 25, 26, 27, 24, 25, 26, 27}, {28, 29, 30, 31, 28, 29, 30, 31}};
constexpr int kFirstOfA[16][8] = {
    {0, 0, 0, 0, 4, 4, 4, 4}, {0, 0, 0, 0, 4, 4, 4, 4}, {0, 0, 0, 0, 4, 4, 4, 4},
    {0, 0, 0, 0, 4, 4, 4, 4}, {0, 0, 0, 0, 4, 4, 4, 4}, {0, 0, 0, 0, 4, 4, 4, 4},
    {0, 0, 0, 0, 4, 4, 4, 4}, {0, 0, 0, 0, 4, 4, 4, 4}, {2, 2, 2, 2, 6, 6, 6, 6},
    {2, 2, 2, 2, 6, 6, 6, 6}, {2, 2, 2, 2, 6, 6, 6, 6}, {2, 2, 2, 2, 6, 6, 6, 6},
    {2, 2, 2, 2, 6, 6, 6, 6}, {2, 2, 2, 2, 6, 6, 6, 6}, {2, 2, 2, 2, 6, 6, 6, 6},
    {2, 2, 2, 2, 6, 6, 6, 6}};

// Two neighbours of a column of B; a row of the table for two of the matrix.
constexpr int kLanesOfB[8][8] = {{0, 4, 8, 12, 16, 20, 24, 28},  {1, 5, 9, 13, 17, 21, 25, 29},
                                 {2, 6, 10, 14, 18, 22, 26, 30}, {3, 7, 11, 15, 19, 23, 27, 31},
                                 {0, 4, 8, 12, 16, 20, 24, 28},  {1, 5, 9, 13, 17, 21, 25, 29},
                                 {2, 6, 10, 14, 18, 22, 26, 30}, {3, 7, 11, 15, 19, 23, 27, 31}};
constexpr int kFirstOfB[8] = {0, 0, 0, 0, 2, 2, 2, 2};

// Two neighbours of a row of C.
constexpr int kLanesOfC[16][4] = {
    {0, 1, 2, 3},     {4, 5, 6, 7},     {8, 9, 10, 11},   {12, 13, 14, 15},
    {16, 17, 18, 19}, {20, 21, 22, 23}, {24, 25, 26, 27}, {28, 29, 30, 31},
    {0, 1, 2, 3},     {4, 5, 6, 7},     {8, 9, 10, 11},   {12, 13, 14, 15},
    {16, 17, 18, 19}, {20, 21, 22, 23}, {24, 25, 26, 27}, {28, 29, 30, 31}};
constexpr int kFirstOfC[16] = {0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2};

struct Lane {
  std::uint32_t a[4] = {}, b[2] = {};
  float c[4] = {};
};

void put(std::uint32_t* words, int element, int value) {
  words[element / 2] |= std::uint32_t{BFloat16(static_cast<float>(value)).bits} << element % 2 * 16;
}

}  // namespace

TEST_CASE("CUDA emulator: mma takes its operands from the lanes the manual names") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  Random random(1);
  int a[16][16], b[16][8];
  std::vector<Lane> lanes(32);
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < 16; ++k) {
      a[row][k] = static_cast<int>(random.below(17)) - 8;
      put(lanes[kLanesOfA[row][k / 2]].a, kFirstOfA[row][k / 2] + k % 2, a[row][k]);
    }
  }
  for (int k = 0; k < 16; ++k) {
    for (int column = 0; column < 8; ++column) {
      b[k][column] = static_cast<int>(random.below(17)) - 8;
      put(lanes[kLanesOfB[k / 2][column]].b, kFirstOfB[k / 2] + k % 2, b[k][column]);
    }
  }
  emulator->run(32, [&](unsigned thread) {
    Lane& lane = lanes[thread];
    lane.c[0] = 1;
    emulator->mma(lane.c, lane.a, lane.b[0], lane.b[1]);
  });
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      const int element = kFirstOfC[row] + column % 2;
      int expected = element == 0 ? 1 : 0;  // what was there before
      for (int k = 0; k < 16; ++k) expected += a[row][k] * b[k][column];
      const Lane& lane = lanes[kLanesOfC[row][column / 2]];
      CHECK(lane.c[element] == static_cast<float>(expected));
    }
  }
}

TEST_CASE("CUDA emulator: ldmatrix gives the lanes what the manual says") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  std::uint16_t matrices[4][8][8];
  std::uint16_t next = 1;
  for (auto& matrix : matrices) {
    for (auto& row : matrix) {
      for (std::uint16_t& element : row) element = next++;
    }
  }
  for (const bool transposed : {false, true}) {
    std::uint32_t words[32][4];
    emulator->run(32, [&](unsigned lane) {
      // Lanes 0 to 7 name the rows of the first matrix, 8 to 15 those of the second, and so on.
      emulator->load_matrices(words[lane], matrices[lane / 8][lane % 8], transposed);
    });
    for (int m = 0; m < 4; ++m) {
      for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 8; ++column) {
          // Without .trans as rows of C, with it as columns of B.
          const int lane = transposed ? kLanesOfB[row / 2][column] : kLanesOfC[row][column / 2];
          const std::uint32_t word = words[lane][m];
          const std::uint32_t half = (transposed ? row : column) % 2 ? word >> 16 : word & 0xffffu;
          CHECK(half == matrices[m][row][column]);
        }
      }
    }
  }
}
