// SPDX-License-Identifier: Apache-2.0
//
// Threads that stay: started when first wanted, asleep between jobs, gone before the code is (at
// exit and in dlclose). Used by ParallelFor.
#ifndef POOLPROOF_OPTIMIZED_THREAD_POOL_H_
#define POOLPROOF_OPTIMIZED_THREAD_POOL_H_

#include <functional>

namespace poolproof {

// Calls `work` on the calling thread and on up to `helpers` others at the same time; returns when
// all calls have returned. `work` does not throw. May be called from several threads; in a child of
// fork, which has none of the threads, new ones are started; once the process ends there are no
// helpers.
void RunWithHelpers(int helpers, const std::function<void()>& work);

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_THREAD_POOL_H_
