// Writes a translated paragraph (data/documents/docx_part.h).
#include <algorithm>
#include <map>

#include "data/documents/docx_part.h"
#include "data/documents/xml_tokens.h"

namespace kette {

/// Turns the marks of a translation into bytes between its pieces of text.
class DocxWriter {
 public:
  DocxWriter(const DocxPart& part, const DocxPart::Frame& frame, const TextBlock& block)
      : part_(part),
        frame_(frame),
        block_(block),
        state_(frame.begin),
        text_tag_("<" + part.w_ + "t"),
        format_(frame.first_format) {
    for (std::size_t i = frame.gaps.size(); i > 0; --i)
      gaps_[frame.gaps[i - 1].key].push_back(i - 1);
  }

  TextBlock written() {
    TextBlock out{block_.text, {}, {}};
    std::string bytes = frame_.prefix;
    const std::size_t size = block_.text.size();
    std::size_t mark = 0, tag = 0;
    for (std::size_t at = 0, next = 0;; at = next) {
      const std::size_t first = mark;
      while (mark < block_.marks.size() && block_.marks[mark].at <= at) ++mark;
      stays_ = false;
      bytes += group(first, mark);
      next = mark < block_.marks.size() ? std::min(block_.marks[mark].at, size) : size;
      const std::string more = at < size ? to_text() : to_end();
      bytes += more;
      const bool is_one_text = bytes.empty() || (stays_ && more.empty());
      if ((at == size || !is_one_text) && at > 0 && is_blank(block_.text[at - 1])) {
        keep(out.marks[tag].bytes);
      }
      out.marks.push_back({Mark::Kind::stands, at, std::move(bytes), Mark::kNoPartner});
      bytes.clear();
      if (at == size) return out;
      if (is_one_text) continue;
      tag = out.marks.size() - 1;
      if (is_blank(block_.text[at])) keep(out.marks[tag].bytes);
    }
  }

 private:
  using State = DocxPart::State;
  enum class Level { nothing, format, run, outer };

  static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
  }

  std::string tag(const char* name) const { return "<" + part_.w_ + name + ">"; }
  std::string end_tag(const char* name) const { return "</" + part_.w_ + name + ">"; }

  /// Where the last <w:t> is.
  std::size_t find_tag(const std::string& bytes) const {
    for (std::size_t at = bytes.size(); (at = bytes.rfind(text_tag_, at)) != std::string::npos;
         --at) {
      const std::size_t end = at + text_tag_.size();
      if (end < bytes.size() && (is_blank(bytes[end]) || bytes[end] == '>')) return at;
      if (at == 0) break;
    }
    return std::string::npos;
  }

  /// Marks a text to keep the blanks at its ends, which would be lost otherwise.
  void keep(std::string& bytes) const {
    const std::size_t at = find_tag(bytes);
    if (at == std::string::npos) return;
    if (xml_attribute(std::string_view(bytes).substr(at), "xml:space")) return;
    bytes.insert(at + text_tag_.size(), " xml:space=\"preserve\"");
  }

  std::size_t wanted() const { return formats_.empty() ? frame_.usual_format : formats_.back(); }

  Level level_of(const Mark& mark) const {
    const bool has_partner = mark.partner < block_.marks.size();
    const bool is_pair = mark.kind == Mark::Kind::opens || mark.kind == Mark::Kind::closes;
    const std::string& bytes = mark.kind == Mark::Kind::closes && has_partner
                                   ? block_.marks[mark.partner].bytes
                                   : mark.bytes;
    if (bytes.empty()) return is_pair ? Level::format : Level::nothing;
    const std::size_t begin = bytes.compare(0, 2, "</") == 0 ? 2 : 1;
    const std::size_t end = std::min(bytes.find_first_of(" />\t\r\n", begin), bytes.size());
    const std::string name = bytes.substr(begin, end - begin);
    if (is_pair && name == part_.w_ + "rPr") return Level::format;
    return part_.outer_.contains(name) ? Level::outer : Level::run;
  }

  void change_format(const Mark& mark) {
    if (level_of(mark) != Level::format) return;
    if (mark.kind == Mark::Kind::opens) {
      const auto found = part_.format_numbers_.find(mark.bytes);
      formats_.push_back(found == part_.format_numbers_.end() ? 0 : found->second);
    }
    if (mark.kind == Mark::Kind::closes && !formats_.empty()) formats_.pop_back();
  }

  std::string group(std::size_t first, std::size_t last) {
    if (first == last) return {};
    for (std::size_t i = first; i < last; ++i) change_format(block_.marks[i]);
    const auto found =
        gaps_.find(DocxPart::key(state_, format_, &block_.marks[first], last - first, wanted()));
    if (found != gaps_.end() && !found->second.empty()) {
      const DocxPart::Gap& gap = frame_.gaps[found->second.back()];
      found->second.pop_back();
      state_ = gap.state;
      format_ = gap.format;
      stays_ = gap.stays;
      return gap.bytes;
    }
    std::string out;
    for (std::size_t i = first; i < last; ++i) {
      const Level level = level_of(block_.marks[i]);
      if (level == Level::run) out += to_run();
      if (level == Level::outer) out += to_outside();
      if (level == Level::run || level == Level::outer) out += block_.marks[i].bytes;
    }
    return out;
  }

  std::string to_outside() {
    const State before = state_;
    state_ = State::outside;
    if (before == State::outside) return {};
    return (before == State::text ? end_tag("t") : std::string()) + end_tag("r");
  }

  std::string to_run() {
    const State before = state_;
    state_ = State::run;
    if (before == State::run) return {};
    if (before == State::text) return end_tag("t");
    format_ = wanted();
    return tag("r") + part_.formats_[format_];
  }

  std::string to_text() {
    if (state_ == State::text && format_ == wanted()) return {};
    std::string out;
    if (format_ != wanted()) out += to_outside();
    out += to_run();
    state_ = State::text;
    return out + tag("t");
  }

  std::string to_end() {
    if (frame_.end == State::outside) return to_outside();
    if (frame_.run_goes_on && (state_ == State::outside || format_ != frame_.last_format)) {
      std::string out = to_outside();
      format_ = frame_.last_format;
      state_ = frame_.end;
      out += tag("r") + part_.formats_[format_];
      return state_ == State::text ? out + tag("t") : out;
    }
    if (frame_.end == State::run) return to_run();
    return state_ == State::text ? std::string() : to_text();
  }

  const DocxPart& part_;
  const DocxPart::Frame& frame_;
  const TextBlock& block_;
  State state_;
  std::string text_tag_;
  bool stays_ = false;                                    // the last write was inside one text
  std::size_t format_;                                    // of the run
  std::vector<std::size_t> formats_;                      // that are open
  std::map<std::string, std::vector<std::size_t>> gaps_;  // by key, the last first
};

std::string DocxPart::written(std::size_t index, const TextBlock& translation) const {
  return DocumentOfBytes::written(index, DocxWriter(*this, frames_[index], translation).written());
}

}  // namespace kette
