// SPDX-License-Identifier: Apache-2.0
//
// Memory of a call's operands: where it lies, what it holds before the call, and what it holds
// after. Storage lies between canaries; operands that lie side by side are copied together.
#include <algorithm>
#include <cstring>
#include <span>

#include "conformance/case/materialize.h"
#include "conformance/worker/call_runner.h"

namespace poolproof {
namespace {

constexpr std::size_t kMaxPhaseOneCheckBytes = std::size_t{1} << 20;
constexpr std::size_t kLeastBlock = 64;
// What aclrtMalloc guarantees of a block's start and end.
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kGranule = 32;
constexpr std::size_t kPadding = 32;
constexpr std::size_t kGuardPages = 4;

std::optional<std::int64_t> FirstDifference(const std::byte* a, const std::byte* b,
                                            std::size_t size) {
  if (size == 0 || std::memcmp(a, b, size) == 0) return std::nullopt;
  return std::mismatch(a, a + size, b).first - a;
}

// Fills a zone of any size with a canary; its bytes are none of a poison where the canary is empty.
void Repeat(std::span<const std::byte> canary, std::span<std::byte> zone) {
  if (canary.empty()) {
    std::fill(zone.begin(), zone.end(), std::byte{0x2b});
    return;
  }
  for (std::size_t i = 0; i < zone.size(); i += canary.size()) {
    const std::size_t step = std::min(canary.size(), zone.size() - i);
    std::copy_n(canary.begin(), step, zone.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::size_t RoundUp(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// What PlacePages may need beside storage and canaries.
std::size_t RoomForPages() {
  return (kGuardPages + 1) * GuardPages::PageBytes() + kGranule + kPadding + kAlignment;
}

}  // namespace

// --- Where it lies -------------------------------------------------------------------------------

// Calls whose evidence is the memory itself have blocks of their own: beside closed pages, behind
// descriptors that are used again, and behind executors that are.
bool CallRunner::Pools(const Run& run) const {
  const CallPlan& plan = run.plan();
  return arena_.has_value() && plan.guard == Guard::kNone && !plan.share_descriptors &&
         !plan.reuse_executor;
}

Status CallRunner::Allocate(const Run& run, std::size_t size, const char* what, std::byte*& base,
                            bool* pooled) {
  base = Pools(run) ? arena_->Take(RoundUp(size, DeviceArena::kAlignment)) : nullptr;
  if (pooled != nullptr) *pooled = base != nullptr;
  if (base != nullptr) return OkStatus();
  void* block = nullptr;
  const std::int32_t status = abi_.rt_malloc(&block, size, kAbiMallocHugeFirst);
  if (status == 0 && block != nullptr) {
    base = static_cast<std::byte*>(block);
    return OkStatus();
  }
  return Unavailable("aclrtMalloc of " + std::to_string(size) + " bytes for " + what +
                     " returned " + std::to_string(status));
}

void CallRunner::Free(std::byte* base) {
  if (!arena_ || !arena_->GiveBack(base)) abi_.rt_free(base);
}

Status CallRunner::CopyToDevice(void* to, std::size_t room, const std::byte* from,
                                std::size_t size) {
  const std::int32_t status = abi_.rt_memcpy(to, room, from, size, kAbiHostToDevice);
  if (status == 0) return OkStatus();
  return Unavailable("aclrtMemcpy of " + std::to_string(size) + " bytes to the device returned " +
                     std::to_string(status));
}

Status CallRunner::CopyFromDevice(std::byte* to, const void* from, std::size_t size) {
  const std::int32_t status = abi_.rt_memcpy(to, size, from, size, kAbiDeviceToHost);
  if (status == 0) return OkStatus();
  return Unavailable("aclrtMemcpy of " + std::to_string(size) + " bytes from the device returned " +
                     std::to_string(status));
}

// Canary, storage, canary, and all of the block is watched.
void CallRunner::LayOut(const Run& run, Operand& operand) const {
  // A multiple of what the pages ask of an address: the shifted operand is as legal as the other.
  const auto shift =
      static_cast<std::size_t>(run.plan().shift_bytes) * static_cast<std::size_t>(run.repetition);
  operand.start = guard_ + shift;
  operand.before = operand.start;
  operand.block = std::max(operand.start + operand.size() + guard_, kLeastBlock);
  // What follows in the arena begins where the canary ends.
  if (Pools(run)) operand.block = RoundUp(operand.block, DeviceArena::kAlignment);
  operand.after = operand.block - operand.start - operand.size();
  operand.pages = nullptr;
  operand.page_bytes = 0;
}

// Moves the storage within a larger block so that it meets the pages: behind it at what may be read
// (its size in whole granules, and the padding; where that is no multiple of the alignment, at the
// next one, so that the storage starts as aligned as aclrtMalloc would have it), in front at once.
// Requires the block to be allocated with RoomForPages to spare.
void CallRunner::PlacePages(const Run& run, Operand& operand) const {
  const std::size_t page = GuardPages::PageBytes();
  const auto base = reinterpret_cast<std::uintptr_t>(operand.base);
  operand.page_bytes = kGuardPages * page;
  if (run.plan().guard == Guard::kBefore) {
    const std::size_t pages = RoundUp(base, page) - base;
    operand.pages = operand.base + pages;
    operand.start = pages + operand.page_bytes;
    operand.before = operand.page_bytes;
    operand.after = guard_;
    return;
  }
  const std::size_t readable = RoundUp(RoundUp(operand.size(), kGranule) + kPadding, kAlignment);
  const std::size_t pages = RoundUp(base + guard_ + readable, page) - base;
  operand.pages = operand.base + pages;
  operand.start = pages - readable;
  operand.before = guard_;
  operand.after = readable - operand.size() + operand.page_bytes;
}

Status CallRunner::PlaceOperand(const Run& run, Frame& frame, std::size_t position) {
  Operand& operand = frame.operands[position];
  const TensorArgument& argument = frame.call->tensors[position];
  operand.argument = &argument;
  operand.base = nullptr;
  operand.pooled = false;
  operand.tensor = nullptr;
  operand.closed.reset();
  if (argument.null) return OkStatus();

  const std::string name(RoleName(argument.role));
  const bool paged =
      run.plan().guard != Guard::kNone && guards_ != nullptr && run.watch == Watch::kFull;
  LayOut(run, operand);
  if (paged) operand.block += RoomForPages();
  if (!TakeShared(run, operand)) {
    if (Status status = Allocate(run, operand.block, name.c_str(), operand.base, &operand.pooled);
        !status.ok()) {
      return status;
    }
  }
  if (paged) PlacePages(run, operand);
  return OkStatus();
}

// Pieces of device memory that one copy can carry, from the first operand to the last: one operand
// each, or several that lie side by side in the arena.
template <typename Body>
Status CallRunner::ForEachPiece(const Frame& frame, const Body& body) {
  for (std::size_t i = 0; i < frame.operand_count;) {
    const Operand& first = frame.operands[i];
    if (!first.exists()) {
      ++i;
      continue;
    }
    Piece piece = {i, i + 1, first.watched(), first.block - first.start + first.before};
    for (; first.pooled && piece.end < frame.operand_count; ++piece.end) {
      const Operand& next = frame.operands[piece.end];
      if (!next.pooled || next.base != first.first_watched() + piece.size) break;
      piece.size += next.watched();
      piece.room += next.watched();
    }
    if (Status status = body(first, piece); !status.ok()) return status;
    i = piece.end;
  }
  return OkStatus();
}

// --- Before the call -----------------------------------------------------------------------------

void CallRunner::FillImage(const Run& run, const Operand& operand, std::byte* image) const {
  const TensorArgument& argument = *operand.argument;
  std::byte* const storage = image + operand.before;
  Repeat(guard_before_, {image, operand.before});
  if (argument.is_output && run.plan().vary_contents) {
    FillOutput(argument.shape, argument.strides, argument.offset,
               static_cast<std::size_t>(StorageBytes(static_cast<DataType>(argument.type))),
               PoisonOfRun(run.plan(), run.plan().output, run.repetition),
               {storage, operand.size()});
  } else if (!argument.is_output && run.plan().fill_late) {
    std::fill_n(storage, operand.size(), std::byte{0});
  } else {
    std::copy(argument.bytes.begin(), argument.bytes.end(), storage);
  }
  Repeat(guard_after_, {storage + operand.size(), operand.after});
}

Status CallRunner::SetUp(const Run& run, Frame& frame) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < frame.call->tensors.size(); ++i) {
    frame.operand_count = i + 1;
    if (Status status = PlaceOperand(run, frame, i); !status.ok()) return status;
    Operand& operand = frame.operands[i];
    operand.image = size;
    if (operand.exists()) size += operand.watched();
  }
  frame.image.resize(size);
  return ForEachPiece(frame, [&](const Operand& first, const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      FillImage(run, frame.operands[i], frame.image.data() + frame.operands[i].image);
    }
    return CopyToDevice(first.first_watched(), piece.room, frame.image.data() + first.image,
                        piece.size);
  });
}

Status CallRunner::FillInputs(Frame& frame) {
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    Operand& operand = frame.operands[i];
    if (!operand.exists() || operand.argument->is_output || operand.size() == 0) continue;
    const std::vector<std::byte>& bytes = operand.argument->bytes;
    std::copy(bytes.begin(), bytes.end(), frame.image.data() + operand.image + operand.before);
    if (Status status = CopyToDevice(operand.data(), bytes.size(), bytes.data(), bytes.size());
        !status.ok()) {
      return status;
    }
  }
  return OkStatus();
}

// --- After it ------------------------------------------------------------------------------------

// Copies the pieces back one after the other and gives the operands in each, with what was seen of
// their watched bytes, to `body`.
template <typename Body>
Status CallRunner::ForEachReadBack(const Frame& frame, const Body& body) {
  return ForEachPiece(frame, [&](const Operand& first, const Piece& piece) {
    if (scratch_.size() < piece.size) scratch_.resize(piece.size);
    if (Status status = CopyFromDevice(scratch_.data(), first.first_watched(), piece.size);
        !status.ok()) {
      return status;
    }
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const Operand& operand = frame.operands[i];
      body(operand, scratch_.data() + (operand.image - first.image),
           frame.image.data() + operand.image);
    }
    return OkStatus();
  });
}

