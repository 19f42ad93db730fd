// SPDX-License-Identifier: Apache-2.0
// Items and slices: of compile-time containers by Python's rules, of device values as views by the op table.
#include "base/format.h"
#include "lower/frame.h"
#include "lower/suggest.h"

namespace asc::lower {

using ast::Node;
using ast::NodeKind;

// A computed offset before a tensor's start: in global memory there may be something, and the device goes
// there.
Value Frame::before_start(const Number& n, OpId method, const Node* at) {
  const ParamDesc& offset = op_desc(method).overloads[0].params[0];
  if (offset.type.dtype != DType::U64)
    fail(at, fmt::format("the tensor begins at 0, this offset is {}", n.bits));
  ir::Expr* value = build_.int_const(Type::scalar(DType::I64), n.bits, loc(at));
  return Value::of(build_.cast(Type::scalar(DType::U64), value, true, loc(at)));
}

// tensor[i], tensor[i:], tensor[a:b]: a method that takes where the view begins and, if it is known, how long
// it is.
Value Frame::view(const Value& object, const ast::Subscript* e) {
  const auto method = find_method(object.expr->type.kind, "__getitem__");
  if (!method)
    fail(e, fmt::format("TypeError: {} has no items", shown(object)),
         address_hint(object, e->value,
                      e->slice->kind == NodeKind::Slice ? fmt::format("g[{}]", text_of(e->slice))
                                                        : fmt::format("g.get_value({})", text_of(e->slice))));
  Value receiver = object;
  std::vector<Argument> args;
  if (const auto* slice = ast::dyn<ast::Slice>(e->slice)) {
    if (slice->step)
      fail(slice->step, "a slice of a tensor has no step", "copy the elements, or use the strides of the op");
    if (!slice->lower && !slice->upper) return object;
    Pending pending[3] = {pend(&receiver)};
    Value from = slice->lower ? expression(slice->lower) : Value::of(session_.keep(PyLong_FromLong(0)));
    pending[1] = pend(&from);
    Value to;
    if (slice->upper) to = expression(slice->upper);
    pending[2] = pend(&to);
    settle(pending, e);
    for (const auto& [bound, node] : {std::pair(&from, slice->lower), std::pair(&to, slice->upper)})
      if (const auto n = number(*bound); n && n->is_negative()) {
        if (node->kind == NodeKind::UnaryOp || bound == &to)
          fail(node, "an index from the end is not supported: the device does not know a tensor's length",
               "count from the front");
        *bound = before_start(*n, *method, node);
      }
    if (!slice->upper) {
      args.push_back({from, slice->lower, nullptr});
    } else {
      const auto low = number(from);
      if (low && low->bits == 0) {
        args = {{from, e->slice, nullptr}, {to, slice->upper, nullptr}};
      } else {
        from = shared(from, e);
        const Value length = binary(ast::Operator::Sub, to, again(from, e), e->slice);
        if (const auto n = number(length); n && n->is_negative())
          fail(e->slice, "this slice ends before it begins");
        args = {{from, slice->lower, nullptr}, {length, slice->upper, nullptr}};
      }
    }
  } else {
    if (e->slice->kind == NodeKind::Tuple)
      fail(e->slice, "a tensor has one dimension here", "compute the offset: x[i * width + j]");
    Pending pending[2] = {pend(&receiver)};
    Value index = expression(e->slice);
    pending[1] = pend(&index);
    settle(pending, e);
    if (const auto n = number(index); n && n->is_negative())
      fail(e->slice, "an index from the end is not supported: the device does not know a tensor's length",
           "count from the front");
    args.push_back({index, e->slice, nullptr});
  }
  return call_op(*method, receiver.expr, args, e);
}

// Objects as indexes or keys answer by their methods (__index__, __hash__, __eq__).
void Frame::touch_index(PyObject* index) {
  if (!PySlice_Check(index)) return session_.touch(index);
  const auto* slice = reinterpret_cast<PySliceObject*>(index);
  for (PyObject* part : {slice->start, slice->stop, slice->step}) session_.touch(part);
}

Value Frame::item(const Value& object, const Value& key, const Node* at) {
  if (object.is_static()) {
    PyObject* index = to_object(key);
    if (!index)
      fail(at, fmt::format("{} indexed by a runtime value", shown(object)),
           "a compile-time container needs a compile-time index; asc.static_range unrolls a loop");
    touch_index(index);
    PyObject* value = check(PyObject_GetItem(object.object, index), at);
    if (!is_plain_container(object.object)) {
      session_.touch(object.object);
      session_.derive(value);
    } else if (PySlice_Check(index)) {
      session_.derive(value);
    } else if (!is_leaf(value)) {  // what is read of it later is found by its index
      session_.depend(Dependency::Via::Item, object.object, index, value);
    }
    return number_value(value);
  }
  if (object.is_seq()) {
    const auto n = number(key);
    if (!n || n->form == Number::Form::Float)
      fail(at, fmt::format("{} indexed by {}", shown(object), shown(key)),
           "a container of a kernel needs a compile-time index; asc.static_range unrolls a loop");
    const auto size = static_cast<int64_t>(object.seq->items.size());
    const int64_t i = n->bits < 0 ? n->bits + size : n->bits;
    if (i < 0 || i >= size)
      fail(at, fmt::format("IndexError: {} index out of range", object.seq->is_list ? "list" : "tuple"));
    return again(object.seq->items[static_cast<size_t>(i)], at);
  }
  if (object.kind == ValueKind::Map) {
    PyObject* index = to_object(key);
    if (!index) fail(at, "a dict needs a compile-time key");
    touch_index(index);
    for (const auto& [known, value] : object.map->items) {
      const int equal = PyObject_RichCompareBool(known, index, Py_EQ);
      if (equal < 0) fail_python(at);
      if (equal) return again(value, at);
    }
    fail(at, fmt::format("KeyError: {}", shown(Value::of(index))));
  }
  fail(at, fmt::format("TypeError: {} has no items", shown(object)));
}

Value Frame::subscript(const ast::Subscript* e) {
  const Value object = expression(e->value);
  if (object.is_expr()) return view(object, e);
  if (const auto* slice = ast::dyn<ast::Slice>(e->slice)) {
    PyObject* bounds[3];
    const Node* nodes[3] = {slice->lower, slice->upper, slice->step};
    for (int i = 0; i < 3; i++) {
      bounds[i] = Py_None;
      if (!nodes[i]) continue;
      bounds[i] = to_object(expression(nodes[i]));
      if (!bounds[i]) fail(nodes[i], "a slice of a compile-time container needs compile-time bounds");
    }
    PyObject* key = check(PySlice_New(bounds[0], bounds[1], bounds[2]), e);
    if (!object.is_seq()) return item(object, Value::of(key), e);
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step) < 0) fail_python(e);
    const Py_ssize_t count =
        PySlice_AdjustIndices(static_cast<Py_ssize_t>(object.seq->items.size()), &start, &stop, step);
    Seq* seq = session_.new_seq(object.seq->is_list, regions_.back().id);
    for (Py_ssize_t i = 0; i < count; i++)
      seq->items.push_back(again(object.seq->items[static_cast<size_t>(start + i * step)], e));
    return Value::of(seq);
  }
  return item(object, expression(e->slice), e);
}

