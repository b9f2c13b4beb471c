// What `kette serve` does once it knows how: it serves models over HTTP until a signal ends it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/api.h"
#include "serve/http_server.h"

namespace kette::cli {

struct Serving {
  HttpServer::Options http{};
  HttpServer::Seconds grace{20};  ///< for the requests that there are, once it is told to end
  ApiOptions api{};
  std::function<std::shared_ptr<const ServedModels>()> load{};
  std::function<void(const std::string& line)> say{};
};

/// Serves until SIGTERM or SIGINT. Before the models are loaded, and upon a second one, the program ends
/// at once. SIGHUP loads the models anew.
void serve(const Serving& serving);

}  // namespace kette::cli
