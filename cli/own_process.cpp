#include "cli/own_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/host.h"
#include "tensor/error.h"

namespace kette::cli {
namespace {

/// What a process writes can be read from it.
class Pipe {
 public:
  Pipe() {
    KETTE_CHECK(pipe2(ends_, O_CLOEXEC) == 0, "process: expected a pipe, given ",
                std::strerror(errno));
  }
  ~Pipe() {
    close_writing_end();
    close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading_end() const { return ends_[0]; }
  int writing_end() const { return ends_[1]; }
  void close_writing_end() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }

 private:
  int ends_[2] = {-1, -1};
};

/// Its process group is its own, so that a terminal's signals do not reach it.
pid_t spawn(std::vector<std::string> words, int out, int err) {
  CommandHost* host = CommandHost::current();
  const std::vector<std::string> program =
      host != nullptr ? host->program() : std::vector<std::string>{"kette"};
  words.insert(words.begin(), program.begin(), program.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = 0;
  const char* file = host != nullptr ? program.front().c_str() : "/proc/self/exe";
  const int error = posix_spawn(&process, file, &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  KETTE_CHECK(error == 0, "process: expected a new one, given ", std::strerror(error));
  return process;
}

/// Shows the whole lines of `text` behind the label, and leaves the rest there.
void show_lines(const std::string& label, std::string& text) {
  std::string shown;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    shown += label + text.substr(begin, end + 1 - begin);
  }
  text.erase(0, begin);
  if (!shown.empty()) say(shown);
}

}  // namespace

ProcessOutcome run_own_process(std::vector<std::string> words, const std::string& label,
                               InterruptRelay& relay) {
  const std::string command = words.front();
  Pipe out, err;
  const bool shares_stderr = label.empty() && Host::current() == nullptr;
  const pid_t process =
      spawn(std::move(words), out.writing_end(), shares_stderr ? STDERR_FILENO : err.writing_end());
  out.close_writing_end();
  err.close_writing_end();
  std::string result, messages;
  {
    const InterruptRelay::Child child(relay, process);
    std::array<pollfd, 2> sources{{{out.reading_end(), POLLIN, 0}, {err.reading_end(), POLLIN, 0}}};
    while (sources[0].fd >= 0 || sources[1].fd >= 0) {
      if (poll(sources.data(), sources.size(), -1) < 0) continue;  // a signal
      for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i].revents == 0) continue;
        char buffer[4096];
        const ssize_t bytes = read(sources[i].fd, buffer, sizeof buffer);
        if (bytes < 0 && errno == EINTR) continue;
        std::string& text = i == 0 ? result : messages;
        if (bytes > 0) {
          text.append(buffer, static_cast<std::size_t>(bytes));
        } else {
          sources[i].fd = -1;  // which poll passes over
          if (!messages.empty()) messages += '\n';
        }
        show_lines(label, messages);
      }
    }
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  result.erase(result.find_last_not_of('\n') + 1);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          result.substr(result.find_last_of('\n') + 1)};
}

}  // namespace kette::cli
