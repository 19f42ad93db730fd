// SPDX-License-Identifier: Apache-2.0
// Where the elements of arrays lie: extents, elements in common, and copies in logical order.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "lower/pyref.h"
#include "runtime/args_array.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

struct Dim {
  int64_t size, stride;  // bytes
};

// The array's dimensions without those of one index; neighbours that are one run of memory are joined.
std::vector<Dim> runs_of(const HostArray& array) {
  std::vector<Dim> dims;
  if (array.contiguous) {
    if (array.item > 0 && array.bytes > array.item) dims.push_back({array.bytes / array.item, array.item});
    return dims;
  }
  for (size_t i = 0; i < array.shape.size(); i++) {
    const Dim dim{array.shape[i], array.strides[i]};
    if (dim.size == 1) continue;
    if (!dims.empty() && dims.back().stride == dim.size * dim.stride)
      dims.back() = {dims.back().size * dim.size, dim.stride};
    else
      dims.push_back(dim);
  }
  return dims;
}

template <class Item>
void copy_run(const uint8_t* from, int64_t from_step, uint8_t* to, int64_t to_step, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    Item value;
    std::memcpy(&value, from + i * from_step, sizeof(Item));
    std::memcpy(to + i * to_step, &value, sizeof(Item));
  }
}

void copy_items(const uint8_t* from, int64_t from_step, uint8_t* to, int64_t to_step, int64_t count,
                int64_t item) {
  switch (item) {
    case 1: return copy_run<uint8_t>(from, from_step, to, to_step, count);
    case 2: return copy_run<uint16_t>(from, from_step, to, to_step, count);
    case 4: return copy_run<uint32_t>(from, from_step, to, to_step, count);
    case 8: return copy_run<uint64_t>(from, from_step, to, to_step, count);
    default:
      for (int64_t i = 0; i < count; i++)
        std::memcpy(to + i * to_step, from + i * from_step, static_cast<size_t>(item));
  }
}

// Walks the outer dimensions; `run` gets the array's address and the row-major offset of each innermost run.
template <class Fn>
void walk(std::span<const Dim> dims, uint8_t* at, int64_t item, int64_t* offset, Fn&& run) {
  if (dims.size() <= 1) {
    const Dim dim = dims.empty() ? Dim{1, item} : dims.front();
    run(at, dim, *offset);
    *offset += dim.size * item;
    return;
  }
  for (int64_t i = 0; i < dims.front().size; i++)
    walk(dims.subspan(1), at + i * dims.front().stride, item, offset, run);
}

// numpy's view of the layout, for its own search; a new reference, null with no error set where it has none.
PyObject* numpy_layout(PyObject* numpy, const HostArray& array) {
  const std::vector<Dim> dims = runs_of(array);
  PyObject* shape = PyTuple_New(static_cast<Py_ssize_t>(dims.size()));
  PyObject* strides = PyTuple_New(static_cast<Py_ssize_t>(dims.size()));
  for (size_t i = 0; shape && strides && i < dims.size(); i++) {
    PyTuple_SET_ITEM(shape, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(dims[i].size));
    PyTuple_SET_ITEM(strides, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(dims[i].stride));
  }
  const std::string typestr = "|V" + std::to_string(array.item);
  PyObject* interface =
      Py_BuildValue("{s:(NO),s:N,s:N,s:s,s:i}", "data", PyLong_FromVoidPtr(array.data), Py_True, "shape",
                    shape, "strides", strides, "typestr", typestr.c_str(), "version", 3);
  PyObject* types = PyImport_ImportModule("types");
  PyObject* make = types ? PyObject_GetAttrString(types, "SimpleNamespace") : nullptr;
  PyObject* holder = make ? PyObject_CallNoArgs(make) : nullptr;
  PyObject* view = nullptr;
  if (holder && interface && PyObject_SetAttrString(holder, "__array_interface__", interface) == 0)
    view = PyObject_CallMethod(numpy, "asarray", "O", holder);
  Py_XDECREF(holder);
  Py_XDECREF(make);
  Py_XDECREF(types);
  Py_XDECREF(interface);
  drop_error();
  return view;
}

}  // namespace

