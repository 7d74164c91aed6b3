// SPDX-License-Identifier: Apache-2.0
#if plain

Tensor::Tensor(const char* its_name, int type, int format, const Dims& shape, const Bytes& bytes)
    : name(its_name), image(Guarded(bytes)), base(Allocate(image.size())), storage(base + kGuard) {
  Upload(base, image);
  acl = aclCreateTensor(shape.data(), shape.size(), static_cast<aclDataType>(type), nullptr, 0,
                        static_cast<aclFormat>(format), shape.data(), shape.size(), storage);
  Need(acl != nullptr, "aclCreateTensor");
}
Tensor::~Tensor() {
  aclDestroyTensor(acl);
  aclrtFree(base);
}
void Tensor::Expect(const Bytes& wanted, size_t width) const {
  const Bytes seen = Download(base, image.size());
  const Bytes inside = wanted.empty() ? Bytes(seen.begin() + kGuard, seen.end() - kGuard) : wanted;
  const Bytes right = Guarded(inside);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == right[i]) continue;
    if (i < kGuard || i >= kGuard + inside.size()) {
      WRONG("memory just %s the storage of %s was overwritten", i < kGuard ? "before" : "after",
            name);
    }
    const size_t element = (i - kGuard) / width, at = kGuard + element * width;
    unsigned long long bits[3] = {};
    std::memcpy(&bits[0], &seen[at], width);
    std::memcpy(&bits[1], &right[at], width);
    std::memcpy(&bits[2], &image[at], width);
    if ((bits[0] | bits[1]) == 1ULL << (8 * width - 1)) continue;  // zeros of either sign
    const char* note = bits[0] == bits[2] ? ": it still holds what was there before the call" : "";
    const int digits = static_cast<int>(2 * width);
    WRONG("%s[%zu]: expected %0*llx, got %0*llx%s", name, element, digits, bits[1], digits, bits[0],
          note);
  }
}
void Make(const char* phase, const std::function<int()>& call) {
  g_place->phase = phase;
  int status = 0;
  try {
    status = call();
  } catch (const std::exception& thrown) {
    WRONG("an exception came out of a C function (%s)", OneLine(thrown.what()).c_str());
  } catch (...) {
    WRONG("an exception came out of a C function (%s)", "no std::exception");
  }
  if (status != 0) WRONG("%s returned %d for a valid call%s", phase, status, Message().c_str());
  g_place->phase = "the reading of results";
}
void Unchanged(const std::vector<const Tensor*>& tensors, const char* by) {
  for (const Tensor* tensor : tensors) {
    if (Download(tensor->base, tensor->image.size()) == tensor->image) continue;
    WRONG("%s changed %s, or memory next to it", by, tensor->name);
  }
}
void CheckOut(uint64_t size, const void* executor) {
  if (size == kUnset) WRONG("phase one returned 0 without setting %s", "workspaceSize");
  if (executor == nullptr) WRONG("phase one returned 0 without setting %s", "executor");
  Need(size >> 28 == 0, "a workspace above 256 MiB");
}
#else
void At(size_t call, const char* phase) {
  g_place->call = static_cast<int>(call);
  g_place->phase = phase;
}
Bytes Poisoned(size_t size, const unsigned char (&poison)[2]) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = poison[i / 8 % 2];
  return bytes;
}

// Calls body(element, byte) for every element of the view in row-major order.
template <typename Body>
void ForEach(const Tensor& tensor, Body body) {
  int64_t count = 1;
  for (const int64_t extent : tensor.shape) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = tensor.offset, rest = i;
    for (size_t axis = tensor.shape.size(); axis-- > 0; rest /= tensor.shape[axis]) {
      at += rest % tensor.shape[axis] * tensor.strides[axis];
    }
    body(i, static_cast<size_t>(at) * tensor.width);
  }
}
std::string Name(const Tensor& tensor, int64_t i) {
  std::string text;
  for (size_t axis = tensor.shape.size(); axis-- > 0; i /= tensor.shape[axis]) {
    text = std::to_string(i % tensor.shape[axis]) + (text.empty() ? "" : ",") + text;
  }
  return std::string(tensor.name) + "[" + text + "]";
}
#if gradients
double Decode(uint32_t bits, int type) {
  if (type == ACL_FLOAT16) {
    const int exponent = static_cast<int>(bits >> 10 & 0x1fU);
    const double significand = bits & 0x3ffU;
    double value = exponent == 0 ? std::ldexp(significand, -24)
                                 : std::ldexp(significand + 1024, exponent - 25);
    if (exponent == 31) value = significand == 0 ? HUGE_VAL : std::nan("");
    return (bits & 0x8000U) != 0 ? -value : value;
  }
  if (type == ACL_BF16) bits <<= 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}
