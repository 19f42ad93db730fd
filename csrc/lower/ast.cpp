// SPDX-License-Identifier: Apache-2.0
// Converts Python's `_ast` objects into the nodes of ast.h. Nothing else in the project reads them.
// Objects come from compile() alone, so a field that is missing is a bug here, not a user's error.
#include <Python.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <new>
#include <type_traits>

#include "base/format.h"
#include "base/stack.h"
#include "lower/ast.h"
#include "lower/pyref.h"

namespace asc::ast {

// ---- Python's types and field names

namespace {

// type object -> node kind, or the number of an operator or context; a hash table by address, filled once.
class TypeTable {
 public:
  struct Entry {
    PyObject* type = nullptr;
    NodeKind kind = NodeKind::Count;  // Count: an operator or context
    uint8_t op = 0;
  };

  static const TypeTable& get() {
    static const TypeTable table;  // the GIL is held: no thread waits here
    return table;
  }

  const Entry& operator[](PyObject* object) const {
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
    for (size_t i = hash(type);; i = (i + 1) % kSize) {
      if (slots_[i].type == type) return slots_[i];
      if (slots_[i].type == nullptr) ASC_BUG(fmt::format("not an AST node: {}", Py_TYPE(object)->tp_name));
    }
  }

 private:
  static constexpr size_t kSize = 512;
  static size_t hash(PyObject* type) {
    return (reinterpret_cast<uintptr_t>(type) >> 4) * 0x9E3779B97F4A7C15u >> 55;
  }

  TypeTable() {
    PyRef module = PyRef::steal(PyImport_ImportModule("_ast"));
    if (!module) drop_error(), ASC_BUG("no _ast module");
    for (int i = 0; i < static_cast<int>(NodeKind::Count); i++) {
      NodeKind kind = static_cast<NodeKind>(i);
      if (kind != NodeKind::TypeParam) add(module.get(), kind_name(kind).data(), kind);
    }
    for (const char* name : {"TypeVar", "ParamSpec", "TypeVarTuple"})
      add(module.get(), name, NodeKind::TypeParam);
#define ASC_X(Id, ...) #Id,
    add_operators(module.get(), {ASC_FOR_EACH_OPERATOR(ASC_X)});
    add_operators(module.get(), {ASC_FOR_EACH_UNARY_OPERATOR(ASC_X)});
    add_operators(module.get(), {ASC_FOR_EACH_COMPARE_OPERATOR(ASC_X)});
#undef ASC_X
    add_operators(module.get(), {"And", "Or"});             // ORDER BoolOperator
    add_operators(module.get(), {"Load", "Store", "Del"});  // ORDER Context
  }

  void add_operators(PyObject* module, std::initializer_list<const char*> names) {
    uint8_t op = 0;
    for (const char* name : names) add(module, name, NodeKind::Count, op++);
  }

  void add(PyObject* module, const char* name, NodeKind kind, uint8_t op = 0) {
    PyObject* type = PyObject_GetAttrString(module, name);  // kept for ever
    if (type == nullptr) return drop_error();               // not in this version of Python
    size_t i = hash(type);
    while (slots_[i].type != nullptr) i = (i + 1) % kSize;
    slots_[i] = {type, kind, op};
  }

  std::array<Entry, kSize> slots_;
};

// clang-format off
#define ASC_FOR_EACH_AST_FIELD(X)                                                                            \
  X(annotation) X(arg) X(args) X(attr) X(body) X(col_offset) X(comparators) X(context_expr) X(conversion)    \
  X(ctx) X(decorator_list) X(defaults) X(elt) X(elts) X(end_col_offset) X(end_lineno) X(format_spec) X(func) \
  X(generators) X(id) X(ifs) X(is_async) X(items) X(iter) X(key) X(keys) X(keywords) X(kw_defaults) X(kwarg) \
  X(kwonlyargs) X(left) X(lineno) X(lower) X(msg) X(name) X(names) X(op) X(operand) X(ops) X(optional_vars)  \
  X(orelse) X(posonlyargs) X(returns) X(right) X(simple) X(slice) X(step) X(target) X(targets) X(test)       \
  X(type_params) X(upper) X(value) X(values) X(vararg)
// clang-format on

struct Fields {  // interned strings, made once
#define ASC_X(name) PyObject* name = PyUnicode_InternFromString(#name);
  ASC_FOR_EACH_AST_FIELD(ASC_X)
#undef ASC_X

