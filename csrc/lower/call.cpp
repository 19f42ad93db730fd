// SPDX-License-Identifier: Apache-2.0
// Calls: arguments in Python's order, what is called, and device functions with their specialisations.
#include <algorithm>

#include "base/format.h"
#include "base/stack.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;
using ast::NodeKind;

void Frame::arguments(const ast::Call* e, std::vector<Argument>* out) {
  out->reserve(out->size() + e->args.size() + e->keywords.size());
  std::vector<Pending> pending;
  pending.reserve(e->args.size() + e->keywords.size());
  for (const Node* a : e->args) {
    if (a->kind == NodeKind::Starred)
      fail(a, "starred arguments are not supported in a kernel", "write the arguments out");
    out->push_back({expression(a), a, nullptr});
    pending.push_back(pend(&out->back().value));
  }
  for (const ast::Keyword* k : e->keywords) {
    if (!k->name) fail(k, "**arguments are not supported in a kernel", "write the arguments out");
    out->push_back({expression(k->value), k->value, k->name});
    pending.push_back(pend(&out->back().value));
  }
  settle(pending, e);
}

Value Frame::call(const ast::Call* e) {
  const Node* hint = hint_call_;
  hint_call_ = nullptr;
  Value callee;
  std::vector<Argument> args;
  if (const auto* a = ast::dyn<ast::Attribute>(e->func)) {
    Value receiver = expression(a->value);
    const bool container =
        receiver.is_seq() || receiver.kind == ValueKind::Map || is_scalar(receiver) ||
        (receiver.is_static() && (PyList_Check(receiver.object) || PyDict_Check(receiver.object) ||
                                  PySet_Check(receiver.object) || number(receiver)));
    if (container) {
      Pending pending[1] = {pend(&receiver)};
      arguments(e, &args);
      settle(pending, e);
      Value result;
      if (call_member(receiver, a, args, e, &result)) return result;
      return call_value(attribute(receiver, a->attr, a), args, e);
    }
    if (receiver.is_expr() && is_user_struct(receiver.expr->type) && a->attr->utf8 == "create_local" &&
        e->args.empty() && e->keywords.empty()) {
      hint_call_ = hint == e ? hint : nullptr;
      const Value copy = copy_of_struct(receiver.expr, e);
      hint_call_ = nullptr;
      return copy;
    }
    callee = attribute(receiver, a->attr, a);
  } else {
    callee = expression(e->func);
  }
  if (callee.is_static() && as_builtin(callee.object) == BuiltinId::Print) return print(e);
  if (callee.kind == ValueKind::Method) {
    Value receiver = Value::of(callee.expr);
    if (e->func->kind == NodeKind::Name)
      receiver = again(receiver, e->func);  // called by a name, perhaps again
    Pending pending[1] = {pend(&receiver)};
    arguments(e, &args);
    settle(pending, e);
    callee.expr = receiver.expr;
  } else {
    arguments(e, &args);
  }
  hint_call_ = hint == e ? hint : nullptr;
  const Value result = call_value(callee, args, e);
  hint_call_ = nullptr;
  return result;
}

Value Frame::call_value(const Value& callee, std::vector<Argument>& args, const ast::Call* e) {
  if (callee.kind == ValueKind::Method) return call_op(callee.op, callee.expr, args, e);
  if (!callee.is_static()) fail(e->func, fmt::format("TypeError: {} is not callable", shown(callee)));
  PyObject* object = callee.object;
  if (const KernelFunction* function = as_jit(object))
    return call_jit(function, reinterpret_cast<JitObject*>(object)->bound_self, args, e);
  if (const auto op = as_op(object)) {
    if (op_desc(*op).owner == Kind::Void || op_desc(*op).family == Family::Construct)
      return call_op(*op, nullptr, args, e);
  }
  if (const auto kind = as_kind(object)) return call_kind(*kind, args, e);
  if (is_struct_class(object)) return construct_struct(object, args, e);
  if (const auto builtin = as_builtin(object)) return call_builtin(*builtin, args, e);
  if (PyMethod_Check(object))
    if (const KernelFunction* function = as_jit(PyMethod_GET_FUNCTION(object)))
      return call_jit(function, PyMethod_GET_SELF(object), args, e);
  DType dtype;
  if (as_dtype(object, &dtype) && args.size() == 1 && !args[0].keyword)
    return cast_to(args[0].value, dtype, e);
  Value result;
  if (call_python_builtin(object, args, e, &result)) return result;
  return call_static(callee, args, e);
}

