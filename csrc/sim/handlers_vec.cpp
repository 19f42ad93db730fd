// SPDX-License-Identifier: Apache-2.0
// Vector ops in count form: one handler a family and mode, one typed body an op and dtype, both from the rows
// of the op table. A row whose body is missing does not compile.
#include "sim/access.h"
#include "sim/bodies/vector.h"

namespace asc::sim {

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

using UnaryKernel = void (*)(void* dst, const void* src, int64_t count);
using BinaryKernel = void (*)(void* dst, const void* src0, const void* src1, int64_t count);
using ScalarKernel = void (*)(void* dst, const void* src, uint64_t scalar, int64_t count);
using FillKernel = void (*)(void* dst, uint64_t scalar, int64_t count);

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

// ---- handlers ----

template <Mode M>
bool count_of(Core& core, const CallSite& site, int64_t count) {
  if constexpr (M == Mode::Check) {
    if (count < 0) [[unlikely]]
      core.log.add(check_count(op_desc(site.op).py_name, "count", count), core.here(), op_name(site),
                   to_string(site.pipe));
  }
  return count > 0;
}

template <Mode M>
void check_scalar(Core& core, const CallSite& site, uint64_t value) {
  if constexpr (M == Mode::Check) {
    if (site.op != OpId::ShiftLeft && site.op != OpId::ShiftRight) return;
    core.log.add(check_shift(op_desc(site.op).py_name, site.vars[0], static_cast<int64_t>(value)),
                 core.here(), op_name(site), to_string(site.pipe));
  }
}

// The destination and a source of the same element size: operands 1 and `source`.
template <Mode M>
void check_overlap_of(Core& core, const CallSite& site, const Operands& args, int source, DType elem,
                      int64_t bytes) {
  if constexpr (M == Mode::Check) {
    const uint64_t dst = args.tensor(1).address, src = args.tensor(source).address;
    const int64_t ahead = static_cast<int64_t>(src - dst);
    if (ahead == 0 || ahead <= -bytes || ahead >= bytes) [[likely]]
      return;
    const Place to = place_of(dst), from = place_of(src);
    if (to.owner != from.owner || to.owner >= kSpaceCount) return;
    const Space space = static_cast<Space>(to.owner);
    core.log.add(check_overlap(op_desc(site.op).py_name, {operand_name(site, 1), space, elem, to.offset},
                               {operand_name(site, source), space, elem, from.offset}, bytes),
                 core.here(), op_name(site), to_string(site.pipe));
  }
}

template <Mode M>
OpStatus vec_unary(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t count = args.integer(3);
  if (!runs_here<M>(core, site) || !count_of<M>(core, site, count)) return OpStatus::Done;
  const DType elem = site.vars[0];
  const int64_t bytes = count_bytes(count, elem);
  const uint8_t* src = local_bytes<M>(core, site, 2, args.tensor(2), elem, bytes, Access::Read);
  uint8_t* dst = local_bytes<M>(core, site, 1, args.tensor(1), elem, bytes, Access::Write);
  check_overlap_of<M>(core, site, args, 2, elem, bytes);
  if (src && dst) reinterpret_cast<UnaryKernel>(site.kernel)(dst, src, count);
  return OpStatus::Done;
}

// `Acc`: dst is read too; the sources may be of another type.
template <Mode M, bool Acc>
OpStatus vec_binary(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t count = args.integer(4);
  if (!runs_here<M>(core, site) || !count_of<M>(core, site, count)) return OpStatus::Done;
  const DType elem = site.vars[0];
  const DType source = Acc && site.vars[1] != DType::Void ? site.vars[1] : elem;
  const int64_t bytes = count_bytes(count, elem), source_bytes = count_bytes(count, source);
  const uint8_t* a = local_bytes<M>(core, site, 2, args.tensor(2), source, source_bytes, Access::Read);
  const uint8_t* b = local_bytes<M>(core, site, 3, args.tensor(3), source, source_bytes, Access::Read);
  uint8_t* dst =
      local_bytes<M>(core, site, 1, args.tensor(1), elem, bytes, Acc ? Access::ReadWrite : Access::Write);
  if (source_bytes == bytes) {
    check_overlap_of<M>(core, site, args, 2, elem, bytes);
    check_overlap_of<M>(core, site, args, 3, elem, bytes);
  }
  if (a && b && dst) reinterpret_cast<BinaryKernel>(site.kernel)(dst, a, b, count);
  return OpStatus::Done;
}

template <Mode M, bool Acc>
OpStatus vec_scalar(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t count = args.integer(4);
  if (!runs_here<M>(core, site) || !count_of<M>(core, site, count)) return OpStatus::Done;
  const DType elem = site.vars[0];
  const DType source = Acc && site.vars[1] != DType::Void ? site.vars[1] : elem;
  check_scalar<M>(core, site, args.bits(3));
  const uint8_t* src =
      local_bytes<M>(core, site, 2, args.tensor(2), source, count_bytes(count, source), Access::Read);
  uint8_t* dst = local_bytes<M>(core, site, 1, args.tensor(1), elem, count_bytes(count, elem),
                                Acc ? Access::ReadWrite : Access::Write);
  if (size_of(source) == size_of(elem))
    check_overlap_of<M>(core, site, args, 2, elem, count_bytes(count, elem));
  if (src && dst) reinterpret_cast<ScalarKernel>(site.kernel)(dst, src, args.bits(3), count);
  return OpStatus::Done;
}

template <Mode M>
OpStatus vec_fill(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t count = args.integer(3);
  if (!runs_here<M>(core, site) || !count_of<M>(core, site, count)) return OpStatus::Done;
  const DType elem = site.vars[0];
  uint8_t* dst = local_bytes<M>(core, site, 1, args.tensor(1), elem, count_bytes(count, elem), Access::Write);
  if (dst) reinterpret_cast<FillKernel>(site.kernel)(dst, args.bits(2), count);
  return OpStatus::Done;
}

// ---- choice of body by dtype ----

using Kernel = void (*)();

// Calls pick.operator()<T, U>() for the dtypes of a site that the row allows, and stores what it gives.
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

void bind(CallSite* site, OpFn check, OpFn fast, Kernel kernel) {
  site->fn[static_cast<int>(Mode::Check)] = check;
  site->fn[static_cast<int>(Mode::Fast)] = fast;
  site->kernel = kernel;
}

template <OpId Id, template <class> class Body>
void bind_unary(CallSite* site) {
  bind(site, vec_unary<Mode::Check>, vec_unary<Mode::Fast>,
       pick_types<Id>(site->vars[0], site->vars[1],
                      []<class T, class U>() { return erase(&Typed<Body, T, U>::unary); }));
}
template <OpId Id, template <class> class Body>
void bind_binary(CallSite* site) {
  bind(site, vec_binary<Mode::Check, false>, vec_binary<Mode::Fast, false>,
       pick_types<Id>(site->vars[0], site->vars[1],
                      []<class T, class U>() { return erase(&Typed<Body, T, U>::binary); }));
}
template <OpId Id, template <class> class Body>
void bind_binary_acc(CallSite* site) {
  bind(site, vec_binary<Mode::Check, true>, vec_binary<Mode::Fast, true>,
       pick_types<Id>(site->vars[0], site->vars[1],
                      []<class T, class U>() { return erase(&Typed<Body, T, U>::binary_acc); }));
}
template <OpId Id, template <class> class Body>
void bind_scalar(CallSite* site) {
  bind(site, vec_scalar<Mode::Check, false>, vec_scalar<Mode::Fast, false>,
       pick_types<Id>(site->vars[0], site->vars[1],
                      []<class T, class U>() { return erase(&Typed<Body, T, U>::scalar); }));
}
template <OpId Id, template <class> class Body>
void bind_scalar_acc(CallSite* site) {
  bind(site, vec_scalar<Mode::Check, true>, vec_scalar<Mode::Fast, true>,
       pick_types<Id>(site->vars[0], site->vars[1],
                      []<class T, class U>() { return erase(&Typed<Body, T, U>::scalar_acc); }));
}
template <OpId Id>
void bind_fill(CallSite* site) {
  bind(site, vec_fill<Mode::Check>, vec_fill<Mode::Fast>,
       pick_types<Id>(site->vars[0], site->vars[1], []<class T, class U>() { return erase(&fill<T>); }));
}

}  // namespace

