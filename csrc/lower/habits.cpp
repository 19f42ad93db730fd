// SPDX-License-Identifier: Apache-2.0
// What is written here in place of names that people bring from other kernel languages and from numpy.
#include <algorithm>
#include <iterator>
#include <utility>

#include "lower/pyref.h"
#include "lower/suggest.h"
#include "ops/op_table.h"

namespace asc::lower {

namespace {

constexpr std::string_view kLocal =
    "local memory is asc.LocalTensor(dtype, position, address, size), or a queue's alloc_tensor(dtype); "
    "asc.duplicate fills it";
constexpr std::string_view kBlock = "asc.get_block_idx() is the number of this core";
constexpr std::string_view kBlocks = "asc.get_block_num() is the number of cores that run the kernel";
constexpr std::string_view kLoad =
    "asc.data_copy(local, tensor[offset:], count) copies to local memory; tensor.get_value(i) reads one element";
constexpr std::string_view kStore =
    "asc.data_copy(tensor[offset:], local, count) copies to global memory; tensor.set_value(i, value) writes "
    "one element";
constexpr std::string_view kBarrier =
    "asc.pipe_barrier(pipe) orders the instructions of one pipe, asc.set_flag and asc.wait_flag those of two";
constexpr std::string_view kProduct =
    "an asc.adv.Matmul multiplies matrices in global memory, asc.mmad those in L0A and L0B";
constexpr std::string_view kMax =
    "asc.max(dst, a, b, count) takes the larger elements of two local tensors, asc.maxs those of one and a number";
constexpr std::string_view kMin =
    "asc.min(dst, a, b, count) takes the smaller elements of two local tensors, asc.mins those of one and a number";
constexpr std::string_view kPower =
    "asc.mul(dst, x, x, count) squares; for others and x > 0, asc.exp of the exponent times asc.ln of x";

struct Habit {
  std::string_view name, hint;
};
constexpr Habit kHabits[] = {
    {"program_id", kBlock},
    {"blockIdx", kBlock},
    {"threadIdx", kBlock},
    {"core_id", kBlock},
    {"num_programs", kBlocks},
    {"gridDim", kBlocks},
    {"blockDim", kBlocks},
    {"load", kLoad},
    {"store", kStore},
    {"zeros", kLocal},
    {"zeros_like", kLocal},
    {"ones", kLocal},
    {"ones_like", kLocal},
    {"full", kLocal},
    {"full_like", kLocal},
    {"empty", kLocal},
    {"empty_like", kLocal},
    {"array", kLocal},
    {"tensor", kLocal},
    {"alloc", kLocal},
    {"malloc", kLocal},
    {"arange", "a view and a count stand for a range of elements: tensor[first:], count"},
    {"cdiv", "asc.ceildiv(a, b) divides and rounds up"},
    {"constexpr", "asc.ConstExpr[int] is the annotation of a compile-time parameter"},
    {"dot", kProduct},
    {"matmul", kProduct},
    {"where", "for numbers: a if condition else b"},
    {"log", "asc.ln(dst, x, count) is the natural logarithm of a local tensor"},
    {"log2", "asc.ln is the natural logarithm: asc.ln, then asc.muls by 1.442695"},
    {"exp2", "asc.exp is the natural one: asc.muls by 0.6931472, then asc.exp"},
    {"maximum", kMax},
    {"fmax", kMax},
    {"minimum", kMin},
    {"fmin", kMin},
    {"multiply", "asc.mul(dst, a, b, count) multiplies local tensors"},
    {"subtract", "asc.sub(dst, a, b, count) subtracts local tensors"},
    {"divide", "asc.div(dst, a, b, count) divides local tensors"},
    {"negative", "asc.muls(dst, x, -1.0, count) negates a local tensor"},
    {"neg", "asc.muls(dst, x, -1.0, count) negates a local tensor"},
    {"sigmoid", "made of others: asc.muls by -1.0, asc.exp, asc.adds 1.0, asc.reciprocal"},
    {"pow", kPower},
    {"power", kPower},
    {"barrier", kBarrier},
    {"debug_barrier", kBarrier},
    {"sync_threads", kBarrier},
    {"syncthreads", kBarrier},
    {"__syncthreads", kBarrier},
};

}  // namespace

std::string habit_hint(std::string_view name) {
  const auto* habit =
      std::find_if(std::begin(kHabits), std::end(kHabits), [&](const Habit& h) { return h.name == name; });
  return habit == std::end(kHabits) ? std::string() : std::string(habit->hint);
}

std::string other_language_hint(std::string_view name) {
  if (name == "tl" || name == "triton")
    return "kernels are written with asc: asc.get_block_idx(), asc.data_copy(...), asc.add(...)";
  return habit_hint(name);
}

bool is_host_array(PyObject* object) {
  if (!object) return false;
  const std::string_view type = Py_TYPE(object)->tp_name;
  return type == "numpy.ndarray" || type == "Tensor" || type == "Parameter";
}

std::string host_array_hint() {
  return std::string("an array made here is a compile-time value; ").append(kLocal);
}

std::string python_call_hint(PyObject* callee) {
  std::string module, name;
  for (auto& [attribute, text] : {std::pair{"__module__", &module}, std::pair{"__name__", &name}}) {
    PyObject* value = PyObject_GetAttrString(callee, attribute);
    const char* utf8 = value && PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : nullptr;
    if (utf8) *text = utf8;
    Py_XDECREF(value);
    drop_error();
  }
  const auto is_of = [&](std::string_view package) {
    return module == package || module.starts_with(std::string(package) + ".");
  };
  if (!is_of("triton") && !is_of("numpy") && !is_of("torch") && !is_of("math")) return {};
  if (std::string hint = habit_hint(name); !hint.empty()) return hint;
  DType dtype;
  if (PyType_Check(callee) && is_of("numpy") && find_dtype(name, &dtype))
    return "write value.cast(asc." + name + ")";
  if (!is_of("triton") && find_function(name)) return "asc." + name + " computes on local tensors";
  return {};
}

}  // namespace asc::lower