bool HostArray::set_layout(int ndim, const int64_t* sizes, const int64_t* steps, int64_t unit) {
  if (std::any_of(sizes, sizes + ndim, [](int64_t size) { return size < 0; })) return false;
  bytes = 0;
  contiguous = true;
  if (std::find(sizes, sizes + ndim, 0) != sizes + ndim) return true;
  // A broadcast array, whose elements lie in few bytes, may have more elements than memory has.
  int64_t row_major = item, before = 0, behind = 0;
  for (int i = ndim; i-- > 0;) {
    int64_t step = row_major, reach = 0;
    if (steps && __builtin_mul_overflow(steps[i], unit, &step)) return false;
    if (sizes[i] != 1 && step != row_major) contiguous = false;
    if (__builtin_mul_overflow(sizes[i] - 1, step, &reach)) return false;
    int64_t& side = reach < 0 ? before : behind;
    if (__builtin_add_overflow(side, reach, &side)) return false;
    if (__builtin_mul_overflow(row_major, sizes[i], &row_major)) return false;
  }
  bytes = row_major;
  if (contiguous) return true;
  shape.assign(sizes, sizes + ndim);
  strides.assign(steps, steps + ndim);
  for (int64_t& step : strides) step *= unit;
  return true;
}

Extent extent_of(const HostArray& array) {
  Extent extent;
  extent.begin = reinterpret_cast<intptr_t>(array.data);
  extent.end = extent.begin + (array.contiguous ? array.bytes : array.item);
  for (size_t i = 0; i < array.shape.size(); i++) {
    const int64_t reach = (array.shape[i] - 1) * array.strides[i];
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  return extent;
}

bool meets_itself(const HostArray& array) {
  std::vector<Dim> dims;
  for (size_t i = 0; i < array.shape.size(); i++)
    if (array.shape[i] > 1) dims.push_back({array.shape[i], std::abs(array.strides[i])});
  // Each step must clear everything that the smaller ones reach.
  std::sort(dims.begin(), dims.end(), [](const Dim& a, const Dim& b) { return a.stride < b.stride; });
  int64_t inner = array.item;
  for (const Dim& dim : dims) {
    if (dim.stride < inner) return true;
    inner += (dim.size - 1) * dim.stride;
  }
  return false;
}

bool share_elements(const HostArray& a, const HostArray& b) {
  if (a.bytes == 0 || b.bytes == 0 || !extent_of(a).meets(extent_of(b))) return false;
  // All elements lie at multiples of the strides' common divisor from their array's first.
  int64_t grid = 0;
  for (const HostArray* array : {&a, &b})
    for (const Dim& dim : runs_of(*array)) grid = std::gcd(grid, dim.stride);
  if (grid > 0) {
    int64_t apart = (b.data - a.data) % grid;
    if (apart < 0) apart += grid;
    if (apart >= a.item && apart + b.item <= grid) return false;
  }
  PyObject* numpy = imported_module("numpy");  // borrowed
  PyObject* x = numpy ? numpy_layout(numpy, a) : nullptr;
  PyObject* y = x ? numpy_layout(numpy, b) : nullptr;
  PyObject* answer = y ? PyObject_CallMethod(numpy, "shares_memory", "OOi", x, y, 1 << 20) : nullptr;
  const bool disjoint = answer && PyObject_IsTrue(answer) == 0;
  Py_XDECREF(answer);
  Py_XDECREF(y);
  Py_XDECREF(x);
  drop_error();
  return !disjoint;
}

void gather(const HostArray& array, uint8_t* to) {
  int64_t offset = 0;
  walk(runs_of(array), array.data, array.item, &offset, [&](uint8_t* at, Dim dim, int64_t row_major) {
    copy_items(at, dim.stride, to + row_major, array.item, dim.size, array.item);
  });
}

void scatter(const uint8_t* from, const HostArray& array) {
  int64_t offset = 0;
  walk(runs_of(array), array.data, array.item, &offset, [&](uint8_t* at, Dim dim, int64_t row_major) {
    copy_items(from + row_major, array.item, at, dim.stride, dim.size, array.item);
  });
}

}  // namespace asc::runtime