// One case a row of the vector families; the rows of other families give none.
#define ASC_CASE(Name, call) \
  case OpId::Name:           \
    call(site);              \
    return true;
#define ASC_BIND_VecUnary(Name) ASC_CASE(Name, (bind_unary<OpId::Name, bodies::Name>))
#define ASC_BIND_VecBinary(Name) ASC_CASE(Name, (bind_binary<OpId::Name, bodies::Name>))
#define ASC_BIND_VecBinaryAcc(Name) ASC_CASE(Name, (bind_binary_acc<OpId::Name, bodies::Name>))
#define ASC_BIND_VecScalar(Name) ASC_CASE(Name, (bind_scalar<OpId::Name, bodies::Name>))
#define ASC_BIND_VecScalarAcc(Name) ASC_CASE(Name, (bind_scalar_acc<OpId::Name, bodies::Name>))
#define ASC_BIND_VecFill(Name) ASC_CASE(Name, (bind_fill<OpId::Name>))
#define ASC_BIND_DataCopy(Name)
#define ASC_BIND_Flag(Name)
#define ASC_BIND_CrossCore(Name)
#define ASC_BIND_Query(Name)
#define ASC_BIND_Cube(Name)

bool bind_vector(CallSite* site) {
  switch (site->op) {
#define ASC_OP(Name, py, family, dtypes, overloads, doc) ASC_BIND_##family(Name)
#include "ops/all.def"
    default: return false;
  }
}

}  // namespace asc::sim