uint32_t Load(const unsigned char* at, size_t width) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, width);
  return bits;
}
#endif

// A tensor argument on the device: guard, storage, guard.
struct Operand {
  unsigned char* base = nullptr;
  unsigned char* storage = nullptr;
  aclTensor* tensor = nullptr;
  Bytes image;                     // what was uploaded
#if guard
  unsigned char* pages = nullptr;  // next to the storage, without access rights during a call
#endif
  size_t room = 0;                 // bytes from `base` on
};
#if guard

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));
const size_t kPagesBytes = 4 * kPage;
size_t RoundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}
// What an allocation guarantees: a start that is a multiple of 64, and 32 bytes that may be read
// behind the size in whole steps of 32.
size_t Readable(size_t size) { return RoundUp(RoundUp(size, 32) + 32, 64); }

// Whether all of it is the host's own memory, whose pages may be taken away for a while.
bool IsHostMemory(const void* begin, size_t size) {
  const auto from = reinterpret_cast<uintptr_t>(begin);
  std::FILE* file = std::fopen("/proc/self/maps", "r");
  if (file == nullptr) return false;
  unsigned long long first, last;
  char rights[8], device[16];
  bool seen = false, plain = true;
  while (std::fscanf(file, "%llx-%llx %7s %*s %15s %*[^\n]", &first, &last, rights, device) == 4) {
    if (last <= from || first >= from + size) continue;
    seen = true;
    plain = plain && std::strcmp(rights, "rw-p") == 0 && std::strcmp(device, "00:00") == 0;
  }
  std::fclose(file);
  return seen && plain;
}

// The pages that are closed now, for the handler of faults.
struct Closed {
  const char* name;
  unsigned char* begin;
  unsigned char* edge;  // of the storage, next to the pages
};
Closed g_closed[64];
size_t g_closed_count = 0;
struct sigaction g_before;  // the handler that ours replaces

void OnFault(int number, siginfo_t* info, void*) {
  auto* const at = static_cast<unsigned char*>(info->si_addr);
  for (size_t i = 0; i < g_closed_count; ++i) {
    const Closed& closed = g_closed[i];
    if (at < closed.begin || at >= closed.begin + kPagesBytes) continue;
    WRONG("memory %s the storage of %s was touched, byte %td from its %s",
          kGuardBehind ? "behind" : "before", closed.name, at - closed.edge,
          kGuardBehind ? "end" : "start");
  }
  sigaction(number, &g_before, nullptr);  // not ours: the access is made again
}
void ClosePages(const std::vector<Tensor>& tensors, const std::vector<Operand>& operands) {
  for (size_t i = 0; i < operands.size() && g_closed_count < 64; ++i) {
    unsigned char* const pages = operands[i].pages;
    if (pages == nullptr || !IsHostMemory(pages, kPagesBytes)) continue;
    const size_t size = kGuardBehind ? tensors[i].bytes.size() : 0;
    g_closed[g_closed_count++] = {tensors[i].name, pages, operands[i].storage + size};
    Need(mprotect(pages, kPagesBytes, PROT_NONE) == 0, "mprotect");
  }
  struct sigaction action = {};
  action.sa_sigaction = &OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &g_before);
}
void OpenPages() {
  for (; g_closed_count > 0; --g_closed_count) {
    unsigned char* const pages = g_closed[g_closed_count - 1].begin;
    Need(mprotect(pages, kPagesBytes, PROT_READ | PROT_WRITE) == 0, "mprotect");
  }
  sigaction(SIGSEGV, &g_before, nullptr);
}
#endif

