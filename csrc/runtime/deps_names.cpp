// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "runtime/deps_content.h"
#include "runtime/deps_facts.h"

namespace asc::runtime {
namespace {

struct Step {
  int operation;
  unsigned argument;
  Py_ssize_t at;
};

// The operations that look a name up outside, by number; their argument is the name's index. Of a Python
// whose code is not known here each name may be a global.
class Lookups {
 public:
  Lookups() {
    const PyRef module = PyRef::steal(PyImport_ImportModule("opcode"));
    const PyRef numbers = module ? attribute(module.get(), "opmap") : PyRef();
    const auto find = [&](const char* name) {
      PyObject* number = numbers ? PyDict_GetItemString(numbers.get(), name) : nullptr;
      return number ? static_cast<int>(PyLong_AsLong(number)) : -1;
    };
    global = find("LOAD_GLOBAL");
    extended_ = find("EXTENDED_ARG");
    constant = find("LOAD_CONST");
    attribute_of = find("LOAD_ATTR");
    captured = find("LOAD_DEREF");
    is = find("IS_OP");
    import = find("IMPORT_NAME");
    small_int = find("LOAD_SMALL_INT");
    constexpr const char* kOthers[] = {"LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL",
                                       "LOAD_FROM_DICT_OR_GLOBALS"};
    for (size_t i = 0; i < others_.size(); i++) others_[i] = find(kOthers[i]);
    drop_error();
  }
  bool known() const { return PY_VERSION_HEX < 0x030E0000 && global > 0 && extended_ > 0; }

  std::vector<Step> steps_of(PyObject* code_bytes) const {
    const auto* code = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(code_bytes));
    std::vector<Step> steps;
    unsigned argument = 0;
    for (Py_ssize_t i = 0; i + 1 < PyBytes_GET_SIZE(code_bytes); i += 2) {
      argument = argument << 8 | code[i + 1];
      if (code[i] == extended_) continue;
      // Zero is room for what the interpreter learns.
      if (code[i] != 0) steps.push_back({code[i], argument, i});
      argument = 0;
    }
    return steps;
  }
  // The index of the name that it looks up outside.
  std::optional<size_t> name_outside(const Step& step) const {
    if (step.operation == global) return global_index(step);
    if (std::find(others_.begin(), others_.end(), step.operation) == others_.end()) return {};
    return step.argument;
  }
  // The lowest bit says how the call that follows is made.
  static size_t global_index(const Step& s) {
    return PY_VERSION_HEX >= 0x030B0000 ? s.argument >> 1 : s.argument;
  }
  static size_t attribute_index(const Step& s) {
    return PY_VERSION_HEX >= 0x030C0000 ? s.argument >> 1 : s.argument;
  }

  int global = -1, captured = -1, constant = -1, attribute_of = -1, is = -1, import = -1, small_int = -1;

 private:
  int extended_ = -1;
  std::array<int, 4> others_{};
};

// Where jumps go; -1 in front if that cannot be told.
std::vector<Py_ssize_t> labels_of(PyObject* code_bytes) {
  const PyRef dis = PyRef::steal(PyImport_ImportModule("dis"));
  const PyRef list =
      PyRef::steal(dis ? PyObject_CallMethod(dis.get(), "findlabels", "O", code_bytes) : nullptr);
  std::vector<Py_ssize_t> labels;
  if (!list || !PyList_Check(list.get())) return drop_error(), std::vector<Py_ssize_t>{-1};
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); i++)
    labels.push_back(PyLong_AsSsize_t(PyList_GET_ITEM(list.get(), i)));
  return labels;
}

void add_name(std::vector<PyObject*>* to, PyObject* name) {
  const auto same = [&](PyObject* other) { return other == name || PyUnicode_Compare(other, name) == 0; };
  if (PyUnicode_Check(name) && std::none_of(to->begin(), to->end(), same)) to->push_back(name);
}

