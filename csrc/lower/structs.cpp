// SPDX-License-Identifier: Apache-2.0
// The user's structs (asc.language.core.struct): their classes as types of the module, construction, copies,
// and what may write a field. A struct argument is the host's: no function may change it, wherever it was
// passed.
#include <algorithm>
#include <bit>

#include "base/format.h"
#include "ir/visit.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;

// Name, bytes and fields of a struct class as asc.language.core.struct leaves them; null for other objects.
static PyObject* layout_of(PyObject* object) {
  if (!object || !PyType_Check(object)) return nullptr;
  static PyObject* const name = PyUnicode_InternFromString("__asc_layout__");
  PyObject* layout = _PyType_Lookup(reinterpret_cast<PyTypeObject*>(object), name);
  return layout && PyTuple_CheckExact(layout) ? layout : nullptr;
}

bool is_struct_class(PyObject* object) { return layout_of(object) != nullptr; }

static std::string_view text_of_unicode(PyObject* text) {
  const char* utf8 = PyUnicode_AsUTF8(text);
  ASC_ASSERT(utf8);
  return utf8;
}

// A number as Const::bits has it.
static int64_t bits_of(PyObject* value, DType dtype) {
  if (!value || value == Py_None) return 0;
  if (is_float(dtype)) return std::bit_cast<int64_t>(PyFloat_AsDouble(value));
  return static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(value));
}

// Registers the class and, before it, the classes of its fields. A class may stand for a struct of the
// device, whose row then has the same fields.
Type Session::struct_type(PyObject* cls) {
  if (PyObject* layout = layout_of(cls); PyTuple_GET_SIZE(layout) > 3) {
    const auto id = find_struct(text_of_unicode(PyTuple_GET_ITEM(layout, 3)));
    ASC_ASSERT(id && struct_info(*id).fields.size() ==
                         static_cast<size_t>(PyTuple_GET_SIZE(PyTuple_GET_ITEM(layout, 2))));
    keep(Py_NewRef(cls));
    return Type::of_struct(static_cast<uint16_t>(*id));
  }
  const auto known = std::find(struct_classes.begin(), struct_classes.end(), cls);
  if (known != struct_classes.end())
    return Type::of_struct(static_cast<uint16_t>(kStructCount + (known - struct_classes.begin())));
  PyObject* layout = layout_of(cls);
  ASC_ASSERT(layout);
  ir::StructDesc desc;
  desc.name = desc.cpp_name = module.arena.copy(text_of_unicode(PyTuple_GET_ITEM(layout, 0)));
  desc.bytes = static_cast<uint32_t>(PyLong_AsLong(PyTuple_GET_ITEM(layout, 1)));
  PyObject* fields = PyTuple_GET_ITEM(layout, 2);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); i++) {
    PyObject* row = PyTuple_GET_ITEM(fields, i);
    ir::StructField field;
    field.name = module.arena.copy(text_of_unicode(PyTuple_GET_ITEM(row, 0)));
    DType dtype = DType::Void;
    if (as_dtype(PyTuple_GET_ITEM(row, 1), &dtype)) {
      field.type = Type::scalar(dtype);
      field.default_bits = bits_of(PyTuple_GET_ITEM(row, 3), dtype);
    } else {
      field.type = struct_type(PyTuple_GET_ITEM(row, 1));
    }
    field.offset = static_cast<uint32_t>(PyLong_AsLong(PyTuple_GET_ITEM(row, 2)));
    desc.fields.push_back(field);
  }
  // Two classes may have one name; the text of the IR and C++ tell them apart.
  const std::string_view name = desc.name;
  const auto taken = [&](std::string_view text) {
    return std::any_of(module.structs.begin(), module.structs.end(), [&](auto& d) { return d.name == text; });
  };
  for (int n = 2; taken(desc.name); n++)
    desc.name = desc.cpp_name = module.arena.copy(fmt::format("{}_{}", name, n));
  keep(Py_NewRef(cls));
  struct_classes.push_back(cls);
  module.structs.push_back(std::move(desc));
  return Type::of_struct(static_cast<uint16_t>(kStructCount + struct_classes.size() - 1));
}

