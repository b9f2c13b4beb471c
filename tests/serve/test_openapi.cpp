// The description of the interfaces says what they are.
#include "serve/openapi.h"
#include "tests/serve/api_of_tiny_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

Json document() { return openapi_document(*tiny_models(), small_limits(), false); }

const Json& at(const Json& document, std::string reference) {
  REQUIRE(reference.starts_with("#/"));
  return document.at(Json::json_pointer(reference.substr(1)));
}

/// Every "$ref" below.
void collect_references(const Json& json, std::vector<std::string>& found) {
  if (json.is_object() && json.contains("$ref")) found.push_back(json.at("$ref"));
  for (const auto& one : json) {
    if (one.is_structured()) collect_references(one, found);
  }
}

}  // namespace

TEST_CASE("openapi: every operation is described, and no other") {
  std::vector<std::string> described, served;
  const Json all = document();
  for (const auto& [path, operations] : all.at("paths").items()) {
    for (const auto& [method, operation] : operations.items()) {
      std::string name = method;
      for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      described.push_back(name + " " + path.substr(0, path.find('{')));
    }
  }
  served = Api::operations();
  std::sort(described.begin(), described.end());
  std::sort(served.begin(), served.end());
  CHECK(joined(described) == joined(served));
}

TEST_CASE("openapi: fields are those that handlers read") {
  const Json all = document();
  AskedApi asked;
  const std::pair<const char*, Json> least[] = {
      {"/translate", {{"q", "it"}, {"target", "de"}}},
      {"/detect", {{"q", "it"}}},
      {"/v2/translate", {{"text", "it"}, {"target_lang", "DE"}}},
      {"/v1/completions", {{"prompt", "a"}}}};
  int bodies = 0;
  for (const auto& [path, operations] : all.at("paths").items()) {
    bodies += static_cast<int>(operations.contains("post"));
  }
  CHECK(bodies == std::ssize(least));
  for (const auto& one : least) {
    const std::string path = one.first;
    const Json& body = one.second;
    CAPTURE(path);
    const Json& content = all.at("paths").at(path).at("post").at("requestBody").at("content");
    // What is known is told where a field is not.
    Json unknown = body;
    unknown["no such field"] = 1;
    const std::string told = asked.fault(path, unknown.dump());
    for (const auto& [type, one_content] : content.items()) {
      const Json& schema = at(all, one_content.at("schema").at("$ref"));
      std::vector<std::string> described;
      for (const auto& [name, field] : schema.at("properties").items()) described.push_back(name);
      std::sort(described.begin(), described.end());
      CHECK(told.starts_with("no such field: expected one of " + joined(described) + ", given"));
      for (const auto& name : schema.at("required")) CHECK(body.contains(name.get<std::string>()));
    }
    const bool takes_forms = content.contains("application/x-www-form-urlencoded");
    CHECK(takes_forms == (asked.form(path, "").status == 400));
  }
}

TEST_CASE("openapi: limits and models are those of the server") {
  const Json all = document();
  const Json& schemas = all.at("components").at("schemas");
  const Json& translate = schemas.at("Translate").at("properties");
  CHECK(translate.at("beam").at("maximum") == 6);
  CHECK(translate.at("alternatives").at("maximum") == 3);
  CHECK(translate.at("source").at("enum") == Json{"auto", "en", nullptr});
  CHECK(translate.at("target").at("enum") == Json{"de"});
  CHECK(schemas.at("Text").at("maxLength") == 200);
  CHECK(schemas.at("Id").at("maximum") == 256);
  CHECK(schemas.at("Completion").at("properties").at("max_tokens").at("maximum") == 20);
  CHECK(schemas.at("Completion").at("properties").at("model").at("enum") == Json{"gpt", nullptr});
  ServeLimits low = small_limits();
  low.beam = 2;
  low.tokens = 8;
  const Json little = openapi_document(*tiny_models(), low, false).at("components").at("schemas");
  for (const char* form : {"Translate", "TranslateForm"}) {
    const Json& fields = little.at(form).at("properties");
    CHECK(fields.at("alternatives").at("maximum") == 1);
    CHECK(fields.at("beam").at("default") == 2);
  }
  CHECK(little.at("Completion").at("properties").at("max_tokens").at("default") == 8);
  CHECK_FALSE(contains(all.dump(), "x-limit"));
  CHECK_FALSE(all.contains("security"));
  CHECK(openapi_document(*tiny_models(), {}, true).contains("security"));
  AskedApi asked;
  CHECK(asked.get("/openapi.json").json == all);
  // Where nothing is served, and nothing limited otherwise, it says what the file says.
  Json plain = Json::parse(assets::openapi_json), told = openapi_document({}, {}, true);
  plain.at("info").erase("version");
  told.at("info").erase("version");
  const std::function<void(Json&)> without = [&](Json& json) {
    if (json.is_object()) json.erase("x-limit");
    for (auto& one : json) {
      if (one.is_structured()) without(one);
    }
  };
  without(plain);
  CHECK(told == plain);
}

TEST_CASE("openapi: where it asks for a key, the server does, and nowhere else") {
  const Json all = openapi_document(*tiny_models(), small_limits(), true);
  AskedApi asked({.limits = small_limits(), .keys = {"secret"}});
  for (const auto& [path, operations] : all.at("paths").items()) {
    for (const auto& [method, operation] : operations.items()) {
      const Told told = method == "get" ? asked.get(path) : asked.post(path, Json::object());
      const bool is_refused = told.status == 401 || told.status == 403;
      const bool is_open = operation.contains("security");
      const bool tells_so = operation.at("responses").contains(std::to_string(told.status));
      const std::string name = method + " " + path;
      CAPTURE(name);
      CHECK(is_refused != is_open);
      CHECK(tells_so);
    }
  }
}

TEST_CASE("openapi: all that it refers to is there") {
  const Json all = document();
  std::vector<std::string> references;
  collect_references(all, references);
  CHECK(references.size() > 50);
  for (const std::string& one : references) CHECK_NOTHROW(at(all, one));
}
