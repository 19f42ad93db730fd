// SPDX-License-Identifier: Apache-2.0
// Staged arrays: what is not contiguous is copied for a launch. Copies must not lose what the same memory
// holds under another argument's name.
#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "runtime/args.h"

namespace asc::runtime {
namespace {

bool read_integers(PyObject* sequence, std::vector<int64_t>* out) {
  PyObject* items = sequence ? PySequence_Fast(sequence, "expected a sequence") : nullptr;
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++)
    out->push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items, i)));
  Py_DECREF(items);
  return !PyErr_Occurred();
}

// An integer attribute, or what a method of that name returns.
int64_t integer_of(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  if (value && PyCallable_Check(value)) Py_SETREF(value, PyObject_CallNoArgs(value));
  const int64_t number = value ? PyLong_AsLongLong(value) : -1;
  Py_XDECREF(value);
  return number;
}

// numpy's view of an array or tensor; new reference, null with no error set where there is none.
PyObject* numpy_view(PyObject* array) {
  PyObject* view = PyObject_HasAttrString(array, "detach") ? PyObject_CallMethod(array, "detach", nullptr)
                                                           : Py_NewRef(array);
  if (view && PyObject_HasAttrString(view, "numpy"))
    Py_SETREF(view, PyObject_CallMethod(view, "numpy", nullptr));
  PyErr_Clear();
  return view;
}

// Do two arrays whose extents meet share an element? Yes where it cannot be told in reasonable time.
bool share_elements(PyObject* a, PyObject* b) {
  PyObject* numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");  // borrowed
  PyObject* x = numpy ? numpy_view(a) : nullptr;
  PyObject* y = x ? numpy_view(b) : nullptr;
  PyObject* answer = y ? PyObject_CallMethod(numpy, "shares_memory", "OOi", x, y, 1 << 20) : nullptr;
  const bool apart = answer && PyObject_IsTrue(answer) == 0;
  Py_XDECREF(answer);
  Py_XDECREF(y);
  Py_XDECREF(x);
  PyErr_Clear();
  return !apart;
}

}  // namespace

bool HostLayout::read(PyObject* array, const void* first, bool is_tensor) {
  item = integer_of(array, is_tensor ? "element_size" : "itemsize");
  PyObject* sizes = PyObject_GetAttrString(array, "shape");
  PyObject* steps =
      is_tensor ? PyObject_CallMethod(array, "stride", nullptr) : PyObject_GetAttrString(array, "strides");
  const bool good = read_integers(sizes, &shape) && read_integers(steps, &strides) && item > 0 &&
                    shape.size() == strides.size();
  Py_XDECREF(sizes);
  Py_XDECREF(steps);
  if (!good) return false;
  if (is_tensor)
    for (int64_t& step : strides) step *= item;
  begin = reinterpret_cast<intptr_t>(first);
  end = begin + item;
  std::vector<std::pair<int64_t, int64_t>> by_stride;  // |stride| in bytes, reach in bytes
  for (size_t i = 0; i < shape.size(); i++) {
    const int64_t reach = (shape[i] - 1) * strides[i];
    if (shape[i] == 0) {
      end = begin;
      return true;
    }
    (reach < 0 ? begin : end) += reach;
    if (shape[i] > 1) by_stride.emplace_back(std::abs(strides[i]), std::abs(reach));
  }
  // Each step must clear everything that the smaller ones reach.
  std::sort(by_stride.begin(), by_stride.end());
  int64_t inner = item;
  for (const auto& [stride, reach] : by_stride) {
    meets_itself = meets_itself || stride < inner;
    inner += reach;
  }
  return true;
}

void ArrayArgument::share(const ArrayArgument& first) {
  if (has_buffer_) PyBuffer_Release(&buffer_);
  has_buffer_ = false;
  Py_SETREF(owner_, Py_NewRef(first.owner_));
  data = first.data;
}

bool ArrayArgument::settle(std::span<const ArrayUse> uses, const std::string& kernel) {
  const auto fail = [&](const std::string& text) {
    PyErr_SetString(PyExc_TypeError, text.c_str());
    return false;
  };
  for (size_t i = 0; i < uses.size(); i++) {
    ArrayArgument& staged = *uses[i].array;
    if (!staged.original_) continue;
    if (staged.layout_.meets_itself && uses[i].may_write && !staged.read_only)
      return fail(fmt::format(
          "{}() argument '{}': several elements of this array lie in the same memory (a broadcast or "
          "overlapping view), and the kernel writes it; pass a copy",
          kernel, uses[i].name));
    for (size_t j = 0; j < uses.size(); j++) {
      ArrayArgument& other = *uses[j].array;
      if (i == j || (!uses[i].may_write && !uses[j].may_write)) continue;
      if (other.original_ && j < i) continue;  // seen from there
      const bool same = other.original_ && staged.dtype_ == other.dtype_ && staged.layout_ == other.layout_;
      if (same) {
        other.share(staged);
        continue;
      }
      const bool meet = staged.layout_.begin < other.layout_.end && other.layout_.begin < staged.layout_.end;
      PyObject* array = other.original_ ? other.original_ : other.owner_;
      if (!meet || !share_elements(staged.original_, array)) continue;
      return fail(fmt::format(
          "{}() arguments '{}' and '{}' share memory, and '{}' is not contiguous: it would be copied for the "
          "launch and what the kernel writes through the other name lost; pass contiguous arrays or copies",
          kernel, uses[std::min(i, j)].name, uses[std::max(i, j)].name, uses[i].name));
    }
  }
  return true;
}

}  // namespace asc::runtime