// What dataclasses make for `==`: it asks for the class, and since Python 3.13 first whether it is one
// object.
bool is_made_for_equality(PyObject* code) {
  const PyRef file = attribute(code, "co_filename"), name = attribute(code, "co_name");
  const PyRef names = attribute(code, "co_names");
  return text_of(file.get()) == "<string>" && text_of(name.get()) == "__eq__" && names &&
         PyTuple_GET_SIZE(names.get()) > 0 && text_of(PyTuple_GET_ITEM(names.get(), 0)) == "__class__";
}

// The captured variable that a step loads.
PyObject* captured_name(PyObject* code, size_t index) {
  const PyRef own = attribute(code, "co_varnames"), cells = attribute(code, "co_cellvars"),
              free = attribute(code, "co_freevars");
  if (!own || !cells || !free) return nullptr;
  size_t before = 0;  // in the order of the frame
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(cells.get()); i++)
    before +=
        PY_VERSION_HEX < 0x030B0000 || PySequence_Contains(own.get(), PyTuple_GET_ITEM(cells.get(), i)) == 0;
  if (PY_VERSION_HEX >= 0x030B0000) before += static_cast<size_t>(PyTuple_GET_SIZE(own.get()));
  const bool there = index >= before && index - before < static_cast<size_t>(PyTuple_GET_SIZE(free.get()));
  return there ? PyTuple_GET_ITEM(free.get(), static_cast<Py_ssize_t>(index - before)) : nullptr;
}

// Each `is`, by what the step before it has brought.
void collect_compared(PyObject* code, const std::vector<Step>& steps, const Lookups& lookups,
                      PyObject* code_bytes, PyObject* names, CodeNames* out) {
  const auto is_one = [&](const Step& step) { return step.operation == lookups.is; };
  if (std::none_of(steps.begin(), steps.end(), is_one) || is_made_for_equality(code)) return;
  const std::vector<Py_ssize_t> labels = labels_of(code_bytes);
  const auto is_reached = [&](const Step& step) {  // from elsewhere too
    return std::any_of(labels.begin(), labels.end(), [&](Py_ssize_t at) { return at < 0 || at == step.at; });
  };
  const auto name = [&](size_t index) {
    const bool there = index < static_cast<size_t>(PyTuple_GET_SIZE(names));
    return there ? PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(index)) : nullptr;
  };
  for (size_t i = 1; i < steps.size(); i++) {
    if (!is_one(steps[i])) continue;
    const Step* from = &steps[i - 1];
    PyObject* attribute =
        from->operation == lookups.attribute_of ? name(Lookups::attribute_index(*from)) : nullptr;
    const bool whole =
        !lookups.known() || is_reached(steps[i]) || (attribute && (i < 2 || is_reached(*from)));
    if (!whole && (from->operation == lookups.constant || text_of(attribute) == "__class__")) continue;
    if (attribute) from = &steps[i - 2];
    PyObject* global = from->operation == lookups.global ? name(Lookups::global_index(*from)) : nullptr;
    PyObject* captured = from->operation == lookups.captured ? captured_name(code, from->argument) : nullptr;
    if (whole || (!global && !captured))
      out->compares_identity = true;
    else
      out->compared.push_back({captured != nullptr, captured ? captured : global, attribute});
  }
}

// Level and parts stand before each import, as constants.
void collect_imports(const std::vector<Step>& steps, const Lookups& lookups, PyObject* names,
                     PyObject* constants, CodeNames* out) {
  const auto constant = [&](const Step& step) {
    const bool there = step.operation == lookups.constant &&
                       step.argument < static_cast<size_t>(PyTuple_GET_SIZE(constants));
    return there ? PyTuple_GET_ITEM(constants, static_cast<Py_ssize_t>(step.argument)) : Py_None;
  };
  for (size_t i = 2; i < steps.size(); i++) {
    if (steps[i].operation != lookups.import) continue;
    const auto name = static_cast<Py_ssize_t>(steps[i].argument);
    PyObject* level = constant(steps[i - 2]);
    const bool is_small = steps[i - 2].operation == lookups.small_int;
    if (name < PyTuple_GET_SIZE(names))
      out->imports.push_back({PyTuple_GET_ITEM(names, name),
                              is_small                   ? static_cast<long>(steps[i - 2].argument)
                              : PyLong_CheckExact(level) ? PyLong_AsLong(level)
                                                         : 0,
                              constant(steps[i - 1])});
  }
}

