// SPDX-License-Identifier: Apache-2.0
// The session: what one lowering shares between its functions, and the order it brings the module into at the
// end.
#include "lower/session.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "ir/visit.h"
#include "lower/frame.h"
#include "ops/signature.h"

namespace asc::lower {

Session::Session(const Request& r) : request(r), module(*new ir::Module), build(module), owned_(&module) {
  module.kernel_type = r.kernel_type;
  module.auto_sync = r.auto_sync;
}

Session::~Session() {
  for (Dependency& d : dependencies_) {
    Py_XDECREF(d.owner);
    Py_XDECREF(d.name);
    Py_XDECREF(d.value);
  }
  for (PyObject* object : kept_) Py_XDECREF(object);
}

Result::~Result() {
  for (Dependency& d : dependencies) {
    Py_XDECREF(d.owner);
    Py_XDECREF(d.name);
    Py_XDECREF(d.value);
  }
}

void Session::depend(Dependency::Via via, PyObject* owner, PyObject* name, PyObject* value) {
  const bool derived = derived_.contains(owner);
  if (derived && value) derive(value);
  // Twice is harmless; what was just read is often read again.
  const size_t recent = dependencies_.size() > 64 ? dependencies_.size() - 64 : 0;
  for (size_t i = recent; i < dependencies_.size(); i++) {
    const Dependency& d = dependencies_[i];
    if (d.owner == owner && d.name == name && d.via == via) return;
  }
  dependencies_.push_back({via, Py_XNewRef(owner), Py_XNewRef(name), Py_XNewRef(value), derived});
}

// Functions, classes and modules are found, not made: what they mean is not said by how they were reached.
PyObject* Session::derive(PyObject* object) {
  note_text(object);
  const bool found = PyFunction_Check(object) || PyType_Check(object) || PyModule_Check(object) ||
                     as_jit(object) || is_leaf(object);
  if (!found) derived_.insert(object);
  return object;
}

PyObject* Session::note_text(PyObject* object) {
  if (PyUnicode_Check(object)) {
    const char* text = PyUnicode_AsUTF8(object);
    if (!text) drop_error();
    shows_address_ =
        shows_address_ || (text && std::string_view(text).find(" at 0x") != std::string_view::npos);
  } else if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
    for (Py_ssize_t i = 0; !shows_address_ && i < PySequence_Fast_GET_SIZE(object); i++)
      if (PyObject* item = PySequence_Fast_GET_ITEM(object, i); item && PyUnicode_Check(item))
        note_text(item);
  } else if (PyDict_CheckExact(object)) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; !shows_address_ && PyDict_Next(object, &at, &key, &value);)
      for (PyObject* part : {key, value})
        if (PyUnicode_Check(part)) note_text(part);
  }
  return object;
}

// Others than data are compared by identity anyway, members of enums too.
void Session::ask_identity(PyObject* a, PyObject* b) {
  const auto may_be_equal = [](PyObject* object) {
    const PyTypeObject* type = Py_TYPE(object);
    return !is_leaf(object) && type->tp_richcompare != PyBaseObject_Type.tp_richcompare &&
           type->tp_hash != PyBaseObject_Type.tp_hash &&
           !std::string_view(Py_TYPE(type)->tp_name).starts_with("Enum");
  };
  asks_identity_ = asks_identity_ || (may_be_equal(a) && may_be_equal(b));
}

// What Python's own functions make of what they are given, one item at a time: it has no content, and all
// that comes out of it was given, or follows from it.
static bool is_view_of_arguments(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == &PyEnum_Type || type == &PyReversed_Type || type == &PyListRevIter_Type ||
         type == &PyMap_Type || type == &PyFilter_Type || type == &PyZip_Type;
}

void Session::touch(PyObject* object) {
  if (is_leaf(object)) {
    // One NaN is not equal to another; Python's containers find it by its identity.
    asks_identity_ = asks_identity_ || (PyFloat_CheckExact(object) && std::isnan(PyFloat_AS_DOUBLE(object)));
    return;
  }
  if (PyType_Check(object) &&
      !PyType_HasFeature(reinterpret_cast<PyTypeObject*>(object), Py_TPFLAGS_HEAPTYPE))
    return;                                                             // Python's own
  if (PyMethod_Check(object)) return touch(PyMethod_GET_SELF(object));  // its class holds the function
  if (PyCFunction_Check(object)) {
    PyObject* self = PyCFunction_GET_SELF(object);
    if (self && !PyModule_Check(self)) touch(self);
    derived_.insert(object);
  } else if (derived_.contains(object)) {      // a container of the kernel's own
    if (is_view_of_arguments(object)) return;  // the call that made it has touched them
    bool has_view = false;
    if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); i++) {
        PyObject* item = PySequence_Fast_GET_ITEM(object, i);
        touch(item);
        has_view = has_view || (derived_.contains(item) && is_view_of_arguments(item));
      }
    }
    if (has_view) return;  // its items are all that there is of it
    PyObject *key, *value;
    if (PyDict_CheckExact(object))
      for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);) touch(value);
  }
  depend(Dependency::Via::Whole, object, nullptr, object);
}

