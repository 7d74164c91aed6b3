// SPDX-License-Identifier: Apache-2.0
//
// Case: one problem for an implementation, as a plain value without buffers. Every source
// of cases (spec, corpus, tables, random, fuzz, case files, replayed lines) ends in this type, and
// everything that decides a verdict is derived from it.
#ifndef POOLPROOF_CONFORMANCE_CASE_CASE_H_
#define POOLPROOF_CONFORMANCE_CASE_CASE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/spec/operators.h"
#include "core/data_type.h"
#include "core/equality.h"
#include "core/pool_geometry.h"
#include "core/shape.h"
#include "core/status.h"

namespace poolproof {

// How the elements of an input tensor come about. Kinds up to kLiteral make values, the rest make
// indices.
enum class DataKind : std::uint8_t {
  kZero,        // all bytes zero
  kUniform,     // random in [-1, 1), rounded to the type
  kWide,        // random significand, exponents over the type's whole normal range
  kSubnormal,   // random subnormals of the type
  kTies,        // small integers, so that windows hold equal maxima (self)
  kExact,       // integers times a quantum, capped so that every order of summation is exact
  kCoded,       // distinct powers of two per destination: a wrong sum names its window
  kPowers,      // 1, 2, 4, ..., 128, and again: numbers that a person reads, exact in every type
  kMagnitudes,  // integers times a quantum of the destination: subnormal, the smallest normal ones,
                // around 1, large, near the largest; every order of summation is exact
  kConstant,    // the bits literal[0] everywhere
  kLiteral,     // literal: bits of each element in row-major order
  kArgmax,      // the forward's choice on self: first maximum, the last NaN wins
  kWindow,      // a random position of the element's own window
  kFirst,       // the first position of the window
  kLast,        // the last position of the window
  kShared,      // the window's position nearest to one random cell: as many coincide as can
  kPlane,       // a random position of the plane, inside or outside the window
};

struct Patch {
  std::int64_t position = 0;  // row-major element number
  std::uint64_t bits = 0;     // storage bits of the element (two's complement for indices)
  POOLPROOF_EQUALITY(Patch);
};

struct Data {
  DataKind kind = DataKind::kZero;
  std::uint64_t seed = 0;              // of the random kinds
  std::vector<std::uint64_t> literal;  // kConstant: one, kLiteral: one per element
  std::vector<Patch> patches;          // applied last, in order
  // Whether they may be NaN or infinite: what is drawn is finite.
  [[nodiscard]] bool MayBeSpecial() const {
    return !patches.empty() || kind == DataKind::kConstant || kind == DataKind::kLiteral;
  }
  POOLPROOF_EQUALITY(Data);
};

// One tensor argument as its descriptor says it, except for the order of axes (passed_axes.h), and
// its contents.
struct TensorSpec {
  bool null = false;  // a null aclTensor pointer; the other members then mean nothing
  DataType type = DataType::kFloat;
  Format format = Format::kNd;
  Dims shape;
  Dims strides;             // in elements; empty: row-major contiguous
  std::int64_t offset = 0;  // in elements
  Dims storage;             // storage dims; empty: [as many elements as the view reaches]
  Data data;                // inputs only
  POOLPROOF_EQUALITY(TensorSpec);
};

// One two-phase call. A list that is nullopt is passed as a null aclIntArray pointer.
struct Call {
  Operator op{};
  std::array<TensorSpec, kRoleCount>
      tensors;  // by Role; roles that the operator lacks stay default
  std::array<std::optional<Dims>, kListCount> lists;  // by List; the same
  bool ceil_mode = false;

