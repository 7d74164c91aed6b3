// SPDX-License-Identifier: Apache-2.0
//
// Hostile callers of the host libraries. Bytes are a program of ABI calls: descriptors with
// extents, strides, offsets, types and formats of any value, null and dead handles, handles of
// another kind, executors used twice. The program runs on both libraries, which must
//   - survive it, with every status among those that the headers name,
//   - leave the out-parameters of a refused call alone,
//   - write nothing but elements of the outputs of a call that they accepted,
//   - answer alike.
// What the libraries cannot know is left out: memory of the caller's that is not as large as the
// descriptor says, and handles that were destroyed so long ago that others may have their address.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aclnn/opdev/op_errno.h"
#include "core/data_type.h"
#include "core/shape.h"
#include "fuzz/byte_reader.h"
#include "fuzz/expect.h"
#include "fuzz/host_abi_program.h"
#include "tests/runtime/support/abi_library.h"

namespace poolproof {
namespace {

constexpr std::uint64_t kSizePoison = 0xdeadbeefdeadbeefULL;
constexpr std::size_t kMostSteps = 48;
// Phase two runs on tensors up to this size; stride 0 makes any size of a small memory.
constexpr std::int64_t kMostElements = 4096;

struct Executor {
  aclOpExecutor* handle = nullptr;
  AbiFunction function;
  bool repeatable = false;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

// --- The program ---------------------------------------------------------------------------------

class Program {
 public:
  Program(const AbiLibrary& abi, ByteReader bytes) : abi_(abi), bytes_(bytes) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { CleanUp(); }

  // Statuses and what else a caller sees, in order.
  std::vector<std::int64_t> Run() {
    ChooseSoc();
    MakeMemory();
    for (std::size_t i = 0; i < kMostSteps && !bytes_.AtEnd(); ++i) Step();
    return std::move(trace_);
  }

 private:
  void Note(std::int64_t value) {
    if (!may_differ_) trace_.push_back(value);
  }
  std::int32_t Among(std::int32_t status, std::initializer_list<std::int32_t> wanted,
                     const char* what) {
    Expect(std::find(wanted.begin(), wanted.end(), status) != wanted.end(), what,
           std::to_string(status));
    // A refusal leaves a message.
    if (status != 0) Expect(!abi_.Message().empty(), "a refusal has no message", what);
    Note(status);
    return status;
  }
  void Is(std::int32_t status, std::int32_t wanted, const char* what) {
    Among(status, {wanted}, what);
  }

  static void SetSoc(const char* name) { ::setenv("POOLPROOF_SOC_NAME", name, 1); }
  void ChooseSoc() {
    SetSoc(bytes_.Of({"Ascend910B3", "Ascend910B3", "Ascend910_9392", "Ascend950PR_9599",
                      "Ascend310B1", "Ascend310P3", "Ascend910B", "", "Ascend9", "x"}));
  }

  void MakeMemory() {
    for (const std::size_t size :
         {std::size_t{64}, std::size_t{260}, std::size_t{1024}, std::size_t{4096}}) {
      void* block = nullptr;
      Is(abi_.aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST), 0, "aclrtMalloc");
      memory_.push_back({static_cast<std::byte*>(block), size, true});
    }
    for (const std::size_t size : {std::size_t{48}, std::size_t{260}, std::size_t{1024}}) {
      own_.push_back(std::make_unique<std::byte[]>(size));
      memory_.push_back({own_.back().get(), size, false});
    }
    // Small integers: indices that lie in most planes, and as floats subnormals.
    for (const Memory& memory : memory_) {
      for (std::size_t i = 0; i + 4 <= memory.size; i += 4) {
        const std::uint32_t word = static_cast<std::uint32_t>(i / 4 * 7 % 5);
        std::memcpy(memory.data + i, &word, sizeof word);
      }
    }
  }