ir::NamedConst* Session::global_const(PyObject* globals, const ast::Name* name, Type type, int64_t bits,
                                      Loc loc) {
  for (const GlobalConst& g : global_consts_)
    if (g.globals == globals && g.name == name->str) return g.constant;
  ir::NamedConst* constant = build.new_const(nullptr, name->utf8, type, bits, nullptr, loc);
  global_consts_.push_back({globals, name->str, constant});
  return constant;
}

const PlatformDesc& Session::platform() const {
  return request.platform ? *request.platform : platforms()[0];
}

ir::NamedConst* Session::property_const(const PropertyDesc& desc, Type type, int64_t value) {
  for (ir::NamedConst* known : module.constants)
    if (known->name == desc.cpp_name) return known;
  return build.new_const(nullptr, desc.cpp_name, type, value, nullptr, {});
}

void Session::mark_used(const ir::Expr* e) {
  const auto* c = ir::as<ir::Const>(e);
  if (!c) {
    if (e) ir::for_each_operand(e, [this](const ir::Expr* operand) { mark_used(operand); });
    return;
  }
  if (c->spelling) mark_used(c->spelling);
  if (!c->named || (state_of(c->named) & kUsed)) return;
  set_state(c->named, kUsed);
  if (!c->named->scope) used_globals_.push_back(const_cast<ir::NamedConst*>(c->named));
  if (c->named->spelling) mark_used(c->named->spelling);
}

void Session::dissolve(const ir::NamedConst* c) { set_state(c, kDissolved); }

Specialisation* Session::find(const KernelFunction* function, const std::vector<ArgKey>& key) {
  for (auto& s : specialisations) {
    if (s->function != function || s->key.size() != key.size()) continue;
    bool same = true;
    for (size_t i = 0; same && i < key.size(); i++) same = s->key[i].same(key[i]);
    if (same) return s.get();
  }
  return nullptr;
}

Specialisation* Session::add(const KernelFunction* function, std::vector<ArgKey> key) {
  specialisations.push_back(std::make_unique<Specialisation>());
  Specialisation* s = specialisations.back().get();
  s->function = function;
  s->key = std::move(key);
  return s;
}

uint32_t Session::source_of(const KernelFunction* function) {
  for (const auto& [known, index] : sources_)
    if (known == function) return index;
  const uint32_t index = module.sources.add(function->source);
  sources_.emplace_back(function, index);
  return index;
}

namespace {

// visit(callee, where)
template <class Fn>
void each_callee(const ir::Function& fn, Fn&& visit) {
  ir::walk(fn.body, [&](ir::Stmt* s) {
    if (auto* c = ir::as<ir::CallAssign>(s)) visit(c->callee, c->loc);
    ir::for_each_expr(s, [&](ir::Expr* e) {
      ir::walk_expr(e, [&](ir::Expr* x) {
        if (auto* c = ir::as<ir::Call>(x)) visit(c->callee, c->loc);
      });
    });
  });
}

bool refers_to_dissolved(const ir::Expr* e, const Session& session) {
  if (const auto* c = ir::as<ir::Const>(e)) {
    if (c->named && session.is_dissolved(c->named)) return true;
    return c->spelling && refers_to_dissolved(c->spelling, session);
  }
  bool found = false;
  ir::for_each_operand(
      e, [&](const ir::Expr* operand) { found = found || refers_to_dissolved(operand, session); });
  return found;
}

// Variables of bodies that were lowered again, or that became another, are not the function's any more.
void drop_undeclared(ir::Function& fn) {
  std::vector<uint8_t> declared(fn.vars.size(), 0);
  for (const ir::Var* param : fn.params) declared[param->id] = 1;
  ir::walk(fn.body, [&](ir::Stmt* s) {
    if (const auto* d = ir::as<ir::Decl>(s)) declared[d->var->id] = 1;
    if (const auto* f = ir::as<ir::For>(s); f && f->declares_var) declared[f->var->id] = 1;
  });
  std::vector<ir::Var*> kept;
  for (ir::Var* var : fn.vars)
    if (declared[var->id]) kept.push_back(var);
  fn.vars = std::move(kept);
  for (size_t i = 0; i < fn.vars.size(); i++) fn.vars[i]->id = static_cast<uint32_t>(i);
}

// The element type of a chosen tensor is that of the ones it is chosen from.
void type_choices(ir::Expr* e) {
  auto* select = ir::as<ir::Select>(e);
  if (!select || !select->type.is_tensor()) return;
  type_choices(select->then_value);
  type_choices(select->else_value);
  select->type = select->then_value->type;
}

}  // namespace

