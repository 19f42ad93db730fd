// SPDX-License-Identifier: Apache-2.0
// The body of a translation unit of sim/isa, which defines ASC_ISA: one typed body an op and dtype, from the
// rows of the op table. A row whose body is missing does not compile.
// Everything that is emitted out of line must lie in a namespace named ASC_ISA: of two inline functions of
// one name the linker keeps either, and the kept one might not run on this processor. A test looks at the
// symbols.
#ifndef ASC_ISA
#error "define ASC_ISA before including this"
#endif

#include "sim/bodies/cube.h"
#include "sim/bodies/matmul.h"
#include "sim/bodies/vector.h"
#include "sim/kernels.h"

namespace asc::sim::ASC_ISA {

namespace {

template <DType T>
struct CppType;
#define ASC_CPP_TYPE(Id, type) \
  template <>                  \
  struct CppType<DType::Id> {  \
    using Type = type;         \
  };
ASC_CPP_TYPE(I8, int8_t)
ASC_CPP_TYPE(U8, uint8_t)
ASC_CPP_TYPE(I16, int16_t)
ASC_CPP_TYPE(U16, uint16_t)
ASC_CPP_TYPE(I32, int32_t)
ASC_CPP_TYPE(U32, uint32_t)
ASC_CPP_TYPE(I64, int64_t)
ASC_CPP_TYPE(U64, uint64_t)
ASC_CPP_TYPE(F16, half_t)
ASC_CPP_TYPE(BF16, bfloat16_t)
ASC_CPP_TYPE(F32, float)
ASC_CPP_TYPE(F64, double)
#undef ASC_CPP_TYPE

// ---- typed bodies behind untyped signatures ----

// A scalar slot as an element: floats are float bits, integers their value.
template <class T>
T element_of(uint64_t slot) {
  if constexpr (bodies::kIsFloat<T>)
    return static_cast<T>(__builtin_bit_cast(float, static_cast<uint32_t>(slot)));
  else
    return static_cast<T>(slot);
}

template <template <class> class Body, class T, class U>
struct Typed {
  static void unary(void* dst, const void* src, int64_t count) {
    bodies::run_unary<Body, T>(static_cast<T*>(dst), static_cast<const T*>(src), count);
  }
  static void binary(void* dst, const void* a, const void* b, int64_t count) {
    bodies::run_binary<Body, T>(static_cast<T*>(dst), static_cast<const T*>(a), static_cast<const T*>(b),
                                count);
  }
  static void binary_acc(void* dst, const void* a, const void* b, int64_t count) {
    bodies::run_binary_acc<Body, T, U>(static_cast<T*>(dst), static_cast<const U*>(a),
                                       static_cast<const U*>(b), count);
  }
  static void scalar(void* dst, const void* src, uint64_t value, int64_t count) {
    bodies::run_scalar<Body, T>(static_cast<T*>(dst), static_cast<const T*>(src), element_of<T>(value),
                                count);
  }
  static void scalar_acc(void* dst, const void* src, uint64_t value, int64_t count) {
    bodies::run_scalar_acc<Body, T, U>(static_cast<T*>(dst), static_cast<const U*>(src), element_of<U>(value),
                                       count);
  }
};

template <class T>
void fill(void* dst, uint64_t value, int64_t count) {
  bodies::duplicate(static_cast<T*>(dst), element_of<T>(value), count);
}

// ---- choice of body by dtype ----

// Calls pick.operator()<T, U>() for the dtypes that the row allows, and stores what it gives.
template <OpId Id, class Pick>
Kernel pick_types(DType t, DType u, Pick pick) {
  constexpr VarColumn kVars = parse_vars(op_row(Id).dtypes);
  Kernel found = nullptr;
  auto one = [&]<DType T>() {
    if constexpr (op_allows(Id, 0, T) && T != DType::Void && T != DType::Bool) {
      using First = typename CppType<T>::Type;
      auto second = [&]<DType U>() {
        if constexpr (op_allows_pair(Id, T, U)) {
          if (t == T && u == U) found = pick.template operator()<First, typename CppType<U>::Type>();
        }
      };
      if constexpr (kVars.count < 2) {
        if (t == T) found = pick.template operator()<First, First>();
      } else {
        second.template operator()<DType::F16>();
        second.template operator()<DType::BF16>();
        second.template operator()<DType::F32>();
        second.template operator()<DType::I16>();
        second.template operator()<DType::I32>();
      }
    }
  };
#define ASC_X(Dtype, py, cpp, bytes, cls, short_name) one.template operator()<DType::Dtype>();
  ASC_FOR_EACH_DTYPE(ASC_X)
#undef ASC_X
  return found;
}

template <class Fn>
Kernel erase(Fn* fn) {
  return reinterpret_cast<Kernel>(fn);
}

template <OpId Id, template <class> class Body>
Kernel unary(DType t, DType u) {
  return pick_types<Id>(t, u, []<class T, class U>() { return erase(&Typed<Body, T, U>::unary); });
}
template <OpId Id, template <class> class Body>
Kernel binary(DType t, DType u) {
  return pick_types<Id>(t, u, []<class T, class U>() { return erase(&Typed<Body, T, U>::binary); });
}
template <OpId Id, template <class> class Body>
Kernel binary_acc(DType t, DType u) {
  return pick_types<Id>(t, u, []<class T, class U>() { return erase(&Typed<Body, T, U>::binary_acc); });
}
template <OpId Id, template <class> class Body>
Kernel scalar(DType t, DType u) {
  return pick_types<Id>(t, u, []<class T, class U>() { return erase(&Typed<Body, T, U>::scalar); });
}
template <OpId Id, template <class> class Body>
Kernel scalar_acc(DType t, DType u) {
  return pick_types<Id>(t, u, []<class T, class U>() { return erase(&Typed<Body, T, U>::scalar_acc); });
}
template <OpId Id>
Kernel filling(DType t, DType u) {
  return pick_types<Id>(t, u, []<class T, class U>() { return erase(&fill<T>); });
}

template <class T>
struct TypedMatmul {
  static void widen(float* to, const void* from, int64_t count) {
    bodies::matmul_widen(to, static_cast<const T*>(from), count);
  }
  static void mmad(float* c, const void* a, const void* b, int64_t m, int64_t k, int64_t n, bool init) {
    bodies::mmad(c, static_cast<const T*>(a), static_cast<const T*>(b), m, k, n, init);
  }
  static constexpr MatmulKernels kKernels = {widen, bodies::matmul_add<bodies::kExactProducts<T>>, mmad};
};

}  // namespace

// One case a row of the vector families; the rows of other families give none.
#define ASC_CASE(Name, call) \
  case OpId::Name:           \
    return call(t, u);
#define ASC_KERNEL_VecUnary(Name) ASC_CASE(Name, (unary<OpId::Name, bodies::Name>))
#define ASC_KERNEL_VecBinary(Name) ASC_CASE(Name, (binary<OpId::Name, bodies::Name>))
#define ASC_KERNEL_VecBinaryAcc(Name) ASC_CASE(Name, (binary_acc<OpId::Name, bodies::Name>))
#define ASC_KERNEL_VecScalar(Name) ASC_CASE(Name, (scalar<OpId::Name, bodies::Name>))
#define ASC_KERNEL_VecScalarAcc(Name) ASC_CASE(Name, (scalar_acc<OpId::Name, bodies::Name>))
#define ASC_KERNEL_VecFill(Name) ASC_CASE(Name, (filling<OpId::Name>))
#define ASC_KERNEL_DataCopy(Name)
#define ASC_KERNEL_Flag(Name)
#define ASC_KERNEL_CrossCore(Name)
#define ASC_KERNEL_Query(Name)
#define ASC_KERNEL_Cube(Name)
#define ASC_KERNEL_Matmul(Name)

Kernel vector_kernel(OpId op, DType t, DType u) {
  switch (op) {
#define ASC_OP(Name, py, family, dtypes, overloads, doc) ASC_KERNEL_##family(Name)
#include "ops/all.def"
    default: return nullptr;
  }
}

MatmulKernels matmul_kernels(DType elements) {
  switch (elements) {
    case DType::F16: return TypedMatmul<half_t>::kKernels;
    case DType::BF16: return TypedMatmul<bfloat16_t>::kKernels;
    default: return TypedMatmul<float>::kKernels;
  }
}

}  // namespace asc::sim::ASC_ISA
