// SPDX-License-Identifier: Apache-2.0
// The op table: one row an op, read by overload choice, verifier, printer, simulator, checks, stubs, docs and
// tests.
//
// A row (rows live in ops/{core,basic,fwk,adv}/*.def, listed by ops/all.def):
//   ASC_OP(Add, add, VecBinary, "T: half float i16 i32",
//          "(out dst:LT<T>@UB, src0:LT<T>@UB, src1:LT<T>@UB, count:i32, py is_set_mask:bool=true) -> V",
//          "dst[i] = src0[i] + src1[i]")
//   ASC_METHOD(GlobalTensor, SetGlobalBuffer, set_global_buffer, Handle, "T: any",
//          "(inout self, buffer:ptr<T>, buffer_size:u64=0) -> S", "binds the tensor to global memory")
// Columns: Ascend C name, Python name below `asc` (adv.register_matmul), family, dtypes of each type
// variable, overloads, one-line doc. Adjacent string literals in the overload column are further overloads,
// most usual first. A row that cannot be read is a compile error at its line (op_table.cpp).
//   dtypes    := "" | group (';' group)*
//   group     := var ':' ( 'any' | dtype+ )                      independent variables: "T: half float; U:
//   any"
//              | var var+ ':' dtype+ (',' dtype+)*               tied ones: "T U: half half, float half", one
//              dtype a variable
//
// Overload grammar
//   proto  := [ '<' targ (',' targ)* '>' ] '(' [ param (',' param)* ] ')' [ ':' type ] '->' pipe [ '!' core ]
//   [ 'waits' ] targ   := var | name ':' type [ default ]      a C++ template argument; `name:dtype<T>` is a
//   dtype argument binding T. Bare
//             variables (first) are deduced in C++: printed only when a later template argument is
//   param  := [ 'in' | 'out' | 'inout' | 'py' | 'kw' ] name ':' type [ '@' space ('|' space)* ] [ default ]
//             `self` alone stands for the receiver of a method; `py` parameters exist in Python only
//             (accepted, not printed); `kw` parameters are passed by keyword only. Of tensors, directions
//             speak of the bytes; of objects and of handles (families Handle, Pipe, Queue, Buffer) of the
//             object: `inout` is a non-const reference in C++
//   default:= '=' value      Ascend C has the same default (or a shorter form): what Python leaves out is not
//   printed
//           | ':=' value     Ascend C has none: always printed
//   type   := i8..u64 half bf16 float bool | T (a type variable: a scalar of that type) | LT<elem> | GT<elem>
//   | ptr<elem>
//             | dtype<T> | EnumName | StructName | Kind name (TPipe, TQue, TBuf) | str | any      elem := T |
//             dtype
//   pipe   := S V M MTE1 MTE2 MTE3 FIX | none (a query: no pipe) | addr (the pipe follows the operands'
//   memories) core   := AIV | AIC | ANY (default ANY); `waits`: evaluating it may block the core
// Order of parameters in Python: runtime required, template required, runtime optional, template optional,
// keyword only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/type.h"

namespace asc {

enum class OpId : uint16_t {
#define ASC_OP(Name, py, family, dtypes, overloads, doc) Name,
#define ASC_METHOD(Owner, Name, py, family, dtypes, overloads, doc) Owner##_##Name,
#include "ops/all.def"
  kCount,
};
inline constexpr int kOpCount = static_cast<int>(OpId::kCount);

// How an op is printed, run and checked. One name here is one printer form and one simulator template.
// clang-format off
#define ASC_FOR_EACH_FAMILY(X)                                                                      \
  X(VecUnary)                                                                                       \
  X(VecBinary)                                                                                      \
  X(VecBinaryAcc) X(VecScalar) X(VecScalarAcc) X(VecFill) X(DataCopy) X(Flag) X(CrossCore) X(Query) \
      X(Handle) X(View) X(Access) X(Construct) X(Pipe) X(Queue) X(Buffer) X(Cube) X(Matmul) \
      X(Operator)
// clang-format on

enum class Family : uint8_t {
#define ASC_X(Name) Name,
  ASC_FOR_EACH_FAMILY(ASC_X)
#undef ASC_X
};

enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, All, None, ByAddress };
inline constexpr int kPipeCount = 7;  // S .. FIX
std::string_view to_string(Pipe pipe);

enum class Space : uint8_t { GM, UB, L1, L0A, L0B, L0C, BT, FB };
inline constexpr int kSpaceCount = 8;
std::string_view to_string(Space space);
// The memory a logical position lives in (semantics: table 1 of the general constraints page).
Space space_of_position(int tposition);

enum class CoreSet : uint8_t { Any = 3, AIV = 1, AIC = 2 };  // bits
enum class Dir : uint8_t { In, Out, InOut, PythonOnly };

// What evaluating an op may do; ordered, so that the effect of an expression is the maximum over its parts.
enum class Effect : uint8_t { Pure, Read, Write, Block };

