// A model's engines that clients share: everybody gets what they would get alone, whoever comes and goes.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "decode/search_limits.h"
#include "decode/translate_ids.h"
#include "serve/engine_host.h"
#include "tensor/stopwatch.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/serve/room_for_threads.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

namespace {

void wait_until_idle(const EngineHost& host) {
  for (int i = 0; i < 2000 && (host.load().live > 0 || host.load().waiting > 0); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(host.load().live == 0);
  CHECK(host.load().waiting == 0);
}

class Gone : public std::exception {};

}  // namespace

TEST_CASE("host: clients get at once what each gets alone, and some go away") {
  const auto model = random_model(small_config());
  const Ensemble ready = Ensemble(*model).for_decoding();
  constexpr int kClients = 12;
  std::vector<std::vector<Ids>> sources;
  std::vector<DecodingOptions> options(kClients);
  std::vector<std::vector<std::vector<Hypothesis>>> expected, found(kClients);
  for (int i = 0; i < kClients; ++i) {
    sources.push_back(random_sentences(1 + 5 * (i % 4), 611, 10, static_cast<std::uint64_t>(i)));
    options[i].search.beam = 1 + i % 5;
    options[i].search.n_best = 1 + i % options[i].search.beam;
    options[i].search.extra_length = 4;
    if (i % 6 == 5) options[i].sampling = SamplingOptions{.top_k = 30};
    expected.push_back(translate_ids(ready, sources[i], options[i]));
  }
  for (const std::int64_t batch_tokens : {40, 2048}) {
    EngineHost host(ready, {.threads = 2, .batch_tokens = batch_tokens});
    std::vector<std::thread> clients;
    std::atomic<int> gone = 0;
    for (int i = 0; i < kClients; ++i) {
      clients.emplace_back([&, i] {
        HostClient client(host, [] {});
        found[i] = translate_ids(ready, sources[i], options[i], {.threads = 1, .runner = &client});
      });
      if (i % 3 > 0) continue;
      clients.emplace_back([&, i] {
        int checks = 0;
        HostClient client(host, [&] {
          if (++checks > 3 * i) throw Gone();
        });
        try {
          translate_ids(ready, sources[i], options[i], {.threads = 1, .runner = &client});
        } catch (const Gone&) {
          ++gone;
        }
      });
    }
    for (std::thread& client : clients) client.join();
    CHECK(gone > 0);
    for (int i = 0; i < kClients; ++i) {
      CAPTURE(i);
      REQUIRE(found[i].size() == expected[i].size());
      for (std::size_t k = 0; k < expected[i].size(); ++k) check_same(found[i][k], expected[i][k]);
    }
    wait_until_idle(host);
    CHECK(host.load().rows == 0);
  }
}

TEST_CASE("host: a client with little does not wait for one with much") {
  const auto model = random_model(small_config());
  const Ensemble ready = Ensemble(*model).for_decoding();
  EngineHost host(ready, {.threads = 1, .batch_tokens = 200});
  std::atomic<std::int64_t> done = 0;
  const auto all_done = [&](std::int64_t number, std::int64_t) { done = number; };
  std::thread much([&] {
    HostClient client(host, [] {});
    translate_ids(ready, random_sentences(300, 611, 10), {}, {.threads = 1, .runner = &client},
                  all_done);
  });
  while (host.load().live == 0) std::this_thread::yield();
  HostClient client(host, [] {});
  translate_ids(ready, random_sentences(1, 611, 6, 9), {}, {.threads = 1, .runner = &client});
  CHECK(done < 200);
  much.join();
  CHECK(done == 300);
}

TEST_CASE("host: an error is that of the client") {
  const auto model = random_model(small_config());
  const Ensemble ready = Ensemble(*model).for_decoding();
  EngineHost host(ready, {.threads = 1});
  HostClient client(host, [] {});
  const WorkOptions work{.threads = 1, .runner = &client};
  const Ids strange = {4, 611};
  CHECK(contains(message_of([&] { translate_ids(ready, {strange}, {}, work); }),
                 "expected tokens below 611"));
  const auto fine = translate_ids(ready, {{4, 5}}, {}, work);
  check_same(fine.front(), translate_ids(ready, {{4, 5}}).front());
  wait_until_idle(host);
}

TEST_CASE("host: texts wait for memory, and one that never fits is an error") {
  const auto model = random_model(small_config());
  const Ensemble ready = Ensemble(*model).for_decoding();
  const std::vector<Ids> sources = random_sentences(20, 611, 10);
  DecodingOptions options;
  options.search.extra_length = 4;
  const auto expected = translate_ids(ready, sources, options);
  // Two or three texts at a time.
  const double bytes = 2 * static_cast<double>(options.search.beam) * row_bytes(ready, 15);
  EngineHost host(ready, {.threads = 2, .memory = bytes});
  HostClient client(host, [&] { CHECK(host.load().live <= 6); });
  const WorkOptions work{.threads = 1, .runner = &client};
  const auto found = translate_ids(ready, sources, options, work);
  for (std::size_t i = 0; i < sources.size(); ++i) check_same(found[i], expected[i]);
  options.search.beam = 100;
  CHECK(contains(message_of([&] { translate_ids(ready, sources, options, work); }),
                 "memory: expected texts whose keys and values fit in "));
  wait_until_idle(host);
}

TEST_CASE("host: who would wait too long is refused, but not for the texts of one client") {
  const auto model = random_model(small_config());
  const Ensemble ready = Ensemble(*model).for_decoding();
  EngineHost host(ready, {.threads = 1, .batch_tokens = 100, .most_wait = 1e-6});
  std::atomic<bool> is_over = false;
  std::thread much([&] {
    HostClient client(host, [&] {
      if (is_over) throw Gone();
    });
    const auto many = random_sentences(100'000, 611, 10);
    CHECK_THROWS_AS(translate_ids(ready, many, {}, {.threads = 1, .runner = &client}), Gone);
  });
  const std::vector<Ids> sources = random_sentences(1, 611, 10, 4);
  bool is_refused = false;
  for (const Stopwatch watch; !is_refused && watch.seconds() < 60;) {
    HostClient client(host, [] {});
    try {
      translate_ids(ready, sources, {}, {.threads = 1, .runner = &client});
    } catch (const HostBusy& busy) {
      CHECK(busy.seconds > 0);
      is_refused = true;
    }
  }
  CHECK(is_refused);
  is_over = true;
  much.join();
  wait_until_idle(host);
  HostClient client(host, [] {});
  check_same(translate_ids(ready, sources, {}, {.threads = 1, .runner = &client}).front(),
             translate_ids(ready, sources).front());
}

TEST_CASE("host: without room for all of its threads there is an error, and those that began end") {
  const auto model = random_model(small_config());
  const Ensemble ready = Ensemble(*model).for_decoding();
  const RoomForThreads one(1);
  if (kSanitizer || !one.is_limited()) return;
  CHECK(contains(message_of([&] { EngineHost(ready, {.threads = 2}); }),
                 "threads: expected room for 2 engines, given too little ("));
}