  static const Fields& get() {
    static const Fields fields;
    return fields;
  }
};

// The fields of one AST object: straight from its instance dictionary, which saves two thirds of the time of
// getattr.
class Object {
 public:
  explicit Object(PyObject* object) : object_(object) {
    PyObject** dict = _PyObject_GetDictPtr(object);
    if (dict == nullptr || *dict == nullptr)
      ASC_BUG(fmt::format("{} has no fields", Py_TYPE(object)->tp_name));
    dict_ = *dict;
  }

  PyObject* get() const { return object_; }
  PyObject* find(
      PyObject* field) const {  // borrowed; null for None and for what this version of Python does not have
    PyObject* value = PyDict_GetItemWithError(dict_, field);
    return value == Py_None ? nullptr : value;
  }
  PyObject* operator[](PyObject* field) const {
    PyObject* value = find(field);
    if (value == nullptr) ASC_BUG(fmt::format("{} lacks a field", Py_TYPE(object_)->tp_name));
    return value;
  }
  long number(PyObject* field) const { return PyLong_AsLong((*this)[field]); }

 private:
  PyObject* object_;
  PyObject* dict_;
};

}  // namespace

// ---- conversion

class Builder {
 public:
  Builder(Module& module, uint32_t first_lineno)
      : module_(module), first_lineno_(first_lineno), names_by_str_(64) {}

  static std::unique_ptr<Module> build(const Source& source, PyObject* function) {
    std::unique_ptr<Module> module(new Module());
    // Measured on kernels and on the standard library: 9 to 15 bytes of nodes a byte of text.
    module->add_chunk(source.text.size() * 16 + 1024);
    Builder builder(*module, source.indented ? 2 : 1);
    module->function = as<FunctionDef>(builder.convert(function));
    module->names = builder.copy(builder.names_);
    module->node_count = builder.node_count_;
    return module;
  }

 private:
  static constexpr int kMaxDepth = 3000;  // a node takes about 200 bytes of stack here, more in lowering

  // ---- allocation
  template <class T>
  T* allocate() {
    static_assert(alignof(T) <= 8 && std::is_trivially_destructible_v<T>);
    return new (module_.allocate(sizeof(T))) T();
  }
  template <class T>
  T* make(NodeKind kind) {
    T* node = allocate<T>();
    node->kind = kind;
    node->id = node_count_++;
    return node;
  }
  template <class T>
  T* array(size_t size) {
    return static_cast<T*>(module_.allocate(size * sizeof(T)));  // NOLINT(bugprone-sizeof-expression)
  }
  template <class T>
  Span<T> copy(const std::vector<T>& items) {
    if (items.empty()) return {};
    T* data = array<T>(items.size());
    std::copy(items.begin(), items.end(), data);
    return {data, static_cast<uint32_t>(items.size())};
  }
  // Converts a Python list; `convert_item` may return null.
  template <class T, class F>
  Span<T> list(PyObject* list, F convert_item) {
    if (list == nullptr) return {};
    if (!PyList_Check(list)) ASC_BUG("an AST list is no list");
    Py_ssize_t size = PyList_GET_SIZE(list);
    if (size == 0) return {};
    T* data = array<T>(static_cast<size_t>(size));
    for (Py_ssize_t i = 0; i < size; i++) data[i] = convert_item(PyList_GET_ITEM(list, i));
    return {data, static_cast<uint32_t>(size)};
  }
  NodeList nodes(PyObject* python_list) {
    return list<const Node*>(python_list, [&](PyObject* item) { return optional(item); });
  }

  const Node* optional(PyObject* object) {
    return object == nullptr || object == Py_None ? nullptr : convert(object);
  }

