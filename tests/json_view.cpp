#include "tests/json_view.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tests/support.h"

namespace kette::testing {

JsonView JsonView::parse(const std::string& text) {
  return JsonView(std::make_shared<const Json>(Json::parse(text)));
}
std::vector<JsonView> JsonView::lines(const std::string& text) {
  std::vector<JsonView> all;
  for (const std::string& line : lines_of(text)) all.push_back(parse(line));
  return all;
}

JsonView::JsonView() : json_(std::make_shared<const Json>()) {}
JsonView::JsonView(bool value) : json_(std::make_shared<const Json>(value)) {}
JsonView::JsonView(int value) : json_(std::make_shared<const Json>(value)) {}
JsonView::JsonView(long value) : json_(std::make_shared<const Json>(value)) {}
JsonView::JsonView(unsigned long value) : json_(std::make_shared<const Json>(value)) {}
JsonView::JsonView(double value) : json_(std::make_shared<const Json>(value)) {}
JsonView::JsonView(const char* value) : json_(std::make_shared<const Json>(value)) {}
JsonView::JsonView(const std::string& value) : json_(std::make_shared<const Json>(value)) {}
template <class T>
JsonView::JsonView(const std::vector<T>& values) : json_(std::make_shared<const Json>(values)) {}
template JsonView::JsonView(const std::vector<double>&);
template JsonView::JsonView(const std::vector<std::int64_t>&);
template JsonView::JsonView(const std::vector<std::string>&);

JsonView JsonView::operator[](const std::string& key) const {
  return JsonView(std::shared_ptr<const Json>(json_, &json_->at(key)));
}
JsonView JsonView::operator[](std::size_t index) const {
  return JsonView(std::shared_ptr<const Json>(json_, &json_->at(index)));
}
std::size_t JsonView::size() const { return json_->size(); }
bool JsonView::contains(const std::string& key) const { return json_->contains(key); }
std::vector<std::string> JsonView::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json_->items()) keys.push_back(key);
  return keys;
}
std::string JsonView::type() const { return json_->type_name(); }
bool JsonView::is_array() const { return json_->is_array(); }
bool JsonView::is_null() const { return json_->is_null(); }
bool JsonView::is_integer() const { return json_->is_number_integer(); }
bool JsonView::is_number() const { return json_->is_number(); }
bool JsonView::is_string() const { return json_->is_string(); }
const std::string& JsonView::text() const { return json_->get_ref<const std::string&>(); }
std::string JsonView::dump() const { return json_->dump(); }

template <class T>
T JsonView::get() const {
  return json_->get<T>();
}
template bool JsonView::get() const;
template int JsonView::get() const;
template std::uint32_t JsonView::get() const;
template std::int64_t JsonView::get() const;
template std::uint64_t JsonView::get() const;
template double JsonView::get() const;
template std::string JsonView::get() const;
template std::vector<std::int32_t> JsonView::get() const;
template std::vector<double> JsonView::get() const;
template std::vector<std::string> JsonView::get() const;

JsonView JsonView::with(const std::string& key, const JsonView& value) const {
  Json copy = *json_;
  copy[key] = *value.json_;
  return JsonView(std::make_shared<const Json>(std::move(copy)));
}
JsonView JsonView::without(const std::vector<std::string>& keys) const {
  Json copy = *json_;
  for (const std::string& key : keys) copy.erase(key);
  return JsonView(std::make_shared<const Json>(std::move(copy)));
}

bool operator==(const JsonView& a, const JsonView& b) { return *a.json_ == *b.json_; }
std::partial_ordering operator<=>(const JsonView& a, const JsonView& b) {
  return *a.json_ < *b.json_    ? std::partial_ordering::less
         : *b.json_ < *a.json_  ? std::partial_ordering::greater
         : *a.json_ == *b.json_ ? std::partial_ordering::equivalent
                                : std::partial_ordering::unordered;
}
std::ostream& operator<<(std::ostream& stream, const JsonView& json) {
  return stream << *json.json_;
}

}  // namespace kette::testing
