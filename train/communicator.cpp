#include "train/communicator.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <numeric>
#include <thread>
#include <utility>

namespace kette {
namespace {

using Clock = std::chrono::steady_clock;

/// A phase may take so many times the wait limit.
constexpr double kPhaseFactor = 30;

std::string seconds_text(Communicator::Seconds seconds) {
  return std::to_string(static_cast<int>(seconds.count())) + " s";
}

/// Does not take the processor from those that work: at first for as long as a message takes, then more rarely.
void pause(Communicator::Seconds waited) {
  constexpr Communicator::Seconds kSoon{0.05};
  if (waited < kSoon) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// Cuts things of these costs, in their order, into a stretch for each process that all cost about the same.
Interval stretch_of(int process, int processes, const std::vector<std::int64_t>& costs) {
  const auto all = std::accumulate(costs.begin(), costs.end(), std::int64_t{0});
  const auto end_of = [&](int last) {
    const std::int64_t until = all * (last + 1) / processes;
    std::int64_t at = 0, cost = 0;
    // What lies across a border goes to the side that has more of it.
    while (at < std::ssize(costs) && 2 * cost + costs[at] <= 2 * until) cost += costs[at++];
    return last + 1 == processes ? std::ssize(costs) : at;
  };
  return {process == 0 ? 0 : end_of(process - 1), end_of(process)};
}

}  // namespace

std::string Transport::host() const {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

Communicator::Communicator(std::unique_ptr<Transport> transport, Seconds wait_limit)
    : transport_(std::move(transport)), wait_limit_(wait_limit) {
  heard_.resize(processes());
  for (const int other : others()) {
    const Transport::Message next{other, heard_[other].next.data(), sizeof(PhaseName)};
    heard_[other].on_its_way = transport_->start(Channel::phases, {}, {&next, 1});
  }
  hosts_.assign(processes(), "?");
  hosts_ = all(transport_->host());
}

Communicator& Communicator::none() {
  static Communicator communicator;
  return communicator;
}

std::vector<int> Communicator::others() const {
  std::vector<int> all;
  for (int other = 0; other < processes(); ++other) {
    if (other != process()) all.push_back(other);
  }
  return all;
}

Communicator::Place Communicator::place_on_host() const {
  const auto me = hosts_.begin() + process();
  return {static_cast<int>(std::count(hosts_.begin(), me, *me)),
          static_cast<int>(std::count(hosts_.begin(), hosts_.end(), *me))};
}

std::string Communicator::name_of(int process) const {
  return "process " + std::to_string(process) + " on host " + hosts_[process];
}

int Communicator::processes_a_host() const {
  const auto here = static_cast<int>(
      std::find_if(hosts_.begin(), hosts_.end(),
                   [&](const std::string& host) { return host != hosts_.front(); }) -
      hosts_.begin());
  for (int process = 0; process < processes(); ++process) {
    // Of one host, and of no other than the processes around it.
    if (hosts_[process] != hosts_[process / here * here]) return 0;
    if (process % here == 0 && std::count(hosts_.begin(), hosts_.end(), hosts_[process]) != here) {
      return 0;
    }
  }
  return here;
}

std::string Communicator::str() const {
  std::string where;
  int hosts = 0;
  for (int first = 0; first < processes();) {
    int last = first;
    while (last + 1 < processes() && hosts_[last + 1] == hosts_[first]) ++last;
    where += (first > 0 ? ", " : "") + hosts_[first] + ": " + std::to_string(first) +
             (last > first ? "-" + std::to_string(last) : "");
    first = last + 1;
    ++hosts;
  }
  return std::to_string(processes()) + " processes on " + std::to_string(hosts) +
         (hosts > 1 ? " hosts (" : " host (") + where + ")" +
         (transport_ ? ", " + transport_->name() : "") +
         (between_gpus_ ? ", " + between_gpus_->name() : "");
}

std::vector<std::string> Communicator::all(const std::string& mine) {
  if (is_alone()) return {mine};
  const std::vector<std::size_t> sizes = all(mine.size());
  std::vector<std::string> texts;
  for (const std::size_t size : sizes) texts.emplace_back(size, '\0');
  texts[process()] = mine;
  Messages sent, received;
  for (const int other : others()) {
    if (!mine.empty()) sent.push_back({other, texts[process()].data(), mine.size()});
    if (!texts[other].empty()) received.push_back({other, texts[other].data(), sizes[other]});
  }
  wait(*transport_->start(Channel::small, sent, received));
  return texts;
}

void Communicator::gather_small(void* values, std::size_t bytes_each) {
  if (is_alone()) return;
  const auto at = [&](int process) {
    return static_cast<std::byte*>(values) + process * bytes_each;
  };
  Messages sent, received;
  for (const int other : others()) {
    sent.push_back({other, at(process()), bytes_each});
    received.push_back({other, at(other), bytes_each});
  }
  wait(*transport_->start(Channel::small, sent, received));
}

void Communicator::agree(const std::function<void()>& work) {
  if (is_alone()) return work();
  std::string mine;
  try {
    work();
  } catch (const SharedError&) {
    throw;
  } catch (const Error& error) {
    mine = error.what();
  }
  const std::vector<std::string> errors = all(mine);
  const auto first =
      std::find_if(errors.begin(), errors.end(), [](const auto& error) { return !error.empty(); });
  if (first == errors.end()) return;
  const int whose = static_cast<int>(first - errors.begin());
  throw SharedError(whose > 0 ? name_of(whose) + ": " + *first : *first, whose == process());
}

std::vector<std::string> Communicator::share_out(const char* phase,
                                                 const std::vector<std::int64_t>& costs,
                                                 const Stretch& work) {
  if (is_alone()) return work({0, std::ssize(costs)});
  std::string mine;
  agree([&] {
    const Phase announced(*this, phase);
    for (const std::string& text : work(stretch_of(process(), processes(), costs))) {
      const std::uint64_t size = text.size();
      mine.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
    }
  });
  std::vector<std::string> texts;
  for (const std::string& of_process : all(mine)) {
    for (std::size_t at = 0; at < of_process.size(); at += texts.back().size()) {
      std::uint64_t size = 0;
      std::memcpy(&size, of_process.data() + at, sizeof size);
      at += sizeof size;
      texts.push_back(of_process.substr(at, size));
    }
  }
  return texts;
}

std::vector<std::int64_t> Communicator::costs_of(const std::vector<std::string>& lines) {
  std::vector<std::int64_t> costs;
  // A line costs something for itself, too.
  for (const std::string& line : lines) costs.push_back(std::ssize(line) + 10);
  return costs;
}

std::vector<std::string> Communicator::share_out(const char* phase,
                                                 const std::vector<std::string>& lines,
                                                 const LineWork& work) {
  return share_out(phase, costs_of(lines), [&](const Interval& mine) {
    return work({lines.begin() + mine.begin, lines.begin() + mine.end});
  });
}

Transport::Message Communicator::message(int process, const Tensor& flat,
                                         const Interval& elements) {
  const std::size_t each = size_of(flat.dtype());
  return {process, static_cast<std::byte*>(flat.raw()) + elements.begin * each,
          static_cast<std::size_t>(elements.size()) * each};
}

std::unique_ptr<Transport::Group> Communicator::start(const Device& device, const Messages& sent,
                                                      const Messages& received) {
  const bool is_host = device.is_host();
  KETTE_CHECK(is_host || between_gpus_, "processes: expected tensors in the host's memory, given ",
              "some on ", device.str(), " without NCCL");
  return (is_host ? *transport_ : *between_gpus_).start(Channel::tensors, sent, received);
}

void Communicator::gather(const Tensor& whole, const std::function<Interval(int)>& piece) {
  if (is_alone()) return;
  Messages sent, received;
  for (const int other : others()) {
    const Interval mine = piece(process()), theirs = piece(other);
    if (mine.size() > 0) sent.push_back(message(other, whole, mine));
    if (theirs.size() > 0) received.push_back(message(other, whole, theirs));
  }
  wait(*start(whole.device(), sent, received));
}

void Communicator::gather(const Tensor& whole, const Shards& shards) {
  if (is_alone()) return;
  // What a process of another host has comes to this host once, and from there to all.
  const int all = processes(), a_host = processes_a_host(), here = a_host > 1 ? a_host : all;
  std::vector<int> in_place, on_host;
  for (const int other : others()) {
    if (other % here == process() % here) in_place.push_back(other);
    if (other / here == process() / here) on_host.push_back(other);
  }
  // Who has pieces(chunk, process) tells them those, and hears theirs.
  const auto tell = [&](const std::vector<int>& whom, const auto& pieces) {
    std::list<std::unique_ptr<Transport::Group>> groups;
    for (std::int64_t chunk = 0; chunk < shards.chunks(); ++chunk) {
      if (groups.size() == kWindow) {
        wait(*groups.front());
        groups.pop_front();
      }
      Messages sent, received;
      for (const int other : whom) {
        for (const Interval& mine : pieces(chunk, process())) {
          if (mine.size() > 0) sent.push_back(message(other, whole, mine));
        }
        for (const Interval& theirs : pieces(chunk, other)) {
          if (theirs.size() > 0) received.push_back(message(other, whole, theirs));
        }
      }
      groups.push_back(start(whole.device(), sent, received));
    }
    for (const auto& group : groups) wait(*group);
  };
  if (!in_place.empty()) {
    tell(in_place, [&](std::int64_t chunk, int owner) {
      return std::vector<Interval>{shards.piece(chunk, owner)};
    });
  }
  tell(on_host, [&](std::int64_t chunk, int place) {
    std::vector<Interval> pieces;
    for (int owner = place % here; owner < all; owner += here) {
      pieces.push_back(shards.piece(chunk, owner));
    }
    return pieces;
  });
}

void Communicator::collect(const Tensor& owned, const Shards& shards,
                           const std::function<void(const Tensor&)>& take) {
  if (is_alone()) return take(owned);
  std::int64_t place = 0;
  std::exception_ptr error;
  for (std::int64_t chunk = 0; chunk < shards.chunks(); ++chunk) {
    const Interval all = shards.chunk(chunk), mine = shards.piece(chunk);
    const Tensor of_mine = owned.slice(place, place + mine.size());
    place += mine.size();
    Messages sent, received;
    Tensor landing;
    if (is_first()) {
      landing = Tensor::empty({all.size()}, owned.dtype(), owned.device());
      landing.slice(mine.begin - all.begin, mine.end - all.begin).copy_from(of_mine);
      for (int other = 1; other < processes(); ++other) {
        const Interval theirs = shards.piece(chunk, other);
        if (theirs.size() == 0) continue;
        received.push_back(
            message(other, landing, {theirs.begin - all.begin, theirs.end - all.begin}));
      }
    } else if (mine.size() > 0) {
      sent.push_back(message(0, of_mine, {0, mine.size()}));
    }
    wait(*start(owned.device(), sent, received));
    if (!is_first() || error) continue;
    try {
      take(landing);
    } catch (const Error&) {
      error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

void Communicator::wait(Transport::Group& group) {
  constexpr Seconds kMost{1};
  Clock::time_point before = Clock::now();
  Seconds waited{}, passed{};  // for others; and for this process's own GPU, too
  bool has_warned = false;
  listen();
  while (!group.arrived()) {
    pause(passed);
    // A process that was stopped itself has not waited.
    const Clock::time_point now = Clock::now();
    const Seconds more = std::min<Seconds>(now - before, kMost);
    before = now;
    passed += more;
    if (group.is_ready()) waited += more;
    if (wait_limit_.count() == 0 || waited < wait_limit_ / 4) continue;
    listen();
    const std::vector<int> missing = group.missing();
    const bool is_phase = std::any_of(missing.begin(), missing.end(),
                                      [&](int other) { return heard_[other].phase[0] != '\0'; });
    const Seconds limit = is_phase ? kPhaseFactor * wait_limit_ : wait_limit_;
    if (waited >= limit) give_up(missing, waited);
    if (waited >= limit / 4 && is_first() && !std::exchange(has_warned, true)) {
      std::cerr << "kette: " + doing_ + ": waiting for " + name_of(missing.front()) + " for " +
                       seconds_text(waited) + "\n";
    }
  }
  waited_ += waited;
}

void Communicator::give_up(const std::vector<int>& missing, Seconds waited) {
  std::string who, phase;
  for (const int other : missing) {
    who += (who.empty() ? "" : ", ") + name_of(other);
    if (heard_[other].phase[0] != '\0')
      phase = std::string(" (") + heard_[other].phase.data() + ")";
  }
  const std::string message = "kette: " + doing_ + ": expected " + who + phase + " to answer " +
                              name_of(process()) + " within " + seconds_text(waited) +
                              ", given nothing; all processes end, and --resume goes " +
                              "on from what was saved (--wait-limit)\n";
  // Not by std::cerr, which is silent in all processes but the first: it may be that one which does not answer.
  std::fputs(message.c_str(), stderr);
  abandon(kLostCode);
}

Communicator::Phase::Phase(Communicator& communicator, const char* name)
    : communicator_(communicator), outer_(communicator.phase_) {
  communicator_.announce(name);
}

void Communicator::announce(const char* phase) {
  phase_ = phase;
  if (is_alone()) return;
  std::erase_if(told_, [](const Told& told) { return told.on_its_way->arrived(); });
  told_.emplace_back();
  std::strncpy(told_.back().phase.data(), phase, sizeof(PhaseName) - 1);
  Messages sent;
  for (const int other : others()) {
    sent.push_back({other, told_.back().phase.data(), sizeof(PhaseName)});
  }
  told_.back().on_its_way = transport_->start(Channel::phases, sent, {});
}

void Communicator::listen() {
  for (int other = 0; other < processes(); ++other) {
    Heard& heard = heard_[other];
    while (heard.on_its_way && heard.on_its_way->arrived()) {
      heard.phase = heard.next;
      const Transport::Message next{other, heard.next.data(), sizeof(PhaseName)};
      heard.on_its_way = transport_->start(Channel::phases, {}, {&next, 1});
    }
  }
}

}  // namespace kette