// What an output holds before the call: poison in its elements, another byte between them.
template <typename Poison>
Bytes OutputBefore(const Tensor& tensor, const Poison& poison) {
  const Bytes poisoned = Poisoned(tensor.bytes.size(), poison);
  double elements = 1;
  for (const int64_t extent : tensor.shape) elements *= static_cast<double>(extent);
  // Descriptors alone have no elements behind them.
  if (elements > static_cast<double>(poisoned.size())) return poisoned;
  Bytes bytes(poisoned.size(), 0xa5);
  ForEach(tensor, [&](int64_t, size_t at) {
    if (at + tensor.width > bytes.size()) return;
    std::copy_n(poisoned.begin() + at, tensor.width, bytes.begin() + at);
  });
  return bytes;
}

Operand SetUpMemory(const Tensor& tensor, int run) {
  Operand operand;
  if (tensor.null) return operand;
  const auto& poison = kOutputPoison[static_cast<size_t>(run) % std::size(kOutputPoison)];
#if late
  operand.image = Guarded(tensor.output ? OutputBefore(tensor, poison) : Bytes(tensor.bytes.size()));
#else
  operand.image = Guarded(tensor.output ? OutputBefore(tensor, poison) : tensor.bytes);
#endif
#if guard
  const size_t size = tensor.bytes.size();
  const size_t room = kGuard + size + kGuard + kPagesBytes + Readable(0) + kPage;
  operand.base = Allocate(room);
  const size_t before = kGuardBehind ? kGuard + Readable(size) : kGuard;
  const auto address = reinterpret_cast<uintptr_t>(operand.base);
  operand.pages = operand.base + (RoundUp(address + before, kPage) - address);
  operand.storage = kGuardBehind ? operand.pages - Readable(size) : operand.pages + kPagesBytes;
  Upload(operand.storage, Bytes(operand.image.begin() + kGuard, operand.image.end() - kGuard));
#else
  size_t room = operand.image.size();
  room += static_cast<size_t>(kShiftBytes) * static_cast<size_t>(run);
  operand.base = Allocate(room);
  operand.storage = operand.base + room - operand.image.size() + kGuard;
  Upload(operand.storage - kGuard, operand.image);
#endif
  operand.room = room;
  return operand;
}
Bytes DownloadImage(const Operand& operand) {
#if guard
  return Guarded(Download(operand.storage, operand.image.size() - 2 * kGuard));  // pages guard it
#else
  return Download(operand.storage - kGuard, operand.image.size());
#endif
}

// Guard zones, inputs, and what lies between the elements of outputs. `untouched`: outputs must
// hold what they held.
void CheckMemory(const Tensor& tensor, Bytes wanted, const Bytes& seen, bool untouched) {
  if (tensor.output && !untouched) {
    ForEach(tensor, [&](int64_t, size_t at) {
      std::copy_n(seen.begin() + kGuard + at, tensor.width, wanted.begin() + kGuard + at);
    });
  }
  const auto place = std::mismatch(seen.begin(), seen.end(), wanted.begin()).first;
  if (place == seen.end()) return;
  const auto at = static_cast<size_t>(place - seen.begin());
  const bool before = at < kGuard, after = at >= kGuard + tensor.bytes.size();
  if (before || after) {
    WRONG("memory just %s the storage of %s was overwritten", before ? "before" : "after",
          tensor.name);
  }
  if (!tensor.output) WRONG("byte %zu of the input %s was changed", at - kGuard, tensor.name);
  if (untouched)
    WRONG("the call was refused, yet byte %zu of %s changed", at - kGuard, tensor.name);
  WRONG("byte %zu of the storage of %s, outside its view's elements, was overwritten", at - kGuard,
        tensor.name);
}
#if gradients

void CheckGradInput(const Call& call, const Tensor& tensor, const unsigned char* storage,
                    const unsigned char* before) {
  auto cells = call.grad_input.begin();
  int64_t used = 0;
  ForEach(tensor, [&](int64_t i, size_t at) {
    for (; cells != call.grad_input.end() && used == cells->count; ++cells) used = 0;
    if (cells == call.grad_input.end()) return;
    ++used;
    const uint32_t bits = Load(storage + at, tensor.width);
    const double got = Decode(bits, tensor.type);
    const double low = Decode(cells->low, tensor.type), high = Decode(cells->high, tensor.type);
    if (got >= low && got <= high) return;
    if ((std::isnan(got) && (cells->also & kNaN) != 0) ||
        (std::isinf(got) && (cells->also & kInfinity) != 0) ||
        (got == 0 && (cells->also & kZero) != 0))
      return;
    const int digits = static_cast<int>(tensor.width) * 2;
    const bool kept = Load(before + at, tensor.width) == bits;
    const char* note = kept ? ": it still holds what was there before the call" : "";
    const std::string name = Name(tensor, i);
    if (low > high) WRONG("%s: expected NaN, got %0*x (%.9g)%s", name.c_str(), digits, bits, got, note);
    if (low < high) {
      WRONG("%s: expected %0*x (%.9g) to %0*x (%.9g), got %0*x (%.9g)%s", name.c_str(), digits,
            cells->low, low, digits, cells->high, high, digits, bits, got, note);
    }
    WRONG("%s: expected %0*x (%.9g), got %0*x (%.9g)%s", name.c_str(), digits, cells->low, low,
          digits, bits, got, note);
  });
}
#endif
#if windows

