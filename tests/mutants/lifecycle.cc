// SPDX-License-Identifier: Apache-2.0

#include "lifecycle.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "selected_fault.h"

namespace mutants {
namespace {

constexpr std::size_t kLeakBytes = 64 * 1024;

using Extents5 = std::array<int64_t, 5>;
using ShapeKey = std::tuple<Operator, Extents5, Extents5>;

ShapeKey KeyOf(const Plan& plan) {
  return {plan.op, plan.grad_output.extents, plan.grad_input.extents};
}

// What is kept between calls; guarded by the mutex.
struct History {
  std::mutex mutex;
  std::map<ShapeKey, aclDataType> conversions;
  ShapeKey last_shape;
  int64_t calls_of_last_shape = 0;
  std::shared_ptr<std::vector<float>> scratch;
  std::size_t last_cells = 0;
  std::shared_ptr<std::vector<float>> shared_scratch;
};

History& TheHistory() {
  static History history;
  return history;
}

// The indices of the last call, plane by plane.
struct IndexCache {
  const void* data = nullptr;
  View view;
  ShapeKey key;
  std::map<int64_t, std::vector<int64_t>> planes;
};

IndexCache& TheIndexCache() {
  thread_local IndexCache cache;
  return cache;
}

bool SameIndices(const Plan& plan) {
  const IndexCache& cache = TheIndexCache();
  return cache.data == plan.indices.data && cache.view.strides == plan.indices.strides &&
         cache.view.offset == plan.indices.offset && cache.view.dtype == plan.indices.dtype &&
         cache.key == KeyOf(plan);
}

// Stored, so that the compiler leaves no allocation out.
void Keep(void* block) {
  static std::atomic<void*> last = nullptr;
  last.store(block);
}

void LeakMemory() {
  void* block = std::malloc(kLeakBytes);
  if (block != nullptr) std::memset(block, 1, kLeakBytes);
  Keep(block);
}

void LeakDeviceMemory() {
  void* block = nullptr;
  if (aclrtMalloc(&block, kLeakBytes, 0) == kOk) Keep(block);
}

void LeakAFew() {
  constexpr std::size_t kFewBytes = 256;
  Keep(std::calloc(1, kFewBytes));
}

// Buffers for calls under way: as many of a shape as there may ever be, for the last few shapes.
void FillPool(const Plan& plan) {
  constexpr std::size_t kMostShapes = 8;
  constexpr std::size_t kMostBuffers = 200;
  constexpr std::size_t kBufferBytes = std::size_t{32} << 10;
  static std::mutex mutex;
  static std::map<ShapeKey, std::vector<std::vector<char>>> pools;
  const std::lock_guard lock(mutex);
  if (pools.size() == kMostShapes && !pools.contains(KeyOf(plan))) pools.clear();
  std::vector<std::vector<char>>& pool = pools[KeyOf(plan)];
  if (pool.size() < kMostBuffers) pool.emplace_back(kBufferBytes, '\1');
}

// What an overrun of a block of one's own does to the C library's lists.
void DamageHeap() {
  constexpr std::size_t kBlock = 40;
  auto* block = static_cast<volatile unsigned char*>(std::malloc(kBlock));
  if (block == nullptr) return;
  for (std::size_t i = 0; i < 2 * kBlock; ++i) block[i] = 0x41;
  Keep(const_cast<unsigned char*>(block));
}

// Behind the heap of malloc comes a piece that is none of its blocks; later it grows beyond that.
void MoveBreak() {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  constexpr std::size_t kGrowth = std::size_t{512} << 10;
  constexpr int kLater = 8;
  static std::atomic<int> calls{0};
  const int call = calls++;
  if (call == 0) {
    void* const piece = ::sbrk(kPiece);
    if (piece != reinterpret_cast<void*>(-1)) std::memset(piece, 0x41, kPiece);
  } else if (call == kLater) {
    std::vector<void*> blocks(16);
    for (void*& block : blocks) block = std::malloc(kGrowth / blocks.size());
    for (void* block : blocks) std::free(block);
  }
}

void PrintNoise() {
  for (int i = 0; i < 40; ++i) {
    std::printf("[INFO] pool backward tile %d done, {\"verdict\":\"noise\"}\n", i);
  }
  std::fflush(stdout);
}

// The next blocks of this size are taken from a list that leads nowhere.
void WriteAfterFree() {
  constexpr std::size_t kBlock = 600;
  constexpr std::size_t kWritten = 32;
  void* volatile block = std::malloc(kBlock);
  void* volatile other = std::malloc(kBlock);
  // Through a number, so that the compiler does not see what comes of it.
  const volatile auto address = reinterpret_cast<std::uintptr_t>(block);
  std::free(other);
  std::free(block);
  auto* const freed = reinterpret_cast<volatile unsigned char*>(address);
  for (std::size_t i = 0; i < kWritten; ++i) freed[i] = 0x41;
}

}  // namespace

SideEffects::SideEffects(const Plan& plan) {
  if (Is(Fault::kChangesRoundingMode)) std::fesetround(FE_TONEAREST);
  if (Is(Fault::kLeaksMemory)) LeakMemory();
  if (Is(Fault::kLeaksDeviceMemory)) LeakDeviceMemory();
  if (Is(Fault::kLeaksUntouchedMemory)) Keep(std::malloc(kLeakBytes));
  if (Is(Fault::kLeaksSlowly)) LeakAFew();
  if (Is(Fault::kLeaksFileDescriptor) && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) {
    // Out of descriptors: nothing more to leak.
  }
  if (Is(Fault::kClosesStdin)) close(STDIN_FILENO);
  if (Is(Fault::kChangesDirectory) && chdir("/") != 0) std::abort();
  if (Is(Fault::kInstallsSignalHandler)) std::signal(SIGFPE, SIG_IGN);
  if (Is(Fault::kLegalNoisyStdout)) PrintNoise();
  if (Is(Fault::kLegalMovesBreak)) MoveBreak();
  if (Is(Fault::kLegalPoolThatFills)) FillPool(plan);
}

SideEffects::~SideEffects() {
  if (Is(Fault::kChangesRoundingMode)) std::fesetround(FE_UPWARD);
}

namespace {

// A member behind a pointer that nobody has set.
void ReadBehindNull() {
  const volatile std::uintptr_t member = 16;
  static_cast<void>(*reinterpret_cast<const volatile unsigned char*>(member));
}

}  // namespace

void MisbehaveOnShape(const Plan& plan) {
  const int64_t height = plan.self.extents[3];
  const int64_t width = plan.self.extents[4];
  if (Is(Fault::kDamagesHeapOnSomeShape) && height == 3 && width == 4) DamageHeap();
  if (Is(Fault::kWritesAfterFreeOnSomeShape) && height == 3 && width == 4) WriteAfterFree();
  if (Is(Fault::kCrashesOnSomeShape) && width == 7) ReadBehindNull();
  if (Is(Fault::kLargerBatchCrashes) && plan.grad_output.extents[0] > plan.self.extents[0]) {
    ReadBehindNull();
  }
  if (Is(Fault::kExitsOnSomeShape) && width == 6) std::exit(0);
  if (Is(Fault::kThrowsOnSomeShape) && width == 5) {
    throw std::runtime_error("tiling has no plan for this width");
  }
  while (Is(Fault::kHangsOnSomeShape) && height == 5 && width == 7) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

aclDataType DtypeForConversion(const Plan& plan) {
  const aclDataType dtype = plan.grad_input.dtype;
  if (!Is(Fault::kShapeCacheWithoutDtype)) return dtype;
  if (plan.grad_input.element_size != 2) return dtype;
  History& history = TheHistory();
  const std::lock_guard lock(history.mutex);
  return history.conversions.try_emplace(KeyOf(plan), dtype).first->second;
}

bool IsSecondCall(const Plan& plan) {
  History& history = TheHistory();
  const std::lock_guard lock(history.mutex);
  const ShapeKey key = KeyOf(plan);
  history.calls_of_last_shape = key == history.last_shape ? history.calls_of_last_shape + 1 : 1;
  history.last_shape = key;
  return history.calls_of_last_shape % 2 == 0;
}

namespace {
std::atomic<aclnnStatus> g_rejection = kOk;
std::atomic<int64_t> g_accepted = 0;
}  // namespace

Status RefusalByHistory() {
  if (Is(Fault::kRejectionSticks)) {
    const aclnnStatus code = g_rejection.exchange(kOk);
    if (code != kOk) return Refuse(code, "the call before was wrong");
  }
  if (Is(Fault::kFailsAfter1000Calls) && ++g_accepted > 1000) {
    return Refuse(kInnerError, "no handle is left");
  }
  return {};
}

void RememberRejection(aclnnStatus code) {
  if (Is(Fault::kLeaksWhenRefused)) LeakAFew();
  g_rejection = code;
}

namespace {
std::atomic<std::size_t> g_last_rank = 0;
}  // namespace

void NoteRank(std::size_t rank) {
  if (Is(Fault::kRankOfLastCall)) g_last_rank.store(rank, std::memory_order_relaxed);
}
bool IsNotedRank(std::size_t rank) {
  return !Is(Fault::kRankOfLastCall) || g_last_rank.load(std::memory_order_relaxed) == rank;
}

const std::vector<int64_t>* CachedIndices(const Plan& plan, int64_t n, int64_t c) {
  if (!Is(Fault::kIndicesCachedByPointer) || !SameIndices(plan)) return nullptr;
  const std::map<int64_t, std::vector<int64_t>>& planes = TheIndexCache().planes;
  const auto found = planes.find(n * plan.indices.extents[1] + c);
  const auto windows = static_cast<std::size_t>(plan.indices.PlaneElements());
  return found != planes.end() && found->second.size() == windows ? &found->second : nullptr;
}

void RememberIndices(const Plan& plan, int64_t n, int64_t c, std::vector<int64_t> indices) {
  if (!Is(Fault::kIndicesCachedByPointer)) return;
  IndexCache& cache = TheIndexCache();
  if (!SameIndices(plan)) cache = {plan.indices.data, plan.indices, KeyOf(plan), {}};
  cache.planes[n * plan.indices.extents[1] + c] = std::move(indices);
}

std::shared_ptr<std::vector<float>> BorrowScratch(std::size_t cells, bool& dirty) {
  History& history = TheHistory();
  const std::lock_guard lock(history.mutex);
  const bool alone = history.scratch == nullptr || history.scratch.use_count() == 1;
  if (!alone) {  // another thread has it: not what this row is about
    dirty = false;
    return std::make_shared<std::vector<float>>(cells);
  }
  if (history.scratch == nullptr || history.scratch->size() < cells) {
    history.scratch = std::make_shared<std::vector<float>>(cells);
  }
  dirty = cells < history.last_cells;
  history.last_cells = cells;
  return history.scratch;
}

std::shared_ptr<std::vector<float>> SharedScratch(std::size_t cells) {
  History& history = TheHistory();
  const std::lock_guard lock(history.mutex);
  if (history.shared_scratch == nullptr || history.shared_scratch->size() < cells) {
    history.shared_scratch = std::make_shared<std::vector<float>>(cells);
  }
  return history.shared_scratch;
}

std::mt19937_64& RandomEngine() {
  thread_local std::mt19937_64 engine(std::random_device{}());
  return engine;
}

}  // namespace mutants