  void Step() {
    switch (bytes_.Byte() % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
        return LegalCall();
      case 4:
        return MakeTensor(ReadDescriptor(bytes_, memory_));
      case 5:
        return MakeArray();
      case 6:
        return PlanAnyCall();
      case 7:
        return RunAnyExecutor();
      case 8:
        return DestroyTensor();
      case 9:
        return LookInside();
      case 10:
        return ChangeTensor();
      case 11:
        return ChangeExecutor();
      case 12:
        return DestroyExecutor();
      case 13:
        return HandleStreams();
      case 14:
        return UseLists();
      default:
        return TouchMemory();
    }
  }

  // --- Descriptors -------------------------------------------------------------------------------

  // Null where it is refused.
  aclTensor* Create(const Descriptor& made) {
    const Arrays arrays = ArraysOf(made);
    std::optional<Tensor> tensor = Understood(made, arrays);
    aclTensor* const handle = abi_.aclCreateTensor(
        made.null_shape ? nullptr : arrays.shape.data(), made.rank.value_or(made.shape.size()),
        static_cast<aclDataType>(made.type), made.strides ? arrays.strides.data() : nullptr,
        made.offset, static_cast<aclFormat>(made.format),
        made.null_storage ? nullptr : arrays.storage.data(), made.storage.size(), made.data);
    Expect((handle != nullptr) == tensor.has_value(),
           "a descriptor is made or not, unlike promised", DimsText(made.shape));
    Note(handle != nullptr ? 1 : 0);
    if (handle == nullptr) return nullptr;
    tensor->handle = handle;
    tensors_.push_back(std::move(*tensor));
    return handle;
  }

  void MakeTensor(const Descriptor& made) { (void)Create(made); }

  aclIntArray* CreateArray(const Dims& values, bool null = false) {
    aclIntArray* const array =
        abi_.aclCreateIntArray(null ? nullptr : values.data(), values.size());
    Expect(array != nullptr, "an array is not made", "");
    std::uint64_t size = 77;
    Is(abi_.aclGetIntArraySize(array, &size), 0, "aclGetIntArraySize");
    Expect(size == (null ? 0 : values.size()), "an array has another size", std::to_string(size));
    arrays_.push_back(array);
    return array;
  }

  void MakeArray() {
    const bool null = bytes_.OneIn(8);
    (void)CreateArray(
        ReadDims(bytes_, static_cast<std::size_t>(bytes_.Of({3, 1, 0, 2, 4, 25, 300}))), null);
  }

  template <typename T>
  T Pick(const std::vector<T>& from) {
    return from[bytes_.Byte() % from.size()];
  }

  // Any tensor, null, or a handle of another kind.
  aclTensor* PickTensor(bool& foreign) {
    if (bytes_.OneIn(16)) return nullptr;
    if (bytes_.OneIn(16) && !arrays_.empty()) {
      foreign = true;
      return reinterpret_cast<aclTensor*>(arrays_.front());
    }
    return tensors_.empty() ? nullptr : tensors_[bytes_.Byte() % tensors_.size()].handle;
  }
  aclIntArray* PickArray(bool& foreign) {
    if (bytes_.OneIn(16)) return nullptr;
    if (bytes_.OneIn(16) && !tensors_.empty()) {
      foreign = true;
      return reinterpret_cast<aclIntArray*>(tensors_.front().handle);
    }
    return arrays_.empty() ? nullptr : Pick(arrays_);
  }

  const Tensor* Find(const aclTensor* handle) const {
    for (const Tensor& tensor : tensors_) {
      if (tensor.handle == handle) return &tensor;
    }
    return nullptr;
  }