struct TypePattern {
  enum class Form : uint8_t {
    Scalar,
    Var,
    LocalTensor,
    GlobalTensor,
    Pointer,
    DTypeOf,
    Enum,
    Struct,
    Object,
    Str,
    Any,
    Self,
    None
  };
  Form form = Form::None;
  DType dtype = DType::Void;  // Scalar, or a fixed element type
  int8_t var = -1;            // type variable index, or -1
  uint16_t enum_id = 0;       // Enum: EnumId; Struct: StructId
  Kind object = Kind::Void;   // Object
};

struct ParamDesc {
  std::string_view name;
  Dir dir = Dir::In;
  bool is_template = false;
  bool has_default = false;
  bool cpp_default =
      false;  // Ascend C has the same default: a trailing argument that is left out is not printed
  bool keyword_only = false;
  uint8_t spaces = 0;  // bit set of Space; 0: no memory operand, or any
  TypePattern type;
  double default_value = 0;  // ints, bools and enum values are exact in a double
};

struct OverloadDesc {
  std::vector<ParamDesc> params;  // Python order, without self
  std::vector<uint8_t>
      cpp_order;  // indices into params: template arguments first, then runtime ones, as C++ has them
  uint8_t template_count = 0;  // how many of cpp_order are template arguments
  uint8_t leading_vars =
      0;  // the first so many type variables stand before them in C++ (deduced unless one is printed)
  bool has_self = false;
  Dir self_dir = Dir::In;
  TypePattern result;  // Form::None: no result
  Pipe pipe = Pipe::S;
  CoreSet core = CoreSet::Any;
  bool waits = false;  // may block the core
  std::string_view text;
};

inline constexpr int kMaxTypeVars = 4;

struct TypeVar {
  char name = 'T';
  std::vector<DType> dtypes;  // in the row's order; empty: any
  bool allows(DType t) const;
};

struct OpDesc {
  OpId id;
  std::string_view name;     // Ascend C: "Add", "SetGlobalBuffer"
  std::string_view py_name;  // "add", "set_global_buffer"
  Kind owner = Kind::Void;   // of a method, else Void
  Family family;
  Effect effect;  // derived from family, directions and `waits`
  std::vector<TypeVar> vars;
  // Of tied variables: what they may be together; empty: independent.
  std::vector<std::array<DType, kMaxTypeVars>> combos;
  std::vector<OverloadDesc> overloads;
  std::string_view doc;
  std::string ir_name;  // "asc_Add", "asc_GlobalTensor_SetGlobalBuffer"
};

const OpDesc& op_desc(OpId id);
std::span<const OpDesc> op_table();  // in OpId order; parsed once, at first use
// A function or a constructor ("add", "LocalTensor", "MmadParams") by its name below `asc`.
std::optional<OpId> find_function(std::string_view py_name);
// A method or operator of a kind: operators are methods with Python's names ("__add__", "__getitem__").
std::optional<OpId> find_method(Kind owner, std::string_view py_name);
std::optional<OpId> find_op_by_ir_name(std::string_view ir_name);
// Family and C++ name without the parsed table, for code that must be constexpr (dispatch tables).
constexpr Family family_of(OpId id);
// Does type variable `var` (0 = first) of the op allow this dtype? constexpr, from the row's text.
constexpr bool op_allows(OpId id, int var, DType t);
// Do the op's first two type variables allow these dtypes together?
constexpr bool op_allows_pair(OpId id, DType t, DType u);

// ---- enums
enum class EnumId : uint16_t {
#define ASC_ENUM(Name, cpp) Name,
#include "ops/enums.def"
  kCount,
};
struct EnumMember {
  std::string_view name;
  int32_t value;
};
struct EnumDesc {
  std::string_view py_name, cpp_type;  // cpp_type "": members print without a qualifier
  std::span<const EnumMember> members;
  const EnumMember* find(std::string_view name) const;
  const EnumMember* find(int64_t value) const;
};
const EnumDesc& enum_desc(EnumId id);
std::span<const EnumDesc> enum_table();
std::optional<EnumId> find_enum(std::string_view py_name);
// Values used by the core, checked against enums.def by static_assert in op_table.cpp.
namespace tposition {
inline constexpr int GM = 0, A1 = 1, A2 = 2, B1 = 3, B2 = 4, C1 = 5, C2 = 6, CO1 = 7, CO2 = 8, VECIN = 9,
                     VECOUT = 10, VECCALC = 11;
}

// The pipes of a HardEvent: first sets, second waits ("MTE2_V": {MTE2, V}).
std::pair<Pipe, Pipe> pipes_of_event(int hard_event);
Pipe pipe_of_id(int pipe_id);  // a PipeID member's pipe

// ---- parameter structs
enum class StructId : uint16_t {
#define ASC_STRUCT(Name, cpp) Name,
#include "ops/structs.def"
  kCount,
};
inline constexpr int kStructCount = static_cast<int>(StructId::kCount);

struct StructFieldInfo {
  std::string_view py_name, cpp_name;
  DType dtype;
  int64_t default_value;
};
struct StructInfo {
  std::string_view py_name, cpp_type;
  std::span<const StructFieldInfo> fields;  // the parameters of its constructor's row, in order
};
const StructInfo& struct_info(StructId id);
std::span<const StructInfo> struct_table();
std::optional<StructId> find_struct(std::string_view py_name);

}  // namespace asc

#include "ops/op_rows.h"
