// SPDX-License-Identifier: Apache-2.0
// print, f-strings, and the messages of assert: text with holes for runtime values.
#include "base/format.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;

static std::string utf8_of(PyObject* str) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(str, &size);
  if (text) return {text, static_cast<size_t>(size)};
  PyErr_Clear();
  return {};
}

void Frame::format_value(const Value& v, const Node* node, std::vector<std::string>* pieces,
                         std::vector<ir::Expr*>* values) {
  if (PyObject* object = to_object(v)) {
    pieces->back() += utf8_of(check(PyObject_Str(object), node));
    return;
  }
  PyErr_Clear();
  if (v.is_seq()) {
    pieces->back() += v.seq->is_list ? "[" : "(";
    for (size_t i = 0; i < v.seq->items.size(); i++) {
      if (i) pieces->back() += ", ";
      format_value(v.seq->items[i], node, pieces, values);
    }
    pieces->back() += v.seq->is_list ? "]" : v.seq->items.size() == 1 ? ",)" : ")";
    return;
  }
  if (!v.is_expr() || (!v.expr->type.is_scalar() && v.expr->type.kind != Kind::Enum))
    fail(node, fmt::format("{} cannot be printed", shown(v)), "print numbers: get_value(i) of a tensor");
  Value value = v;
  if (v.expr->effect >= Effect::Write) value = shared(v, node);
  values->push_back(again(value, node).expr);
  pieces->emplace_back();
}

// A piece of text: an f-string's parts, a literal, or a value.
void Frame::format_piece(const Node* node, std::vector<std::string>* pieces, std::vector<ir::Expr*>* values) {
  const auto* text = ast::dyn<ast::JoinedStr>(node);
  if (!text) return format_value(expression(node), node, pieces, values);
  for (const Node* part : text->values) {
    const auto* field = ast::dyn<ast::FormattedValue>(part);
    if (!field) {
      pieces->back() += utf8_of(ast::as<ast::Constant>(part)->object);
      continue;
    }
    const Value v = expression(field->value);
    PyObject* object = to_object(v);
    if (!object) {
      PyErr_Clear();
      if (field->format_spec)
        fail(field->format_spec, "a format specification of a runtime value is not supported",
             "print the value as it is");
      format_value(v, field->value, pieces, values);
      continue;
    }
    if (field->conversion == 'r')
      object = check(PyObject_Repr(object), field);
    else if (field->conversion == 's')
      object = check(PyObject_Str(object), field);
    else if (field->conversion == 'a')
      object = check(PyObject_ASCII(object), field);
    PyObject* spec = nullptr;
    if (field->format_spec) {
      spec = to_object(joined(ast::as<ast::JoinedStr>(field->format_spec)));
      ASC_ASSERT(spec != nullptr);
    }
    pieces->back() += utf8_of(check(PyObject_Format(object, spec), field));
  }
}

// An f-string as a value is a compile-time string.
Value Frame::joined(const ast::JoinedStr* e) {
  std::vector<std::string> pieces(1);
  std::vector<ir::Expr*> values;
  format_piece(e, &pieces, &values);
  if (!values.empty())
    fail(e, "an f-string with runtime values is only supported in print and assert", "print the values");
  return Value::of(
      check(PyUnicode_FromStringAndSize(pieces[0].data(), static_cast<Py_ssize_t>(pieces[0].size())), e));
}

// Its arguments are formatted one by one: f-strings may hold runtime values here.
Value Frame::print(const ast::Call* e) {
  std::string separator = " ", end = "\n";
  for (const ast::Keyword* k : e->keywords) {
    const bool is_sep = k->name && k->name->utf8 == "sep", is_end = k->name && k->name->utf8 == "end";
    if (!is_sep && !is_end)
      fail(k, fmt::format("the argument '{}' of print is not supported in a kernel",
                          k->name ? k->name->utf8 : "**"));
    PyObject* text = to_object(expression(k->value));
    if (text == Py_None) continue;
    if (!text || !PyUnicode_Check(text))
      fail(k->value, fmt::format("'{}' of print must be a compile-time string", k->name->utf8));
    (is_sep ? separator : end) = utf8_of(text);
  }
  std::vector<std::string> pieces(1);
  std::vector<ir::Expr*> values;
  for (uint32_t i = 0; i < e->args.size(); i++) {
    if (e->args[i]->kind == ast::NodeKind::Starred)
      fail(e->args[i], "starred arguments are not supported in a kernel", "write the arguments out");
    if (i) pieces.back() += separator;
    format_piece(e->args[i], &pieces, &values);
  }
  pieces.back() += end;
  const std::vector<std::string_view> views(pieces.begin(), pieces.end());
  build_.print(views, values, loc(e));
  return Value::of(Py_None);
}

}  // namespace asc::lower