  // Destroys, and asks again at once, before the address can be another's.
  void DestroyTensor() {
    if (bytes_.OneIn(4)) {
      Is(abi_.aclDestroyTensor(nullptr), 0, "aclDestroyTensor of null");
      return;
    }
    if (tensors_.empty()) return;
    const std::size_t number = bytes_.Byte() % tensors_.size();
    aclTensor* const handle = tensors_[number].handle;
    tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(number));
    Is(abi_.aclDestroyTensor(handle), 0, "aclDestroyTensor");
    if (!bytes_.OneIn(2)) return;
    Is(abi_.aclDestroyTensor(handle), ACLNN_ERR_INNER, "aclDestroyTensor again");
    std::int64_t offset = 5;
    Is(abi_.aclGetViewOffset(handle, &offset), ACLNN_ERR_INNER, "aclGetViewOffset of a dead one");
    Expect(offset == 5, "a refused getter wrote", std::to_string(offset));
    const AbiCall call = {ReadFunction(bytes_), {.tensors = {handle, handle, handle, handle}}};
    (void)PhaseOne(call, /*foreign=*/true);
  }

  void LookInside() {
    bool foreign = false;
    const aclTensor* const handle = PickTensor(foreign);
    const Tensor* const tensor = foreign ? nullptr : Find(handle);
    const std::int32_t wanted = foreign             ? ACLNN_ERR_INNER
                                : handle == nullptr ? ACLNN_ERR_PARAM_NULLPTR
                                                    : 0;
    std::int64_t* values = nullptr;
    std::uint64_t count = 77;
    switch (bytes_.Byte() % 6) {
      case 0:
        Is(abi_.aclGetViewShape(handle, &values, &count), wanted, "aclGetViewShape");
        ExpectValues(tensor == nullptr ? nullptr : &tensor->shape, values, count);
        break;
      case 1:
        Is(abi_.aclGetViewStrides(handle, &values, &count), wanted, "aclGetViewStrides");
        ExpectValues(tensor == nullptr ? nullptr : &tensor->strides, values, count);
        break;
      case 2:
        Among(abi_.aclGetStorageShape(handle, nullptr, &count),
              {ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER}, "aclGetStorageShape without a place");
        Expect(count == 77, "a refused getter wrote", std::to_string(count));
        break;
      case 3: {
        aclDataType type = ACL_STRING;
        Is(abi_.aclGetDataType(handle, &type), wanted, "aclGetDataType");
        Expect(type == (tensor == nullptr ? ACL_STRING : static_cast<aclDataType>(tensor->type)),
               "another type", std::to_string(static_cast<int>(type)));
        break;
      }
      case 4: {
        void* address = this;
        Is(abi_.aclGetRawTensorAddr(handle, &address), wanted, "aclGetRawTensorAddr");
        Expect(address == (tensor == nullptr ? static_cast<void*>(this) : tensor->data),
               "another address", "");
        break;
      }
      default:
        Among(abi_.aclGetFormat(handle, nullptr), {ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER},
              "aclGetFormat without a place");
        break;
    }
  }

  // Takes what a getter made.
  static void ExpectValues(const Dims* wanted, std::int64_t* values, std::uint64_t count) {
    const std::unique_ptr<std::int64_t[]> owner(values);
    if (wanted == nullptr) {
      Expect(values == nullptr && count == 77, "a refused getter wrote", std::to_string(count));
      return;
    }
    Expect(Dims(values, values + count) == *wanted, "a getter gives another value",
           DimsText(*wanted));
  }

  void ChangeTensor() {
    if (tensors_.empty()) return;
    const std::size_t number = bytes_.Byte() % tensors_.size();
    Tensor& tensor = tensors_[number];
    if (bytes_.OneIn(2)) {
      std::byte* const address = ReadAddress(bytes_, memory_);
      Is(abi_.aclSetRawTensorAddr(tensor.handle, address),
         address == nullptr ? ACLNN_ERR_PARAM_NULLPTR : 0, "aclSetRawTensorAddr");
      if (address != nullptr) tensor.data = address;
      return;
    }
    Descriptor made = ReadDescriptor(bytes_, memory_);
    if (bytes_.OneIn(2)) Tweak(made, bytes_, memory_);
    const Arrays arrays = ArraysOf(made);
    std::optional<Tensor> understood = Understood(made, arrays);
    const std::int32_t status = Among(
        abi_.aclInitTensor(
            tensor.handle, made.null_shape ? nullptr : arrays.shape.data(),
            made.rank.value_or(made.shape.size()), static_cast<aclDataType>(made.type),
            made.strides ? arrays.strides.data() : nullptr, made.offset,
            static_cast<aclFormat>(made.format),
            made.null_storage ? nullptr : arrays.storage.data(), made.storage.size(), made.data),
        {0, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID}, "aclInitTensor");
    Expect((status == 0) == understood.has_value(), "a descriptor is taken or not, unlike promised",
           DimsText(made.shape));
    if (status != 0) return;
    understood->handle = tensor.handle;
    tensor = std::move(*understood);
  }

