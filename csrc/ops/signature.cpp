// SPDX-License-Identifier: Apache-2.0
// Fits the arguments of a call to the prototypes of an op. The texts of what does not fit are in
// signature_text.cpp.
#include "ops/signature.h"

#include <algorithm>

#include "ops/signature_fit.h"

namespace asc {
namespace detail {
namespace {

using Form = TypePattern::Form;
using ArgForm = CallArg::Form;

bool is_number(ArgForm form) {
  return form == ArgForm::IntConst || form == ArgForm::FloatConst || form == ArgForm::BoolConst;
}

// Does an integer constant lie in the range of a type?
bool in_range(const CallArg& arg, DType t) {
  if (is_float(t)) return true;
  if (arg.is_u64) return t == DType::U64;
  if (is_unsigned_int(t))
    return arg.int_value >= 0 && static_cast<uint64_t>(arg.int_value) <= unsigned_max(t);
  return arg.int_value >= int_min(t) && arg.int_value <= int_max(t);
}

class Fitter {
 public:
  Fitter(const OpDesc& op, const OverloadDesc& overload, const Type* self, std::span<const CallArg> args,
         Fit* out)
      : op_(op), overload_(overload), self_(self), args_(args), out_(*out) {}

  bool run() {
    if (!assign() || !bind_self()) return false;
    const std::vector<ParamDesc>& params = overload_.params;
    // Tensors, pointers and dtypes bind the type variables before scalars of such a type are looked at.
    for (int pass = 0; pass < 2; pass++)
      for (size_t p = 0; p < params.size(); p++) {
        if (out_.arg_of[p] < 0 || binds(params[p].type) != (pass == 0)) continue;
        if (!check(static_cast<int>(p), args_[out_.arg_of[p]])) return false;
        out_.fitted++;
      }
    return check_combos();
  }

 private:
  static bool binds(const TypePattern& type) {
    return type.form == Form::LocalTensor || type.form == Form::GlobalTensor || type.form == Form::Pointer ||
           type.form == Form::DTypeOf || (type.form == Form::Struct && type.var >= 0);
  }

  bool fail(Why why, int param, int arg, int other = kNoParam) {
    out_.why = why;
    out_.param = param;
    out_.arg = arg;
    out_.other = other;
    return false;
  }

  int find_param(std::string_view name) const {
    for (size_t p = 0; p < overload_.params.size(); p++)
      if (overload_.params[p].name == name) return static_cast<int>(p);
    return kNoParam;
  }

  bool assign() {
    const std::vector<ParamDesc>& params = overload_.params;
    std::fill_n(out_.arg_of, params.size(), int16_t{-1});
    for (size_t a = 0; a < args_.size(); a++) {
      int p = static_cast<int>(a);
      if (args_[a].keyword.empty()) {
        if (a >= params.size()) return fail(Why::TooMany, kNoParam, static_cast<int>(a));
        if (params[a].keyword_only) return fail(Why::KeywordOnly, p, static_cast<int>(a));
      } else {
        p = find_param(args_[a].keyword);
        if (p == kNoParam) return fail(Why::UnknownKeyword, kNoParam, static_cast<int>(a));
        if (out_.arg_of[p] >= 0) return fail(Why::Twice, p, static_cast<int>(a));
      }
      // None for an optional parameter is the same as leaving it out.
      if (args_[a].form != ArgForm::NoneConst || !params[p].has_default)
        out_.arg_of[p] = static_cast<int16_t>(a);
    }
    for (size_t p = 0; p < params.size(); p++)
      if (out_.arg_of[p] < 0 && !params[p].has_default)
        return fail(Why::Missing, static_cast<int>(p), kNoArg);
    return true;
  }

  // A method's receiver gives the first type variable its dtype (unless it has none yet).
  bool bind_self() {
    if (!self_ || op_.vars.empty() || self_->elem == DType::Void) return true;
    return bind(0, self_->elem, kSelf, kNoArg);
  }

  bool bind(int var, DType t, int param, int arg) {
    DType& bound = out_.vars[var];
    if (bound == DType::Void) {
      if (!op_.vars[var].allows(t)) return fail(Why::DType, param, arg, var);
      bound = t;
      out_.bound_by[var] = static_cast<int16_t>(param);
      return true;
    }
    return bound == t || fail(Why::Conflict, param, arg, out_.bound_by[var]);
  }

  bool check_element(int param, const CallArg& arg, DType elem) {
    const TypePattern& type = overload_.params[param].type;
    const int index = out_.arg_of[param];
    (void)arg;
    if (elem == DType::Void) return true;  // a tensor without a dtype yet: whoever uses it first will say so
    if (type.var >= 0) return bind(type.var, elem, param, index);
    return type.dtype == elem || fail(Why::DType, param, index, kNoVar);
  }

  bool check_scalar(int param, const CallArg& arg, DType t) {
    const int index = out_.arg_of[param];
    const bool is_template = overload_.params[param].is_template;
    if (arg.form == ArgForm::Runtime) {
      // An address is a 64-bit number, but where an operator counts elements.
      const bool address = arg.type.kind == Kind::Pointer && (t == DType::I64 || t == DType::U64) &&
                           op_.family != Family::Operator;
      if (!arg.type.is_scalar() && !address) return fail(Why::Kind, param, index);
      if (is_template) return fail(Why::NotConstant, param, index);
      return address || !is_float(arg.type.elem) || is_float(t) || fail(Why::FloatToInt, param, index);
    }
    if (!is_number(arg.form)) return fail(Why::Kind, param, index);
    if (arg.form == ArgForm::FloatConst) return is_float(t) || fail(Why::FloatToInt, param, index);
    return in_range(arg, t) || fail(Why::Range, param, index);
  }

