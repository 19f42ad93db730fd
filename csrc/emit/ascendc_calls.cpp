// SPDX-License-Identifier: Apache-2.0
// Calls: ops from their rows (a family is a printer form), the few exceptions, and helpers.
//   function       AscendC::Name<template args>(args)
//   method         x.Name<template args>(args)
//   construction   Type name(args)
//   operator       x + n, x[n]
#include <bit>
#include <iterator>
#include <utility>

#include "emit/printer.h"
#include "ir/visit.h"

namespace asc::emit {

using ir::as;

namespace {

constexpr OpId kExceptions[] = {OpId::LocalTensor_GetPhyAddr, OpId::Pointer_Init, OpId::REGIST_MATMUL_OBJ,
                                OpId::Matmul_Init};

struct OperatorForm {
  std::string_view py_name, text;
  int prec;
  bool reflected;
};
constexpr OperatorForm kOperators[] = {
    {"__add__", " + ", kAdditive, false},
    {"__radd__", " + ", kAdditive, true},
    {"__sub__", " - ", kAdditive, false},
    {"__rsub__", " - ", kAdditive, true},
    {"__mul__", " * ", kMultiplicative, false},
    {"__rmul__", " * ", kMultiplicative, true},
    {"__truediv__", " / ", kMultiplicative, false},
    {"__and__", " & ", kBitAnd, false},
    {"__or__", " | ", kBitOr, false},
    {"__lt__", " < ", kRelational, false},
    {"__le__", " <= ", kRelational, false},
    {"__gt__", " > ", kRelational, false},
    {"__ge__", " >= ", kRelational, false},
    {"__eq__", " == ", kEquality, false},
    {"__ne__", " != ", kEquality, false},
};

const OperatorForm* find_operator(std::string_view py_name) {
  for (const OperatorForm& form : kOperators)
    if (form.py_name == py_name) return &form;
  return nullptr;
}

// A template argument that was left out, or says what the row's default says.
bool is_default(const ParamDesc& param, const ir::Expr* arg) {
  if (!param.has_default || !param.cpp_default) return false;
  if (!arg) return true;
  const auto* c = as<ir::Const>(arg);
  return c && c->as_double() == param.default_value;
}

}  // namespace

std::span<const OpId> emit_exceptions() { return kExceptions; }

// ---- arguments
// ---------------------------------------------------------------------------------------------------

void Printer::default_value(const ParamDesc& param) {
  using Form = TypePattern::Form;
  if (param.type.form == Form::Enum)
    return enum_value(param.type.enum_id, static_cast<int64_t>(param.default_value));
  const DType type = param.type.form == Form::Scalar ? param.type.dtype : DType::I32;
  const auto bits = is_float(type) ? std::bit_cast<int64_t>(param.default_value)
                                   : static_cast<int64_t>(param.default_value);
  literal(Type::scalar(type), bits, kAny);
}

void Printer::argument(const ir::OpCall& e, int index) {
  using Form = TypePattern::Form;
  const ParamDesc& param = e.proto().params[static_cast<size_t>(index)];
  const ir::Expr* arg = e.args[static_cast<size_t>(index)];
  if (param.type.form == Form::DTypeOf) return put(cpp_name(e.vars[param.type.var]));
  if (!arg) return default_value(param);
  if (param.is_template) {
    const bool same = !is_int(param.type.dtype) || natural(arg) != DType::Void;
    return same ? expr(arg, kAdditive) : exact(arg, kAdditive);  // `>` and `>>` would end the list
  }
  // T is deduced from every operand that has it: a number must be of exactly that type. The methods of a
  // tensor know T.
  if (param.type.form == Form::Var && !e.self) return exact(arg);
  if (arg->type.is_scalar())
    return converted(arg, param.type.form == Form::Scalar ? param.type.dtype : arg->type.elem);
  expr(arg);
}

// The template arguments that C++ cannot find by itself: all up to the last that says something new.
void Printer::template_arguments(const ir::OpCall& e) {
  const OverloadDesc& proto = e.proto();
  size_t count = proto.template_count;
  while (count > 0 &&
         is_default(proto.params[proto.cpp_order[count - 1]], e.args[proto.cpp_order[count - 1]]))
    count--;
  if (count == 0) return;
  put('<');
  for (size_t i = 0; i < proto.leading_vars; i++) {
    if (i > 0) put(", ");
    put(cpp_name(e.vars[i]));
  }
  for (size_t i = 0; i < count; i++) {
    if (i > 0 || proto.leading_vars > 0) put(", ");
    argument(e, proto.cpp_order[i]);
  }
  put('>');
}

// Runtime arguments; those at the end that Python left out are left out in C++ too, if it has the same
// defaults.
void Printer::arguments(const ir::OpCall& e) {
  const OverloadDesc& proto = e.proto();
  size_t end = proto.cpp_order.size();
  const auto skipped = [&](size_t i) {
    const ParamDesc& param = proto.params[proto.cpp_order[i]];
    return param.dir == Dir::PythonOnly || (!e.args[proto.cpp_order[i]] && param.cpp_default);
  };
  while (end > proto.template_count && skipped(end - 1)) end--;
  bool first = true;
  for (size_t i = proto.template_count; i < end; i++) {
    if (proto.params[proto.cpp_order[i]].dir == Dir::PythonOnly) continue;
    if (!first) put(", ");
    first = false;
    argument(e, proto.cpp_order[i]);
  }
}

// An object built from defaults alone is declared without parentheses.
bool Printer::has_constructor_arguments(const ir::OpCall& e) const {
  const OverloadDesc& proto = e.proto();
  for (size_t i = 0; i < proto.params.size(); i++)
    if (!proto.params[i].is_template && e.args[i]) return true;
  return false;
}

// ---- ops
// ---------------------------------------------------------------------------------------------------------

void Printer::constructed_type(const ir::OpCall& e, const Type& type) {
  const OverloadDesc& proto = e.proto();
  const bool spelt = proto.template_count > 0 && (type.kind == Kind::TQue || type.kind == Kind::TBuf);
  if (!spelt) return type_name(type);
  put(kKinds[static_cast<int>(type.kind)].cpp_class);
  template_arguments(e);
}

void Printer::receiver(const ir::OpCall& e) {
  const bool sized = std::exchange(sizes_matter_, false) || e.op == OpId::LocalTensor_GetLength ||
                     e.op == OpId::LocalTensor_GetSize || e.op == OpId::GlobalTensor_GetSize;
  sized ? tensor(e.self, kPostfix) : expr(e.self, kPostfix);
}

void Printer::op_call(const ir::OpCall& e, int min) {
  if (emit_exception(e, min)) return;
  const OpDesc& desc = e.desc();
  if (desc.family == Family::Construct) {
    constructed_type(e, e.type);
    put('(');
    if (has_constructor_arguments(e)) arguments(e);
    return put(')');
  }
  if (desc.family == Family::Operator || desc.py_name == "__getitem__") return operator_call(e, min);
  if (e.self) {
    receiver(e);
    put('.');
  } else {
    put("AscendC::");
  }
  put(desc.name);
  template_arguments(e);
  put('(');
  arguments(e);
  put(')');
}

void Printer::operator_call(const ir::OpCall& e, int min) {
  const OpDesc& desc = e.desc();
  if (desc.py_name == "__getitem__") {
    // A slice's length has no place in Ascend C: the view starts at its first element.
    receiver(e);
    put('[');
    argument(e, 0);
    return put(']');
  }
  if (desc.py_name == "__neg__" || desc.py_name == "__invert__") {
    const bool parens = open(kUnary, min);
    put(desc.py_name == "__neg__" ? '-' : '~');
    expr(e.self, kUnary);
    return close(parens);
  }
  const OperatorForm* form = find_operator(desc.py_name);
  if (!form) ASC_BUG("no C++ operator for a row of the family Operator");
  const bool parens = open(form->prec, min);
  const ir::Expr* left = form->reflected ? e.args[0] : e.self;
  const ir::Expr* right = form->reflected ? e.self : e.args[0];
  // Any integer may be added to an address, whatever its width.
  const auto side = [&](const ir::Expr* x, int at_least) {
    const auto* c = as<ir::Cast>(x);
    const bool widens = c && x->type.is_scalar() && c->operand->type.is_scalar() &&
                        x->type.elem == DType::I64 && is_int(c->operand->type.elem) &&
                        c->operand->type.elem != DType::U64;
    expr(widens ? c->operand : x, at_least);
  };
  side(left, form->prec);
  put(form->text);
  side(right, form->prec + 1);
  close(parens);
}

// ---- helpers of the module
// -----------------------------------------------------------------------------------------

void Printer::call(const ir::Function& callee, std::span<ir::Expr* const> args,
                   std::span<const std::string_view> results) {
  put(function_names_[callee.id]);
  put('(');
  bool first = true;
  for (size_t i = 0; i < args.size(); i++) {
    if (!first) put(", ");
    first = false;
    const Type& type = callee.params[i]->type;
    if (type.is_scalar()) {
      converted(args[i], type.elem);
    } else {
      tensor(args[i]);
    }
  }
  for (const std::string_view result : results) {
    if (!first) put(", ");
    first = false;
    put(result);
  }
  put(')');
}

// The block's own stretch of the workspace, which all its cores share, and the area in it.
void Printer::workspace(const ir::Workspace& e, int min) {
  if (e.offset == 0 && e.stride == 0) return expr(e.base, min);
  const bool parens = open(kAdditive, min);
  expr(e.base, kAdditive);
  if (e.offset != 0) {
    put(" + ");
    number(e.offset);
  }
  if (e.stride != 0) {
    put(" + AscendC::GetBlockIdx()");
    if (module_.kernel_type == ir::KernelType::MIX_AIC_1_2) put(" / AscendC::GetSubBlockNum()");
    put(" * ");
    number(e.stride);
  }
  close(parens);
}

// ---- exceptions
// --------------------------------------------------------------------------------------------------

bool Printer::emit_exception(const ir::OpCall& e, int min) {
  switch (e.op) {
    case OpId::LocalTensor_GetPhyAddr: emit_LocalTensor_GetPhyAddr(e, min); return true;
    case OpId::Pointer_Init: emit_Pointer_Init(e); return true;
    case OpId::REGIST_MATMUL_OBJ: emit_REGIST_MATMUL_OBJ(e); return true;
    case OpId::Matmul_Init: emit_Matmul_Init(e); return true;
    default: return false;
  }
}

bool Printer::asks_for_sizes(Kind kind) {
  if (asks_for_sizes_ < 0) {
    asks_for_sizes_ = 0;
    const auto look = [this](const ir::Expr* e) {
      const auto* call = as<ir::OpCall>(e);
      if (!call) return;
      if (call->op == OpId::LocalTensor_GetSize || call->op == OpId::LocalTensor_GetLength)
        asks_for_sizes_ |= 1;
      if (call->op == OpId::GlobalTensor_GetSize) asks_for_sizes_ |= 2;
    };
    for (const auto& f : module_.functions)
      ir::walk(static_cast<const ir::Block*>(f->body), [&](const ir::Stmt* s) {
        ir::for_each_expr(s, [&](const ir::Expr* e) { ir::walk_expr(e, look); });
      });
  }
  return (asks_for_sizes_ & (kind == Kind::LocalTensor ? 1 : 2)) != 0;
}

// A view of Ascend C reaches to the end of what it is a view of, and a GlobalTensor's keeps even its size.
// What Python says of its length is said only where the program asks for sizes.
bool Printer::sized_slice(const ir::OpCall& view) {
  const bool local = view.op == OpId::LocalTensor_Subindex;
  if (!local && view.op != OpId::GlobalTensor_Subindex) return false;
  return (!local || view.args.size() > 1) && asks_for_sizes(local ? Kind::LocalTensor : Kind::GlobalTensor);
}

void Printer::tensor(const ir::Expr* e, int min) {
  const auto* view = as<ir::OpCall>(e);
  if (!view || !e->type.is_tensor() || view->desc().family != Family::View) return expr(e, min);
  if (!sized_slice(*view)) {
    sizes_matter_ = true;
    return op_call(*view, min);
  }
  const Helper helper = e->type.kind == Kind::LocalTensor ? Helper::SliceLocal : Helper::SliceGlobal;
  helpers_[static_cast<size_t>(helper)] = true;
  put(helper_name(helper));
  put('(');
  tensor(view->self);
  for (size_t i = 0; i < view->args.size(); i++) {
    put(", ");
    argument(*view, static_cast<int>(i));
  }
  put(')');
}

// A number that is an address again.
void Printer::emit_Pointer_Init(const ir::OpCall& e) {
  put("reinterpret_cast<");
  type_name(e.type);
  put(">(");
  argument(e, 0);
  put(')');
}

// A macro: pipe and tiling by address. The workspace is the user's: what the launch would give for a kernel
// of the framework, GetSysWorkSpacePtr(), it takes from an argument here.
void Printer::emit_REGIST_MATMUL_OBJ(const ir::OpCall& e) {
  put("REGIST_MATMUL_OBJ(&");
  expr(e.args[0], kUnary);
  put(", ");
  const bool bytes = e.args[1]->type == Type::pointer(DType::U8);
  if (!bytes) put("reinterpret_cast<__gm__ uint8_t*>(");
  expr(e.args[1]);
  if (!bytes) put(')');
  put(", ");
  expr(e.args[2]);
  if (e.args.size() > 3) {
    put(", &");
    expr(e.args[3], kUnary);
  }
  put(')');
}

void Printer::emit_Matmul_Init(const ir::OpCall& e) {
  expr(e.self, kPostfix);
  put(".Init(&");
  expr(e.args[0], kUnary);
  put(')');
}

// A number on the device, a pointer in the headers' CPU mode: this cast takes both.
void Printer::emit_LocalTensor_GetPhyAddr(const ir::OpCall& e, int) {
  put("reinterpret_cast<uint64_t>(");
  expr(e.self, kPostfix);
  put(".GetPhyAddr(");
  if (e.args[0]) argument(e, 0);
  put("))");
}

}  // namespace asc::emit
