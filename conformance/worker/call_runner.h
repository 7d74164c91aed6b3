// SPDX-License-Identifier: Apache-2.0
//
// CallRunner: carries out sequences of two-phase calls on one host thread and notes the facts. One
// per thread; keeps its streams and its host buffers from one invocation to the next. Private to
// the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_CALL_RUNNER_H_
#define POOLPROOF_CONFORMANCE_WORKER_CALL_RUNNER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/wire/progress.h"
#include "conformance/worker/abi.h"
#include "conformance/worker/device_arena.h"
#include "conformance/worker/guard_pages.h"
#include "conformance/worker/meeting.h"
#include "conformance/worker/operator_calls.h"
#include "conformance/worker/stream_watch.h"
#include "core/status.h"

namespace poolproof {

// Whether memory is compared and read back after a call, or the call is only made.
enum class Watch : std::uint8_t { kFull, kNone };

class CallRunner {
 public:
  // Of operands: the host's, or a device's, where pages cannot be protected; kPooled: a device's,
  // most of it taken from an arena.
  enum class Memory : std::uint8_t { kHost, kDevice, kPooled };

  // `guards` is null where no pages are to be closed.
  CallRunner(const Abi& abi, ProgressPage& progress, GuardPages* guards, Memory memory)
      : abi_(abi), progress_(progress), guards_(guards), memory_(memory) {
    if (memory == Memory::kPooled) arena_.emplace(abi);
  }

  // Phases begin together with those of other threads from now on. `meeting` must outlive the
  // calls.
  void MeetAt(Meeting& meeting) { meeting_ = &meeting; }

  // Runs the calls of `invocation` once and appends an outcome for each, in order; some are
  // incomplete where the sequence broke off. Nothing may be run after that. Repetitions of one
  // invocation are numbered from 0 and run one after the other. Calls in turn begin with number
  // `first`, modulo their count, and go round.
  std::optional<Stop> RunSequence(const Invocation& invocation, Watch watch, int repetition,
                                  std::vector<CallOutcome>& outcomes, std::size_t first = 0);

  // Gives back what repetitions keep: device buffers, so that each run has addresses of its own,
  // and executors that are run again.
  std::optional<Stop> ReleaseHeld();

  // Ends the streams and gives the arena back; the next sequence makes new ones.
  std::optional<Stop> Close();

 private:
  // What runs of a sequence have in common.
  struct Run {
    const Invocation& invocation;
    Watch watch;
    int repetition;
    std::size_t first;
    [[nodiscard]] const CallPlan& plan() const { return invocation.plan; }
  };
  // One tensor argument on the device: a block with the storage in it. The bytes from `before` in
  // front of the storage to `after` behind it are watched.
  struct Operand {
    const TensorArgument* argument = nullptr;
    std::byte* base = nullptr;
    std::size_t block = 0;  // its size
    std::size_t start = 0;  // of the storage, within the block
    std::size_t before = 0;
    std::size_t after = 0;
    bool pooled = false;  // lies in the arena, all of the block being watched
    AbiTensor* tensor = nullptr;
    std::size_t image = 0;  // where that of the watched bytes begins in the frame's
    // Guard pages within the watched bytes.
    std::byte* pages = nullptr;
    std::size_t page_bytes = 0;
    std::optional<std::size_t> closed;
    [[nodiscard]] bool exists() const { return base != nullptr; }
    [[nodiscard]] std::size_t size() const { return argument->bytes.size(); }
    [[nodiscard]] std::size_t watched() const { return before + size() + after; }
    [[nodiscard]] std::byte* data() const { return base + start; }
    [[nodiscard]] std::byte* first_watched() const { return base + start - before; }
  };
  struct Workspace {
    std::byte* base = nullptr;
    std::size_t size = 0;  // without canaries
  };
  // Device memory of operands [begin, end) of a call: `size` watched bytes of a block, or of the
  // arena, with room for so many from the first of them.
  struct Piece {
    std::size_t begin;
    std::size_t end;
    std::size_t size;
    std::size_t room;
  };
  // A call on its way through its phases.
  struct Frame {
    const CallArguments* call = nullptr;
    std::size_t number = 0;  // within the sequence
    CallOutcome* outcome = nullptr;
    std::array<Operand, kRoleCount> operands;  // by position in the call
    std::size_t operand_count = 0;
    std::vector<std::byte> image;  // of all watched bytes, as they were copied to the device
    std::array<AbiIntArray*, kListCount> lists{};
    Workspace workspace;
    AbiExecutor* executor = nullptr;
    bool goes_on = false;                // to phase two
    std::unique_ptr<StreamWatch> watch;  // where the plan asks for looks that can be had
    std::vector<std::byte> first_seen;   // of outputs, as soon as their stream was synchronised
  };
  // A repeatable executor and what it refers to.
  struct Kept {
    AbiExecutor* executor = nullptr;
    std::array<AbiTensor*, kRoleCount> tensors{};
    std::array<AbiIntArray*, kListCount> lists{};
    std::uint64_t workspace_size = 0;
    Workspace workspace;  // between two runs
  };
  struct Held {
    std::byte* base;
    std::size_t size;
  };
  // A descriptor, with its memory, that calls of a sequence use one after the other.
  struct Shared {
    TensorArgument argument;  // without contents
    std::size_t size;         // of the storage
    std::byte* base;
    AbiTensor* tensor;
    bool taken;  // by the call under way
  };

