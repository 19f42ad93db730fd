// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps_names.h"

#include <algorithm>
#include <array>

#include "runtime/deps_content.h"
#include "runtime/deps_facts.h"

namespace asc::runtime {
namespace {

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
    global_ = find("LOAD_GLOBAL");
    extended_ = find("EXTENDED_ARG");
    constant_ = find("LOAD_CONST");
    is_ = find("IS_OP");
    constexpr const char* kOthers[] = {"LOAD_NAME", "IMPORT_NAME", "STORE_GLOBAL", "DELETE_GLOBAL",
                                       "LOAD_FROM_DICT_OR_GLOBALS"};
    for (size_t i = 0; i < others_.size(); i++) others_[i] = find(kOthers[i]);
    drop_error();
  }
  bool known() const { return PY_VERSION_HEX < 0x030E0000 && global_ > 0 && extended_ > 0; }

  // `same` is told the constant that `is` compares with; -1 if it is none.
  template <class Same>
  void each_is(PyObject* code_bytes, Same&& same) const {
    const auto* code = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(code_bytes));
    for (Py_ssize_t i = 2; i + 1 < PyBytes_GET_SIZE(code_bytes); i += 2)
      if (code[i] == is_) same(code[i - 2] == constant_ ? code[i - 1] : -1);
  }

  template <class Found>
  void each(PyObject* code_bytes, Found&& found) const {
    const auto* code = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(code_bytes));
    unsigned argument = 0;
    for (Py_ssize_t i = 0; i + 1 < PyBytes_GET_SIZE(code_bytes); i += 2) {
      const int operation = code[i];
      argument = argument << 8 | code[i + 1];
      if (operation == extended_) continue;
      // Since 3.11 the lowest bit says how the call that follows is made.
      if (operation == global_) found(PY_VERSION_HEX >= 0x030B0000 ? argument >> 1 : argument);
      if (std::find(others_.begin(), others_.end(), operation) != others_.end()) found(argument);
      argument = 0;
    }
  }

 private:
  int global_ = -1, extended_ = -1, constant_ = -1, is_ = -1;
  std::array<int, 5> others_{};
};

void add_name(std::vector<PyObject*>* to, PyObject* name) {
  const auto same = [&](PyObject* other) { return other == name || PyUnicode_Compare(other, name) == 0; };
  if (PyUnicode_Check(name) && std::none_of(to->begin(), to->end(), same)) to->push_back(name);
}

void collect(PyObject* code, CodeNames* out) {
  static const auto* lookups = new Lookups;
  PyRef own = attribute(code, "co_names"), constants = attribute(code, "co_consts");
  const PyRef bytes = attribute(code, "co_code");
  if (!own || !constants || !bytes || !PyBytes_Check(bytes.get())) return;
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(own.get()));
  for (size_t i = 0; i < count; i++) {
    PyObject* name = PyTuple_GET_ITEM(own.get(), static_cast<Py_ssize_t>(i));
    add_name(&out->attributes, name);
    if (!lookups->known()) add_name(&out->globals, name);
  }
  if (lookups->known())
    lookups->each(bytes.get(), [&](size_t index) {
      if (index < count) add_name(&out->globals, PyTuple_GET_ITEM(own.get(), static_cast<Py_ssize_t>(index)));
    });
  lookups->each_is(bytes.get(), [&](int index) {
    PyObject* constant = index >= 0 && index < PyTuple_GET_SIZE(constants.get())
                             ? PyTuple_GET_ITEM(constants.get(), index)
                             : nullptr;
    if (constant != Py_None && constant != Py_True && constant != Py_False) out->compares_identity = true;
  });
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants.get()); i++) {
    PyObject* constant = PyTuple_GET_ITEM(constants.get(), i);
    if (PyCode_Check(constant)) collect(constant, out);
    if (PyUnicode_Check(constant) && PyUnicode_IsIdentifier(constant) == 1)
      add_name(&out->attributes, constant);
  }
  out->kept.push_back(std::move(own));
  out->kept.push_back(std::move(constants));
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

CodeNames names_of(PyObject* code) {
  CodeNames names;
  collect(code, &names);
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
