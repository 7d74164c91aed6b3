// SPDX-License-Identifier: Apache-2.0
//
// The host runtime around functions that somebody offers (poolproof/kit.h): a table of kernels each
// of which puts a call into plain structs and calls the function that was offered for it.
#include <poolproof/kit.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "adapters/kit/each_operator.h"
#include "core/float_bits.h"
#include "runtime/device.h"
#include "runtime/kernel_binding.h"

namespace poolproof {
namespace {

#define POOLPROOF_ENUMERATOR(name, snake) k##name,
enum class Offer : std::uint8_t { POOLPROOF_EACH_OPERATOR(POOLPROOF_ENUMERATOR) };
#define POOLPROOF_NAME(name, snake) std::string_view(#name),
constexpr std::array kOfferNames = {POOLPROOF_EACH_OPERATOR(POOLPROOF_NAME)};

std::array<PoolproofFunction, kOfferNames.size()> offered_functions;  // null: not offered
bool documents_are_checked = false;

// What poolproof_fail was given last. No destructor: a thread may outlive the library.
struct LastFailure {
  std::int32_t status;
  std::array<char, 2048> text;
};
thread_local constinit LastFailure last_failure = {};

template <typename Pointer>
PoolproofTensor PlainTensor(const BasicTensorView<Pointer>& view) {
  PoolproofTensor tensor = {};
  if (view.data == nullptr) return tensor;
  const std::int64_t bytes = StorageBytes(view.type);
  tensor.data = static_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(view.data))) +
                view.offset * bytes;
  tensor.type = static_cast<PoolproofType>(view.type);
  std::copy(view.shape.begin(), view.shape.end(), tensor.shape);
  std::copy(view.strides.begin(), view.strides.end(), tensor.strides);
  return tensor;
}

PoolproofCall PlainCall(const CallNotes& notes, const std::array<PoolAxis, 3>& axes) {
  PoolproofCall call = {};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    call.kernel[i] = axes[i].kernel;
    call.stride[i] = axes[i].stride;
    call.padding[i] = axes[i].padding;
    call.dilation[i] = axes[i].dilation;
  }
  call.ceil_mode = notes.ceil_mode ? 1 : 0;
  call.deterministic = notes.deterministic ? 1 : 0;
  call.rank = notes.rank;
  call.queue = QueueOfThisThread();
  return call;
}

constexpr std::array<PoolAxis, 3> kNoWindow = {PoolAxis{0, 0, 0, 0}, PoolAxis{0, 0, 0, 0},
                                               PoolAxis{0, 0, 0, 0}};

void CallOffered(Offer offer, const PoolproofCall& call) {
  const char* const why = offered_functions[static_cast<std::size_t>(offer)](&call);
  if (why == nullptr) return;
  const bool has_status = why == last_failure.text.data() && last_failure.status != 0;
  throw KernelRefusal(has_status ? last_failure.status : ACL_ERROR_RT_AICORE_EXCEPTION, why);
}

// Of the three, a kernel's place in the table chooses.
template <Offer kOffer>
std::optional<BadIndex> Offered(const BackwardArgs& args) {
  PoolproofCall call = PlainCall(args.notes, args.axes.value_or(kNoWindow));
  call.grad_output = PlainTensor(args.grad_output);
  call.self = PlainTensor(args.self);
  call.indices = PlainTensor(args.indices);
  call.grad_input = PlainTensor(args.grad_input);
  CallOffered(kOffer, call);
  return std::nullopt;
}

template <typename Args>
void CallForward(Offer offer, const Args& args, const std::array<PoolAxis, 3>& axes) {
  PoolproofCall call = PlainCall(args.notes, axes);
  call.self = PlainTensor(args.self);
  call.out = PlainTensor(args.out);
  call.indices = PlainTensor(args.indices);
  CallOffered(offer, call);
}

template <Offer kOffer>
void Offered(const MaxPoolArgs& args) {
  CallForward(kOffer, args, args.axes);
}

template <Offer kOffer>
void Offered(const AdaptiveMaxPoolArgs& args) {
  CallForward(kOffer, args, kNoWindow);
}

#define POOLPROOF_KERNEL(name, snake) .snake = &Offered<Offer::k##name>,
constexpr KernelTable kOfferedKernels = {.name = "adapter",
                                         POOLPROOF_EACH_OPERATOR(POOLPROOF_KERNEL)};