  template <typename Body>
  std::optional<Stop> Guarded(Body&& body);
  void Enter(Phase phase);
  void Enter(const Frame& frame, Phase phase);

  Status OpenStreams(int count);
  [[nodiscard]] std::size_t StreamOf(const Run& run, const Frame& frame) const;
  void RenewStream(std::size_t stream);

  Status RunInTurn(const Run& run, std::vector<CallOutcome>& outcomes);
  Status RunTogether(const Run& run, std::vector<CallOutcome>& outcomes);
  void SynchroniseOnce(const Run& run, std::size_t count);
  Status RunPhaseTwoAlone(const Run& run, Frame& frame);
  Frame& Prepare(const Run& run, std::size_t number, std::size_t slot, CallOutcome& outcome);
  Status First(const Run& run, Frame& frame);
  void Second(const Run& run, Frame& frame);
  void Synchronise(const Run& run, Frame& frame);
  void AwaitDevice();
  Status Finish(const Run& run, Frame& frame);

  Status SetUp(const Run& run, Frame& frame);
  [[nodiscard]] bool Pools(const Run& run) const;
  Status PlaceOperand(const Run& run, Frame& frame, std::size_t position);
  void LayOut(const Run& run, Operand& operand) const;
  void PlacePages(const Run& run, Operand& operand) const;
  void FillImage(const Run& run, const Operand& operand, std::byte* image) const;
  template <typename Body>
  Status ForEachPiece(const Frame& frame, const Body& body);
  template <typename Body>
  Status ForEachReadBack(const Frame& frame, const Body& body);
  Status SetUpDescriptors(Frame& frame);
  Status CreateTensor(Operand& operand);
  void PhaseOne(const Run& run, Frame& frame);
  Status NotePhaseOneWrites(const Run& run, Frame& frame);
  Status FillInputs(Frame& frame);
  Status SetUpWorkspace(const Run& run, Frame& frame);
  Status PoisonPiece(const Workspace& workspace, Poison poison, std::size_t at, std::size_t size);
  Status ReadBack(Frame& frame);
  Status CheckWorkspace(Frame& frame);
  void ClearInput(const Operand& operand);
  void TearDown(const Run& run, Frame& frame);

  template <typename Body>
  static void ForEachOutput(const Frame& frame, const Body& body);
  void OpenWatch(const Run& run, Frame& frame);
  void LookWhileHeld(const Run& run, Frame& frame);
  void LookAfter(const Run& run, const std::vector<Frame*>& frames);
  void TellLooks(const Run& run, Frame& frame);

  void ClosePages(const Run& run, Frame& frame);
  void OpenPages(Frame& frame);
  static void NoteTouch(Frame& frame, const GuardPages::Touch& touch);

  [[nodiscard]] bool TakeShared(const Run& run, Operand& operand);
  bool PutBackShared(const Run& run, Operand& operand);
  void DestroyShared();

  void KeepExecutor(const Run& run, Frame& frame);
  [[nodiscard]] bool TakeKeptWorkspace(const Run& run, Frame& frame);
  // False where nothing keeps it.
  [[nodiscard]] bool KeepWorkspace(const Frame& frame);
  bool PointKeptExecutor(Frame& frame);
  void Destroy(Kept& kept);

  Status Allocate(const Run& run, std::size_t size, const char* what, std::byte*& base,
                  bool* pooled = nullptr);
  void Free(std::byte* base);
  Status CopyToDevice(void* to, std::size_t room, const std::byte* from, std::size_t size);
  Status CopyFromDevice(std::byte* to, const void* from, std::size_t size);
  void NoteMessage(std::int32_t status, CallOutcome& outcome);
  void PrepareGuards(std::size_t bytes);

  const Abi& abi_;
  ProgressPage& progress_;
  GuardPages* const guards_;
  const Memory memory_;
  std::optional<DeviceArena> arena_;
  ProgressMark where_;
  std::vector<AbiStream> streams_;
  Meeting* meeting_ = nullptr;
  bool looked_ = false;              // while a stream was held up, in a repetition of the sequence
  std::size_t guard_ = 0;            // bytes of the canaries of operands
  std::size_t workspace_guard_ = 0;  // the same of workspaces
  std::vector<std::byte> guard_before_;
  std::vector<std::byte> guard_after_;
  std::vector<Frame> frames_;  // kept for their buffers
  std::vector<std::byte> scratch_;
  std::vector<Held> held_;
  std::size_t held_bytes_ = 0;
  std::vector<Kept> kept_;  // by position in the sequence
  std::vector<Shared> shared_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_CALL_RUNNER_H_
