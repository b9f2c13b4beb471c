// The one doctest runner: every tests/**/test_*.cpp is linked in.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
