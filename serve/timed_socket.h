// A socket with a deadline, for Boost to read from and write to. Boost's own sockets have deadlines
// only in asynchronous calls.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <chrono>
#include <cstdint>

namespace kette {

/// Reads and writes that are not done by the deadline fail with boost::asio::error::timed_out.
class TimedSocket {
  using Clock = std::chrono::steady_clock;

 public:
  explicit TimedSocket(int socket) : socket_(socket) {}
  void set_deadline(std::chrono::duration<double> from_now) {
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(from_now);
  }

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, boost::system::error_code& error) {
    const boost::asio::mutable_buffer buffer = *boost::asio::buffer_sequence_begin(buffers);
    return transfer(POLLIN, error,
                    [&] { return ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT); });
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    boost::system::error_code error;
    const std::size_t count = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return count;
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, boost::system::error_code& error) {
    // As many buffers as there are by one call: a head has one for each of its lines.
    std::array<iovec, 64> parts;
    std::size_t count = 0;
    for (auto one = boost::asio::buffer_sequence_begin(buffers);
         one != boost::asio::buffer_sequence_end(buffers) && count < parts.size(); ++one) {
      const boost::asio::const_buffer buffer = *one;
      if (buffer.size() > 0) parts[count++] = {const_cast<void*>(buffer.data()), buffer.size()};
    }
    error = {};
    if (count == 0) return 0;
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    return transfer(POLLOUT, error,
                    [&] { return ::sendmsg(socket_, &message, MSG_DONTWAIT | MSG_NOSIGNAL); });
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    boost::system::error_code error;
    const std::size_t count = write_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return count;
  }

 private:
  template <class Call>
  std::size_t transfer(short what, boost::system::error_code& error, const Call& call) {
    error = {};
    while (true) {
      const ssize_t count = call();
      if (count > 0) return static_cast<std::size_t>(count);
      if (count == 0) {
        error = boost::asio::error::eof;
        return 0;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) {
        error = boost::system::error_code(errno, boost::system::system_category());
        return 0;
      }
      pollfd one{socket_, what, 0};
      const int left = milliseconds_left();
      if (left == 0 || ::poll(&one, 1, left) == 0) {
        error = boost::asio::error::timed_out;
        return 0;
      }
    }
  }

  /// The time left, for poll(). 0 if the deadline has passed.
  int milliseconds_left() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
  }

  int socket_;
  Clock::time_point deadline_{};
};

}  // namespace kette