void collect(PyObject* code, CodeNames* out) {
  static const auto* lookups = new Lookups;
  const PyRef own = attribute(code, "co_names"), constants = attribute(code, "co_consts");
  const PyRef bytes = attribute(code, "co_code");
  if (!own || !constants || !bytes || !PyBytes_Check(bytes.get())) return;
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(own.get()));
  for (size_t i = 0; i < count; i++) {
    PyObject* name = PyTuple_GET_ITEM(own.get(), static_cast<Py_ssize_t>(i));
    add_name(&out->attributes, name);
    if (!lookups->known()) add_name(&out->globals, name);
  }
  const std::vector<Step> steps = lookups->steps_of(bytes.get());
  for (const Step& step : steps)
    if (const auto index = lookups->name_outside(step); lookups->known() && index && *index < count)
      add_name(&out->globals, PyTuple_GET_ITEM(own.get(), static_cast<Py_ssize_t>(*index)));
  collect_imports(steps, *lookups, own.get(), constants.get(), out);
  collect_compared(code, steps, *lookups, bytes.get(), own.get(), out);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants.get()); i++) {
    PyObject* constant = PyTuple_GET_ITEM(constants.get(), i);
    if (PyCode_Check(constant)) collect(constant, out);
    if (PyUnicode_Check(constant) && PyUnicode_IsIdentifier(constant) == 1)
      add_name(&out->attributes, constant);
  }
}

void add_code(cache::ByteWriter& out, PyObject* code) {
  for (const char* name : {"co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags"}) {
    const PyRef number = attribute(code, name);
    out.u64(number ? static_cast<uint64_t>(PyLong_AsLong(number.get())) : 0);
  }
  for (const char* name : {"co_code", "co_exceptiontable"}) {
    const PyRef bytes = attribute(code, name);
    if (bytes && PyBytes_Check(bytes.get()))
      out.text({PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))});
  }
  Encoder data(How::InMemory);  // names and constants are data throughout
  for (const char* name : {"co_name", "co_names", "co_varnames", "co_freevars", "co_cellvars"}) {
    const PyRef names = attribute(code, name);
    if (names) data.add(names.get());
  }
  const PyRef constants = attribute(code, "co_consts");
  for (Py_ssize_t i = 0; constants && i < PyTuple_GET_SIZE(constants.get()); i++) {
    PyObject* constant = PyTuple_GET_ITEM(constants.get(), i);
    if (PyCode_Check(constant))
      data.add_text(code_key(constant).hex());
    else
      data.add(constant);
  }
  out.text(data.bytes());
}

}  // namespace

std::shared_ptr<const CodeNames> names_of(PyObject* code) {
  static auto* memo = new Memo<std::shared_ptr<const CodeNames>>;
  if (const auto* known = memo->find(code)) return *known;
  auto names = std::make_shared<CodeNames>();
  collect(code, names.get());
  drop_error();
  memo->keep(code, names);
  return names;
}

cache::Key code_key(PyObject* code) {
  static auto* memo = new Memo<cache::Key>;
  if (const cache::Key* known = memo->find(code)) return *known;
  cache::ByteWriter out;
  add_code(out, code);
  drop_error();
  const cache::Key key = cache::hash(out.bytes());
  memo->keep(code, key);
  return key;
}

}  // namespace asc::runtime