  // ---- leaves
  void set_range(Node* node, const Object& o) {
    const Fields& f = fields_;
    Range& r = node->range;
    r.line = static_cast<uint32_t>(o.number(f.lineno)) - first_lineno_;
    r.col = static_cast<uint32_t>(o.number(f.col_offset));
    r.end_line = static_cast<uint32_t>(o.number(f.end_lineno)) - first_lineno_;
    r.end_col = static_cast<uint32_t>(o.number(f.end_col_offset));
    if (fstring_ != nullptr && !inside(r, *fstring_)) r = *fstring_;
  }
  static bool inside(const Range& r, const Range& outer) {
    auto before = [](uint32_t l1, uint32_t c1, uint32_t l2, uint32_t c2) {
      return l1 != l2 ? l1 < l2 : c1 <= c2;
    };
    return before(outer.line, outer.col, r.line, r.col) &&
           before(r.end_line, r.end_col, outer.end_line, outer.end_col);
  }
  static Range join(const Range& first, const Range& last) {
    return {first.line, first.col, last.end_line, last.end_col};
  }
  static uint8_t op_number(PyObject* object) { return TypeTable::get()[object].op; }

  PyObject* keep(PyObject* object) {
    module_.owned_.push_back(object);
    Py_INCREF(object);
    return object;
  }

  // Identifiers of the parser are interned, so that the address tells names apart.
  const Name* name(PyObject* str) {
    if (str == nullptr) return nullptr;
    if (!PyUnicode_CHECK_INTERNED(str)) {
      Py_INCREF(str);
      module_.owned_.push_back(str);
      PyUnicode_InternInPlace(&module_.owned_.back());
      str = module_.owned_.back();
    }
    size_t mask = names_by_str_.size() - 1;
    size_t i = (reinterpret_cast<uintptr_t>(str) >> 4) & mask;
    for (; names_by_str_[i] != nullptr; i = (i + 1) & mask)
      if (names_by_str_[i]->str == str) return names_by_str_[i];
    Py_ssize_t size = 0;
    const char* utf8 = PyUnicode_AsUTF8AndSize(str, &size);
    if (utf8 == nullptr) drop_error(), ASC_BUG("an identifier is not UTF-8");
    Name* name = allocate<Name>();
    name->str = keep(str);
    name->utf8 = {utf8, static_cast<size_t>(size)};
    name->id = static_cast<uint32_t>(names_.size());
    names_by_str_[i] = name;
    names_.push_back(name);
    if (names_.size() * 2 > names_by_str_.size()) grow_names();
    return name;
  }
  void grow_names() {
    size_t mask = names_by_str_.size() * 2 - 1;
    names_by_str_.assign(mask + 1, nullptr);
    for (const Name* name : names_) {
      size_t i = (reinterpret_cast<uintptr_t>(name->str) >> 4) & mask;
      while (names_by_str_[i] != nullptr) i = (i + 1) & mask;
      names_by_str_[i] = name;
    }
  }

