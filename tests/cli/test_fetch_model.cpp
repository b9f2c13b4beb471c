// data/fetch.sh opus-mt-...: a model from a host that says each file's hash, as the hub of Hugging Face does. The host is
// Kette's own HTTP server, with a small random model behind it.
#include <doctest/doctest.h>

#include <map>
#include <thread>

#include "serve/http_server.h"
#include "tests/cli/run_bash.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::Outcome;

/// Serves files from memory, from the byte that a client asks for on.
class Hub {
 public:
  Hub() {
    thread_ = std::thread([this] { server_.run(HttpServer::Seconds(1)); });
  }
  ~Hub() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  std::map<std::string, std::string> files;  ///< by path
  bool has_ranges = true;

 private:
  void answer(HttpExchange& exchange) {
    const auto found = files.find(exchange.request().path);
    if (found == files.end()) return exchange.answer({404, "text/plain", "no such file"});
    const std::string& all = found->second;
    const std::string range = exchange.request().header("range");
    if (!has_ranges || range.empty()) return exchange.answer({200, "text/plain", all});
    const std::size_t from = std::stoul(range.substr(range.find('=') + 1));
    const std::string size = std::to_string(all.size());
    if (from >= all.size()) return exchange.answer({416, "text/plain", ""});
    exchange.answer({206,
                     "text/plain",
                     all.substr(from),
                     {{"Content-Range", "bytes " + std::to_string(from) + "-" +
                                            std::to_string(all.size() - 1) + "/" + size}}});
  }

  HttpServer server_{HttpServer::Options(), [this](HttpExchange& exchange) { answer(exchange); },
                     [](int status, const std::string& why) {
                       return HttpAnswer{status, "text/plain", why};
                     }};
  std::thread thread_;
};

/// The first word of what a shell command prints of a file.
std::string printed(const std::string& command, const fs::path& file) {
  const std::string all = testing::run_bash(command + " < '" + file.string() + "'").out;
  return all.substr(0, all.find_first_of(" \n"));
}

struct FetchedModel {
  const std::string name = "Helsinki-NLP/opus-mt-en-de";
  const std::string prefix = "/huggingface.co/" + name + "/resolve/main/";
  const fs::path source = testing::source_folder() / "tests/fixtures/hugging_face/marian";
  testing::ScratchFolder folder;
  const fs::path target = folder / "opus mt";
  Hub hub;

  FetchedModel() {
    std::string list;
    for (const char* file :
         {"config.json", "vocab.json", "source.spm", "target.spm", "model.safetensors"}) {
      const std::string content = testing::read_file(source / file);
      hub.files[prefix + file] = content;
      const bool is_large = std::string(file) == "model.safetensors";
      const std::string blob = printed("git hash-object --stdin", source / file);
      const std::string lfs = is_large
                                  ? R"(,"lfs":{"oid":")" + printed("sha256sum", source / file) +
                                        R"(","size":1,"pointerSize":134})"
                                  : "";
      list += std::string(list.empty() ? "" : ",") + R"({"type":"file","oid":")" + blob +
              R"(","size":)" + std::to_string(content.size()) + lfs + R"(,"path":")" + file + "\"}";
    }
    hub.files["/huggingface.co/api/models/" + name + "/tree/main"] =
        "[" + list + R"(,{"type":"directory","oid":"0","size":0,"path":"onnx"}])";
  }

  Outcome fetch() const {
    return testing::run_bash("KETTE='" + testing::kette_binary() + "' KETTE_FETCH_MIRROR=" +
                             hub.url() + " data/fetch.sh opus-mt-en-de '" + target.string() + "'");
  }
};

TEST_CASE_FIXTURE(FetchedModel, "fetch.sh opus-mt-en-de: a model that translates, fetched once") {
  const Outcome first = fetch();
  INFO(first.out);
  CHECK(first.code == 0);
  CHECK(contains(first.out, "Try it: "));
  CHECK(testing::read_file(target / "model.safetensors") ==
        testing::read_file(source / "model.safetensors"));
  const Outcome said =
      testing::run_kette({"translate", "a", "--model", (target / "model").string()});
  CHECK(said.code == 0);

  const Outcome second = fetch();
  CHECK(second.code == 0);
  CHECK(contains(second.out, "model.safetensors is already there"));
}

TEST_CASE_FIXTURE(FetchedModel, "fetch.sh opus-mt-en-de: a cut download goes on, or is refused") {
  const std::string whole = testing::read_file(source / "model.safetensors");
  const fs::path part = target / ".download" / "model.safetensors.part";
  fs::create_directories(target / ".download");
  testing::write_file(part, whole.substr(0, whole.size() / 3));
  SUBCASE("from where it stopped") {
    const Outcome resumed = fetch();
    INFO(resumed.out);
    CHECK(resumed.code == 0);
    CHECK(testing::read_file(target / "model.safetensors") == whole);
  }
  SUBCASE("not from a host that has only whole files") {
    hub.has_ranges = false;
    const Outcome refused = fetch();
    INFO(refused.out);
    CHECK(refused.code == 1);
    CHECK(contains(refused.out, "could not fetch"));
    CHECK_FALSE(fs::exists(target / "model.safetensors"));
  }
  SUBCASE("not if the beginning was of another file") {
    testing::write_file(part, std::string(whole.size() / 3, 'x'));
    const Outcome refused = fetch();
    CHECK(refused.code == 1);
    CHECK(contains(refused.out, "model.safetensors: expected the hash "));
    CHECK_FALSE(fs::exists(target / "model.safetensors"));
    CHECK(fetch().code == 0);  // the damaged part is gone
  }
}

TEST_CASE_FIXTURE(FetchedModel,
                  "fetch.sh opus-mt-...: damaged files, no safetensors, no such model") {
  hub.files[prefix + "vocab.json"] += " ";
  CHECK(contains(fetch().out, "vocab.json: expected the hash "));

  std::string& list = hub.files["/huggingface.co/api/models/" + name + "/tree/main"];
  const std::string all = list;
  list.replace(list.find("model.safetensors"), 17, "pytorch_model.bin");
  const Outcome without = fetch();
  CHECK(without.code == 1);
  CHECK(contains(without.out, "expected model.safetensors, given only other formats"));

  hub.files.clear();
  CHECK(contains(fetch().out, "could not fetch"));
}

}  // namespace
}  // namespace kette