bool Frame::is_user_struct(const Type& type) const {
  return type.kind == Kind::Struct && (type.id >= kStructCount || is_host_struct(type));
}

// What the host packs for a kernel is a struct of the device that has a Python class.
bool is_host_struct(const Type& type) {
  return type.kind == Kind::Struct && type.id == static_cast<uint16_t>(StructId::TCubeTiling);
}

// As Const::bits has it.
static int64_t default_bits(const ir::Module& module, const Type& type, size_t index) {
  if (type.id < kStructCount) return struct_info(static_cast<StructId>(type.id)).fields[index].default_value;
  return module.structs[type.id - kStructCount].fields[index].default_bits;
}

static ir::VarRef* root_of(ir::Expr* object) {
  while (auto* field = ir::as<ir::Field>(object)) object = field->object;
  return ir::as<ir::VarRef>(object);
}

// Fields may be set: reading one keeps its place among the effects, unless it is the host's.
Effect Frame::order_effect(const ir::Expr* e) const {
  Effect effect = e->effect;
  ir::walk_expr(e, [&](const ir::Expr* x) {
    if (effect != Effect::Pure || x->kind != ir::ExprKind::Field) return;
    const ir::VarRef* root = root_of(const_cast<ir::Expr*>(x));
    if (!root || !root->var->is_param || !fn_->is_kernel || is_host_struct(root->var->type))
      effect = Effect::Read;
  });
  return effect;
}

// A tree of its own for the place: nodes have one parent.
ir::Expr* Frame::copy_place(const ir::Expr* place, Loc where) {
  if (const auto* field = ir::as<ir::Field>(place))
    return build_.field(copy_place(field->object, where), field->index, where);
  ir::Var* var = ir::as<ir::VarRef>(place)->var;
  info(var).refs++;
  return build_.var(var, where);
}

// Notes that the function changes the struct; an error if it is the kernel's argument, but for a tiling:
// kernels complete it with what only the device knows, each core in its own copy.
void Frame::change_struct(ir::Expr* object, const Node* at) {
  const ir::VarRef* root = root_of(object);
  if (!root || !root->var->is_param) return;
  if (!fn_->is_kernel) {
    session_.changed_structs.push_back(root->var);
    return;
  }
  if (is_host_struct(root->var->type)) return;
  fail(at,
       fmt::format("'{}' is an argument of the kernel: structs arrive read-only from the host",
                   root->var->name),
       fmt::format("change a copy: local = {}.create_local()", root->var->name));
}

// The argument of a call becomes the callee's struct.
void Frame::lend_struct(ir::Expr* arg, const ir::Var* param, const Node* at) {
  const auto& changed = session_.changed_structs;
  if (std::find(changed.begin(), changed.end(), param) != changed.end()) change_struct(arg, at);
}

void Frame::check_field_value(const Value& v, Type want, const Node* at) const {
  if (want.kind != Kind::Struct) return;
  if (v.is_expr() && v.expr->type == want && root_of(v.expr)) return;
  fail(at, fmt::format("TypeError: {} is no {}", shown(v), type_text(want)));
}

ir::Var* Frame::new_struct(Type type, std::string_view name, const Node* at) {
  const bool named = hint_call_ == at && hint_names_.size() == 1;
  ir::Var* var = new_var(named ? hint_names_[0]->utf8 : name, type, at);
  var->hoisted = !named;
  declare_here(var, nullptr, at);
  info(var).fresh = named;
  return var;
}

