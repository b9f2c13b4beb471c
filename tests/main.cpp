// The one doctest runner: every tests/**/test_*.cpp is linked in.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <signal.h>

int main(int count, char** words) {
  // Whoever starts the tests may ignore signals, as nohup does; they and what they start are to meet
  // them as a program in a terminal does.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  return doctest::Context(count, words).run();
}
