// SPDX-License-Identifier: Apache-2.0
// print, f-strings, and the messages of assert: text with holes for runtime values.
#include <optional>

#include "base/format.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;

static std::string utf8_of(PyObject* str) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(str, &size);
  if (text) return {text, static_cast<size_t>(size)};
  drop_error();
  return {};
}

// What a format specification of Python says that C's printf says too: [<>][+ ][0][width][.precision][type]
// of a number. "" for nothing to say; without a value where the two differ.
static std::optional<std::string> printf_spec(std::string_view spec, DType type) {
  const auto eat = [&](std::string_view any) {
    const bool found = !spec.empty() && any.find(spec[0]) != any.npos;
    const char c = found ? spec[0] : '\0';
    if (found) spec.remove_prefix(1);
    return c;
  };
  const auto digits = [&] {
    std::string out;
    while (const char c = eat("0123456789")) out += c;
    return out;
  };
  std::string out;
  const bool left = eat("<>") != '\0' && spec.data()[-1] == '<';
  if (left) out += '-';
  if (const char sign = eat("+- "); sign && sign != '-') out += sign;
  const std::string width = digits();
  const bool zeros = !width.empty() && width[0] == '0';
  if (zeros && left) return std::nullopt;  // Python fills on the right
  if (width.size() > 3) return std::nullopt;
  out += width;
  const bool has_precision = eat(".") != '\0';
  const std::string precision = has_precision ? digits() : "";
  if (has_precision && (precision.empty() || precision.size() > 2)) return std::nullopt;
  if (has_precision) out += '.' + precision;
  char form = eat("dxXfF");
  if (!spec.empty()) return std::nullopt;
  if (!form && is_int(type)) form = 'd';
  const bool real = form == 'f' || form == 'F';
  if (!form || real != is_float(type) || (has_precision && !real)) return std::nullopt;
  // Python shows a negative number's sign, C its bits.
  if ((form == 'x' || form == 'X') && (is_signed_int(type) || out.find_first_of("+ ") != out.npos))
    return std::nullopt;
  if (form == 'd' && is_unsigned_int(type)) form = out.find_first_of("+ ") == out.npos ? 'u' : '\0';
  if (!form) return std::nullopt;
  return out + form;
}

void Frame::format_value(const Value& v, const Node* node, Text* out, bool inside, std::string_view spec) {
  if (PyObject* object = to_object(v)) {
    session_.touch(object);
    out->pieces.back() +=
        utf8_of(session_.note_text(check(inside ? PyObject_Repr(object) : PyObject_Str(object), node)));
    return;
  }
  drop_error();
  if (v.is_seq()) {
    out->pieces.back() += v.seq->is_list ? "[" : "(";
    for (size_t i = 0; i < v.seq->items.size(); i++) {
      if (i) out->pieces.back() += ", ";
      format_value(v.seq->items[i], node, out, true);
    }
    out->pieces.back() += v.seq->is_list ? "]" : v.seq->items.size() == 1 ? ",)" : ")";
    return;
  }
  if (!v.is_expr() || (!v.expr->type.is_scalar() && v.expr->type.kind != Kind::Enum))
    fail(node, fmt::format("{} cannot be printed", shown(v)),
         v.is_expr() && v.expr->type.kind == Kind::Pointer ? address_hint(v, node, "print(g.get_value(0))")
                                                           : "print numbers: get_value(i) of a tensor");
  std::string form;
  if (!spec.empty()) {
    const auto known = v.expr->type.is_scalar() ? printf_spec(spec, v.expr->type.elem) : std::nullopt;
    if (!known)
      fail(
          node, fmt::format("the format '{}' of {} is not supported", spec, shown(v)),
          "a runtime value takes what C's printf does as Python: 5d, <5d, +d, 05d, 8.3f, x of an unsigned number");
    form = *known;
  }
  Value value = v;
  if (v.expr->effect >= Effect::Write) value = shared(v, node);
  out->values.push_back(again(value, node).expr);
  out->specs.push_back(std::move(form));
  out->pieces.emplace_back();
}

// A piece of text: an f-string's parts, a literal, or a value.
void Frame::format_piece(const Node* node, Text* out) {
  const auto* text = ast::dyn<ast::JoinedStr>(node);
  if (!text) return format_value(expression(node), node, out);
  for (const Node* part : text->values) {
    const auto* field = ast::dyn<ast::FormattedValue>(part);
    if (!field) {
      out->pieces.back() += utf8_of(ast::as<ast::Constant>(part)->object);
      continue;
    }
    const Value v = expression(field->value);
    PyObject* spec = nullptr;
    if (field->format_spec) {
      spec = to_object(joined(ast::as<ast::JoinedStr>(field->format_spec)));
      ASC_ASSERT(spec != nullptr);
    }
    PyObject* object = to_object(v);
    if (!object) {
      drop_error();
      const bool plain = field->conversion != 'r' && field->conversion != 's' && field->conversion != 'a';
      if (spec && !plain)
        fail(field->format_spec, "a format specification of a runtime value's text is not supported",
             "leave the conversion away");
      format_value(v, field->value, out, false, spec ? utf8_of(spec) : "");
      continue;
    }
    session_.touch(object);
    if (field->conversion == 'r')
      object = check(PyObject_Repr(object), field);
    else if (field->conversion == 's')
      object = check(PyObject_Str(object), field);
    else if (field->conversion == 'a')
      object = check(PyObject_ASCII(object), field);
    out->pieces.back() += utf8_of(session_.note_text(check(PyObject_Format(object, spec), field)));
  }
}

// An f-string as a value is a compile-time string.
Value Frame::joined(const ast::JoinedStr* e) {
  Text text;
  format_piece(e, &text);
  if (!text.values.empty())
    fail(e, "an f-string with runtime values is only supported in print and assert", "print the values");
  return Value::of(check(
      PyUnicode_FromStringAndSize(text.pieces[0].data(), static_cast<Py_ssize_t>(text.pieces[0].size())), e));
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
  Text text;
  for (uint32_t i = 0; i < e->args.size(); i++) {
    if (e->args[i]->kind == ast::NodeKind::Starred)
      fail(e->args[i], "starred arguments are not supported in a kernel", "write the arguments out");
    if (i) text.pieces.back() += separator;
    format_piece(e->args[i], &text);
  }
  text.pieces.back() += end;
  const std::vector<std::string_view> pieces(text.pieces.begin(), text.pieces.end());
  build_.print(pieces, text.values, loc(e), text.spec_views());
  return Value::of(Py_None);
}

}  // namespace asc::lower
