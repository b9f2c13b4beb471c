// Requests to /v1/completions.
#include "tests/fuzz/requests.h"

namespace kette::fuzz {
namespace {

const char* const kPath = "/v1/completions";

std::vector<std::string> seeds() {
  return served(
      kPath,
      {json_request(R"({"model":"gpt","prompt":["a","bc"],"max_tokens":2,"n":2,"seed":1})"),
       json_request(
           R"({"prompt":[1,256],"max_tokens":1,"stream":true,"stream_options":{"include_usage":true}})"),
       json_request(R"({"prompt":[[1],"b"],"max_tokens":2,"echo":true,"stop":["a","b"]})"),
       json_request(
           R"({"prompt":null,"max_tokens":2,"temperature":0,"top_p":0.5,"top_k":3,"stop":"x"})"),
       json_request(R"({"max_tokens":1,"best_of":1,"frequency_penalty":0,"presence_penalty":0.0})"),
       json_request(
           R"({"max_tokens":1,"logprobs":null,"logit_bias":null,"suffix":null,"user":"u"})")});
}

void read(std::string_view input) { ask(kPath, input); }

}  // namespace

const Target openai_request = {"openai-request", seeds, read};

}  // namespace kette::fuzz