  void set_constant(Constant* node, PyObject* value) {
    using Type = Constant::Type;
    node->object = keep(value);
    if (value == Py_None) {
      node->type = Type::None;
    } else if (value == Py_True || value == Py_False) {
      node->type = value == Py_True ? Type::True : Type::False;
      node->int_value = value == Py_True;
    } else if (PyLong_CheckExact(value)) {
      int overflow = 0;
      node->type = Type::Int;
      long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
      node->fits_int64 = overflow == 0;
      node->int_value = overflow == 0 ? number : 0;
    } else if (PyFloat_CheckExact(value)) {
      node->type = Type::Float;
      node->float_value = PyFloat_AS_DOUBLE(value);
    } else if (PyUnicode_CheckExact(value)) {
      node->type = Type::Str;
      Py_ssize_t size = 0;
      if (const char* utf8 = PyUnicode_AsUTF8AndSize(value, &size))
        node->text = {utf8, static_cast<size_t>(size)};
      drop_error();
    } else if (PyBytes_CheckExact(value)) {
      node->type = Type::Bytes;
      node->text = {PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value))};
    } else if (value == Py_Ellipsis) {
      node->type = Type::Ellipsis;
    } else if (PyComplex_CheckExact(value)) {
      node->type = Type::Complex;
    } else {
      ASC_BUG(fmt::format("a constant of type {}", Py_TYPE(value)->tp_name));
    }
  }

  // ---- parts
  const Arg* arg(PyObject* object) {
    if (object == nullptr || object == Py_None) return nullptr;
    Object o(object);
    Arg* node = make<Arg>(NodeKind::arg);
    set_range(node, o);
    node->name = name(o[fields_.arg]);
    node->annotation = optional(o.find(fields_.annotation));
    return node;
  }

  const Arguments* arguments(PyObject* object) {
    Object o(object);
    Arguments* node = make<Arguments>(NodeKind::arguments);
    auto arg_list = [&](PyObject* field) {
      return list<const Arg*>(o.find(field), [&](PyObject* item) { return arg(item); });
    };
    node->posonly = arg_list(fields_.posonlyargs);
    node->args = arg_list(fields_.args);
    node->vararg = arg(o.find(fields_.vararg));
    node->kwonly = arg_list(fields_.kwonlyargs);
    node->kw_defaults = nodes(o.find(fields_.kw_defaults));
    node->kwarg = arg(o.find(fields_.kwarg));
    node->defaults = nodes(o.find(fields_.defaults));
    return node;
  }

  const Keyword* keyword(PyObject* object) {
    Object o(object);
    Keyword* node = make<Keyword>(NodeKind::keyword);
    set_range(node, o);
    node->name = name(o.find(fields_.arg));
    node->value = convert(o[fields_.value]);
    return node;
  }

  const Comprehension* comprehension(PyObject* object) {
    Object o(object);
    Comprehension* node = make<Comprehension>(NodeKind::comprehension);
    node->target = convert(o[fields_.target]);
    node->iter = convert(o[fields_.iter]);
    node->ifs = nodes(o.find(fields_.ifs));
    node->is_async = o.number(fields_.is_async) != 0;
    node->range = join(node->target->range, (node->ifs.empty() ? node->iter : node->ifs.back())->range);
    return node;
  }

  const WithItem* with_item(PyObject* object) {
    Object o(object);
    WithItem* node = make<WithItem>(NodeKind::withitem);
    node->context = convert(o[fields_.context_expr]);
    node->var = optional(o.find(fields_.optional_vars));
    node->range = join(node->context->range, (node->var ? node->var : node->context)->range);
    return node;
  }

  // ---- nodes
  const Node* convert(PyObject* object) {
    NodeKind kind = TypeTable::get()[object].kind;
    if (kind == NodeKind::Count) ASC_BUG("an operator where a node is expected");
    if (++depth_ > kMaxDepth || stack_is_low()) {
      throw SourceError(SourceError::Kind::Syntax, "the function is nested too deeply",
                        "split its longest expressions, or start the thread with a larger stack");
    }
    Object o(object);
    const Node* node = is_stmt(kind) ? convert_stmt(kind, o) : convert_expr(kind, o);
    depth_--;
    return node;
  }

  template <class T>
  T* start(NodeKind kind, const Object& o) {
    T* node = make<T>(kind);
    set_range(node, o);
    return node;
  }

  const Node* convert_stmt(NodeKind kind, const Object& o);
  const Node* convert_expr(NodeKind kind, const Object& o);
  const Node* convert_function(const Object& o);
  const Node* convert_comp(NodeKind kind, const Object& o);
  const Node* convert_fstring(const Object& o);

  Module& module_;
  uint32_t first_lineno_;
  const Fields& fields_ = Fields::get();
  std::vector<const Name*> names_;
  std::vector<const Name*>
      names_by_str_;  // open addressing by address of the str; the size is a power of two
  uint32_t node_count_ = 0;
  int depth_ = 0;
  const Range* fstring_ = nullptr;  // before Python 3.12: the f-string around, see convert_fstring
};

const Node* Builder::convert_function(const Object& o) {
  FunctionDef* node = start<FunctionDef>(NodeKind::FunctionDef, o);
  node->name = name(o[fields_.name]);
  node->decorators = nodes(o.find(fields_.decorator_list));
  node->type_params = nodes(o.find(fields_.type_params));
  node->args = arguments(o[fields_.args]);
  node->returns = optional(o.find(fields_.returns));
  node->body = nodes(o[fields_.body]);
  return node;
}