// ---- device functions
// --------------------------------------------------------------------------------------------

namespace {

struct Bound {
  Value value;
  const Node* node = nullptr;
};

}  // namespace

// Python's rules of binding arguments to parameters.
static std::vector<Bound> bind_arguments(const Frame& frame, Session& session, const KernelFunction& fn,
                                         PyObject* self, std::span<const Argument> args, const ast::Call* e) {
  std::vector<Bound> bound(fn.params.size());
  size_t next = 0;
  const auto most =
      std::count_if(fn.params.begin(), fn.params.end(), [](auto& p) { return !p.keyword_only; });
  const auto positional = [&](const Value& v, const Node* node) {
    if (next >= fn.params.size() || fn.params[next].keyword_only)
      frame.fail(node, fmt::format("TypeError: {}() takes {} positional argument{}, more were given", fn.name,
                                   most, most == 1 ? "" : "s"));
    bound[next++] = {v, node};
  };
  if (self) positional(Value::of(self), e->func);
  for (const Argument& a : args) {
    if (!a.keyword) {
      positional(a.value, a.node);
      continue;
    }
    size_t i = 0;
    while (i < fn.params.size() && fn.params[i].utf8 != a.keyword->utf8) i++;
    if (i == fn.params.size())
      frame.fail(a.node, fmt::format("TypeError: {}() got an unexpected keyword argument '{}'", fn.name,
                                     a.keyword->utf8));
    if (fn.params[i].positional_only)
      frame.fail(a.node,
                 fmt::format("TypeError: {}() got a positional-only argument passed by its name: '{}'",
                             fn.name, a.keyword->utf8),
                 "pass it by its place: it stands before the `/` of the parameters");
    if (bound[i].node)
      frame.fail(a.node, fmt::format("TypeError: {}() got multiple values for argument '{}'", fn.name,
                                     a.keyword->utf8));
    bound[i] = {a.value, a.node};
  }
  for (size_t i = 0; i < bound.size(); i++) {
    if (bound[i].node) continue;
    if (!fn.params[i].default_value)
      frame.fail(e, fmt::format("TypeError: {}() is missing the argument '{}'", fn.name, fn.params[i].utf8));
    session.depend(Dependency::Via::Default, fn.fn, fn.params[i].name, fn.params[i].default_value);
    bound[i] = {Value::of(fn.params[i].default_value), e};
  }
  return bound;
}

ArgKey Frame::pass(const Value& v, const Parameter& param, const Node* node,
                   std::vector<std::pair<ir::Expr*, const Node*>>* exprs) {
  ArgKey key;
  if (param.is_constexpr) {
    key.object = to_object(v);
    drop_error();
    if (!key.object)
      fail(node,
           fmt::format("'{}' is compile-time (asc.ConstExpr), but its value is {}", param.utf8, shown(v)),
           "pass a compile-time value, or take asc.ConstExpr off the parameter");
    key.pinned = v.pinned;
    return key;
  }
  if (v.is_seq()) {
    if ((key.object = to_object(v)) && !v.seq->is_list) return key;
    drop_error();
    key.object = nullptr;
    key.form = ArgKey::Form::Seq;
    key.is_list = v.seq->is_list;
    for (const Value& item : v.seq->items) key.items.push_back(pass(item, param, node, exprs));
    return key;
  }
  ir::Expr* e = nullptr;
  if (v.is_expr()) {
    e = v.expr;
  } else if (const auto n = number(v)) {
    e = natural(v, node);
  } else {
    key.object = to_object(v);
    if (!key.object) fail(node, fmt::format("{} cannot be passed to a device function", shown(v)));
    return key;
  }
  if (param.pinned != DType::Void && e->type.is_scalar())
    e = build_.cast(Type::scalar(param.pinned), e, true, loc(node));
  key.form = ArgKey::Form::Runtime;
  key.type = e->type;
  exprs->emplace_back(e, node);
  return key;
}

