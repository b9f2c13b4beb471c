#include "inspect/page/page.h"

#include <algorithm>
#include <utility>

#include "data/files/json_text.h"
#include "inspect/page/assets.h"
#include "inspect/page/chart_drawing.h"
#include "inspect/page/html.h"

namespace kette {
namespace {

/// JSON within HTML: no `<`, so that nothing in it ends the element.
std::string within_script(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace), result;
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string anchor(const std::string& heading) {
  std::string id;
  for (const char c : heading) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    id += plain ? c : '-';
  }
  return id;
}

}  // namespace

Page::Page(std::string title, std::string lead, std::string about)
    : title_(std::move(title)),
      lead_(std::move(lead)),
      about_(std::move(about)),
      data_(std::make_unique<Json>(Json::object())),
      charts_(std::make_unique<Json>(Json::array())) {}
Page::Page(const Page& other)
    : title_(other.title_),
      lead_(other.lead_),
      about_(other.about_),
      sections_(other.sections_),
      scripts_(other.scripts_),
      data_(std::make_unique<Json>(*other.data_)),
      charts_(std::make_unique<Json>(*other.charts_)) {}
Page::Page(Page&&) noexcept = default;
Page::~Page() = default;

void Page::data(const std::string& key, Json value) { (*data_)[key] = std::move(value); }
void Page::label(const std::string& key, const std::vector<std::string>& names) {
  (*data_)["labels"][key] = names;
}

void Page::section(const std::string& heading, const std::string& html) {
  std::string id = anchor(heading);
  const auto is_taken = [&] {
    return std::any_of(sections_.begin(), sections_.end(),
                       [&](const Section& other) { return other.id == id; });
  };
  while (is_taken()) id += '-';
  sections_.push_back({heading, std::move(id), html});
}

std::string Page::chart(const Chart& chart) {
  charts_->push_back(chart_json(chart));
  return chart_figure(chart, charts_->size() - 1);
}

std::string Page::str() const {
  Json all = *data_;
  std::string styles(assets::page_css), scripts;
  const auto add = [&](std::string_view source) {
    scripts += "<script>\n" + std::string(source) + "\n</script>\n";
  };
  if (!charts_->empty()) {
    all["charts"] = *charts_;
    styles = std::string(assets::dygraph_css) + styles;
    add(assets::dygraph_js);
  }
  add(assets::page_js);
  if (!charts_->empty()) add(assets::charts_js);
  for (const std::string& source : scripts_) add(source);
  // A page of one part needs no second heading.
  const bool has_headings = sections_.size() != 1 || sections_.front().heading != title_;
  std::string contents, sections;
  for (const Section& section : sections_) {
    sections += "<section id=\"" + section.id + "\">\n";
    if (has_headings) {
      contents += "<a href=\"#" + section.id + "\">" + escaped(section.heading) + "</a> ";
      sections += "<h2>" + escaped(section.heading) + "</h2>\n";
    }
    sections += section.html + "</section>\n";
  }
  return std::string(kPageStart) +
         "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
         "<title>" +
         escaped(title_) + "</title>\n<style>\n" + styles +
         "</style>\n</head>\n<body>\n<header>\n<h1>" + escaped(title_) + "</h1>\n" +
         (lead_.empty() ? "" : "<p class=\"lead\">" + escaped(lead_) + "</p>\n") + "<nav>" +
         contents + "</nav>\n</header>\n<main>\n" + sections +
         (about_.empty() ? "" : folded("Model, settings, command", note(escaped(about_)))) +
         "</main>\n<script type=\"application/json\" id=\"data\">" + within_script(all) +
         "</script>\n" + scripts + "</body>\n</html>\n";
}

}  // namespace kette
