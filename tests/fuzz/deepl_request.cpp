// Requests to /v2/translate.
#include "tests/fuzz/requests.h"

namespace kette::fuzz {
namespace {

const char* const kPath = "/v2/translate";

std::vector<std::string> seeds() {
  return served(
      kPath, {json_request(R"({"text":["a girl","it"],"target_lang":"DE","source_lang":"EN-GB"})"),
              json_request(R"({"text":"a\nb","target_lang":"de","split_sentences":"nonewlines"})"),
              json_request(R"({"text":["<i>a</i>"],"target_lang":"DE","tag_handling":"html"})"),
              json_request(
                  R"({"text":"a","target_lang":"DE","preserve_formatting":true,"model_type":""})"),
              form_request("auth_key=k", "text=a&text=b&target_lang=DE&split_sentences=0"),
              form_request("", "text=%3Cb%3E&target_lang=DE&show_billed_characters=1")});
}

void read(std::string_view input) { ask(kPath, input); }

}  // namespace

const Target deepl_request = {"deepl-request", seeds, read};

}  // namespace kette::fuzz
