// Requests to /translate, and to /detect where the content type ends in a semicolon.
#include "tests/fuzz/requests.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return served(
      "/translate",
      {json_request(R"({"q":["a girl","she sees it ."],"source":"en","target":"de","beam":1})"),
       json_request(R"({"q":"<b>a</b>","target":"de","format":"html","alternatives":1})"),
       json_request(R"({"q":"a","source":null,"target":"de","api_key":""})"),
       form_request("", "q=a+girl&q=%C3%BC&target=de&source=auto&beam=2"),
       form_request("target=de&alternatives=1", "q=it&secret=x&format=text"),
       joined({"application/json;", "", R"({"q":["a girl","it"]})"})});
}

void read(std::string_view input) {
  ask(parts(input, 3)[0].ends_with(';') ? "/detect" : "/translate", input);
}

}  // namespace

const Target libretranslate_request = {"libretranslate-request", seeds, read};

}  // namespace kette::fuzz
