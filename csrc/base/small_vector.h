// SPDX-License-Identifier: Apache-2.0
// A vector of trivial values that keeps its first N in place: no allocation on the launch path.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace asc {

template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;

  // Sets the size; every element becomes `value`.
  void assign(size_t size, const T& value) {
    if (size > N) heap_ = std::make_unique<T[]>(size);
    data_ = size > N ? heap_.get() : inline_;
    size_ = size;
    for (size_t i = 0; i < size; i++) data_[i] = value;
  }
  size_t size() const { return size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  T inline_[N];
  T* data_ = inline_;
  size_t size_ = 0;
  std::unique_ptr<T[]> heap_;
};

}  // namespace asc