const Node* Builder::convert_stmt(NodeKind kind, const Object& o) {
  const Fields& f = fields_;
  switch (kind) {
    case NodeKind::FunctionDef: return convert_function(o);
    case NodeKind::AsyncFunctionDef:
    case NodeKind::ClassDef: {
      Definition* node = start<Definition>(kind, o);
      node->name = name(o[f.name]);
      node->decorators = nodes(o.find(f.decorator_list));
      return node;
    }
    case NodeKind::Return: {
      Return* node = start<Return>(kind, o);
      node->value = optional(o.find(f.value));
      return node;
    }
    case NodeKind::Delete: {
      Delete* node = start<Delete>(kind, o);
      node->targets = nodes(o[f.targets]);
      return node;
    }
    case NodeKind::Assign: {
      Assign* node = start<Assign>(kind, o);
      node->targets = nodes(o[f.targets]);
      node->value = convert(o[f.value]);
      return node;
    }
    case NodeKind::AugAssign: {
      AugAssign* node = start<AugAssign>(kind, o);
      node->op = op_number(o[f.op]);
      node->target = convert(o[f.target]);
      node->value = convert(o[f.value]);
      return node;
    }
    case NodeKind::AnnAssign: {
      AnnAssign* node = start<AnnAssign>(kind, o);
      node->target = convert(o[f.target]);
      node->annotation = convert(o[f.annotation]);
      node->value = optional(o.find(f.value));
      node->simple = o.number(f.simple) != 0;
      return node;
    }
    case NodeKind::For: {
      For* node = start<For>(kind, o);
      node->target = convert(o[f.target]);
      node->iter = convert(o[f.iter]);
      node->body = nodes(o[f.body]);
      node->orelse = nodes(o.find(f.orelse));
      return node;
    }
    case NodeKind::While: {
      While* node = start<While>(kind, o);
      node->test = convert(o[f.test]);
      node->body = nodes(o[f.body]);
      node->orelse = nodes(o.find(f.orelse));
      return node;
    }
    case NodeKind::If: {
      If* node = start<If>(kind, o);
      node->test = convert(o[f.test]);
      node->body = nodes(o[f.body]);
      node->orelse = nodes(o.find(f.orelse));
      return node;
    }
    case NodeKind::With: {
      With* node = start<With>(kind, o);
      node->items = list<const WithItem*>(o[f.items], [&](PyObject* item) { return with_item(item); });
      node->body = nodes(o[f.body]);
      return node;
    }
    case NodeKind::Assert: {
      Assert* node = start<Assert>(kind, o);
      node->test = convert(o[f.test]);
      node->msg = optional(o.find(f.msg));
      return node;
    }
    case NodeKind::Global:
    case NodeKind::Nonlocal: {
      NamesStmt* node = start<NamesStmt>(kind, o);
      node->names = list<const Name*>(o[f.names], [&](PyObject* item) { return name(item); });
      return node;
    }
    case NodeKind::Expr: {
      ExprStmt* node = start<ExprStmt>(kind, o);
      node->value = convert(o[f.value]);
      return node;
    }
    default: return start<Opaque>(kind, o);
  }
}

const Node* Builder::convert_comp(NodeKind kind, const Object& o) {
  Comp* node = start<Comp>(kind, o);
  bool dict = kind == NodeKind::DictComp;
  node->elt = convert(o[dict ? fields_.key : fields_.elt]);
  node->value = dict ? convert(o[fields_.value]) : nullptr;
  node->generators =
      list<const Comprehension*>(o[fields_.generators], [&](PyObject* item) { return comprehension(item); });
  return node;
}

// Before 3.12 Python computes the places of nodes inside an f-string by searching the text, which can go
// wrong: what falls outside the f-string gets the range of the f-string.
const Node* Builder::convert_fstring(const Object& o) {
  JoinedStr* node = start<JoinedStr>(NodeKind::JoinedStr, o);
  const Range* outer = std::exchange(fstring_, PY_VERSION_HEX < 0x030C0000 ? &node->range : nullptr);
  node->values = nodes(o[fields_.values]);
  fstring_ = outer;
  return node;
}