// The indices that a forward gave.
void CheckIndices(const Call& call, const Tensor& tensor, const unsigned char* storage) {
  if (call.plane.empty()) return;
  ForEach(tensor, [&](int64_t i, size_t at) {
    int64_t index = 0;
    std::memcpy(&index, storage + at, tensor.width);
    if (tensor.width == 4) index = static_cast<int32_t>(index);
    const auto shown = static_cast<long long>(index);
    const int64_t size = call.plane[0] * call.plane[1] * call.plane[2];
    if (index < 0 || index >= size) {
      WRONG("%s is %lld, outside the plane of %lld", Name(tensor, i).c_str(), shown,
            static_cast<long long>(size));
    }
    if (call.windows[0].empty()) return;
    int64_t element = i;
    for (size_t axis = 3; axis-- > 0; index /= call.plane[axis]) {
      const int64_t position = index % call.plane[axis];
      const auto windows = static_cast<int64_t>(call.windows[axis].size());
      const Span& span = call.windows[axis][static_cast<size_t>(element % windows)];
      if (position < span.first || position >= span.end) {
        WRONG("%s is %lld, outside its window", Name(tensor, i).c_str(), shown);
      }
      element /= windows;
    }
  });
}
#endif

// The calls of one host thread.
class Runner {
 public:
  Runner() {
    for (aclrtStream& stream : streams_) Need(aclrtCreateStream(&stream) == 0, "aclrtCreateStream");
  }
  ~Runner() {
    for (const aclrtStream stream : streams_) aclrtDestroyStream(stream);
  }

  // `check` false: only made.
  void RunSequence(const std::vector<Call>& calls, bool check, int run) {
    check_ = check;
    run_ = run;
    try {
      std::vector<Step> steps;
      for (size_t i = 0; i < calls.size(); ++i) steps.emplace_back(calls[i], i);
#if together
      for (Step& step : steps) First(step);
      if (kLastFirst) std::reverse(steps.begin(), steps.end());
      for (Step& step : steps) Second(step);
      if (kLastFirst) std::reverse(steps.begin(), steps.end());
      std::vector<const Step*> done(kStreams, nullptr);  // one call for each stream
      for (Step& step : steps) {
        const Step*& first = done[step.number % kStreams];
        if (step.goes_on && first != nullptr) step.synchronised = first->synchronised;
        if (!step.goes_on || first != nullptr) continue;
        Synchronise(step);
        first = &step;
      }
      for (Step& step : steps) Finish(step);
#else
      for (Step& step : steps) {
        First(step);
        Second(step);
        Synchronise(step);
        Finish(step);
      }
#endif
    } catch (const std::exception& thrown) {
      Thrown(calls, OneLine(thrown.what()).c_str());
    } catch (...) {
      Thrown(calls, "no std::exception");
    }
  }

  void ReleaseHeld() {
    for (void* base : held_) aclrtFree(base);
    held_.clear();
    held_bytes_ = 0;
  }
#if reuse

  void ReleaseKept() {
    for (Kept& kept : kept_) Destroy(kept);
    kept_.clear();
  }
#endif

 private:
  // One call on its way.
  struct Step {
    Step(const Call& its_call, size_t its_number) : call(&its_call), number(its_number) {}
    const Call* call;
    size_t number;
    std::vector<Operand> operands;
    Lists lists;
    int one = 0, two = 0, synchronised = 0;
    uint64_t size = kUnset;
    aclOpExecutor* executor = nullptr;
    std::string message;
    Bytes workspace_image;
    unsigned char* workspace = nullptr;
    bool goes_on = false;  // to phase two
  };