  // A list takes its elements over.
  void UseLists() {
    std::vector<const aclTensor*> elements;
    const std::size_t count = std::min<std::size_t>(bytes_.Byte() % 4, tensors_.size());
    for (std::size_t i = 0; i < count; ++i) elements.push_back(tensors_[i].handle);
    const bool with_null = bytes_.OneIn(4);
    if (with_null) elements.push_back(nullptr);
    aclTensorList* const list = abi_.aclCreateTensorList(elements.data(), elements.size());
    Expect((list == nullptr) == with_null, "a list is made or not, unlike promised", "");
    Note(list == nullptr ? 0 : 1);
    if (list == nullptr) return;
    std::uint64_t size = 77;
    Is(abi_.aclGetTensorListSize(list, &size), 0, "aclGetTensorListSize");
    Expect(size == count, "a list has another size", std::to_string(size));
    Is(abi_.aclDestroyTensorList(list), 0, "aclDestroyTensorList");
    tensors_.erase(tensors_.begin(), tensors_.begin() + static_cast<std::ptrdiff_t>(count));
    Is(abi_.aclDestroyTensorList(list), ACLNN_ERR_INNER, "aclDestroyTensorList again");
  }

  // --- Phase one ---------------------------------------------------------------------------------

  struct AbiCall {
    AbiFunction function;
    AbiArguments arguments;
  };

  // `foreign`: a handle among the arguments is none of a living object of its kind. The executor's
  // position; nullopt where there is none.
  std::optional<std::size_t> PhaseOne(const AbiCall& call, bool foreign) {
    std::uint64_t size = kSizePoison;
    aclOpExecutor* executor = reinterpret_cast<aclOpExecutor*>(this);
    const std::int32_t status = CallPhaseOne(abi_, call.function, call.arguments, &size, &executor);
    Among(status,
          {0, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_NULLPTR,
           foreign ? ACLNN_ERR_INNER : 0},
          "phase one");
    if (status != 0) {
      Expect(size == kSizePoison && executor == reinterpret_cast<aclOpExecutor*>(this),
             "a refused phase one wrote to its out-parameters", std::to_string(status));
      return std::nullopt;
    }
    Expect(!foreign, "phase one accepted an invalid handle", "");
    Expect(size != kSizePoison && executor != nullptr &&
               executor != reinterpret_cast<aclOpExecutor*>(this),
           "phase one left an out-parameter out", "");
    Executor made;
    made.handle = executor;
    made.function = call.function;
    const std::size_t inputs = call.function.forward ? 1 : 3;
    const std::size_t count = call.function.forward ? 3 : 4;
    for (std::size_t i = 0; i < count; ++i) {
      const Tensor* const tensor = Find(call.arguments.tensors[i]);
      Expect(tensor != nullptr, "phase one accepted a null tensor", "");
      (i < inputs ? made.inputs : made.outputs).push_back(*tensor);
    }
    executors_.push_back(std::move(made));
    return executors_.size() - 1;
  }