  TensorSpec& tensor(Role role) { return tensors[static_cast<std::size_t>(role)]; }
  [[nodiscard]] const TensorSpec& tensor(Role role) const {
    return tensors[static_cast<std::size_t>(role)];
  }
  std::optional<Dims>& list(List list) { return lists[static_cast<std::size_t>(list)]; }
  [[nodiscard]] const std::optional<Dims>& list(List list) const {
    return lists[static_cast<std::size_t>(list)];
  }
  POOLPROOF_EQUALITY(Call);
};

// What output and workspace hold before the call.
enum class Poison : std::uint8_t {
  kNan,     // bytes 0xff: a NaN in every floating-point type
  kFinite,  // bytes 0x3c: a finite, nonzero number in every floating-point type
  kZero,    // bytes 0: what a careful caller might pass
  kMixed,   // eight bytes 0, eight bytes 0x3c, in turn: the first element is zero, others are not
};
inline constexpr int kPoisonCount = 4;

// Pages next to an operand without access rights. Only where the memory is the host's.
enum class Guard : std::uint8_t {
  kNone,
  kAfter,   // behind the storage and the padding that the allocator guarantees
  kBefore,  // in front of the storage
};

// How the phases of a sequence's calls follow one another.
enum class Order : std::uint8_t {
  kInTurn,  // each call is done before the next one starts
  kFifo,    // phase one of all, then phase two of all in the same order, then each stream is
            // synchronised once
  kLifo,    // the same, phase two in the opposite order
};

// Whether the work of a call is looked for outside its stream.
enum class Look : std::uint8_t {
  kNone,
  kHeld,   // outputs are looked at while copies in front of phase two hold up the stream
  kAfter,  // outputs are looked at as soon as the stream is synchronised, and settle_ms later
};

// What the outcomes of a case's calls have to do with one another: a metamorphic property
// (conformance/properties). The first call is the base, the others follow from it.
enum class Relation : std::uint8_t {
  kNone,
  kLinearity,         // gradOutput of call 0 is the sum of those of calls 1 and 2
  kScaling,           // gradOutput of call 1 is that of call 0 times a power of two
  kPlanePermutation,  // call 1 holds the planes of call 0 in another order
  kConservation,      // one call: what goes in comes out
  kSelfIrrelevant,    // call 1 differs in the values of self
  kViewCopy,          // call 1 is call 0 on contiguous copies
  kBatchAxis,         // call 1 has an axis N = 1 in front
  kDepthOne,          // call 1 is the three-dimensional operator with D = 1
  kAdaptiveFixed,     // call 1 has fixed windows that equal the adaptive ones of call 0
  kListLength,        // call 1 spells out the lists of length 1
  kIndexType,         // call 1 has the other index type
};
inline constexpr std::size_t kRelationCount = 12;  // with kNone

// "linearity", "plane-permutation", ...; "none".
std::string_view RelationName(Relation relation);
std::optional<Relation> ParseRelation(std::string_view name);

// How the calls are carried out.
struct CallPlan {
  bool descriptors_only = false;     // phase one alone, on descriptors without storage
  bool null_workspace_size = false;  // phase one with a null workspaceSize out-pointer
  bool null_executor_out = false;    // phase one with a null executor out-pointer
  bool phase_two_alone = false;      // phase two with a null executor and no phase one
  bool deterministic = false;        // with ACL_OPT_DETERMINISTIC = 1
  int repeat = 1;                    // runs of the whole sequence, each in buffers of its own
  int threads = 1;                   // host threads doing so at once, each with its own stream
  int settle_ms = 0;                 // pause between synchronise and the reading of results
  int growth_calls = 0;              // further runs over which the memory of the process is watched
  bool fill_late = false;            // inputs get their contents between the phases
  bool vary_contents = false;        // each repetition finds other poison: see PoisonOfRun
  bool reuse_executor = false;       // repetitions run one executor, where the library can do so
  bool share_descriptors = false;    // calls use the descriptors of those before, where they fit
  int shift_bytes = 0;  // each repetition's operands lie so much further from a block's start
  int streams = 1;      // call i of the sequence goes to stream i modulo this
  Guard guard = Guard::kNone;
  Order order = Order::kInTurn;
  Look look = Look::kNone;
  Poison output = Poison::kNan;
  Poison workspace = Poison::kNan;
  Relation relation = Relation::kNone;  // judged beside the calls themselves
  POOLPROOF_EQUALITY(CallPlan);
};

// A sequence of calls (nearly always one) and the plan for it. Invariant: at least one call.
struct Case {
  std::vector<Call> calls;
  CallPlan plan;
  POOLPROOF_EQUALITY(Case);
};

// What a case was made for.
enum class Aim : std::uint8_t {
  kNone,    // for whatever it shows
  kBreach,  // breaches its clause and nothing else
  kPair,    // breaches its clause and another one
  kLegal,   // a legal neighbour of calls that breach its clause
  kOpen,    // the documents give no answer
  kAlone,   // breaches its clause, beside which the profile has no legal call
};

// A case with the name under which lists, filters and reports know it.
struct NamedCase {
  std::string family;  // "status", "corpus", "table", "random", "file", ...
  std::string name;    // unique within operator and family
  Case problem;
  std::string clause = {};  // id of the clause that it was made for; empty: of none
  Aim aim = Aim::kNone;
  // Path() of the case of the acceptance table (gen/acceptance_cases.h) that it differs from in
  // what it breaches alone, or that has data where this one has descriptors alone. A refusal proves
  // something only where that call is accepted, an acceptance where its numbers are right.
  std::string base = {};
  // "<operator>/<family>/<name>", what --filter matches.
  [[nodiscard]] std::string Path() const {
    return std::string(InfoOf(problem.calls.front().op).name) + "/" + family + "/" + name;
  }
  POOLPROOF_EQUALITY(NamedCase);
};

// --- Derived facts -------------------------------------------------------------------------------

// What outputs or workspace hold before repetition `repetition`, the first being 0.
Poison PoisonOfRun(const CallPlan& plan, Poison first, int repetition);

// The strides of the axes: the tensor's own, or row-major ones.
Dims StridesOf(const TensorSpec& tensor);
// Row by row without gaps, in the order N, C, (D,) H, W.
bool IsContiguousView(const TensorSpec& tensor);
// Of format NHWC with the axes N, C, H and W.
bool IsNhwc(const TensorSpec& tensor);
// Axes in the order N, H, W, C, and back. Other numbers of axes than four stay as they are.
Dims ChannelsLast(Dims axes);
Dims ChannelsFirst(Dims axes);
// Without gaps in the order of the axes, or, of format NHWC, in the order N, H, W, C.
bool IsPacked(const TensorSpec& tensor);
// Makes it so, from the start of its storage; shape and contents stay.
void MakeContiguous(TensorSpec& tensor);
// Refuses strides that are not one for each extent, for which the ABI has one count; `name` is the
// tensor's. A null tensor passes none.
Status CheckStrides(const TensorSpec& tensor, std::string_view name);
// Elements of the storage: the product of `storage`, or what the view reaches. nullopt where that
// is negative or exceeds int64.
std::optional<std::int64_t> StorageElements(const TensorSpec& tensor);
// The storage dims that the descriptor passes.
Dims StorageDimsOf(const TensorSpec& tensor);

// A tensor of the given type and shape, contiguous, format ND.
TensorSpec MakeTensor(DataType type, Dims shape);

// Attribute lists expanded to D, H and W by the documents' rules (length 1 means all axes, an empty
// stride means the kernel); D of operators over planes of two axes has windows of one element.
// nullopt where a list is null, has another length or a value outside what a window can have
// (kernel, stride, dilation >= 1, padding >= 0).
struct WindowAttributes {
  std::array<std::int64_t, 3> kernel;
  std::array<std::int64_t, 3> stride;
  std::array<std::int64_t, 3> padding;
  std::array<std::int64_t, 3> dilation;
  [[nodiscard]] PoolAxis Axis(std::size_t axis) const {
    return {kernel[axis], stride[axis], padding[axis], dilation[axis]};
  }
};
std::optional<WindowAttributes> ExpandAttributes(const Call& call);

// The output shape that follows from self and the attributes (fixed windows), or from self and
// outputSize (adaptive forwards). nullopt where it is undefined: wrong rank, bad attributes, an
// extent below 1, or an adaptive backward (its output shape is free).
std::optional<Dims> DerivedOutputShape(const Call& call);
// Gives gradOutput (or out) and indices that shape; false where none is defined.
bool DeriveOutputs(Call& call);
// Whether gradOutput (or out) has that shape.
bool HasDerivedOutput(const Call& call);
// Whether ceilMode changes it.
bool CeilChangesOutput(const Call& call);

// Number of spatial elements of a shape with `spatial_rank` trailing axes; nullopt if out of range
// or the rank is lower.
std::optional<std::int64_t> PlaneElements(const Dims& shape, int spatial_rank);

// A call whose tensors follow from self's shape: gradOutput (or out), indices and gradInput of the
// shapes, types and formats that go together, contiguous, with data kExact for gradOutput, kArgmax
// for indices and kUniform for self. `output` is the spatial output extents of adaptive operators
// and ignored elsewhere. Requires attributes for which DerivedOutputShape is defined; where it is
// not, gradOutput takes self's shape.
Call MakeFixedBackward(Operator op, DataType type, DataType index_type, Dims self, Dims kernel,
                       Dims stride, Dims padding, Dims dilation, bool ceil_mode);
Call MakeAdaptiveBackward(Operator op, DataType type, DataType index_type, Dims self,
                          const Dims& output);
// The call on the geometry, by whichever of them goes with the operator.
Call MakeBackward(Operator op, DataType type, DataType index_type, const BaseGeometry& geometry);
// The forward call whose backward `backward` is: same self and geometry; format and index type are
// the first that the forward's page lists. Requires a backward call.
Call MakeForward(const Call& backward);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_CASE_H_
