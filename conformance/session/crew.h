// SPDX-License-Identifier: Apache-2.0
//
// Crew: threads of which so many work at a time. One that waits long for a call of the library
// costs no time of a processor: another one works in its place. Used by the session.
#ifndef POOLPROOF_CONFORMANCE_SESSION_CREW_H_
#define POOLPROOF_CONFORMANCE_SESSION_CREW_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>

namespace poolproof {

class Crew {
 public:
  explicit Crew(int at_once) : at_once_(at_once) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Of a thread: takes one turn after the other, each when there is room for one more at work,
  // until `done` says so, which is asked several times a second.
  void Work(const std::function<bool()>& done, const std::function<void()>& take_turn);

  // A call hung: others may, and are no longer waited for some seconds before another thread
  // begins.
  void Hung();

  // As long as it lives, its thread waits for calls.
  class Wait {
   public:
    explicit Wait(Crew& crew);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    Crew& crew_;
    std::list<std::chrono::steady_clock::time_point>::iterator since_;
  };

 private:
  class Turn;
  [[nodiscard]] bool HasRoom() const;  // requires the lock
  bool Join(const std::function<bool()>& done);

  const int at_once_;
  std::mutex mutex_;               // of the following
  std::condition_variable ended_;  // a turn
  int at_work_ = 0;
  bool hung_ = false;
  std::list<std::chrono::steady_clock::time_point> waiting_;  // since when
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_CREW_H_
