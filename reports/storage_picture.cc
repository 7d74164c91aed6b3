// SPDX-License-Identifier: Apache-2.0
#include "reports/storage_picture.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/result/stray_access.h"
#include "core/float_bits.h"
#include "core/shape.h"
#include "reports/phrases.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 20;
constexpr std::int64_t kMostElementsDrawn = 48;  // elements of the storage
constexpr std::int64_t kGuards = 3;              // cells of an element's size at either end
constexpr std::int64_t kStorageColumns = 18;
constexpr int kStorageCell = 40;
constexpr int kRow = 44;

// Messages of several calls begin with "call 2: ".
std::size_t CallOf(std::string_view message) {
  constexpr std::string_view kHead = "call ";
  if (!message.starts_with(kHead)) return 0;
  std::size_t number = 0;
  const std::string_view rest = message.substr(kHead.size());
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return error == std::errc() && number > 0 ? number - 1 : 0;
}

struct Storage {
  std::int64_t elements = 0;
  std::int64_t width = 1;  // bytes of an element
  std::vector<bool> in_view;
  std::int64_t viewed = 0;
};

std::optional<Storage> StorageOf(const TensorSpec& tensor) {
  const std::optional<std::int64_t> elements = StorageElements(tensor);
  const std::int64_t viewed = CheckedNumel(tensor.shape).value_or(kMostElements + 1);
  if (tensor.null || !elements || std::max(*elements, viewed) > kMostElements) return std::nullopt;
  Storage storage;
  storage.elements = *elements;
  storage.width = StorageBytes(tensor.type);
  storage.in_view.assign(static_cast<std::size_t>(*elements), false);
  ForEachOffset(tensor.shape, StridesOf(tensor), tensor.offset, [&](std::int64_t, std::int64_t at) {
    if (at >= 0 && at < *elements) storage.in_view[static_cast<std::size_t>(at)] = true;
  });
  storage.viewed = std::count(storage.in_view.begin(), storage.in_view.end(), true);
  return storage;
}

// The element-sized cell that was touched: 0 is the first element, -1 lies in front of it.
std::int64_t TouchedCell(const StrayAccess& stray, const Storage& storage) {
  const std::int64_t byte = stray.byte.value_or(stray.place == StrayAccess::Place::kBefore ? 1 : 0);
  switch (stray.place) {
    case StrayAccess::Place::kBefore:
      return -1 - (std::max<std::int64_t>(byte, 1) - 1) / storage.width;
    case StrayAccess::Place::kAfter:
      return storage.elements + byte / storage.width;
    default:
      return byte / storage.width;
  }
}

class StoragePainter {
 public:
  StoragePainter(const Storage& storage, std::int64_t touched)
      : storage_(storage), touched_(touched) {
    // What lies further off than the cells that are drawn is shown in the last of them.
    shown_ = std::clamp(touched, -kGuards, storage.elements + kGuards - 1);
    const std::int64_t size = std::min(storage.elements, kMostElementsDrawn);
    first_ = std::clamp<std::int64_t>(shown_ - size / 2, 0, storage.elements - size);
    end_ = first_ + size;
    if (first_ == 0) first_ = -kGuards;
    if (end_ == storage.elements) end_ += kGuards;
  }
  [[nodiscard]] bool IsCut() const { return first_ > 0 || end_ < storage_.elements; }

  std::string Paint(const std::string& title) {
    const std::int64_t cells = end_ - first_;
    const std::int64_t rows = (cells + kStorageColumns - 1) / kStorageColumns;
    const std::int64_t width = std::min(cells, kStorageColumns) * kStorageCell + 4;
    for (std::int64_t cell = first_; cell < end_; ++cell) PaintCell(cell);
    return "<svg class=\"plane storage\" role=\"img\" viewBox=\"0 0 " + std::to_string(width) +
           " " + std::to_string(rows * kRow + 4) + "\" width=\"" + std::to_string(width) +
           "\" aria-label=\"" + XmlText(title) + "\"><title>" + XmlText(title) + "</title>" + svg_ +
           on_top_ + "</svg>";
  }

 private:
  void PaintCell(std::int64_t cell) {
    const std::int64_t place = cell - first_;
    const std::int64_t x = 2 + place % kStorageColumns * kStorageCell;
    const std::int64_t y = 2 + place / kStorageColumns * kRow;
    const bool outside = cell < 0 || cell >= storage_.elements;
    const bool viewed = !outside && storage_.in_view[static_cast<std::size_t>(cell)];
    const char* const style = cell == shown_ ? "cell wrong"
                              : outside      ? "cell guard"
                              : viewed       ? "cell named"
                                             : "cell gap";
    // Its neighbours must not draw over its border.
    std::string& into = cell == shown_ ? on_top_ : svg_;
    into += "<rect class=\"" + std::string(style) + "\" x=\"" + std::to_string(x) + "\" y=\"" +
            std::to_string(y) + "\" width=\"" + std::to_string(kStorageCell) + "\" height=\"" +
            std::to_string(kRow - 8) + "\"/>";
    const bool far = cell == shown_ && shown_ != touched_;
    const std::string words = far       ? "..."
                              : outside ? (cell == shown_ ? "!" : "")
                                        : std::to_string(cell);
    if (words.empty()) return;
    into += "<text class=\"" + std::string(cell == shown_ ? "got" : "axis") + "\" x=\"" +
            std::to_string(x + kStorageCell / 2) + "\" y=\"" + std::to_string(y + 22) + "\">" +
            words + "</text>";
  }

  const Storage& storage_;
  std::int64_t touched_;
  std::int64_t shown_ = 0;
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
  std::string svg_;
  std::string on_top_;
};

}  // namespace

StoragePicture DrawStorage(const Case& problem, std::string_view message) {
  const std::optional<StrayAccess> stray = ReadStrayAccess(message);
  const std::size_t number = CallOf(message);
  if (!stray || number >= problem.calls.size()) return {};
  const TensorSpec& tensor = problem.calls[number].tensor(stray->role);
  const std::optional<Storage> storage = StorageOf(tensor);
  if (!storage) return {};
  StoragePicture picture;
  picture.has_gaps = storage->viewed < storage->elements;
  picture.was_read = stray->access == Access::kRead;
  picture.caption = "The storage of " + std::string(RoleName(stray->role)) +
                    (problem.calls.size() > 1 ? " of call " + std::to_string(number + 1) : "") +
                    ", " + CountOf(storage->elements, "element") + " of " +
                    DataTypeName(tensor.type);
  if (picture.has_gaps) {
    picture.caption += ", of which the view has " + Count(storage->viewed);
  }
  StoragePainter painter(*storage, TouchedCell(*stray, *storage));
  picture.svg = painter.Paint(picture.caption + "; " + StrayAccessText(*stray));
  picture.caption += painter.IsCut() ? ". The part around the stray access is drawn." : ".";
  return picture;
}

}  // namespace poolproof
