// JSON as a test reads it, by a header that costs the units that include it less than nlohmann's, which takes a second.
#pragma once

#include <compare>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "data/files/json_fwd.h"

namespace kette::testing {

/// A value within a JSON text, which it shares. What is not JSON, not there or of another type throws nlohmann's
/// exception.
class JsonView {
 public:
  static JsonView parse(const std::string& text);
  /// Of a text that has one a line.
  static std::vector<JsonView> lines(const std::string& text);
  JsonView();  ///< null

  /// To compare with.
  JsonView(bool value);
  JsonView(int value);
  JsonView(long value);
  JsonView(unsigned long value);
  JsonView(double value);
  JsonView(const char* value);
  JsonView(const std::string& value);
  /// Of double, std::int64_t, std::string.
  template <class T>
  JsonView(const std::vector<T>& values);

  JsonView operator[](const std::string& key) const;
  JsonView operator[](std::size_t index) const;
  JsonView at(const std::string& key) const { return (*this)[key]; }
  JsonView at(std::size_t index) const { return (*this)[index]; }
  JsonView back() const { return (*this)[size() - 1]; }
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  bool contains(const std::string& key) const;
  std::vector<std::string> keys() const;
  /// "object", "array", "string", "number", "boolean" or "null".
  std::string type() const;
  bool is_array() const;
  bool is_null() const;
  bool is_integer() const;
  bool is_number() const;
  bool is_string() const;
  /// T: a number, bool, std::string, a vector of them (json_view.cpp has the list).
  template <class T>
  T get() const;
  /// Of a string; lives as long as a view of the text.
  const std::string& text() const;
  std::string dump() const;
  /// A copy of an object with this value at that key.
  JsonView with(const std::string& key, const JsonView& value) const;
  /// A copy of an object in which these keys are left out.
  JsonView without(const std::vector<std::string>& keys) const;

  /// Over the elements of a list.
  class Iterator {
   public:
    Iterator(const JsonView& list, std::size_t index) : list_(&list), index_(index) {}
    JsonView operator*() const { return (*list_)[index_]; }
    Iterator& operator++() { return ++index_, *this; }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const JsonView* list_;
    std::size_t index_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  friend bool operator==(const JsonView& a, const JsonView& b);
  friend std::partial_ordering operator<=>(const JsonView& a, const JsonView& b);
  friend std::ostream& operator<<(std::ostream& stream, const JsonView& json);

 private:
  explicit JsonView(std::shared_ptr<const Json> json) : json_(std::move(json)) {}

  std::shared_ptr<const Json> json_;
};

}  // namespace kette::testing
