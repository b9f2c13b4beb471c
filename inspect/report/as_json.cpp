#include <utility>

#include "data/files/json_text.h"
#include "inspect/report/report.h"

namespace kette {
namespace {

/// Nothing where there is no value.
void add(Json& json, const std::string& key, const Cell& cell) {
  if (key.empty()) return;
  const auto set = [&]<class Value>(const Value& value) {
    if constexpr (std::is_same_v<Value, Data>) {
      json[key] = *value;
    } else if constexpr (!std::is_same_v<Value, std::monostate>) {
      json[key] = value;
    }
  };
  std::visit(set, cell.value);
}

Json rows_of(const Table& table) {
  Json rows = Json::array();
  for (const Table::Row& row : table.rows) {
    if ((row.where & kJson) == 0) continue;
    Json json = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if ((table.columns[i].where & kJson) != 0) add(json, table.columns[i].key, row.cells[i]);
    }
    rows.push_back(std::move(json));
  }
  return rows;
}

}  // namespace

Data nested_list(const std::vector<std::string>& list) { return nested(Json(list)); }
Data nested_list(const std::vector<double>& list) { return nested(Json(list)); }
Data nested_list(const std::vector<std::int64_t>& list) { return nested(Json(list)); }
Data nested_list(const std::vector<std::vector<double>>& list) { return nested(Json(list)); }
Data nested(Json json) { return std::make_shared<const Json>(std::move(json)); }

Json as_json(const Report& report, const Json& page) {
  Json json = Json::object();
  bool has_page = false;
  for (const Report::Part& part : report.parts) {
    if ((part.where & kJson) == 0) continue;
    if (const auto* fact = std::get_if<Report::Fact>(&part.what)) add(json, fact->key, fact->value);
    if (const auto* table = std::get_if<Table>(&part.what); table && !table->key.empty()) {
      json[table->key] = rows_of(*table);
    }
    if (const auto* inner = std::get_if<Report::Inner>(&part.what)) {
      json[inner->key] = as_json(*inner->report);
    }
    if (const auto* list = std::get_if<Report::List>(&part.what)) {
      json[list->key] = Json::array();
      for (const Report& one : list->reports) json[list->key].push_back(as_json(one));
    }
    if (std::holds_alternative<Report::PageFile>(part.what)) {
      json.update(page);
      has_page = true;
    }
  }
  if (!has_page) json.update(page);
  return json;
}

Json as_json(const Report& report) { return as_json(report, Json::object()); }

}  // namespace kette