  [[noreturn]] static void Thrown([[maybe_unused]] const std::vector<Call>& calls,
                                  const char* what) {
    if (!calls[static_cast<size_t>(g_place->call)].must_return) {
      End(0, "ok: an exception came out, and no document judges that\n");
    }
    WRONG("an exception came out of a C function (%s)", what);
  }
  aclrtStream& StreamOf(const Step& step) { return streams_[step.number % kStreams]; }

  void First(Step& step) {
    At(step.number, "set-up");
#if phase2
    step.goes_on = true;  // alone and without an executor
    step.size = 0;
#else
    for (const Tensor& tensor : step.call->tensors)
      step.operands.push_back(SetUpMemory(tensor, run_));
#if reuse
    if (!PointKeptExecutor(step)) {
      PhaseOne(step);
      if (step.goes_on) KeepExecutor(step);
    }
#else
    PhaseOne(step);
#endif
#if descriptors
    step.goes_on = false;
#endif
    if (!step.goes_on) return;
#if late
    for (size_t i = 0; i < step.operands.size(); ++i) {
      const Tensor& tensor = step.call->tensors[i];
      if (step.operands[i].base == nullptr || tensor.output || tensor.bytes.empty()) continue;
      Upload(step.operands[i].storage, tensor.bytes);
      std::copy(tensor.bytes.begin(), tensor.bytes.end(), step.operands[i].image.begin() + kGuard);
    }
#endif
    if (step.size == 0) return;
    At(step.number, "set-up");
    Need(step.size <= (uint64_t{256} << 20), "a workspace above 256 MiB");
    const auto& poison = kWorkspacePoison[static_cast<size_t>(run_) % std::size(kWorkspacePoison)];
    step.workspace_image = Guarded(Poisoned(step.size, poison));
    step.workspace = Allocate(step.workspace_image.size());
    Upload(step.workspace, step.workspace_image);
#endif
  }
#if !phase2

  void PhaseOne(Step& step) {
    const Call& call = *step.call;
    Tensors tensors;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      const Tensor& tensor = call.tensors[i];
      if (!tensor.null) {
        Dims shape = tensor.shape, strides = tensor.strides;
#if channels_last
        for (Dims* axes : {&shape, &strides}) {
          if (tensor.channels_last && axes->size() == 4) {
            std::rotate(axes->begin() + 1, axes->begin() + 2, axes->end());
          }
        }
#endif
        step.operands[i].tensor = aclCreateTensor(
            shape.data(), shape.size(), static_cast<aclDataType>(tensor.type),
            strides.empty() ? nullptr : strides.data(), tensor.offset,
            static_cast<aclFormat>(tensor.format), tensor.storage_dims.data(),
            tensor.storage_dims.size(), step.operands[i].storage);
        Need(step.operands[i].tensor != nullptr, "aclCreateTensor");
      }
      tensors.push_back(step.operands[i].tensor);
    }
    for (const Dims& list : call.lists) {
      step.lists.push_back(aclCreateIntArray(list.data(), list.size()));
      Need(step.lists.back() != nullptr, "aclCreateIntArray");
    }
    for (size_t i = 0; i < step.lists.size(); ++i) {
      if (!call.null_lists[i]) continue;
      aclDestroyIntArray(step.lists[i]);
      step.lists[i] = nullptr;
    }
    // No canonical address: one that follows it faults.
    auto* const poison = reinterpret_cast<aclOpExecutor*>(uintptr_t{0x5eedec0de5eedec0ULL});
    aclOpExecutor* executor = poison;
#if guard
    ClosePages(call.tensors, step.operands);
#endif
    uint64_t* const size_out = kNullSize ? nullptr : &step.size;
    aclOpExecutor** const executor_out = kNullExecutor ? nullptr : &executor;
    At(step.number, "phase one");
    step.one = call.phase_one(tensors, step.lists, call.ceil_mode, size_out, executor_out);
    if (step.one != 0) step.message = Message();
    At(step.number, "the reading of results");
#if guard
    OpenPages();
#endif
    const bool has_executor = executor != poison && executor != nullptr;
    if (check_ && step.one == 0 && MustSucceed(call)) {
      for (size_t i = 0; i < step.operands.size(); ++i) {
        const Operand& operand = step.operands[i];
        if (operand.base == nullptr || DownloadImage(operand) == operand.image) continue;
        WRONG("phase one changed the data of %s", call.tensors[i].name);
      }
      if (step.size == kUnset || !has_executor) {
        WRONG("phase one returned 0 without setting %s",
              has_executor ? "workspaceSize" : "executor");
      }
    }
    step.goes_on = step.one == 0 && has_executor && step.size != kUnset;
    step.executor = step.goes_on ? executor : nullptr;
  }