  bool check(int param, const CallArg& arg) {
    const TypePattern& type = overload_.params[param].type;
    const int index = out_.arg_of[param];
    const bool runtime = arg.form == ArgForm::Runtime;
    const auto kind_is = [&](Kind kind) { return runtime && arg.type.kind == kind; };
    switch (type.form) {
      case Form::LocalTensor:
        return kind_is(Kind::LocalTensor) ? check_element(param, arg, arg.type.elem)
                                          : fail(Why::Kind, param, index);
      case Form::GlobalTensor:
        return kind_is(Kind::GlobalTensor) ? check_element(param, arg, arg.type.elem)
                                           : fail(Why::Kind, param, index);
      case Form::Pointer:
        // A 64-bit number is an address of elements whose type is known.
        if (kind_is(Kind::Scalar) && op_.family != Family::Operator && type.var >= 0 &&
            out_.vars[type.var] != DType::Void &&
            (arg.type.elem == DType::I64 || arg.type.elem == DType::U64))
          return true;
        return kind_is(Kind::Pointer) ? check_element(param, arg, arg.type.elem)
                                      : fail(Why::Kind, param, index);
      case Form::DTypeOf:
        return arg.form == ArgForm::DTypeConst ? check_element(param, arg, arg.dtype)
                                               : fail(Why::Kind, param, index);
      case Form::Scalar: return check_scalar(param, arg, type.dtype);
      case Form::Var: return check_scalar(param, arg, scalar_dtype(type, arg));
      case Form::Enum:
        if (arg.type.kind != Kind::Enum || arg.type.id != type.enum_id ||
            (!runtime && arg.form != ArgForm::EnumConst))
          return fail(Why::Kind, param, index);
        return !runtime || !overload_.params[param].is_template || fail(Why::NotConstant, param, index);
      case Form::Struct:
        if (!kind_is(Kind::Struct) || arg.type.id != type.enum_id) return fail(Why::Kind, param, index);
        return type.var < 0 || check_element(param, arg, arg.type.elem);
      case Form::Object: return kind_is(type.object) || fail(Why::Kind, param, index);
      case Form::Str: return arg.form == ArgForm::StrConst || fail(Why::Kind, param, index);
      case Form::Any: return true;
      case Form::Self:
      case Form::None: break;
    }
    return fail(Why::Kind, param, index);
  }

  // The dtype of a scalar of a type variable; a variable that nothing else binds takes the argument's own.
  DType scalar_dtype(const TypePattern& type, const CallArg& arg) {
    DType& bound = out_.vars[type.var];
    if (bound == DType::Void && (arg.form == ArgForm::Runtime || is_number(arg.form)) &&
        arg.type.is_scalar() && op_.vars[type.var].allows(arg.type.elem))
      bound = arg.type.elem;
    return bound == DType::Void ? DType::F32 : bound;
  }

  bool check_combos() {
    if (op_.combos.empty()) return true;
    for (const auto& combo : op_.combos) {
      bool same = true;
      for (size_t v = 0; v < op_.vars.size(); v++)
        same = same && (out_.vars[v] == DType::Void || combo[v] == out_.vars[v]);
      if (same) return true;
    }
    const int param = out_.bound_by[op_.vars.size() - 1];
    return fail(Why::Combo, param, param >= 0 ? out_.arg_of[param] : kNoArg, out_.bound_by[0]);
  }

  const OpDesc& op_;
  const OverloadDesc& overload_;
  const Type* self_;
  std::span<const CallArg> args_;
  Fit& out_;
};

}  // namespace

bool fit(const OpDesc& op, const OverloadDesc& overload, const Type* self, std::span<const CallArg> args,
         Fit* out) {
  return Fitter(op, overload, self, args, out).run();
}

}  // namespace detail

Match match_call(const OpDesc& op, const Type* self, std::span<const CallArg> args) {
  Match match;
  for (size_t i = 0; i < op.overloads.size(); i++) {
    detail::Fit fit;
    if (!detail::fit(op, op.overloads[i], self, args, &fit)) continue;
    match.overload = static_cast<int>(i);
    match.args.assign(fit.arg_of, fit.arg_of + op.overloads[i].params.size());
    std::copy_n(fit.vars, kMaxTypeVars, match.vars);
    return match;
  }
  detail::explain(op, self, args, &match);
  return match;
}

Type resolve(const TypePattern& pattern, const DType (&vars)[4], const Type* self) {
  using Form = TypePattern::Form;
  const DType elem = pattern.var >= 0 ? vars[pattern.var] : pattern.dtype;
  switch (pattern.form) {
    case Form::Scalar:
    case Form::Var: return Type::scalar(elem);
    case Form::LocalTensor: return Type::local_tensor(elem);
    case Form::GlobalTensor: return Type::global_tensor(elem);
    case Form::Pointer: return Type::pointer(elem);
    case Form::Enum: return Type::of_enum(pattern.enum_id);
    case Form::Struct: return Type::of_struct(pattern.enum_id, elem);
    case Form::Object: return Type::object(pattern.object);
    case Form::Self: return self ? *self : Type{};
    case Form::DTypeOf:
    case Form::Str:
    case Form::Any:
    case Form::None: break;
  }
  return Type{};
}

}  // namespace asc