// Phase one validates and plans; the operands are phase two's.
Status CallRunner::NotePhaseOneWrites(const Run& run, Frame& frame) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    if (frame.operands[i].exists()) total += frame.operands[i].size();
  }
  if (total > kMaxPhaseOneCheckBytes && run.plan().look != Look::kHeld) return OkStatus();
  CallOutcome& outcome = *frame.outcome;
  return ForEachReadBack(
      frame, [&](const Operand& operand, const std::byte* seen, const std::byte* image) {
        if (outcome.phase_one_wrote || std::memcmp(seen, image, operand.watched()) == 0) return;
        outcome.phase_one_wrote = true;
        outcome.phase_one_wrote_to = RoleName(operand.argument->role);
      });
}

Status CallRunner::ReadBack(Frame& frame) {
  CallOutcome& outcome = *frame.outcome;
  const bool carried_out = frame.goes_on && outcome.phase_two == 0 && outcome.synchronise == 0;
  Status status = ForEachReadBack(
      frame, [&](const Operand& operand, const std::byte* all_seen, const std::byte* all_written) {
        const TensorArgument& argument = *operand.argument;
        const std::size_t size = operand.size();
        const auto role = static_cast<std::size_t>(argument.role);
        MemoryFacts& facts = outcome.memory[role];
        const std::byte* const seen = all_seen + operand.before;
        const std::byte* const written = all_written + operand.before;
        facts.guard_before_intact = !FirstDifference(all_seen, all_written, operand.before);
        facts.guard_after_intact = !FirstDifference(seen + size, written + size, operand.after);
        if (!facts.guard_before_intact || !facts.guard_after_intact) {
          const std::size_t far_after = size + operand.after - operand.after / 2;
          facts.damage_contained =
              !FirstDifference(all_seen, all_written, operand.before / 2) &&
              !FirstDifference(seen + far_after, written + far_after, operand.after / 2);
        }
        if (!argument.is_output || !carried_out) {
          facts.first_changed_byte = FirstDifference(seen, written, size);
        }
        if (argument.is_output) outcome.outputs[role].assign(seen, seen + size);
      });
  // A device that reported a fault may refuse to give memory back; that is its answer.
  if (!status.ok() && outcome.synchronise.value_or(0) != 0) return OkStatus();
  return status;
}

}  // namespace poolproof
