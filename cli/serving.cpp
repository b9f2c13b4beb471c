#include "cli/serving.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <optional>

#include "cli/signal_thread.h"
#include "inspect/report/text.h"
#include "tensor/shortest.h"
#include "tensor/stopwatch.h"

namespace kette::cli {

void serve(const Serving& serving) {
  ::signal(SIGPIPE, SIG_IGN);  // to write into a broken pipe is an error alone
  const Stopwatch watch;
  std::optional<Api> api;
  std::optional<HttpServer> server;
  std::atomic<bool> is_ready = false, is_loading = false;
  // Two threads, so that the end does not wait for models that are loaded anew.
  SignalThread end{SIGTERM, SIGINT}, reload{SIGHUP};
  end.start([&] {
    if (!is_ready) {  // nobody has been served
      serving.say("ended");
      ::_exit(0);
    }
    if (server->is_stopping()) ::_exit(1);  // who asks twice does not want to wait
    serving.say("no more requests are taken; those that there are have " +
                shortest(serving.grace.count()) + " s");
    api->drain();
    server->stop();
  });
  api.emplace(serving.load(), serving.api);
  HttpServer::Options http = serving.http;
  http.while_stopping = {"/health", "/ready"};
  server.emplace(
      http, [&](HttpExchange& exchange) { api->handle(exchange); },
      [&](int status, const std::string& why) { return api->refuse(status, why); });
  is_ready = true;
  serving.say("ready after " + text("%.2f", watch.seconds()) + " s at http://" + serving.http.host +
              ":" + std::to_string(server->port()));
  reload.start([&] {
    is_loading = true;
    if (!server->is_stopping()) {
      try {
        api->replace(serving.load());
        serving.say("the models were loaded anew");
      } catch (const std::exception& error) {
        serving.say(std::string("the models stay as they were: ") + error.what());
      }
    }
    is_loading = false;
  });
  server->run(serving.grace);
  serving.say("ended");
  if (is_loading) ::_exit(0);  // nobody waits for these models
}

}  // namespace kette::cli
