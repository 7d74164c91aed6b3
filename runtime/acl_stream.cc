// SPDX-License-Identifier: Apache-2.0
//
// aclrt*: streams and events.
#include <chrono>
#include <vector>

#include "acl/acl.h"
#include "runtime/boundary.h"
#include "runtime/state.h"

namespace poolproof {
namespace {

Refusal NoSuchStream() {
  return {ACL_ERROR_RT_INVALID_HANDLE,
          "stream is not alive, expected one of aclrtCreateStream or null"};
}

Refusal NoSuchEvent(std::string_view name) {
  return {ACL_ERROR_RT_INVALID_HANDLE,
          std::string(name) + " is not alive, expected one of aclrtCreateEvent"};
}

Objection CreateStream(aclrtStream* handle) {
  if (handle == nullptr) {
    return Refusal{ACL_ERROR_INVALID_PARAM, Complaint("stream", "null", "a valid pointer")};
  }
  auto stream = std::make_shared<Stream>();
  RuntimeState& state = State();
  const std::lock_guard lock(state.mutex);
  if (state.closed) return Refusal{ACL_ERROR_UNINITIALIZE, "the library has been shut down"};
  *handle = stream.get();
  state.streams.emplace(stream.get(), std::move(stream));
  return std::nullopt;
}

// A fault that was not fetched by a synchronisation leaves its message.
Objection DestroyStream(aclrtStream handle, Stream::Rest rest) {
  std::shared_ptr<Stream> stream;
  {
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    const auto found = state.streams.find(handle);
    if (found == state.streams.end()) {
      return Refusal{ACL_ERROR_RT_INVALID_HANDLE,
                     "stream is not alive, expected one of aclrtCreateStream"};
    }
    stream = std::move(found->second);
    state.streams.erase(found);
  }
  stream->Close(rest);
  if (const auto fault = stream->TakeFault()) LeaveMessage(fault->function, fault->message);
  return std::nullopt;
}

// nullopt: wait for ever.
Stream::Deadline DeadlineIn(std::int32_t timeout_ms) {
  if (timeout_ms < 0) return std::nullopt;
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
}

Objection CheckTimeout(std::int32_t timeout_ms) {
  if (timeout_ms >= -1) return std::nullopt;
  return Refusal{ACL_ERROR_RT_PARAM_INVALID,
                 Complaint("timeout", std::to_string(timeout_ms), "-1 or more milliseconds")};
}

Objection Synchronize(Stream& stream, const Stream::Deadline& deadline) {
  if (!stream.Wait(deadline)) {
    return Refusal{ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the work did not end within the timeout"};
  }
  const std::optional<StreamFault> fault = stream.TakeFault();
  if (!fault.has_value()) return std::nullopt;
  return Refusal{fault->status, std::string(fault->function) + ": " + fault->message};
}

Objection SynchronizeStream(aclrtStream handle, std::int32_t timeout_ms) {
  if (auto no = CheckTimeout(timeout_ms)) return no;
  const std::shared_ptr<Stream> stream = FindStream(handle);
  if (stream == nullptr) return NoSuchStream();
  return Synchronize(*stream, DeadlineIn(timeout_ms));
}

Objection SynchronizeDevice(std::int32_t timeout_ms) {
  if (auto no = CheckTimeout(timeout_ms)) return no;
  const Stream::Deadline deadline = DeadlineIn(timeout_ms);
  std::vector<std::shared_ptr<Stream>> streams;
  {
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    for (const auto& [handle, stream] : state.streams) streams.push_back(stream);
    if (state.default_stream != nullptr) streams.push_back(state.default_stream);
  }
  Objection first;
  for (const std::shared_ptr<Stream>& stream : streams) {
    Objection no = Synchronize(*stream, deadline);
    if (no.has_value() && !first.has_value()) first = std::move(no);
  }
  return first;
}

std::shared_ptr<Event> FindEvent(aclrtEvent handle) {
  RuntimeState& state = State();
  const std::lock_guard lock(state.mutex);
  const auto found = state.events.find(handle);
  return found == state.events.end() ? nullptr : found->second;
}

// Passes the event's point in any case: run, dropped with its stream, or never queued.
class EventPoint {
 public:
  explicit EventPoint(std::shared_ptr<Event> event) : event_(std::move(event)) { event_->Queue(); }
  ~EventPoint() { event_->Pass(ran_); }
  EventPoint(const EventPoint&) = delete;
  EventPoint& operator=(const EventPoint&) = delete;
  void MarkRan() { ran_ = true; }

 private:
  std::shared_ptr<Event> event_;
  bool ran_ = false;
};

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclError aclrtCreateStream(aclrtStream* stream) {
  return AtBoundary("aclrtCreateStream", kAclCodes, [=] { return CreateStream(stream); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t /*priority*/,
                                     uint32_t /*flag*/) {
  return AtBoundary("aclrtCreateStreamWithConfig", kAclCodes, [=] { return CreateStream(stream); });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return AtBoundary("aclrtDestroyStream", kAclCodes,
                    [=] { return DestroyStream(stream, Stream::Rest::kFinish); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return AtBoundary("aclrtDestroyStreamForce", kAclCodes,
                    [=] { return DestroyStream(stream, Stream::Rest::kDrop); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return AtBoundary("aclrtSynchronizeStream", kAclCodes,
                    [=] { return SynchronizeStream(stream, -1); });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return AtBoundary("aclrtSynchronizeStreamWithTimeout", kAclCodes,
                    [=] { return SynchronizeStream(stream, timeout); });
}

aclError aclrtSynchronizeDevice() {
  return AtBoundary("aclrtSynchronizeDevice", kAclCodes, [] { return SynchronizeDevice(-1); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return AtBoundary("aclrtSynchronizeDeviceWithTimeout", kAclCodes,
                    [=] { return SynchronizeDevice(timeout); });
}

aclError aclrtCreateEvent(aclrtEvent* event) {
  return AtBoundary("aclrtCreateEvent", kAclCodes, [=]() -> Objection {
    if (event == nullptr) {
      return Refusal{ACL_ERROR_INVALID_PARAM, Complaint("event", "null", "a valid pointer")};
    }
    auto owner = std::make_shared<Event>();
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    *event = owner.get();
    state.events.emplace(owner.get(), std::move(owner));
    return std::nullopt;
  });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return AtBoundary("aclrtDestroyEvent", kAclCodes, [=]() -> Objection {
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    if (state.events.erase(event) == 1) return std::nullopt;
    return NoSuchEvent("event");
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return AtBoundary("aclrtRecordEvent", kAclCodes, [=]() -> Objection {
    std::shared_ptr<Event> target = FindEvent(event);
    if (target == nullptr) return NoSuchEvent("event");
    const std::shared_ptr<Stream> queue = FindStream(stream);
    if (queue == nullptr) return NoSuchStream();
    const auto point = std::make_shared<EventPoint>(std::move(target));
    const Task pass{"aclrtRecordEvent", [point]() -> Objection {
                      point->MarkRan();
                      return std::nullopt;
                    }};
    if (!queue->RunAtOnce(pass) && !queue->Enqueue(pass)) return NoSuchStream();
    return std::nullopt;
  });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return AtBoundary("aclrtSynchronizeEvent", kAclCodes, [=]() -> Objection {
    const std::shared_ptr<Event> target = FindEvent(event);
    if (target == nullptr) return NoSuchEvent("event");
    target->Wait();
    return std::nullopt;
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return AtBoundary("aclrtEventElapsedTime", kAclCodes, [=]() -> Objection {
    if (ms == nullptr) {
      return Refusal{ACL_ERROR_INVALID_PARAM, Complaint("ms", "null", "a valid pointer")};
    }
    const std::shared_ptr<Event> start = FindEvent(startEvent);
    if (start == nullptr) return NoSuchEvent("startEvent");
    const std::shared_ptr<Event> end = FindEvent(endEvent);
    if (end == nullptr) return NoSuchEvent("endEvent");
    const auto from = start->PassedAt();
    const auto to = end->PassedAt();
    if (!from.has_value() || !to.has_value()) {
      return Refusal{ACL_ERROR_RT_PARAM_INVALID,
                     Complaint(from.has_value() ? "endEvent" : "startEvent", "not recorded",
                               "an event whose stream has passed it")};
    }
    *ms = std::chrono::duration<float, std::milli>(*to - *from).count();
    return std::nullopt;
  });
}