Value Frame::result_of(const Shape& shape, std::span<const Value> results, std::span<ir::Expr* const> args,
                       const Node* at) {
  switch (shape.form) {
    case Shape::Form::Static: return shape.value;
    case Shape::Form::Runtime: return results[shape.index];
    case Shape::Form::Param: {
      ir::Expr* arg = args[shape.index];
      return arg->kind == ir::ExprKind::Field ? Value::of(copy_place(arg, loc(at)))
                                              : again(Value::of(arg), at);
    }
    case Shape::Form::Seq: break;
  }
  Seq* seq = session_.new_seq(shape.is_list, regions_.back().id);
  for (const Shape& item : shape.items) seq->items.push_back(result_of(item, results, args, at));
  return Value::of(seq);
}

// Lowers the callee for these arguments, if that was not done yet.
Specialisation* Frame::specialise(const KernelFunction* function, std::vector<ArgKey> key,
                                  std::span<const std::pair<ir::Expr*, const Node*>> passed,
                                  const ast::Call* e) {
  if (Specialisation* known = session_.find(function, key); known && known->done) return known;
  for (const Frame* f = this; f; f = f->caller_)
    if (f->spec_.function == function)
      fail(e, fmt::format("recursion: {} is called while it runs", function->name),
           "write it as a loop: a device has no stack for calls");
  constexpr int kDeepest = 500;
  int nested = 0;
  for (const Frame* f = this; f; f = f->caller_) nested++;
  if (nested > kDeepest)
    fail(e, fmt::format("RecursionError: more than {} functions call each other", kDeepest),
         "write some of them into their callers");
  constexpr int kOneFunction = 32 * 1024;  // what lowering an ordinary one takes, with its parsing
  if (stack_is_low(kOneFunction))
    fail(e,
         fmt::format("RecursionError: {} functions that call each other fill the stack of this thread",
                     nested),
         "write some of them into their callers, or start the thread with more (threading.stack_size)");
  Specialisation* spec = session_.add(function, std::move(key));
  Frame callee(session_, *spec, this, e);
  callee.passed_ = passed;
  callee.run_helper();
  build_.set_block(regions_.back().block);
  return spec;
}

static bool hands_back(const Shape& shape, size_t param) {
  if (shape.form == Shape::Form::Param) return shape.index == param;
  return std::any_of(shape.items.begin(), shape.items.end(),
                     [&](const Shape& item) { return hands_back(item, param); });
}

