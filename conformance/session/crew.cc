// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/crew.h"

#include <algorithm>

namespace poolproof {
namespace {

using Clock = std::chrono::steady_clock;

// Large calls take seconds, and their worker takes the processor.
constexpr std::chrono::milliseconds kLong{3000};
constexpr std::chrono::milliseconds kLongOnceHung{100};
constexpr std::chrono::milliseconds kNextLook{50};

}  // namespace

bool Crew::HasRoom() const {
  const Clock::time_point long_ago = Clock::now() - (hung_ ? kLongOnceHung : kLong);
  const auto idle = std::count_if(waiting_.begin(), waiting_.end(),
                                  [&](Clock::time_point since) { return since <= long_ago; });
  return at_work_ - static_cast<int>(idle) < at_once_;
}

bool Crew::Join(const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  while (!done()) {
    if (HasRoom()) {
      ++at_work_;
      return true;
    }
    ended_.wait_for(lock, kNextLook);
  }
  return false;
}

class Crew::Turn {
 public:
  explicit Turn(Crew& crew) : crew_(crew) {}
  ~Turn() {
    const std::lock_guard lock(crew_.mutex_);
    --crew_.at_work_;
    crew_.ended_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Crew& crew_;
};

void Crew::Work(const std::function<bool()>& done, const std::function<void()>& take_turn) {
  while (Join(done)) {
    const Turn turn(*this);
    take_turn();
  }
}

void Crew::Hung() {
  const std::lock_guard lock(mutex_);
  hung_ = true;
}

Crew::Wait::Wait(Crew& crew) : crew_(crew) {
  const std::lock_guard lock(crew_.mutex_);
  since_ = crew_.waiting_.insert(crew_.waiting_.end(), Clock::now());
}

Crew::Wait::~Wait() {
  const std::lock_guard lock(crew_.mutex_);
  crew_.waiting_.erase(since_);
}

}  // namespace poolproof