  void PlanAnyCall() {
    AbiCall call{ReadFunction(bytes_), {.ceil_mode = bytes_.OneIn(2)}};
    auto& [tensors, lists, ceil_mode] = call.arguments;
    bool foreign_tensor = false;
    bool foreign_list = false;
    for (aclTensor*& tensor : tensors) tensor = PickTensor(foreign_tensor);
    for (aclIntArray*& list : lists) list = PickArray(foreign_list);
    if (bytes_.OneIn(8)) {
      // Without a place for an answer.
      std::uint64_t size = kSizePoison;
      aclOpExecutor* executor = nullptr;
      const bool null_size = bytes_.OneIn(2);
      Is(CallPhaseOne(abi_, call.function, call.arguments, null_size ? nullptr : &size,
                      null_size ? &executor : nullptr),
         ACLNN_ERR_PARAM_NULLPTR, "phase one without an out-pointer");
      Expect(size == kSizePoison && executor == nullptr, "a refused phase one wrote", "");
      return;
    }
    // Handles that the operator does not take are not passed.
    const bool forward = call.function.forward;
    if (forward) tensors[3] = nullptr;
    const bool adaptive = !HasFixedWindows(call.function.op);
    bool foreign = false;
    for (aclTensor* const tensor : tensors) {
      foreign = foreign || (tensor != nullptr && Find(tensor) == nullptr);
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (adaptive && (!forward || i > 0)) lists[i] = nullptr;
      aclIntArray* const list = lists[i];
      foreign = foreign || (list != nullptr &&
                            std::find(arrays_.begin(), arrays_.end(), list) == arrays_.end());
    }
    (void)PhaseOne(call, foreign);
  }

  void LegalCall() {
    const DescribedCall described = ReadLegalCall(bytes_, memory_);
    AbiCall call{described.function, {.ceil_mode = described.ceil_mode}};
    for (std::size_t i = 0; i < described.tensors.size(); ++i) {
      call.arguments.tensors[i] = Create(described.tensors[i]);
    }
    for (std::size_t i = 0; i < described.lists.size(); ++i) {
      call.arguments.lists[i] = CreateArray(described.lists[i]);
    }
    const std::optional<std::size_t> executor = PhaseOne(call, /*foreign=*/false);
    if (executor && !bytes_.OneIn(4)) RunExecutor(*executor);
  }

  // --- Executors ---------------------------------------------------------------------------------

  // Where memory of ours is named, all that the view reaches is there. The library's own it knows.
  [[nodiscard]] bool IsThere(const Tensor& tensor) const {
    if (tensor.IsEmpty() || tensor.data == nullptr) return true;
    const std::optional<Reach> reach = ViewReach(tensor.shape, tensor.strides, tensor.offset);
    if (!reach || reach->first < 0) return false;
    for (const Memory& memory : memory_) {
      if (tensor.data < memory.data || tensor.data >= memory.data + memory.size) continue;
      if (memory.of_library) return true;
      const auto room = static_cast<std::int64_t>(memory.data + memory.size - tensor.data);
      return reach->last < room / StorageBytes(static_cast<DataType>(tensor.type));
    }
    return false;
  }
  [[nodiscard]] static std::int64_t SizeOf(const std::vector<Tensor>& tensors) {
    std::int64_t most = 1;
    for (const Tensor& tensor : tensors) most = std::max(most, tensor.Numel());
    return most;
  }
  [[nodiscard]] bool MayRun(const Executor& executor) const {
    const std::int64_t inputs = SizeOf(executor.inputs);
    const std::int64_t outputs = SizeOf(executor.outputs);
    if (inputs > kMostElements || outputs > kMostElements) return false;
    if (executor.function.forward && inputs * outputs > (1 << 19)) return false;
    const auto is_there = [this](const Tensor& tensor) { return IsThere(tensor); };
    return std::all_of(executor.inputs.begin(), executor.inputs.end(), is_there) &&
           std::all_of(executor.outputs.begin(), executor.outputs.end(), is_there);
  }