Value Frame::call_jit(const KernelFunction* function, PyObject* self, std::span<const Argument> args,
                      const ast::Call* e) {
  const Node* hint = hint_call_;
  std::vector<Bound> bound = bind_arguments(*this, session_, *function, self, args, e);
  std::vector<ArgKey> key;
  std::vector<std::pair<ir::Expr*, const Node*>> passed;
  key.reserve(bound.size());
  for (size_t i = 0; i < bound.size(); i++)
    key.push_back(pass(bound[i].value, function->params[i], bound[i].node, &passed));
  const Specialisation& spec = *specialise(function, std::move(key), passed, e);
  ir::Function* callee = spec.ir;
  ASC_ASSERT(callee->params.size() == passed.size());

  std::vector<ir::Expr*> exprs;
  exprs.reserve(passed.size());
  for (size_t i = 0; i < passed.size(); i++) {
    auto [arg, node] = passed[i];
    const ir::Var* param = callee->params[i];
    if (param->by_ref) {
      if (arg->kind != ir::ExprKind::Var && arg->kind != ir::ExprKind::Field)
        arg = ref(temporary(param->name, arg, node), node);
      if (param->type.is_tensor()) note_handle_change(arg, node);
      if (param->type.kind == Kind::Struct) lend_struct(arg, param, node);
    }
    if (hands_back(spec.shape, i) && arg->kind != ir::ExprKind::Var && arg->kind != ir::ExprKind::Field)
      arg = ref(temporary(param->name, arg, node), node);
    if (arg->type != param->type && param->type.is_tensor()) complete(arg, param->type.elem, node);
    exprs.push_back(arg);
  }
  if (callee->results.empty()) {
    if (!callee->body->empty()) {
      build_.eval(build_.call(callee, exprs, loc(e)), loc(e));
    } else {
      for (ir::Expr* arg : exprs)
        if (arg->effect >= Effect::Write) build_.eval(arg, loc(e));
    }
    return result_of(spec.shape, {}, exprs, e);
  }
  if (callee->results.size() == 1) {
    Value result = Value::of(build_.call(callee, exprs, loc(e)));
    if (spec.shape.form != Shape::Form::Runtime)
      result = Value::of(ref(result_var(spec, result.expr, e, hint == e), e));
    return result_of(spec.shape, std::span(&result, 1), exprs, e);
  }
  return call_with_results(spec, exprs, e, hint == e);
}

// The one result that is a value of the run, of a function that gives more; it is named as the assignment
// names it.
ir::Var* Frame::result_var(const Specialisation& spec, ir::Expr* result, const ast::Call* e, bool named) {
  const Shape& shape = spec.shape;
  if (named && shape.form == Shape::Form::Seq && shape.items.size() == hint_names_.size())
    for (size_t i = 0; i < shape.items.size(); i++)
      if (shape.items[i].form == Shape::Form::Runtime) {
        ir::Var* var = declare(hint_names_[i]->utf8, result, e);
        info(var).fresh = true;
        return var;
      }
  return temporary(spec.ir->result_names[0], result, e);
}

// Several results: variables that the call fills, named as the assignment names them.
Value Frame::call_with_results(const Specialisation& spec, std::span<ir::Expr* const> exprs,
                               const ast::Call* e, bool named) {
  ir::Function* callee = spec.ir;
  std::vector<ir::Var*> vars(callee->results.size(), nullptr);
  std::vector<Value> results(vars.size());
  if (named && spec.shape.form == Shape::Form::Seq && spec.shape.items.size() == hint_names_.size()) {
    for (size_t i = 0; i < hint_names_.size(); i++) {
      const Shape& item = spec.shape.items[i];
      if (item.form != Shape::Form::Runtime) continue;
      const Type type = callee->results[item.index];
      const Binding& old = bindings_[hint_names_[i]->id];
      const bool own = old.bound() && old.slot && old.var->type == type && !old.var->by_ref &&
                       type.is_scalar() && std::find(vars.begin(), vars.end(), old.var) == vars.end();
      if (own) {
        vars[item.index] = old.var;
        info(old.var).rebound = true;
        Binding filled = old;
        filled.literal = false;
        set(hint_names_[i]->id, filled);
        epoch_++;
        continue;
      }
      ir::Var* var = new_var(hint_names_[i]->utf8, type, e);
      declare_here(var, nullptr, e);
      info(var).fresh = true;
      vars[item.index] = var;
    }
  }
  for (size_t i = 0; i < vars.size(); i++) {
    if (!vars[i]) {
      vars[i] = new_var(callee->result_names[i], callee->results[i], e);
      vars[i]->hoisted = true;
      declare_here(vars[i], nullptr, e);
    }
    results[i] = Value::of(ref(vars[i], e));
  }
  build_.call_assign(callee, exprs, vars, loc(e));
  return result_of(spec.shape, results, exprs, e);
}

}  // namespace asc::lower
