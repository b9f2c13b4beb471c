// The one doctest runner: every tests/**/test_*.cpp is linked in.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <omp.h>
#include <signal.h>

#include "tensor/machine.h"

int main(int count, char** words) {
  // Whoever starts the tests may ignore signals, as nohup does; they and what they start are to meet
  // them as a program in a terminal does.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  // Beside a build or a training run, threads that spin while they wait took the tests 30 times as long.
  kette::share_processors(omp_get_max_threads());
  return doctest::Context(count, words).run();
}