void Frame::fail_from_outside(const Value& object, const Node* at) const {
  fail(at,
       fmt::format("an item of {} cannot be assigned: a kernel does not change what it takes from outside",
                   shown(object)),
       is_host_array(object.object) ? host_array_hint() : "copy it first: list(x), dict(x)");
}

void Frame::store_item(const ast::Subscript* target, const Value& v, const Node* at) {
  const Value object = expression(target->value);
  if (object.is_expr()) {
    if (const auto method = find_method(object.expr->type.kind, "__setitem__");
        method && target->slice->kind != NodeKind::Slice) {
      Argument args[2] = {{expression(target->slice), target->slice, nullptr}, {v, at, nullptr}};
      const Value result = call_op(*method, object.expr, args, at);
      if (result.is_expr()) build_.eval(result.expr, loc(at));
      return;
    }
    if (object.expr->type.kind == Kind::Pointer)
      fail(at, fmt::format("an item of {} cannot be assigned", shown(object)),
           address_hint(object, target->value, fmt::format("g.set_value({}, ...)", text_of(target->slice))));
    fail(at, fmt::format("an item of {} cannot be assigned", shown(object)),
         "use set_value for one element, asc.data_copy or asc.duplicate for many");
  }
  if (!object.is_seq() && object.kind != ValueKind::Map) fail_from_outside(object, at);
  if (target->slice->kind == NodeKind::Slice)
    fail(at, "assignment to a slice is not supported in a kernel", "assign the items");
  const uint32_t region = object.is_seq() ? object.seq->region : object.map->region;
  if (region != regions_.back().id)
    fail(at, fmt::format("{} may not change under runtime control flow", shown(object)),
         "build it before, or unroll with asc.static_range");
  const Value key = expression(target->slice);
  Value kept = v;
  keep_value(&kept, at);
  if (object.kind == ValueKind::Map) {
    PyObject* index = to_object(key);
    if (!index) fail(at, "a dict needs a compile-time key");
    return store_in_map(object.map, index, kept, at);
  }
  const auto n = number(key);
  const auto size = static_cast<int64_t>(object.seq->items.size());
  if (!object.seq->is_list) fail(at, "TypeError: 'tuple' object does not support item assignment");
  if (!n || n->form == Number::Form::Float) fail(at, fmt::format("a list indexed by {}", shown(key)));
  const int64_t i = n->bits < 0 ? n->bits + size : n->bits;
  if (i < 0 || i >= size) fail(at, "IndexError: list assignment index out of range");
  object.seq->items[static_cast<size_t>(i)] = kept;
}

}  // namespace asc::lower