const Node* Builder::convert_expr(NodeKind kind, const Object& o) {
  const Fields& f = fields_;
  switch (kind) {
    case NodeKind::BoolOp: {
      BoolOp* node = start<BoolOp>(kind, o);
      node->op = op_number(o[f.op]);
      node->values = nodes(o[f.values]);
      return node;
    }
    case NodeKind::NamedExpr: {
      NamedExpr* node = start<NamedExpr>(kind, o);
      node->target = convert(o[f.target]);
      node->value = convert(o[f.value]);
      return node;
    }
    case NodeKind::BinOp: {
      BinOp* node = start<BinOp>(kind, o);
      node->op = op_number(o[f.op]);
      node->left = convert(o[f.left]);
      node->right = convert(o[f.right]);
      return node;
    }
    case NodeKind::UnaryOp: {
      UnaryOp* node = start<UnaryOp>(kind, o);
      node->op = op_number(o[f.op]);
      node->operand = convert(o[f.operand]);
      return node;
    }
    case NodeKind::Lambda: {
      Lambda* node = start<Lambda>(kind, o);
      node->args = arguments(o[f.args]);
      node->body = convert(o[f.body]);
      return node;
    }
    case NodeKind::IfExp: {
      IfExp* node = start<IfExp>(kind, o);
      node->test = convert(o[f.test]);
      node->body = convert(o[f.body]);
      node->orelse = convert(o[f.orelse]);
      return node;
    }
    case NodeKind::Dict: {
      Dict* node = start<Dict>(kind, o);
      node->keys = nodes(o[f.keys]);
      node->values = nodes(o[f.values]);
      return node;
    }
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp: return convert_comp(kind, o);
    case NodeKind::Compare: {
      Compare* node = start<Compare>(kind, o);
      node->left = convert(o[f.left]);
      node->ops = list<CompareOperator>(
          o[f.ops], [](PyObject* item) { return static_cast<CompareOperator>(op_number(item)); });
      node->comparators = nodes(o[f.comparators]);
      return node;
    }
    case NodeKind::Call: {
      Call* node = start<Call>(kind, o);
      node->func = convert(o[f.func]);
      node->args = nodes(o.find(f.args));
      node->keywords =
          list<const Keyword*>(o.find(f.keywords), [&](PyObject* item) { return keyword(item); });
      return node;
    }
    case NodeKind::FormattedValue: {
      FormattedValue* node = start<FormattedValue>(kind, o);
      node->value = convert(o[f.value]);
      long conversion = o.number(f.conversion);
      node->conversion = conversion > 0 ? static_cast<char>(conversion) : '\0';
      node->format_spec = optional(o.find(f.format_spec));
      return node;
    }
    case NodeKind::JoinedStr: return convert_fstring(o);
    case NodeKind::Constant: {
      Constant* node = start<Constant>(kind, o);
      PyObject* value = o.find(f.value);  // null is None itself
      set_constant(node, value ? value : Py_None);
      return node;
    }
    case NodeKind::Attribute: {
      Attribute* node = start<Attribute>(kind, o);
      node->op = op_number(o[f.ctx]);
      node->value = convert(o[f.value]);
      node->attr = name(o[f.attr]);
      return node;
    }
    case NodeKind::Subscript: {
      Subscript* node = start<Subscript>(kind, o);
      node->op = op_number(o[f.ctx]);
      node->value = convert(o[f.value]);
      node->slice = convert(o[f.slice]);
      return node;
    }
    case NodeKind::Starred: {
      Starred* node = start<Starred>(kind, o);
      node->op = op_number(o[f.ctx]);
      node->value = convert(o[f.value]);
      return node;
    }
    case NodeKind::Name: {
      NameExpr* node = start<NameExpr>(kind, o);
      node->op = op_number(o[f.ctx]);
      node->name = name(o[f.id]);
      return node;
    }
    case NodeKind::List:
    case NodeKind::Tuple:
    case NodeKind::Set: {
      Sequence* node = start<Sequence>(kind, o);
      if (kind != NodeKind::Set) node->op = op_number(o[f.ctx]);
      node->elts = nodes(o[f.elts]);
      return node;
    }
    case NodeKind::Slice: {
      Slice* node = start<Slice>(kind, o);
      node->lower = optional(o.find(f.lower));
      node->upper = optional(o.find(f.upper));
      node->step = optional(o.find(f.step));
      return node;
    }
    default: return start<Opaque>(kind, o);
  }
}

std::unique_ptr<Module> convert_module(const Source& source, PyObject* module) {
  const Fields& f = Fields::get();
  PyObject* body = Object(module)[f.body];
  if (source.indented && PyList_GET_SIZE(body) == 1) {
    PyObject* wrapper = PyList_GET_ITEM(body, 0);
    if (TypeTable::get()[wrapper].kind == NodeKind::If) body = Object(wrapper)[f.body];
  }
  if (PyList_GET_SIZE(body) != 1) return nullptr;
  PyObject* function = PyList_GET_ITEM(body, 0);
  if (TypeTable::get()[function].kind != NodeKind::FunctionDef) return nullptr;
  return Builder::build(source, function);
}

}  // namespace asc::ast