// The address of element `i` of plane [n,c].
std::byte* PlaneElement(const PoolproofTensor& tensor, std::int64_t n, std::int64_t c,
                        std::int64_t i) {
  const std::int64_t w = i % tensor.shape[4];
  const std::int64_t h = i / tensor.shape[4] % tensor.shape[3];
  const std::int64_t d = i / tensor.shape[4] / tensor.shape[3];
  const std::int64_t element = n * tensor.strides[0] + c * tensor.strides[1] +
                               d * tensor.strides[2] + h * tensor.strides[3] +
                               w * tensor.strides[4];
  return static_cast<std::byte*>(tensor.data) +
         element * StorageBytes(static_cast<DataType>(tensor.type));
}

// One function of each source of the runtime: all of the ABI reaches the library, however the
// archive is made.
[[gnu::used]] const std::array<const void*, 5> kWholeAbi = {
    reinterpret_cast<const void*>(&aclInit), reinterpret_cast<const void*>(&aclrtMalloc),
    reinterpret_cast<const void*>(&aclrtCreateStream),
    reinterpret_cast<const void*>(&aclCreateTensor),
    reinterpret_cast<const void*>(&aclSetAclOpExecutorRepeatable)};

}  // namespace

const KernelTable& BoundKernels() { return kOfferedKernels; }

bool ChecksDocuments() { return documents_are_checked; }

// What kernels of others take is not known.
std::size_t BytesAtOnce() { return 0; }

}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): a C interface

// The two phases are named so that the linker takes them into the library.
void poolproof_offer(const char* name, PoolproofFunction function, void (* /*phase_one*/)(),
                     void (* /*phase_two*/)()) {
  const auto found = std::find(kOfferNames.begin(), kOfferNames.end(), std::string_view(name));
  if (found == kOfferNames.end()) std::abort();  // its two phases would not have been found before
  offered_functions[static_cast<std::size_t>(found - kOfferNames.begin())] = function;
}

void poolproof_use_device(const PoolproofDevice* device) {
  Device() = {device->open,       device->allocate,    device->release,     device->copy,
              device->open_queue, device->close_queue, device->finish_queue};
}

void poolproof_check_documents() { documents_are_checked = true; }

const char* poolproof_fail(int status, const char* text) {
  last_failure.status = status;
  const std::size_t length = std::min(std::strlen(text), last_failure.text.size() - 1);
  std::memcpy(last_failure.text.data(), text, length);
  last_failure.text[length] = '\0';
  return last_failure.text.data();
}

double poolproof_get(const PoolproofTensor* tensor, int64_t n, int64_t c, int64_t i) {
  const std::byte* const at = PlaneElement(*tensor, n, c, i);
  switch (tensor->type) {
    case POOLPROOF_F32:
      return LoadElement<float>(at, 0);
    case POOLPROOF_F64:
      return LoadElement<double>(at, 0);
    case POOLPROOF_F16:
      return HalfToFloat(LoadElement<std::uint16_t>(at, 0));
    case POOLPROOF_BF16:
      return Bf16ToFloat(LoadElement<std::uint16_t>(at, 0));
    case POOLPROOF_I32:
      return LoadElement<std::int32_t>(at, 0);
    case POOLPROOF_I64:
      return static_cast<double>(LoadElement<std::int64_t>(at, 0));
  }
  return 0;
}

void poolproof_put(const PoolproofTensor* tensor, int64_t n, int64_t c, int64_t i, double value) {
  std::byte* const at = PlaneElement(*tensor, n, c, i);
  switch (tensor->type) {
    case POOLPROOF_F32:
      return StoreElement(at, 0, static_cast<float>(value));
    case POOLPROOF_F64:
      return StoreElement(at, 0, value);
    case POOLPROOF_F16:
      return StoreElement(at, 0, FloatToHalf(static_cast<float>(value)));
    case POOLPROOF_BF16:
      return StoreElement(at, 0, FloatToBf16(static_cast<float>(value)));
    case POOLPROOF_I32:
      return StoreElement(at, 0, static_cast<std::int32_t>(value));
    case POOLPROOF_I64:
      return StoreElement(at, 0, static_cast<std::int64_t>(value));
  }
}

int64_t poolproof_plane(const PoolproofTensor* tensor) {
  return tensor->shape[2] * tensor->shape[3] * tensor->shape[4];
}