// Corrects what was built before it was known better: versions that became one variable, constants that
// became variables, tensors whose element type came later.
void Session::sweep() {
  const auto resolve = [this](ir::Var* v) {
    for (bool again = true; again;) {
      again = false;
      for (const auto& [from, to] : aliases)
        if (from == v && to != v) {
          v = to;
          again = true;
          break;
        }
    }
    return v;
  };
  for (auto& fn : module.functions) {
    ir::walk(fn->body, [&](ir::Stmt* s) {
      if (auto* a = ir::as<ir::Assign>(s)) a->var = resolve(a->var);
      if (auto* f = ir::as<ir::For>(s)) f->var = resolve(f->var);
      if (auto* c = ir::as<ir::CallAssign>(s))
        for (ir::Var*& v : c->results)
          if (v) v = resolve(v);
      if (auto* d = ir::as<ir::ConstDecl>(s))
        if (d->constant->spelling && refers_to_dissolved(d->constant->spelling, *this))
          d->constant->spelling = nullptr;
      ir::for_each_expr(s, [&](ir::Expr* e) {
        ir::walk_expr(e, [&](ir::Expr* x) {
          if (auto* r = ir::as<ir::VarRef>(x)) {
            r->var = resolve(r->var);
            r->type = r->var->type;
          } else if (auto* c = ir::as<ir::Const>(x); c && refers_to_dissolved(c, *this)) {
            c->named = nullptr;
            c->spelling = nullptr;
          }
        });
        ir::walk_expr(e, type_choices);
      });
    });
    drop_undeclared(*fn);
  }
}

void Session::drop_unfinished(size_t first) {
  for (size_t i = specialisations.size(); i-- > first;)
    if (!specialisations[i]->done) specialisations.erase(specialisations.begin() + static_cast<ptrdiff_t>(i));
}

// Callees before callers, the kernel last; specialisations that nothing calls any more are dropped.
void Session::order_functions() {
  if (module.functions.size() < 2) return;
  std::vector<ir::Function*> order;
  const auto visit = [&](auto&& self, ir::Function* fn) -> void {
    if (std::find(order.begin(), order.end(), fn) != order.end()) return;
    each_callee(*fn, [&](ir::Function* callee, Loc) { self(self, callee); });
    order.push_back(fn);
  };
  ir::Function* kernel = module.functions.front().get();
  visit(visit, kernel);
  std::vector<std::unique_ptr<ir::Function>> sorted;
  for (ir::Function* fn : order)
    for (auto& owned : module.functions)
      if (owned.get() == fn) sorted.push_back(std::move(owned));
  module.functions = std::move(sorted);
  for (size_t i = 0; i < module.functions.size(); i++) module.functions[i]->id = static_cast<uint32_t>(i);
}

// A tensor may get its dtype after the op in the text that uses it (at the end of a loop's body). One that
// never does, or that gets another than the op was chosen for, was used too early.
void Session::check_operand_types() const {
  const auto fail = [this](const ir::Function* fn, const ir::Expr* operand, DType wanted) {
    std::vector<Site> sites{module.sources.resolve(operand->loc)};
    for (size_t i = 0; i < module.functions.size(); i++) {  // callees stand before callers
      Loc call;
      each_callee(*module.functions[i], [&](const ir::Function* callee, Loc where) {
        if (callee == fn && !call.valid()) call = where;
      });
      if (!call.valid()) continue;
      sites.push_back(module.sources.resolve(call));
      fn = module.functions[i].get();
    }
    const auto* r = ir::as<ir::VarRef>(operand);
    const std::string name = r ? fmt::format("'{}'", r->var->name) : std::string();
    const DType given = operand->type.elem;
    throw CompileError(
        given == DType::Void
            ? fmt::format("the tensor {}{}has no dtype yet", name, name.empty() ? "" : " ")
            : fmt::format("the tensor {}{}has no dtype yet, and gets {} later; {} is needed here", name,
                          name.empty() ? "" : " ", py_name(given), py_name(wanted)),
        r ? fmt::format("call {}.set_global_buffer(address) before", r->var->name)
          : "call its set_global_buffer(address) before",
        std::move(sites));
  };
  for (const auto& fn : module.functions)
    ir::walk(fn->body, [&](ir::Stmt* s) {
      ir::for_each_expr(s, [&](ir::Expr* e) {
        ir::walk_expr(e, [&](ir::Expr* x) {
          const auto* op = ir::as<ir::OpCall>(x);
          for (size_t i = 0; op && i < op->args.size(); i++) {
            const ir::Expr* operand = op->args[i];
            if (!operand || operand->type.kind != Kind::GlobalTensor) continue;
            const Type want =
                resolve(op->proto().params[i].type, op->vars, op->self ? &op->self->type : nullptr);
            if (operand->type.elem != want.elem || want.elem == DType::Void)
              fail(fn.get(), operand, want.elem);
          }
        });
      });
    });
}

Result Session::finish() {
  if (needs_sweep) sweep();
  order_functions();
  inline_registrations();
  if (has_untyped) check_operand_types();
  module.constants = used_globals_;
  Result result;
  result.module = std::move(owned_);
  result.dependencies.swap(dependencies_);
  result.shows_address = shows_address_;
  result.asks_identity = asks_identity_;
  for (const auto& [function, index] : sources_) result.functions.push_back(function);
  return result;
}

Result lower_kernel(const Request& request) {
  const KernelFunction* function = as_jit(request.jit_function);
  ASC_ASSERT(function != nullptr);
  Session session(request);
  Specialisation* spec = session.add(function, {});
  Frame frame(session, *spec, nullptr, nullptr);
  frame.run_kernel();
  return session.finish();
}

}  // namespace asc::lower