  [[nodiscard]] const Memory* MemoryOf(const std::byte* address) const {
    for (const Memory& memory : memory_) {
      if (address >= memory.data && address < memory.data + memory.size) return &memory;
    }
    return nullptr;
  }
  // An output shares memory with another operand: then no result is promised.
  [[nodiscard]] bool SharesMemory(const Executor& executor) const {
    std::vector<const Memory*> used;
    for (const Tensor& tensor : executor.inputs) used.push_back(MemoryOf(tensor.data));
    for (const Tensor& tensor : executor.outputs) {
      const Memory* const memory = MemoryOf(tensor.data);
      if (memory != nullptr && std::find(used.begin(), used.end(), memory) != used.end())
        return true;
      used.push_back(memory);
    }
    return false;
  }

  void RunAnyExecutor() {
    if (executors_.empty() || bytes_.OneIn(8)) {
      Is(CallPhaseTwo(abi_, ReadFunction(bytes_), nullptr, 0, nullptr, nullptr),
         ACLNN_ERR_PARAM_NULLPTR, "phase two without an executor");
      return;
    }
    RunExecutor(bytes_.Byte() % executors_.size());
  }

  void RunExecutor(std::size_t number) {
    const Executor executor = executors_[number];
    if (!MayRun(executor)) return;
    if (SharesMemory(executor)) may_differ_ = true;
    // Of another operator, with a workspace of any kind, on any stream.
    const bool other = bytes_.OneIn(16);
    const AbiFunction function = other ? ReadFunction(bytes_) : executor.function;
    void* const workspace =
        bytes_.OneIn(4) ? memory_[bytes_.Byte() % memory_.size()].data : nullptr;
    const std::uint64_t size = bytes_.OneIn(8) ? bytes_.Word() : 0;
    bool dead_stream = false;
    const aclrtStream stream = PickStream(dead_stream);
    std::vector<std::vector<std::byte>> before;
    for (const Memory& memory : memory_)
      before.emplace_back(memory.data, memory.data + memory.size);

    const std::int32_t status =
        CallPhaseTwo(abi_, function, workspace, size, executor.handle, stream);
    Among(status,
          {0, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID,
           dead_stream ? ACLNN_ERR_RUNTIME_ERROR : 0, other ? ACLNN_ERR_INNER : 0},
          "phase two");
    if (!dead_stream) {
      const std::int32_t end = abi_.aclrtSynchronizeStream(stream);
      Among(end, {0, status == 0 ? ACL_ERROR_RT_AICORE_EXCEPTION : 0}, "synchronise");
      if (end != 0) may_differ_ = true;
    }
    ExpectWrites(before, status == 0 ? executor.outputs : std::vector<Tensor>());
    if (executor.repeatable) return;
    executors_.erase(executors_.begin() + static_cast<std::ptrdiff_t>(number));
    // At once, before the address can be another's.
    Is(CallPhaseTwo(abi_, executor.function, nullptr, 0, executor.handle, nullptr), ACLNN_ERR_INNER,
       "phase two of an executor that was used");
    Is(abi_.aclDestroyAclOpExecutor(executor.handle), ACLNN_ERR_INNER, "an executor that was used");
  }

