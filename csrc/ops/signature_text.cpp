// SPDX-License-Identifier: Apache-2.0
// Prototypes as Python shows them, and the texts of calls that fit no prototype: nearest candidates and why
// each failed.
#include <algorithm>

#include "base/format.h"
#include "ops/signature_fit.h"

namespace asc {
namespace detail {
namespace {

using Form = TypePattern::Form;
using ArgForm = CallArg::Form;

std::string element_text(const OpDesc& op, const TypePattern& type) {
  return type.var >= 0 ? std::string(1, op.vars[type.var].name) : std::string(py_name(type.dtype));
}

std::string type_text(const OpDesc& op, const TypePattern& type) {
  switch (type.form) {
    case Form::Scalar:
    case Form::Var: return element_text(op, type);
    case Form::LocalTensor: return fmt::format("LocalTensor[{}]", element_text(op, type));
    case Form::GlobalTensor: return fmt::format("GlobalTensor[{}]", element_text(op, type));
    case Form::Pointer: return fmt::format("GlobalAddress[{}]", element_text(op, type));
    case Form::DTypeOf: return "DataType";
    case Form::Enum: return std::string(enum_desc(static_cast<EnumId>(type.enum_id)).py_name);
    case Form::Struct: {
      const std::string_view name = struct_info(static_cast<StructId>(type.enum_id)).py_name;
      return type.var < 0 ? std::string(name) : fmt::format("{}[{}]", name, element_text(op, type));
    }
    case Form::Object: return std::string(kKinds[static_cast<int>(type.object)].py_name);
    case Form::Str: return "str";
    case Form::Any:
    case Form::Self: return "object";
    case Form::None: break;
  }
  return "None";
}

std::string default_text(const ParamDesc& p) {
  if (p.type.form == Form::Enum) {
    const EnumDesc& e = enum_desc(static_cast<EnumId>(p.type.enum_id));
    const EnumMember* member = e.find(static_cast<int64_t>(p.default_value));
    return fmt::format("{}.{}", e.py_name, member ? member->name : "?");
  }
  if (p.type.form == Form::Scalar && is_bool(p.type.dtype)) return p.default_value != 0 ? "True" : "False";
  if (p.type.form == Form::Scalar && is_int(p.type.dtype))
    return fmt::format("{}", static_cast<int64_t>(p.default_value));
  return fmt::format("{}", p.default_value);
}

// "float16, float32 or int16"
std::string list_text(const std::vector<DType>& dtypes, std::string_view last = " or ") {
  std::string out;
  for (size_t i = 0; i < dtypes.size(); i++) {
    if (i > 0) out += i + 1 == dtypes.size() ? last : ", ";
    out += py_name(dtypes[i]);
  }
  return out;
}

std::string combos_text(const OpDesc& op) {
  std::string out;
  for (const auto& combo : op.combos) {
    if (!out.empty()) out += "; ";
    for (size_t v = 0; v < op.vars.size(); v++)
      out += fmt::format("{}{} = {}", v == 0 ? "" : ", ", op.vars[v].name, py_name(combo[v]));
  }
  return out;
}

std::string op_text(const OpDesc& op) {
  if (op.owner == Kind::Void || op.family == Family::Construct) return fmt::format("asc.{}", op.py_name);
  return fmt::format("{}.{}", kKinds[static_cast<int>(op.owner)].py_name, op.py_name);
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

std::string nearest_name(const OverloadDesc& overload, std::string_view name) {
  const ParamDesc* best = nullptr;
  size_t best_distance = name.size() / 2 + 1;
  for (const ParamDesc& p : overload.params) {
    const size_t distance = edit_distance(p.name, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = &p;
    }
  }
  return best ? std::string(best->name) : std::string();
}

// Words for one failed attempt.
class Story {
 public:
  Story(const OpDesc& op, const OverloadDesc& overload, const Type* self, std::span<const CallArg> args,
        const Fit& fit)
      : op_(op), overload_(overload), self_(self), args_(args), fit_(fit) {}

  std::string reason() const {
    switch (fit_.why) {
      case Why::TooMany:
        return fmt::format("takes at most {} argument{}, {} given", positional_limit(),
                           positional_limit() == 1 ? "" : "s", args_.size());
      case Why::KeywordOnly:
        return fmt::format("{} is given by keyword only: {}={}", name(), name(), given());
      case Why::UnknownKeyword: return fmt::format("has no parameter '{}'", args_[fit_.arg].keyword);
      case Why::Twice: return fmt::format("{} is given twice", name());
      case Why::Missing: return fmt::format("{} ({}) is missing", name(), type_text(op_, type()));
      case Why::Kind: return fmt::format("{} is {}, not {}", name(), given(), wanted());
      case Why::NotConstant:
        return fmt::format("{} is a runtime value; it must be known at compile time", name());
      case Why::FloatToInt:
        return fmt::format("{} is {}, a float; it takes {}", name(), given(), py_name(scalar_dtype()));
      case Why::Range:
        return fmt::format("{} is {}, outside {}", name(), given(), range_text(scalar_dtype()));
      case Why::DType: return fmt::format("{} is {}; it takes {}", name(), given(), allowed());
      case Why::Conflict:
        return fmt::format("{} is {}, but {} is {}: both have one element type {}", name(), given(),
                           other_name(), other_given(), op_.vars[variable()].name) +
               choices(variable());
      case Why::Combo:
        return fmt::format("{} is {} and {} is {}; together they may be {}", other_name(), other_given(),
                           name(), given(), combos_text(op_));
      case Why::None: break;
    }
    return {};
  }

  std::string hint() const {
    if (fit_.why == Why::Missing || fit_.why == Why::Kind)
      if (std::string scalar = scalar_form_hint(); !scalar.empty()) return scalar;
    switch (fit_.why) {
      case Why::DType:
        if (given_dtype() == DType::F64)
          return fmt::format(
              "{} is float64, numpy's default; {} takes {}: pass x.astype('float32') (torch: x.float())",
              name(), op_.name, allowed(", "));
        return {};
      case Why::FloatToInt: return "write int(...), or // instead of /";
      case Why::NotConstant:
        return fmt::format("make {} a literal, a global, or a ConstExpr argument of the kernel", name());
      case Why::UnknownKeyword: {
        const std::string near = nearest_name(overload_, args_[fit_.arg].keyword);
        return near.empty() ? std::string() : fmt::format("did you mean '{}'?", near);
      }
      case Why::Kind: return kind_hint();
      case Why::Conflict:
        return "give operands of one dtype, or look at the bytes of one as the other's with reinterpret_cast";
      default: return {};
    }
  }

 private:
  const TypePattern& type() const { return overload_.params[fit_.param].type; }

  std::string param_name(int param) const {
    if (param >= 0) return std::string(overload_.params[param].name);
    return param == kSelf && self_ ? "the " + std::string(kKinds[static_cast<int>(self_->kind)].py_name)
                                   : std::string("it");
  }
  std::string name() const { return param_name(fit_.param); }
  std::string other_name() const { return param_name(fit_.other); }

  std::string given_to(int param) const {
    if (param == kSelf && self_) return to_string(*self_);
    if (param < 0 || fit_.arg_of[param] < 0) return "not given";
    const CallArg& arg = args_[fit_.arg_of[param]];
    if (!arg.shown.empty()) return arg.shown;
    return arg.form == ArgForm::DTypeConst ? std::string(py_name(arg.dtype)) : to_string(arg.type);
  }
  std::string given() const {
    return fit_.param == kNoParam || fit_.param == kSelf ? given_to(fit_.param) : arg_text();
  }
  std::string arg_text() const {
    if (fit_.arg < 0) return given_to(fit_.param);
    const CallArg& arg = args_[fit_.arg];
    return arg.shown.empty() ? to_string(arg.type) : arg.shown;
  }
  std::string other_given() const { return given_to(fit_.other); }

  DType given_dtype() const {
    if (fit_.arg < 0) return self_ ? self_->elem : DType::Void;
    const CallArg& arg = args_[fit_.arg];
    return arg.form == ArgForm::DTypeConst ? arg.dtype : arg.type.elem;
  }

  int variable() const { return fit_.param >= 0 ? type().var : 0; }

  std::string allowed(std::string_view last = " or ") const {
    if (fit_.other == kNoVar) return std::string(py_name(type().dtype));
    return list_text(op_.vars[fit_.other].dtypes, last);
  }
  std::string choices(int var) const {
    const std::vector<DType>& dtypes = op_.vars[var].dtypes;
    return dtypes.empty() ? std::string() : fmt::format(" ({})", list_text(dtypes));
  }

  DType scalar_dtype() const {
    if (type().var < 0) return type().dtype;
    return fit_.vars[type().var] == DType::Void ? DType::F32 : fit_.vars[type().var];
  }

  static std::string range_text(DType t) {
    if (is_bool(t)) return "False and True";
    if (is_unsigned_int(t)) return fmt::format("{} (0 to {})", py_name(t), unsigned_max(t));
    return fmt::format("{} ({} to {})", py_name(t), int_min(t), int_max(t));
  }

  std::string wanted() const {
    switch (type().form) {
      case Form::Scalar:
      case Form::Var:
        return is_bool(scalar_dtype()) ? std::string("a bool")
                                       : fmt::format("a number ({})", py_name(scalar_dtype()));
      case Form::Enum: return fmt::format("a member of {}", type_text(op_, type()));
      case Form::DTypeOf: return "a dtype such as asc.float16";
      default: return fmt::format("a {}", type_text(op_, type()));
    }
  }

  // A number where this op takes a tensor: the op of the same name with an s takes it.
  // What computes it of numbers, where no op does.
  static std::string_view number_form(std::string_view op) {
    if (op == "sqrt") return "of a number: x ** 0.5";
    if (op == "rsqrt") return "of a number: x ** -0.5";
    if (op == "reciprocal") return "of a number: 1.0 / x";
    if (op == "abs") return "of a number: abs(x)";
    if (op == "exp") return "of a number: 2.7182818 ** x";
    if (op == "relu") return "of a number: max(x, 0.0)";
    return {};
  }

  std::string scalar_form_hint() const {
    if (op_.owner != Kind::Void) return {};
    for (size_t i = 0; i < overload_.params.size(); i++) {
      const int at = overload_.params[i].type.form == Form::LocalTensor ? fit_.arg_of[i] : kNoArg;
      if (at < 0) continue;
      const ArgForm form = args_[at].form;
      if (form != ArgForm::IntConst && form != ArgForm::FloatConst &&
          (form != ArgForm::Runtime || !args_[at].type.is_scalar()))
        continue;
      const auto scalar = find_function(std::string(op_.py_name) + "s");
      if (!scalar) {
        const bool tensors = std::any_of(args_.begin(), args_.end(), [](const CallArg& a) {
          return a.form == ArgForm::Runtime && a.type.is_tensor();
        });
        return std::string(tensors ? std::string_view() : number_form(op_.py_name));
      }
      return fmt::format("{} is a scalar: use {}", overload_.params[i].name,
                         python_signature(op_desc(*scalar), op_desc(*scalar).overloads[0]));
    }
    return {};
  }

  std::string kind_hint() const {
    const CallArg& arg = args_[fit_.arg];
    if (arg.form != ArgForm::Runtime) return {};
    const Kind kind = arg.type.kind;
    if (kind == Kind::Pointer && type().form == Form::GlobalTensor)
      return "bind it first: t = asc.GlobalTensor(); t.set_global_buffer(address)";
    if ((kind == Kind::GlobalTensor || kind == Kind::Pointer) && type().form == Form::LocalTensor)
      return "vector and cube units reach local memory only: copy it there with asc.data_copy";
    if (kind == Kind::GlobalTensor && type().form == Form::Pointer) return "use its get_phy_addr()";
    if (kind == Kind::Scalar && type().form == Form::Pointer && size_of(arg.type.elem) == 8 &&
        is_int(arg.type.elem))
      return "say what it points to: asc.GlobalAddress(address, asc.float32)";
    return {};
  }

  int positional_limit() const {
    return static_cast<int>(std::count_if(overload_.params.begin(), overload_.params.end(),
                                          [](const ParamDesc& p) { return !p.keyword_only; }));
  }

  const OpDesc& op_;
  const OverloadDesc& overload_;
  const Type* self_;
  std::span<const CallArg> args_;
  const Fit& fit_;
};

// How far an attempt came: names, then kinds, then dtypes; then how many arguments fitted.
int closeness(const Fit& fit) {
  const int stage = fit.why <= Why::Missing ? 0 : fit.why <= Why::FloatToInt ? 1 : 2;
  return stage * 100 + fit.fitted;
}

std::string call_text(std::span<const CallArg> args) {
  std::string out = "(";
  for (const CallArg& arg : args) {
    if (out.size() > 1) out += ", ";
    if (!arg.keyword.empty()) out += fmt::format("{}=", arg.keyword);
    out += arg.shown.empty() ? to_string(arg.type) : arg.shown;
  }
  return out + ")";
}

}  // namespace

void explain(const OpDesc& op, const Type* self, std::span<const CallArg> args, Match* match) {
  struct Attempt {
    const OverloadDesc* overload;
    Fit fit;
  };
  std::vector<Attempt> attempts;
  for (const OverloadDesc& overload : op.overloads) {
    attempts.push_back({&overload, {}});
    fit(op, overload, self, args, &attempts.back().fit);
  }
  std::stable_sort(attempts.begin(), attempts.end(),
                   [](const Attempt& a, const Attempt& b) { return closeness(a.fit) > closeness(b.fit); });
  const auto story = [&](const Attempt& a) { return Story(op, *a.overload, self, args, a.fit); };
  match->error_arg = attempts[0].fit.arg;
  match->hint = story(attempts[0]).hint();
  if (attempts.size() == 1) {
    match->error = fmt::format("{}: {}\n  {}", op_text(op), story(attempts[0]).reason(),
                               python_signature(op, *attempts[0].overload));
    return;
  }
  match->error = fmt::format("{}: no form of it takes {}", op_text(op), call_text(args));
  for (size_t i = 0; i < std::min<size_t>(3, attempts.size()); i++)
    match->error += fmt::format("\n  {}\n    {}", python_signature(op, *attempts[i].overload),
                                story(attempts[i]).reason());
}

}  // namespace detail

std::string python_signature(const OpDesc& op, const OverloadDesc& overload) {
  std::string out = detail::op_text(op) + "(";
  bool first = true, keyword_only = false;
  for (const ParamDesc& p : overload.params) {
    if (!first) out += ", ";
    first = false;
    if (p.keyword_only && !keyword_only) {
      out += "*, ";
      keyword_only = true;
    }
    out += fmt::format("{}: {}", p.name, detail::type_text(op, p.type));
    if (p.has_default) out += fmt::format(" = {}", detail::default_text(p));
  }
  out += ")";
  if (overload.result.form != TypePattern::Form::None) out += " -> " + detail::type_text(op, overload.result);
  return out;
}

}  // namespace asc