#endif
  void Second(Step& step) {
    if (!step.goes_on) return;
#if guard
    ClosePages(step.call->tensors, step.operands);
#endif
    unsigned char* const workspace = step.workspace == nullptr ? nullptr : step.workspace + kGuard;
    At(step.number, "phase two");
    step.two = step.call->phase_two(workspace, step.size, step.executor, StreamOf(step));
    if (step.two != 0) step.message = Message();
  }
  void Synchronise(Step& step) {
    if (!step.goes_on) return;
    At(step.number, "synchronise");
    step.synchronised = aclrtSynchronizeStream(StreamOf(step));
    if (step.synchronised != 0 && step.message.empty()) step.message = Message();
    usleep(kSettleMs * 1000);
  }

  void Finish(Step& step) {
    const Call& call = *step.call;
    At(step.number, "the reading of results");
#if guard
    if (step.goes_on) OpenPages();
#endif
    if (check_) CheckStatuses(step);
    const bool readable = check_ && step.synchronised == 0;
    for (size_t i = 0; readable && i < step.operands.size(); ++i) {
      if (step.operands[i].base != nullptr) CheckOperand(step, call.tensors[i], step.operands[i]);
    }
    if (readable && step.workspace != nullptr) {
      Bytes seen = Download(step.workspace, step.workspace_image.size());
      std::copy_n(step.workspace_image.begin() + kGuard, step.size, seen.begin() + kGuard);
      if (seen != step.workspace_image)
        WRONG("memory next to the workspace of %llu bytes was overwritten",
              static_cast<unsigned long long>(step.size));
    }
    TearDown(step);
    if (step.synchronised != 0) {  // a stream on which something failed may stay faulty
      aclrtDestroyStream(StreamOf(step));
      Need(aclrtCreateStream(&StreamOf(step)) == 0, "aclrtCreateStream");
    }
  }
#if reuse

  // An executor that is run again, with what it refers to.
  struct Kept {
    aclOpExecutor* executor = nullptr;
    uint64_t size = 0;
    Tensors tensors;
    Lists lists;
  };
  // Makes the executor repeatable and keeps it for the repetitions that follow. Where the library
  // refuses, as it may, this call's executor is used up as any other.
  void KeepExecutor(Step& step) {
    if (!check_ || aclSetAclOpExecutorRepeatable == nullptr || aclSetInputTensorAddr == nullptr ||
        aclSetOutputTensorAddr == nullptr || aclDestroyAclOpExecutor == nullptr ||
        aclSetAclOpExecutorRepeatable(step.executor) != 0) {
      return;
    }
    if (kept_.size() <= step.number) kept_.resize(step.number + 1);
    Kept& kept = kept_[step.number];
    kept.executor = step.executor;
    kept.size = step.size;
    for (Operand& operand : step.operands) {
      kept.tensors.push_back(operand.tensor);
      operand.tensor = nullptr;
    }
    kept.lists.swap(step.lists);
  }
  // Points the executor of an earlier repetition to this one's operands, where there is one.
  bool PointKeptExecutor(Step& step) {
    if (step.number >= kept_.size() || kept_[step.number].executor == nullptr) return false;
    Kept& kept = kept_[step.number];
    size_t inputs = 0, outputs = 0;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      void* const at = step.operands[i].storage;
      const int status = step.call->tensors[i].output
                             ? aclSetOutputTensorAddr(kept.executor, outputs++, kept.tensors[i], at)
                             : aclSetInputTensorAddr(kept.executor, inputs++, kept.tensors[i], at);
      if (status == 0) continue;
      Destroy(kept);
      return false;
    }
    step.executor = kept.executor;
    step.size = kept.size;
    step.goes_on = true;
    return true;
  }
  static void Destroy(Kept& kept) {
    if (kept.executor == nullptr) return;
    aclDestroyAclOpExecutor(kept.executor);
    for (aclTensor* tensor : kept.tensors) {
      if (tensor != nullptr) aclDestroyTensor(tensor);
    }
    for (aclIntArray* list : kept.lists) {
      if (list != nullptr) aclDestroyIntArray(list);
    }
    kept = Kept();
  }
