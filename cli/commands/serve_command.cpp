// `kette serve`: models behind HTTP.
#include <iostream>
#include <memory>
#include <mutex>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/serving.h"
#include "cli/shipped_models.h"
#include "data/files/text_file.h"
#include "data/files/visible_text.h"
#include "serve/api.h"
#include "serve/http_client.h"

namespace kette::cli {
namespace {

struct ServeOptions {
  CommonOptions common;
  std::vector<std::string> models;
  LoadOptions loading;
  HttpServer::Options http{.port = 5000};
  std::int64_t port = 5000, batch_tokens = EngineHost::Options().batch_tokens, body_bytes = 1 << 20;
  std::int64_t keep_prompts = 0;
  double grace = 20, memory = 0;
  ServeLimits limits;
  std::filesystem::path keys;
  bool open = false, log = false;
  std::string check, allow_origin;
};

/// NAME=DIR, or DIR, whose last part is the name.
std::vector<NamedFolder> folders_of(const ServeOptions& o) {
  std::vector<NamedFolder> folders;
  for (const std::string& given : o.models) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos) {
      folders.push_back({name_of_folder(given), model_folder(given)});
    } else {
      folders.push_back({given.substr(0, equals), model_folder(given.substr(equals + 1))});
    }
  }
  return folders;
}

/// A key in each line.
std::vector<std::string> keys_of(const std::filesystem::path& file) {
  std::vector<std::string> keys;
  if (file.empty()) return keys;
  const TextLines lines = read_lines(file);
  for (const std::string_view line : lines.views()) {
    if (!line.empty()) keys.emplace_back(line);
  }
  KETTE_CHECK(!keys.empty(), file.string(), ": expected a key in each line, given none");
  return keys;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void say(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cerr << "kette serve: " << visible(line) << std::endl;
}

void check(const std::string& url) {
  const int status = http_status(url, 5);
  KETTE_CHECK(status == 200, "check: expected the status 200 of ", url, ", given ", status);
}

void run(ServeOptions& o) {
  if (!o.check.empty()) return check(o.check);
  const auto metrics = std::make_shared<Metrics>();
  const EngineHost::Options engines{
      .threads = use_threads(o.common),
      .batch_tokens = o.batch_tokens,
      .keep_prompts = o.keep_prompts,
      .memory = o.memory * (1 << 30),
      .most_wait = o.limits.wait,
      .on_begin = [metrics](double seconds) { metrics->observe("kette_wait_seconds", seconds); },
      .on_step =
          [metrics](std::int64_t rows) {
            metrics->observe("kette_step_rows", static_cast<double>(rows));
          }};
  const std::vector<NamedFolder> folders = folders_of(o);
  o.http.port = static_cast<std::uint16_t>(o.port);
  o.http.body_bytes = static_cast<std::uint64_t>(o.body_bytes);
  Serving serving{.http = o.http,
                  .grace = HttpServer::Seconds(o.grace),
                  .api = {.limits = o.limits,
                          .keys = keys_of(o.keys),
                          .allow_origin = o.allow_origin,
                          .metrics = metrics},
                  .load =
                      [&] {
                        return std::make_shared<const ServedModels>(
                            load_served_models(folders, o.loading, engines));
                      },
                  .say = say};
  if (o.log) serving.api.log = say;
  serve(serving);
}

void add_serve_options(CLI::App& command) {
  auto options = std::make_shared<ServeOptions>();
  OptionGroup model(command, "Models");
  model.list(
      "--model", options->models,
      "A model directory with its name: a translation model's is en-de, its languages, or any other where its folder has them; several are served beside each other" +
          or_model_to_try(),
      "NAME=DIR");
  add_device_option(model, options->loading.device);
  add_weights_option(model, options->loading.weights, "what they are in the directories");
  add_cache_option(model, options->loading.cache);
  OptionGroup network(command, "Network");
  network.text("--host", options->http.host,
               "Where to listen; any but this machine needs --api-keys or --open", "ADDRESS");
  network.number("--port", options->port, Range{0, true, 65536}, "Its port; 0: any that is free");
  network.path("--api-keys", options->keys, "Keys, one in a line, of which a client must have one");
  network.flag("--open", options->open, "Serve other machines without keys");
  network.number("--connections", options->http.connections, at_least(1), "At once");
  network.number("--max-body", options->body_bytes, at_least(1), "Bytes of a request");
  network.number("--grace", options->grace, at_least(0),
                 "Seconds for the requests that there are, once it is told to end (SIGTERM)");
  network.text("--allow-origin", options->allow_origin,
               "Pages from here may ask, \"*\": any page; else only the server's own", "ORIGIN");
  network.flag("--log", options->log, "A line for each request, without its text");
  OptionGroup limits(command, "Limits of a request");
  limits.number("--max-texts", options->limits.texts, at_least(1), "Texts");
  limits.number("--max-characters", options->limits.characters, at_least(1), "Of all of them");
  limits.number("--max-tokens", options->limits.tokens, at_least(1),
                "Of each text that is written");
  limits.number("--max-beam", options->limits.beam, at_least(1),
                "Hypotheses; alternatives are fewer");
  limits.number("--max-n", options->limits.n, at_least(1), "Texts for a prompt, alternatives");
  limits.number(
      "--max-wait", options->limits.wait, at_least(0),
      "Seconds until a request's turn, as far as is known; else it is refused (429); 0: any");
  limits.number("--timeout", options->limits.seconds, above(0), "Seconds");
  limits.number("--batch-tokens", options->batch_tokens, at_least(1),
                "Tokens times rows that each thread has at once");
  limits.number("--memory", options->memory, at_least(0),
                "GiB for the keys and values of all texts at work; 0: half of the machine's");
  limits.number("--keep-prompts", options->keep_prompts, at_least(0),
                "So many prompts are kept for others that begin like them");
  add_common_options(command, options->common);
  network.text("--check", options->check,
               "Instead: ask the server at this URL whether it is ready; exits with 0 if it is",
               "URL");
  when_read(command, [options] {
    if (!options->models.empty() && !options->check.empty()) {
      throw UsageError("expected --model NAME=DIR, or --check URL, given both");
    }
    if (options->models.empty() && options->check.empty()) {
      if (shipped_model(kModelToTry).empty()) throw UsageError(without_model_to_try());
      options->models = {kModelToTry};
    }
    if (is_loopback(options->http.host) || options->open || !options->keys.empty()) return;
    throw UsageError(
        "--host: expected --api-keys or --open beside an address that other machines "
        "reach, given " +
        options->http.host + " alone");
  });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command serve_command = {"serve", "Translate and write text for HTTP clients",
                               add_serve_options};

}  // namespace kette::cli