// The default of a nested struct may differ from its class's own.
void Frame::set_nested_defaults(const ir::Expr* place, PyObject* cls, PyObject* instance, const Node* at) {
  PyObject* fields = PyTuple_GET_ITEM(layout_of(cls), 2);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); i++) {
    PyObject* row = PyTuple_GET_ITEM(fields, i);
    PyObject* value = PyTuple_GET_ITEM(row, 3);
    if (instance) value = session_.keep(check(PyObject_GetAttr(instance, PyTuple_GET_ITEM(row, 0)), at));
    const auto index = static_cast<uint16_t>(i);
    const Type type = ir::field_type(session_.module, place->type, index);
    if (type.kind == Kind::Struct) {
      ir::Expr* part = build_.field(copy_place(place, loc(at)), index, loc(at));
      set_nested_defaults(part, PyTuple_GET_ITEM(row, 1), value, at);
      continue;
    }
    const int64_t bits = bits_of(value, type.elem);
    if (!instance || bits == default_bits(session_.module, place->type, index)) continue;
    build_.set_field(copy_place(place, loc(at)), index, convert_to(number_value(value), type, at), loc(at));
  }
}

void Frame::set_defaults(ir::Expr* place, Loc where) {
  for (size_t i = 0; i < ir::field_count(session_.module, place->type); i++) {
    const auto index = static_cast<uint16_t>(i);
    const Type type = ir::field_type(session_.module, place->type, index);
    if (type.kind == Kind::Struct) {
      set_defaults(build_.field(copy_place(place, where), index, where), where);
      continue;
    }
    const int64_t bits = default_bits(session_.module, place->type, index);
    ir::Expr* value = is_float(type.elem) ? build_.float_const(type, std::bit_cast<double>(bits), where)
                                          : build_.int_const(type, bits, where);
    build_.set_field(copy_place(place, where), index, value, where);
  }
}

// A struct whose declaration moves out of a branch or a loop is made where it was declared all the same, by
// every turn: its fields get their defaults there.
void Frame::make_anew(ir::Var* var, ir::Block* block, size_t at, Loc where) {
  ir::Block* here = build_.block();
  ir::Block* fields = build_.new_block();
  build_.set_block(fields);
  set_defaults(build_.var(var, where), where);
  build_.set_block(here);
  block->insert(block->begin() + static_cast<ptrdiff_t>(at), fields->begin(), fields->end());
}

// Tiling(), Tiling(total=n): a local struct.
Value Frame::construct_struct(PyObject* cls, std::span<Argument> args, const Node* at) {
  const Type type = session_.struct_type(cls);
  std::vector<std::optional<uint16_t>> fields;
  for (const Argument& a : args) {
    const std::string name = type_text(type);
    if (!a.keyword) fail(a.node, fmt::format("TypeError: {}() takes its fields by name", name));
    fields.push_back(field_of(type, a.keyword->utf8));
    if (!fields.back()) fail(a.node, fmt::format("{} does not have a field '{}'", name, a.keyword->utf8));
  }
  ir::Var* var = new_struct(type, "params", at);
  set_nested_defaults(ref(var, at), cls, nullptr, at);
  for (size_t i = 0; i < args.size(); i++) {
    const Type want = ir::field_type(session_.module, type, *fields[i]);
    check_field_value(args[i].value, want, args[i].node);
    ir::Expr* value = convert_to(args[i].value, want, args[i].node);
    build_.set_field(ref(var, at), *fields[i], value, loc(at));
  }
  return Value::of(ref(var, at));
}

// tiling.create_local(): every field, nested structs as a whole.
Value Frame::copy_of_struct(ir::Expr* object, const Node* at) {
  const Type type = object->type;
  const ir::VarRef* root = root_of(object);
  ir::Var* var = new_struct(type, root ? root->var->name : "params", at);
  for (size_t i = 0; i < ir::field_count(session_.module, type); i++) {
    const auto index = static_cast<uint16_t>(i);
    ir::Expr* value = build_.field(copy_place(object, loc(at)), index, loc(at));
    build_.set_field(ref(var, at), index, value, loc(at));
  }
  return Value::of(ref(var, at));
}

std::string Frame::type_text(const Type& type) const {
  if (type.kind == Kind::Matmul) return "Matmul";
  if (type.kind != Kind::Struct || type.id < kStructCount) return to_string(type);
  return std::string(session_.module.structs[type.id - kStructCount].name);
}

}  // namespace asc::lower