#endif
  static bool MustSucceed(const Call& call) { return call.answer == Answer::kSuccess; }
  static void CheckStatuses(const Step& step) {
    const Call& call = *step.call;
    const int late = step.two != 0 ? step.two : step.synchronised;
    const char* const later = step.two != 0 ? "phase two" : "synchronise";
    if (call.may_refuse) return;
    if (MustSucceed(call) && (step.one != 0 || late != 0)) {
      WRONG("%s returned %d for a valid call%s", step.one != 0 ? "phase one" : later,
            step.one != 0 ? step.one : late, step.message.c_str());
    }
    if (call.answer != Answer::kRefusal) return;
    bool allowed = step.one != 0 && call.any_error;
    for (const int status : call.statuses) allowed = allowed || step.one == status;
    if (allowed || (step.one == 0 && late != 0 && call.late)) return;
    if (step.one != 0) {
      WRONG("phase one: expected %s, got %d%s", call.why, step.one, step.message.c_str());
    }
    if (late != 0) {
      WRONG("phase one: expected %s, got 0, and %s refused the call with %d", call.why, later, late);
    }
    WRONG("phase one: expected %s, got 0, and the call was carried out", call.why);
  }

  void CheckOperand(const Step& step, const Tensor& tensor, const Operand& operand) {
    const Call& call = *step.call;
    const Bytes seen = DownloadImage(operand);
    const bool refused = call.answer == Answer::kRefusal && step.one != 0;
    CheckMemory(tensor, operand.image, seen, refused);
    if (!tensor.output || !step.goes_on || step.two != 0 || !MustSucceed(call)) return;
#if gradients
    const unsigned char* const storage = seen.data() + kGuard;
    if (std::strcmp(tensor.name, "gradInput") == 0) {
      CheckGradInput(call, tensor, storage, operand.image.data() + kGuard);
#if deterministic
      first_runs_.resize(std::max(first_runs_.size(), step.number + 1));
      Bytes& first = first_runs_[step.number];
      if (first.empty()) first = seen;
      ForEach(tensor, [&](int64_t i, size_t at) {
        const uint32_t x = Load(first.data() + kGuard + at, tensor.width);
        const uint32_t y = Load(storage + at, tensor.width);
        if (x == y) return;
        if (std::isnan(Decode(x, tensor.type)) && std::isnan(Decode(y, tensor.type))) return;
        WRONG("with the deterministic option on, two equal runs differ at %s",
              Name(tensor, i).c_str());
      });
#endif
    }
#endif
#if windows
    if (std::strcmp(tensor.name, "indices") == 0) CheckIndices(call, tensor, seen.data() + kGuard);
#endif
  }

  void TearDown(Step& step) {
    for (aclIntArray* list : step.lists) {
      if (list != nullptr) aclDestroyIntArray(list);
    }
    for (size_t i = 0; i < step.operands.size(); ++i) {
      Operand& operand = step.operands[i];
      if (operand.tensor != nullptr) aclDestroyTensor(operand.tensor);
      if (operand.base == nullptr) continue;
#if reuse
      // An executor that still reads what it was pointed to before must not find the same there.
      const size_t size = step.call->tensors[i].bytes.size();
      if (!step.call->tensors[i].output && size > 0) Upload(operand.storage, Bytes(size, 0));
#endif
      // Repetitions of a single call get addresses of their own; within a sequence memory is given
      // back as a program would, since its reuse is what the sequence is about.
      if (check_ && kRepeat > 1 && kCalls == 1 &&
          held_bytes_ + operand.room <= (size_t{64} << 20)) {
        held_.push_back(operand.base);
        held_bytes_ += operand.room;
        continue;
      }
      aclrtFree(operand.base);
    }
    if (step.workspace != nullptr) aclrtFree(step.workspace);
  }

  bool check_ = true;
  int run_ = 0;  // number of the repetition
  std::vector<aclrtStream> streams_ = std::vector<aclrtStream>(kStreams);
  std::vector<void*> held_;
  size_t held_bytes_ = 0;
#if reuse
  std::vector<Kept> kept_;
#endif
#if gradients && deterministic
  std::vector<Bytes> first_runs_;
#endif
};
#endif
