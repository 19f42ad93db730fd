// SPDX-License-Identifier: Apache-2.0
// Begin and end of a function: parameters, results, constants that turned out to be unused.
#include "lower/frame.h"

#include <algorithm>

#include "base/format.h"

namespace asc::lower {

using ast::Node;

Frame::Frame(Session& session, Specialisation& spec, Frame* caller, const Node* call)
    : session_(session),
      build_(session.build),
      spec_(spec),
      module_(spec.function->ast()),
      analysis_(spec.function->analysis()),
      caller_(caller),
      call_(call),
      source_(session.source_of(spec.function)) {
  const ast::Range& at = module_.function->range;
  fn_ = build_.function(spec.function->name, source_, Loc{source_, at.line, at.col, at.line, at.col + 3});
  spec.ir = fn_;
  bindings_.resize(module_.names.size());
  globals_.resize(module_.names.size());
  saved_in_.resize(module_.names.size(), 0);
  fn_->body = build_.new_block();
  enter(fn_->body);
}

Frame::~Frame() = default;

static std::vector<const ast::Arg*> parameters_of(const ast::FunctionDef& fn) {
  std::vector<const ast::Arg*> params;
  for (const ast::Arg* a : fn.args->posonly) params.push_back(a);
  for (const ast::Arg* a : fn.args->args) params.push_back(a);
  for (const ast::Arg* a : fn.args->kwonly) params.push_back(a);
  return params;
}

// The value of a parameter: a compile-time object, or new IR parameters.
Value Frame::parameter(std::string_view name, const ArgKey& key, const Node* at) {
  if (key.form == ArgKey::Form::Static) return number_value(key.object, key.pinned);
  if (key.form == ArgKey::Form::Seq) {
    Seq* seq = session_.new_seq(key.is_list, regions_.back().id);
    for (size_t i = 0; i < key.items.size(); i++)
      seq->items.push_back(parameter(fmt::format("{}_{}", name, i), key.items[i], at));
    return Value::of(seq);
  }
  ir::Var* var = new_var(name, key.type, at);
  var->is_param = true;
  var->by_ref = key.type.is_object();
  fn_->params.push_back(var);
  VarInfo& v = info(var);
  v.block = fn_->body;
  v.fresh = true;
  return Value::of(build_.var(var, loc(at)));
}

void Frame::run_kernel() {
  const Request& request = session_.request;
  fn_->is_kernel = true;
  const std::vector<const ast::Arg*> params = parameters_of(*module_.function);
  ASC_ASSERT(params.size() == request.params.size());
  for (size_t i = 0; i < params.size(); i++) {
    const ParamSpec& spec = request.params[i];
    const ast::Name* name = params[i]->name;
    ArgKey key;
    switch (spec.form) {
      case ParamSpec::Form::Constant: key.object = spec.constant; break;
      case ParamSpec::Form::Array:
        key.form = ArgKey::Form::Runtime;
        key.type = Type::pointer(spec.dtype);
        break;
      case ParamSpec::Form::Scalar:
        key.form = ArgKey::Form::Runtime;
        key.type = Type::scalar(spec.dtype);
        break;
      case ParamSpec::Form::Struct:
        key.form = ArgKey::Form::Runtime;
        key.type = session_.struct_type(spec.constant);
        break;
    }
    bind(name, parameter(name->utf8, key, params[i]), params[i]);
    if (key.form != ArgKey::Form::Runtime) continue;
    ir::KernelArg arg;
    arg.var = fn_->params.back();
    arg.name = arg.var->name;
    arg.type = key.type;
    arg.nonnegative = spec.nonnegative;
    session_.module.args.push_back(arg);
  }
  block(module_.function->body);
  finish_function();
}

void Frame::run_helper() {
  const std::vector<const ast::Arg*> params = parameters_of(*module_.function);
  for (size_t i = 0; i < params.size(); i++)
    bind(params[i]->name, parameter(params[i]->name->utf8, spec_.key[i], params[i]), params[i]);
  block(module_.function->body);
  finish_function();
}

// One leaf of the results for each place that returns; `leaves` has the expressions by return statement.
Shape Frame::shape_of(std::span<const Value> values, std::vector<std::vector<ir::Expr*>>* leaves,
                      std::string_view name) {
  Shape shape;
  const Value& first = values[0];
  const auto all = [&](auto&& test) { return std::all_of(values.begin(), values.end(), test); };
  if (first.is_seq() &&
      all([&](const Value& v) { return v.is_seq() && v.seq->items.size() == first.seq->items.size(); })) {
    shape.form = Shape::Form::Seq;
    shape.is_list = first.seq->is_list;
    for (size_t i = 0; i < first.seq->items.size(); i++) {
      std::vector<Value> items;
      for (const Value& v : values) items.push_back(v.seq->items[i]);
      std::string_view item_name;
      if (returns_.back().node && ast::Sequence::is(returns_.back().node->kind))
        if (const auto* n = ast::dyn<ast::NameExpr>(
                ast::as<ast::Sequence>(returns_.back().node)->elts[static_cast<uint32_t>(i)]))
          item_name = n->name->utf8;
      shape.items.push_back(shape_of(items, leaves, item_name));
    }
    return shape;
  }
  Binding a;
  a.state = Binding::State::Bound;
  a.value = first;
  if (first.is_static() && all([&](const Value& v) {
        Binding b;
        b.value = v;
        return v.is_static() && same_binding(a, b);
      })) {
    shape.value = first;
    const auto* c = first.expr ? ir::as_const(first.expr) : nullptr;
    if (!c || !c->named || c->named->scope)
      shape.value.expr = nullptr;  // names of this function mean nothing outside
    return shape;
  }
  const auto* ref = first.is_expr() ? ir::as<ir::VarRef>(first.expr) : nullptr;
  // An object, or a tensor that the function does not bind again, is the caller's own.
  if (ref && (ref->type.is_object() || (ref->type.is_tensor() && !info(ref->var).rebound))) {
    const auto at = std::find(fn_->params.begin(), fn_->params.end(), ref->var);
    if (at != fn_->params.end() && all([&](const Value& v) {
          const auto* r = v.is_expr() ? ir::as<ir::VarRef>(v.expr) : nullptr;
          return r && r->var == ref->var;
        })) {
      shape.form = Shape::Form::Param;
      shape.index = static_cast<uint32_t>(at - fn_->params.begin());
      return shape;
    }
  }
  Type type;
  bool literal = false;
  for (size_t i = 0; i < values.size(); i++) {
    Binding b;
    b.state = Binding::State::Bound;
    b.value = values[i];
    Type t;
    bool lit = false;
    bool ok = true;
    if (values[i].is_expr()) {
      t = values[i].expr->type;
      ok = !t.is_object();
    } else {
      ok = form_of(b, &t, &lit);
    }
    const Node* at = returns_[i].node ? returns_[i].node : module_.function;
    if (ok && t.is_tensor() && t.elem == DType::Void) {  // it may have got one since
      const auto* r = ir::as<ir::VarRef>(static_cast<const ir::Expr*>(values[i].expr));
      if (r) t = r->var->type;
      if (t.elem == DType::Void) fail_untyped(values[i].expr, at);
    }
    if (!ok)
      fail(at,
           fmt::format("{} cannot be returned from a device function{}", shown(values[i]),
                       values.size() > 1 ? ": other returns give something else" : ""),
           "return numbers, enums or tensors; make pipes and queues in the kernel and pass them in");
    if (i == 0) {
      type = t;
      literal = lit;
    } else if (t.is_scalar() && type.is_scalar() && join(type.elem, literal, t.elem, lit) != DType::Void) {
      type = Type::scalar(join(type.elem, literal, t.elem, lit));
      literal = literal && lit;
    } else if (t != type) {
      fail(at, returns_[0].node,
           fmt::format("this returns {}, line {} returns {}", shown(values[i]),
                       line_of(returns_[0].node ? returns_[0].node : module_.function), shown(values[0])),
           "return one type");
    }
  }
  shape.form = Shape::Form::Runtime;
  shape.index = static_cast<uint32_t>(fn_->results.size());
  fn_->results.push_back(type);
  if (name.empty()) name = "result";
  fn_->result_names.push_back(session_.module.arena.copy(name));
  for (size_t i = 0; i < values.size(); i++)
    (*leaves)[i].push_back(
        convert_to(values[i], type, returns_[i].node ? returns_[i].node : module_.function));
  return shape;
}

// A return without a value at the end of the body, or of a branch there that does something else too, says
// nothing.
static void drop_last_return(ir::Block* body) {
  if (body->empty()) return;
  if (body->back()->kind == ir::StmtKind::Return) {
    body->pop_back();
    return;
  }
  const auto* branch = ir::as<ir::If>(body->back());
  for (ir::Block* b : {branch ? branch->then_block : nullptr, branch ? branch->else_block : nullptr})
    if (b && b->size() > 1) drop_last_return(b);
}

void Frame::finish_function() {
  const bool gives = std::any_of(returns_.begin(), returns_.end(), [](const ReturnSite& r) {
    return !r.value.is_static() || r.value.object != Py_None;
  });
  spec_.shape.value = Value::of(Py_None);
  if (gives && reachable_)
    fail(returns_.back().node, module_.function,
         fmt::format("{} returns a value here, but its end can be reached without one", fn_->name),
         "return a value on every path");
  if (gives) {
    std::vector<Value> values;
    for (const ReturnSite& r : returns_) values.push_back(r.value);
    std::vector<std::vector<ir::Expr*>> leaves(values.size());
    std::string_view name;
    if (const auto* n = ast::dyn<ast::NameExpr>(returns_.back().node)) name = n->name->utf8;
    spec_.shape = shape_of(values, &leaves, name);
    for (size_t i = 0; i < leaves.size(); i++)
      returns_[i].stmt->values = session_.module.arena.copy(std::span<ir::Expr* const>(leaves[i]));
  }
  if (fn_->results.empty()) drop_last_return(fn_->body);

  // Constants that nothing uses are not declared.
  std::vector<ir::Block*> blocks;
  for (const Anchor& a : anchors_) {
    if (a.var || session_.is_used(a.constant)) continue;
    if (blocks.empty() || blocks.back() != a.block) blocks.push_back(a.block);
  }
  for (ir::Block* b : blocks)
    std::erase_if(*b, [&](ir::Stmt* s) {
      const auto* decl = ir::as<ir::ConstDecl>(s);
      return decl && !session_.is_used(decl->constant);
    });
  if (retried_) session_.needs_sweep = true;
  fn_->effect = ir::effect_of(*fn_);
  spec_.done = true;
  spec_.order = session_.completed++;
}

}  // namespace asc::lower
