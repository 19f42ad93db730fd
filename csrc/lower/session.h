// SPDX-License-Identifier: Apache-2.0
// One lowering of one kernel: the module that is built, the Python objects that it must keep alive, the
// outside values it read, and the specialisations of helpers.
#pragma once

#include <Python.h>

#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/builder.h"
#include "lower/function.h"
#include "lower/lower.h"
#include "lower/value.h"
#include "ops/properties.h"

namespace asc::lower {

class Frame;

// What a function gives back, as its callers know it.
struct Shape {
  enum class Form : uint8_t { Static, Runtime, Param, Seq } form = Form::Static;
  Value value;         // Static
  uint32_t index = 0;  // Runtime: which result; Param: which IR parameter (an object handed through)
  bool is_list = false;
  std::vector<Shape> items;
};

// One argument of a specialisation.
struct ArgKey {
  enum class Form : uint8_t { Static, Runtime, Seq } form = Form::Static;
  PyObject* object = nullptr;  // Static
  DType pinned = DType::Void;  // Static number
  Type type;                   // Runtime
  bool is_list = false;
  std::vector<ArgKey> items;  // Seq
  bool same(const ArgKey& other) const;
};

struct Specialisation {
  const KernelFunction* function = nullptr;
  std::vector<ArgKey> key;  // by Python parameter
  ir::Function* ir = nullptr;
  Shape shape;
  bool done = false;
  uint32_t order = 0;  // of completion: callees before callers
};

// Python's own containers: reading one is a dependency on what it holds.
bool is_plain_container(PyObject* object);
bool is_host_struct(const Type& type);  // structs.cpp
// Numbers, texts, and objects of ours: nothing stands behind them.
bool is_leaf(PyObject* object);

class Session {
 public:
  explicit Session(const Request& request);
  ~Session();
  Session(const Session&) = delete;

  const Request& request;
  ir::Module& module;
  ir::Builder build;
  Frame* top = nullptr;      // the function being lowered
  bool needs_sweep = false;  // some node must be corrected at the end (see fixup.cpp)
  bool has_untyped = false;  // some operand was a tensor without a dtype when its op was lowered
  std::vector<std::pair<ir::Var*, ir::Var*>> aliases;  // versions that turned out to be one variable
  uint32_t completed = 0;
  size_t typed = 0;                             // tensors that got their element type after they were made
  void drop_unfinished(size_t first);           // specialisations from this one on that an error ended
  std::vector<PyObject*> struct_classes;        // by index in Module::structs
  std::vector<const ir::Var*> changed_structs;  // parameters whose fields their function may set

  // Constants are declared only where something uses them; one that became a variable is no constant any
  // more.
  void mark_used(const ir::Expr* e);
  void dissolve(const ir::NamedConst* c);
  bool is_used(const ir::NamedConst* c) const { return state_of(c) == kUsed; }
  bool is_dissolved(const ir::NamedConst* c) const { return state_of(c) & kDissolved; }

  PyObject* keep(PyObject* owned) {
    kept_.push_back(owned);
    return owned;
  }
  Seq* new_seq(bool is_list, uint32_t region = 0) {
    Seq& s = seqs_.emplace_back();
    s.is_list = is_list;
    s.region = region;
    return &s;
  }
  Map* new_map(uint32_t region) {
    Map& m = maps_.emplace_back();
    m.region = region;
    return &m;
  }
  void depend(Dependency::Via via, PyObject* owner, PyObject* name, PyObject* value);
  // Python code gets the object: it may read all of it.
  void touch(PyObject* object);
  // Made while lowering from what are dependencies already.
  PyObject* derive(PyObject* object);
  // The kernel asks whether they are one object.
  void ask_identity(PyObject* a, PyObject* b);
  // A text that Python made. `<C object at 0x7f...>` is another one in each process.
  PyObject* note_text(PyObject* object);
  const PlatformDesc& platform() const;
  // A constant that Ascend C declares: its name is a qualified one.
  ir::NamedConst* property_const(const PropertyDesc& desc, Type type, int64_t value);
  ir::NamedConst* global_const(PyObject* globals, const ast::Name* name, Type type, int64_t bits, Loc loc);
  Type struct_type(PyObject* cls);  // structs.cpp
  Specialisation* find(const KernelFunction* function, const std::vector<ArgKey>& key);
  Specialisation* add(const KernelFunction* function, std::vector<ArgKey> key);
  uint32_t source_of(const KernelFunction* function);
  // Orders functions, drops what nothing uses, corrects what was decided late.
  Result finish();

 private:
  std::unique_ptr<ir::Module> owned_;

 public:
  std::vector<std::unique_ptr<Specialisation>> specialisations;

 private:
  struct GlobalConst {
    PyObject *globals, *name;
    ir::NamedConst* constant;
  };
  enum : uint8_t { kUsed = 1, kDissolved = 2 };
  uint8_t state_of(const ir::NamedConst* c) const {
    return c->id < constant_states_.size() ? constant_states_[c->id] : 0;
  }
  void set_state(const ir::NamedConst* c, uint8_t bit) {
    if (c->id >= constant_states_.size()) constant_states_.resize(c->id + 16, 0);
    constant_states_[c->id] |= bit;
    if (constant_states_[c->id] == (kUsed | kDissolved)) needs_sweep = true;
  }
  void sweep();
  void order_functions();
  // Functions that register a Matmul become part of the kernel (inline_matmul.cpp).
  void inline_registrations();
  void check_operand_types() const;

  std::vector<PyObject*> kept_;
  std::vector<uint8_t> constant_states_;       // by id
  std::vector<ir::NamedConst*> used_globals_;  // in order of first use
  std::deque<Seq> seqs_;
  std::deque<Map> maps_;
  std::vector<Dependency> dependencies_;
  std::unordered_set<PyObject*> derived_;
  bool shows_address_ = false, asks_identity_ = false;
  std::vector<GlobalConst> global_consts_;
  std::vector<std::pair<const KernelFunction*, uint32_t>> sources_;
};

}  // namespace asc::lower
