// SPDX-License-Identifier: Apache-2.0
// The Matmul object: its type from compile-time MatmulTypes, the loop `with matmul.iterate() as i`, and what
// its methods ask of their operands beyond the op table: the element types are the object's.
#include "ops/matmul_type.h"

#include <iterator>

#include "base/format.h"
#include "lower/frame.h"
#include "lower/matmul_object.h"

namespace asc::lower {

using ast::Node;

namespace {

constexpr std::string_view kSides[kMatmulMatrices] = {"a", "b", "c", "bias"};

// What Ascend C multiplies and adds (Matmul, table 2: A and B, bias, C), as far as no quantisation is needed.
struct Combination {
  DType input, bias, output;
};
constexpr Combination kCombinations[] = {
    {DType::F32, DType::F32, DType::F32},   {DType::F32, DType::F32, DType::F16},
    {DType::F32, DType::F32, DType::BF16},  {DType::F32, DType::F16, DType::F32},
    {DType::F32, DType::F16, DType::F16},   {DType::F32, DType::F16, DType::BF16},
    {DType::F16, DType::F32, DType::F32},   {DType::F16, DType::F32, DType::F16},
    {DType::F16, DType::F32, DType::BF16},  {DType::F16, DType::F16, DType::F32},
    {DType::F16, DType::F16, DType::F16},   {DType::F16, DType::F16, DType::BF16},
    {DType::BF16, DType::F32, DType::F32},  {DType::BF16, DType::F32, DType::F16},
    {DType::BF16, DType::F32, DType::BF16}, {DType::BF16, DType::F16, DType::F32},
    {DType::BF16, DType::F16, DType::F16},  {DType::I8, DType::I32, DType::I32},
};

// An attribute of a MatmulType; its class has checked the kinds of all.
PyRef part(PyObject* object, const char* name) {
  PyRef value = PyRef::steal(PyObject_GetAttrString(object, name));
  ASC_ASSERT(value);
  return value;
}

int64_t enum_part(PyObject* object, const char* name) {
  EnumId id;
  int64_t value = 0;
  const PyRef member = part(object, name);
  ASC_ASSERT(as_enum(member.get(), &id, &value));
  return value;
}

bool is_allowed_position(int side, int position) {
  if (position == tposition::GM) return true;
  return side == kMatmulC && (position == tposition::VECIN || position == tposition::VECCALC);
}

}  // namespace

bool is_matmul_type_class(PyObject* object) {
  static PyObject* const name = PyUnicode_InternFromString("__asc_matmul_type__");
  if (!PyType_Check(object)) return false;
  PyObject* own = reinterpret_cast<PyTypeObject*>(object)->tp_dict;
  return own && PyDict_Contains(own, name) == 1;
}
bool is_matmul_type(PyObject* object) {
  return object && is_matmul_type_class(reinterpret_cast<PyObject*>(Py_TYPE(object)));
}

MatmulMatrix Frame::matrix_of(const Argument& a, int side) {
  if (!a.value.is_static() || !is_matmul_type(a.value.object))
    fail(a.node,
         fmt::format("'{}' of asc.adv.Matmul is {}, not an asc.adv.MatmulType", kSides[side], shown(a.value)),
         "MatmulType(position, format, dtype), known at compile time");
  PyObject* object = a.value.object;
  MatmulMatrix m;
  DType dtype = DType::Void;
  ASC_ASSERT(as_dtype(part(object, "dtype").get(), &dtype));
  m.dtype = dtype;
  m.position = static_cast<uint8_t>(enum_part(object, "position"));
  m.format = static_cast<uint8_t>(enum_part(object, "format"));
  m.is_trans = part(object, "is_trans").get() == Py_True;
  const EnumMember* position = enum_desc(EnumId::TPosition).find(int64_t{m.position});
  if (!is_allowed_position(side, m.position))
    fail(a.node,
         fmt::format("a Matmul whose '{}' is at TPosition.{} is not yet supported", kSides[side],
                     position->name),
         side == kMatmulC ? "C goes to GM, VECIN or VECCALC" : "A, B and bias lie in GM");
  if (m.format != 0)
    fail(a.node,
         fmt::format("a Matmul whose '{}' has CubeFormat.{} is not yet supported", kSides[side],
                     enum_desc(EnumId::CubeFormat).find(int64_t{m.format})->name),
         "use CubeFormat.ND");
  if (enum_part(object, "layout") != 0)
    fail(a.node, "a Matmul of batches (MatmulType.layout) is not yet supported", "leave layout at NONE");
  return m;
}

// asc.adv.Matmul(a, b, c, bias)
Value Frame::construct_matmul(std::span<Argument> args, const Node* at) {
  std::vector<Argument> given;
  for (const Argument& a : args) {
    const std::string_view keyword = a.keyword ? std::string_view(a.keyword->utf8) : std::string_view();
    const bool none = a.value.is_static() && a.value.object == Py_None;
    const bool later = keyword == "matmul_config" || keyword == "matmul_policy";
    if (later && !none) fail(a.node, fmt::format("{} of asc.adv.Matmul is not yet supported", keyword));
    constexpr ptrdiff_t kBias = 3;
    const bool bias = keyword == "bias" || (!a.keyword && &a - args.data() == kBias);
    if (!later && !(none && bias)) given.push_back(a);
  }
  const Match m = match(OpId::Matmul_Matmul, nullptr, given, at);
  MatmulMatrix matrices[kMatmulMatrices];
  for (size_t side = 0; side < m.args.size(); side++)
    matrices[side] = matrix_of(given[static_cast<size_t>(m.args[side])], static_cast<int>(side));
  const DType a = matrices[kMatmulA].dtype, b = matrices[kMatmulB].dtype, c = matrices[kMatmulC].dtype,
              bias = matrices[kMatmulBias].dtype;
  bool fits = false;
  for (const Combination& row : kCombinations)
    fits = fits || (row.input == a && a == b && row.output == c && (bias == DType::Void || bias == row.bias));
  if (!fits)
    fail(
        at,
        fmt::format("a Matmul of {} and {}{} into {} is not yet supported, or not possible", py_name(a),
                    py_name(b),
                    bias == DType::Void ? std::string() : fmt::format(" with a bias of {}", py_name(bias)),
                    py_name(c)),
        "A and B of float16, bfloat16 or float32 give float32, float16 or bfloat16; of int8 they give int32");
  const bool named = hint_call_ == at && hint_names_.size() == 1;
  ir::Var* var = new_var(named ? hint_names_[0]->utf8 : "matmul", matmul_type(matrices), at);
  var->hoisted = !named;
  declare_here(var, nullptr, at);
  info(var).fresh = named;
  return Value::of(ref(var, at));
}

// Optional parameters of the API are None where they are not given: such arguments are left out, by keyword
// and at the end. Forms that have no row yet say so.
std::span<Argument> Frame::matmul_arguments(OpId op, std::span<Argument> args, const Node* at) const {
  const auto is_none = [](const Argument& a) { return a.value.is_static() && a.value.object == Py_None; };
  size_t count = 0, positional = 0;
  for (const Argument& a : args)
    if (!a.keyword || !is_none(a)) args[count++] = a;
  args = args.first(count);
  while (positional < count && !args[positional].keyword) positional++;
  if (positional == count)
    while (count > 1 && is_none(args[count - 1])) count--;
  args = args.first(count);

  const Argument* tensor = args.empty() || args[0].keyword ? nullptr : args.data();
  for (const Argument& a : args)
    if (a.keyword && a.keyword->utf8 == "tensor") tensor = &a;
  const bool sets =
      op == OpId::Matmul_SetTensorA || op == OpId::Matmul_SetTensorB || op == OpId::Matmul_SetBias;
  if (sets && tensor) {
    if (tensor->value.is_expr() && tensor->value.expr->type.kind == Kind::LocalTensor)
      fail(tensor->node, fmt::format("{} of a LocalTensor is not yet supported", op_desc(op).py_name),
           "give a GlobalTensor");
    if (number(tensor->value) || is_scalar(tensor->value))
      fail(tensor->node, fmt::format("{} of a number is not yet supported", op_desc(op).py_name),
           "give a GlobalTensor");
  }
  if (op == OpId::Matmul_GetTensorC &&
      (!tensor || !tensor->value.is_expr() || !tensor->value.expr->type.is_tensor()))
    fail(at, "the form of get_tensor_c that returns a tensor is not yet supported",
         "give a tensor: get_tensor_c(c)");
  for (const Argument& a : args)
    if (op == OpId::Matmul_Iterate && a.keyword && a.keyword->utf8 == "local_c_matrix")
      fail(a.node, "local_c_matrix of iterate is not yet supported", "take the block with get_tensor_c");
  return args;
}

// The operands of a method have the element types of the object's matrices, in the memory that it was made
// for.
void Frame::check_matmul_call(const OpCallFacts& call, const Node* at) const {
  const auto expect = [&](int side) {
    const MatmulMatrix m = matmul_matrix(call.self, side);
    if (m.dtype == DType::Void) return;
    if (call.elem != m.dtype)
      fail(call.operand,
           fmt::format("this tensor is of {}, and '{}' of the Matmul is of {}", py_name(call.elem),
                       kSides[side], py_name(m.dtype)),
           fmt::format("give the MatmulType of '{}' the tensor's dtype", kSides[side]));
  };
  switch (call.op) {
    case OpId::Matmul_SetTensorA: return expect(kMatmulA);
    case OpId::Matmul_SetTensorB: return expect(kMatmulB);
    case OpId::Matmul_SetBias: {
      const bool none = matmul_matrix(call.self, kMatmulBias).dtype == DType::Void;
      return expect(none ? kMatmulC : kMatmulBias);
    }
    case OpId::Matmul_GetTensorC:
    case OpId::Matmul_IterateAll: {
      expect(kMatmulC);
      const bool local = matmul_matrix(call.self, kMatmulC).position != tposition::GM;
      if (local && call.op == OpId::Matmul_IterateAll)
        fail(at, "iterate_all of a Matmul whose 'c' goes to local memory is not yet supported",
             "use `with matmul.iterate()` and get_tensor_c, or TPosition.GM");
      if (local != call.to_local)
        fail(call.operand,
             fmt::format("'c' of the Matmul goes to {} memory, and this tensor is in {} memory",
                         local ? "local" : "global", local ? "global" : "local"),
             local ? "give a LocalTensor" : "make the MatmulType of 'c' with TPosition.VECIN or VECCALC");
      return;
    }
    default: return;
  }
}

// Asynchronous results need a workspace of the object, fake messages a shared configuration: neither is
// there.
void Frame::check_matmul_options(OpId op, const OverloadDesc& proto, std::span<ir::Expr* const> operands,
                                 const Node* at) const {
  for (size_t i = 0; i < operands.size(); i++) {
    const std::string_view name = proto.params[i].name;
    const bool refused = (name == "sync" && op == OpId::Matmul_GetTensorC) || name == "fake_msg";
    if (!refused || !operands[i]) continue;
    const auto value = ir::const_int(operands[i]);
    if (value != static_cast<int64_t>(proto.params[i].default_value))
      fail(at, fmt::format("{} of {} is not yet supported", name, op_desc(op).py_name),
           fmt::format("leave {} out", name));
  }
}

// ---- with matmul.iterate() as i ----

// A loop: its condition computes the next block, `i` counts its turns. break and continue are its own.
void Frame::with_statement(const ast::With* s) {
  const ast::WithItem* item = s->items[0];
  const auto* call = ast::dyn<ast::Call>(item->context);
  const Value method = call ? expression(call->func) : Value();
  if (s->items.size() != 1 || method.kind != ValueKind::Method || method.op != OpId::Matmul_Iterate)
    fail_syntax(s);
  std::vector<Argument> args;
  arguments(call, &args);
  const Type self_type = method.expr->type;
  args.resize(matmul_arguments(OpId::Matmul_Iterate, args, call).size());
  const Match m = match(OpId::Matmul_Iterate, &self_type, args, call);
  const OverloadDesc& proto = op_desc(OpId::Matmul_Iterate).overloads[static_cast<size_t>(m.overload)];
  ir::Expr* operands[4] = {};
  ASC_ASSERT(proto.params.size() <= std::size(operands));
  for (size_t i = 0; i < proto.params.size(); i++) {
    if (m.args[i] < 0) continue;
    const Argument& a = args[static_cast<size_t>(m.args[i])];
    const auto n = number(a.value);
    if (!n || (n->bits != 0) != (proto.params[i].default_value != 0))
      fail(a.node, fmt::format("iterate({}={}) is not yet supported", proto.params[i].name, text_of(a.node)));
  }

  const Type counter = Type::scalar(DType::I32);
  ir::Var* turn = nullptr;
  if (item->var) turn = temporary("turn", build_.int_const(counter, 0, loc(item->var)), item->var);
  LoopState loop{};
  loop.node = s;
  loop.construct = &analysis_.of(s);
  loop.depth = depth();
  const size_t returns = returns_.size();
  ir::Block* body;
  do {
    prepare_head(loop);
    returns_.resize(returns);
    body = build_.new_block();
    loops_.push_back(&loop);
    enter(body);
    if (turn) {
      store(item->var, Value::of(ref(turn, item->var)), item->var);
      ir::Expr* one = build_.int_const(counter, 1, loc(item->var));
      assign_var(turn, build_.binary(ir::BinaryOp::Add, ref(turn, item->var), one, loc(item->var)),
                 item->var);
    }
    loop_body(loop, s->body);
    if (reachable_) flow_to_head(loop, s);
    leave();
    loops_.pop_back();
    round_ends(loop);
    reachable_ = true;
    retried_ = retried_ || loop.retry;
  } while (loop.retry);
  ir::Expr* test = build_.op_call(OpId::Matmul_Iterate, m.overload, m.vars, method.expr,
                                  std::span<ir::Expr* const>(operands, proto.params.size()), loc(call));
  Edge exit;
  exit.bindings = loop.head;
  ir::Block* orelse = nullptr;
  finish_loop(loop, &exit, {}, false, &orelse);
  build_.while_(nullptr, test, body, orelse, loc(s));
}

}  // namespace asc::lower
