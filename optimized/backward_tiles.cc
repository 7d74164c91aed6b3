// SPDX-License-Identifier: Apache-2.0
#include "optimized/backward_tiles.h"

#include <algorithm>

namespace poolproof {
namespace {

constexpr std::int64_t kSumBytes = sizeof(float);
constexpr std::int64_t kLine = 32;  // elements; 64 bytes of the smallest type

struct Span {
  std::int64_t lo;
  std::int64_t hi;
};

std::vector<Span> Spans(std::size_t axis, const PlaneExtents& inputs, const PlaneExtents& outputs,
                        const std::optional<std::array<PoolAxis, 3>>& axes) {
  std::vector<Span> spans;
  spans.reserve(static_cast<std::size_t>(outputs[axis]));
  for (std::int64_t output = 0; output < outputs[axis]; ++output) {
    const WindowSpan window = axes.has_value()
                                  ? PoolWindow(output, inputs[axis], (*axes)[axis])
                                  : AdaptiveWindow(output, inputs[axis], outputs[axis]);
    const std::int64_t lo = std::clamp<std::int64_t>(window.first, 0, inputs[axis]);
    spans.push_back({lo, std::clamp(window.end, lo, inputs[axis])});
  }
  return spans;
}

bool IsIdentity(const std::vector<Span>& spans, std::int64_t extent) {
  if (std::ssize(spans) != extent) return false;
  for (std::int64_t i = 0; i < extent; ++i) {
    const Span& span = spans[static_cast<std::size_t>(i)];
    if (span.lo != i || span.hi != i + 1) return false;
  }
  return true;
}

// A caller's windows may be anything; rings go forward only.
void MakeMonotone(std::vector<BackwardTile>& tiles) {
  for (std::size_t i = tiles.size(); i-- > 1;) {
    tiles[i - 1].lo = std::min(tiles[i - 1].lo, tiles[i].lo);
  }
  for (std::size_t i = 1; i < tiles.size(); ++i) {
    tiles[i].hi = std::max(tiles[i].hi, tiles[i - 1].hi);
  }
}

std::vector<BackwardTile> Joined(const std::vector<BackwardTile>& pieces, std::int64_t most) {
  std::vector<BackwardTile> tiles;
  for (const BackwardTile& piece : pieces) {
    if (!tiles.empty() && piece.hi - tiles.back().lo <= most) {
      tiles.back().end = piece.end;
      tiles.back().hi = piece.hi;
    } else {
      tiles.push_back(piece);
    }
  }
  return tiles;
}

}  // namespace

std::vector<BackwardTile> BackwardTiles(const PlaneExtents& inputs, const PlaneExtents& outputs,
                                        const std::optional<std::array<PoolAxis, 3>>& axes,
                                        std::int64_t whole_plane_bytes, std::int64_t tile_bytes) {
  const std::int64_t input_count = inputs[0] * inputs[1] * inputs[2];
  const std::int64_t output_count = outputs[0] * outputs[1] * outputs[2];
  if (input_count * kSumBytes <= whole_plane_bytes || output_count == 0) {
    return {{0, output_count, 0, input_count}};
  }
  std::vector<BackwardTile> pieces;
  const std::vector<Span> depth = Spans(0, inputs, outputs, axes);
  const std::int64_t slice = inputs[1] * inputs[2];
  if (!IsIdentity(depth, inputs[0])) {
    const std::int64_t step = outputs[1] * outputs[2];
    for (const Span& d : depth) {
      const std::int64_t first = std::ssize(pieces) * step;
      pieces.push_back({first, first + step, d.lo * slice, d.hi * slice});
    }
  } else {
    const std::vector<Span> height = Spans(1, inputs, outputs, axes);
    for (const Span& d : depth) {
      for (const Span& h : height) {
        const std::int64_t first = std::ssize(pieces) * outputs[2];
        pieces.push_back({first, first + outputs[2], d.lo * slice + h.lo * inputs[2],
                          d.lo * slice + h.hi * inputs[2]});
      }
    }
  }
  MakeMonotone(pieces);
  return Joined(pieces, tile_bytes / kSumBytes);
}

std::int64_t RingElements(const std::vector<BackwardTile>& tiles, std::int64_t plane_inputs,
                          bool with_the_one_before) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const BackwardTile& tile = tiles[i];
    std::int64_t from = tile.lo;
    if (with_the_one_before) from = i > 0 ? tiles[i - 1].lo : tiles.back().lo - plane_inputs;
    most = std::max(most, tile.hi - from);
  }
  return (most + kLine - 1) / kLine * kLine + 2 * kLine;
}

bool DisjointWindows(const PlaneExtents& inputs, const PlaneExtents& outputs,
                     const std::optional<std::array<PoolAxis, 3>>& axes) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<Span> spans = Spans(axis, inputs, outputs, axes);
    for (std::size_t i = 1; i < spans.size(); ++i) {
      if (spans[i].lo < spans[i - 1].hi) return false;
    }
  }
  return true;
}

std::vector<std::uint32_t> OwnerOfInput(const PlaneExtents& inputs, const PlaneExtents& outputs,
                                        const std::optional<std::array<PoolAxis, 3>>& axes) {
  // Of each axis first.
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::array<std::vector<std::uint32_t>, 3> along;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    along[axis].assign(static_cast<std::size_t>(inputs[axis]), kNone);
    std::uint32_t output = 0;
    for (const Span& span : Spans(axis, inputs, outputs, axes)) {
      std::fill(along[axis].begin() + span.lo, along[axis].begin() + span.hi, output++);
    }
  }
  const auto height = static_cast<std::uint32_t>(outputs[1]);
  const auto width = static_cast<std::uint32_t>(outputs[2]);
  std::vector<std::uint32_t> owner_of_input;
  owner_of_input.reserve(static_cast<std::size_t>(inputs[0] * inputs[1] * inputs[2]));
  for (const std::uint32_t d : along[0]) {
    for (const std::uint32_t h : along[1]) {
      for (const std::uint32_t w : along[2]) {
        const bool held = d != kNone && h != kNone && w != kNone;
        owner_of_input.push_back(held ? (d * height + h) * width + w : kNone);
      }
    }
  }
  return owner_of_input;
}

std::optional<std::array<std::int64_t, 2>> UnpoolRows(
    const PlaneExtents& inputs, const PlaneExtents& outputs,
    const std::optional<std::array<PoolAxis, 3>>& axes) {
  std::array<std::int64_t, 3> kernel = {};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (outputs[axis] == 0 || inputs[axis] % outputs[axis] != 0) return std::nullopt;
    kernel[axis] = inputs[axis] / outputs[axis];
    if (axes.has_value() && (*axes)[axis] != PoolAxis{kernel[axis], kernel[axis], 0, 1}) {
      return std::nullopt;
    }
  }
  if (kernel[2] != 2) return std::nullopt;
  return std::array{kernel[0], kernel[1]};
}

}  // namespace poolproof