  // Whatever changed is an element of an output.
  void ExpectWrites(const std::vector<std::vector<std::byte>>& before,
                    const std::vector<Tensor>& outputs) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const Memory& memory = memory_[i];
      if (std::memcmp(before[i].data(), memory.data, memory.size) == 0) continue;
      std::vector<bool> writable(memory.size, false);
      for (const Tensor& tensor : outputs) {
        if (tensor.data < memory.data || tensor.data >= memory.data + memory.size) continue;
        const auto start = static_cast<std::size_t>(tensor.data - memory.data);
        const auto width =
            static_cast<std::size_t>(StorageBytes(static_cast<DataType>(tensor.type)));
        ForEachOffset(tensor.shape, tensor.strides, tensor.offset,
                      [&](std::int64_t, std::int64_t at) {
                        for (std::size_t k = 0; k < width; ++k) {
                          const std::size_t byte = start + static_cast<std::size_t>(at) * width + k;
                          if (byte < memory.size) writable[byte] = true;
                        }
                      });
      }
      for (std::size_t byte = 0; byte < memory.size; ++byte) {
        Expect(writable[byte] || before[i][byte] == memory.data[byte],
               "a byte of no output changed",
               "block " + std::to_string(i) + ", byte " + std::to_string(byte));
      }
    }
  }

  void ChangeExecutor() {
    if (executors_.empty()) {
      Is(abi_.aclSetAclOpExecutorRepeatable(nullptr), ACLNN_ERR_INNER_NULLPTR, "repeatable null");
      return;
    }
    Executor& executor = executors_[bytes_.Byte() % executors_.size()];
    if (bytes_.OneIn(3)) {
      Is(abi_.aclSetAclOpExecutorRepeatable(executor.handle), 0, "aclSetAclOpExecutorRepeatable");
      executor.repeatable = true;
      return;
    }
    const auto index = static_cast<std::size_t>(bytes_.Of<std::int64_t>({0, 1, 2, 3, 4, -1}));
    bool foreign = false;
    aclTensor* const handle = PickTensor(foreign);
    std::byte* const address = ReadAddress(bytes_, memory_);
    const int which = bytes_.Byte() % 3;
    const std::size_t inputs = executor.inputs.size();
    const auto set = which == 0   ? abi_.aclSetInputTensorAddr
                     : which == 1 ? abi_.aclSetOutputTensorAddr
                                  : abi_.aclSetTensorAddr;
    const std::int32_t status =
        Among(set(executor.handle, index, handle, address),
              {0, ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, foreign ? ACLNN_ERR_INNER : 0},
              "setting an address");
    if (status != 0) return;
    const bool is_input = which == 0 || (which == 2 && index < inputs);
    const std::size_t place = which == 2 && !is_input ? index - inputs : index;
    std::vector<Tensor>& operands = is_input ? executor.inputs : executor.outputs;
    Expect(place < operands.size(), "an operand that does not exist got an address",
           std::to_string(index));
    operands[place].data = address;
    for (Tensor& tensor : tensors_) {
      if (tensor.handle == handle) tensor.data = address;
    }
  }

  void DestroyExecutor() {
    if (executors_.empty()) {
      Is(abi_.aclDestroyAclOpExecutor(nullptr), ACLNN_ERR_INNER_NULLPTR, "destroying null");
      return;
    }
    const std::size_t number = bytes_.Byte() % executors_.size();
    aclOpExecutor* const handle = executors_[number].handle;
    const AbiFunction function = executors_[number].function;
    executors_.erase(executors_.begin() + static_cast<std::ptrdiff_t>(number));
    Is(abi_.aclDestroyAclOpExecutor(handle), 0, "aclDestroyAclOpExecutor");
    Is(abi_.aclSetAclOpExecutorRepeatable(handle), ACLNN_ERR_INNER, "a dead executor repeatable");
    Is(CallPhaseTwo(abi_, function, nullptr, 0, handle, nullptr), ACLNN_ERR_INNER,
       "a dead executor run");
  }

  // --- Streams and memory ------------------------------------------------------------------------

  aclrtStream PickStream(bool& dead) {
    if (bytes_.OneIn(16)) {
      dead = true;
      return this;  // the address of no stream
    }
    if (streams_.empty() || !bytes_.OneIn(2)) return nullptr;
    return Pick(streams_);
  }

  void HandleStreams() {
    if (streams_.size() < 2 && bytes_.OneIn(2)) {
      aclrtStream stream = nullptr;
      Is(abi_.aclrtCreateStream(&stream), 0, "aclrtCreateStream");
      streams_.push_back(stream);
      return;
    }
    if (streams_.empty()) {
      Among(abi_.aclrtCreateStream(nullptr), {ACL_ERROR_INVALID_PARAM}, "aclrtCreateStream(null)");
      Among(abi_.aclrtSynchronizeStream(this),
            {ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT}, "synchronise of no stream");
      return;
    }
    const aclrtStream stream = streams_.back();
    streams_.pop_back();
    Is(abi_.aclrtDestroyStream(stream), 0, "aclrtDestroyStream");
  }

  void TouchMemory() {
    const Memory& memory = memory_[bytes_.Byte() % memory_.size()];
    const std::uint64_t count = bytes_.OneIn(4) ? bytes_.Word() : bytes_.Byte();
    const auto offset = static_cast<std::size_t>(bytes_.Word(2)) % memory.size;
    switch (bytes_.Byte() % 3) {
      case 0: {
        // Values for gradients and indices.
        const std::uint32_t word = static_cast<std::uint32_t>(bytes_.Word(4));
        const std::size_t place = offset / 4 * 4;
        if (place + 4 <= memory.size) std::memcpy(memory.data + place, &word, sizeof word);
        return;
      }
      case 1: {
        // A size that the library can check, or that is right.
        if (!memory.of_library && count > memory.size - offset) return;
        // What lies behind the block's size is the allocator's padding, and no concern of tensors.
        const std::uint64_t most = memory.size - offset + 4096;
        const std::int32_t status = abi_.aclrtMemset(memory.data + offset, most, 1, count);
        Among(status, {0, ACL_ERROR_RT_PARAM_INVALID}, "aclrtMemset");
        return;
      }
      default: {
        std::array<std::byte, 256> host{};
        if (count > host.size()) return;
        if (!memory.of_library && count > memory.size - offset) return;
        const std::int32_t status = abi_.aclrtMemcpy(host.data(), host.size(), memory.data + offset,
                                                     count, ACL_MEMCPY_DEVICE_TO_HOST);
        Among(status, {0, ACL_ERROR_RT_PARAM_INVALID}, "aclrtMemcpy");
        return;
      }
    }
  }

  void CleanUp() {
    for (const Executor& executor : executors_) {
      Is(abi_.aclDestroyAclOpExecutor(executor.handle), 0, "the end of an executor");
    }
    for (const Tensor& tensor : tensors_)
      Is(abi_.aclDestroyTensor(tensor.handle), 0, "the end of a tensor");
    for (const aclIntArray* const array : arrays_) {
      Is(abi_.aclDestroyIntArray(array), 0, "the end of an array");
    }
    for (const aclrtStream stream : streams_)
      Is(abi_.aclrtDestroyStream(stream), 0, "the end of a stream");
    for (const Memory& memory : memory_) {
      if (memory.of_library) Is(abi_.aclrtFree(memory.data), 0, "the end of a block");
    }
    SetSoc("Ascend910B3");
  }

  const AbiLibrary& abi_;
  ByteReader bytes_;
  std::vector<std::int64_t> trace_;
  // From here on: results depend on the order in which a library reads and writes.
  bool may_differ_ = false;
  std::vector<Memory> memory_;
  std::vector<std::unique_ptr<std::byte[]>> own_;
  std::vector<Tensor> tensors_;
  std::vector<aclIntArray*> arrays_;
  std::vector<Executor> executors_;
  std::vector<aclrtStream> streams_;
};

struct Libraries {
  AbiLibrary reference{POOLPROOF_REFERENCE_LIBRARY};
  AbiLibrary optimized{POOLPROOF_OPTIMIZED_LIBRARY};
  Libraries() {
    for (const AbiLibrary* library : {&reference, &optimized}) {
      Expect(library->aclInit(nullptr) == 0, "aclInit", "");
      Expect(library->aclrtSetDevice(0) == 0, "aclrtSetDevice", "");
    }
  }
};

const Libraries& OpenLibraries() {
  static const Libraries* const libraries = new Libraries;
  return *libraries;
}

}  // namespace
}  // namespace poolproof

// Before an engine forks: the libraries stay open in its children.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  poolproof::OpenLibraries();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Libraries& libraries = OpenLibraries();
  std::vector<std::int64_t> wanted = Program(libraries.reference, {data, size}).Run();
  const std::vector<std::int64_t> got = Program(libraries.optimized, {data, size}).Run();
  Expect(wanted == got, "the libraries answer differently", std::to_string(wanted.size()));
  return 0;
}
