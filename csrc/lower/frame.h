// SPDX-License-Identifier: Apache-2.0
// Lowers one specialisation of one function. Its parts are in files of their own: bindings and joins
// (scope.cpp, join.cpp, handles.cpp), statements (stmt.cpp), loops (loop.cpp, unroll.cpp), expressions
// (expr.cpp, arith.cpp, subscript.cpp), calls (call.cpp, op_call.cpp, builtins.cpp, matmul.cpp), compile-time
// evaluation (static_eval.cpp), errors (errors.cpp).
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lower/analysis.h"
#include "lower/objects.h"
#include "lower/promote.h"
#include "lower/scope.h"
#include "lower/session.h"
#include "ops/matmul_type.h"
#include "ops/signature.h"

namespace asc::lower {

// One argument of a call in the kernel's text.
struct Argument {
  Value value;
  const ast::Node* node = nullptr;
  const ast::Name* keyword = nullptr;  // null: positional
};

class Frame {
 public:
  Frame(Session& session, Specialisation& spec, Frame* caller, const ast::Node* call);
  ~Frame();
  void run_kernel();
  void run_helper();  // parameters from the specialisation's key

  // ---- errors (errors.cpp)
  [[noreturn]] void fail(const ast::Node* node, std::string message, std::string hint = {}) const;
  [[noreturn]] void fail(const ast::Node* node, const ast::Node* second, std::string message,
                         std::string hint) const;
  [[noreturn]] void fail_beside(const ast::Node* node, Loc second, std::string message,
                                std::string hint) const;
  [[noreturn]] void fail_syntax(const ast::Node* node) const;
  [[noreturn]] void fail_from_outside(const Value& object, const ast::Node* at) const;
  // The Python error that is set.
  [[noreturn]] void fail_python(const ast::Node* node, std::string hint = {}) const;
  std::string shown(const Value& v) const;  // "int32", "GlobalTensor<float32>", "5", "list"
  std::string_view text_of(const ast::Node* node) const { return spec_.function->source.slice(node->range); }
  uint32_t line_of(const ast::Node* node) const {
    return spec_.function->source.absolute_line(node->range.line);
  }
  Loc loc(const ast::Node* node) const { return node->range.loc(source_); }

 private:
  struct Region {
    ir::Block* block;
    uint32_t id;
    uint32_t depth;
    size_t trail;
  };
  struct LoopState {
    const ast::Node* node;
    const Construct* construct;
    bool unrolled = false;
    bool breaks = false, continues = false;       // unrolled: a jump was taken at compile time
    bool wraps_turns = false, wraps_all = false;  // unrolled: a loop of one turn around each, around all
    ir::Var* finished = nullptr;          // unrolled: set where no break was taken, for an else that jumps
    bool stops = false;                   // unrolled: the wrapped turn at hand has such a break
    ir::Var* stop = nullptr;              // unrolled: set by a break out of a wrapped turn
    uint32_t depth = 0;                   // regions outside the body
    std::vector<Binding> head;            // by construct->join
    std::vector<Edge> breaks_out, turns;  // paths out of the loop, and back to its head
    std::vector<ir::Var*> made;           // variables that the head made
    std::vector<uint8_t> literals;        // of each name at the head: it may still take another number's type
    std::vector<std::pair<uint32_t, Binding>>
        conflicts;          // names whose turns do not meet: not to be read at the head
    size_t copies = 0;      // of tensors' handles that were known at the head
    std::vector<Copy> met;  // tensors of the head, and those with their handle that the loop changes
    size_t settled = 0;     // conflicts of rounds in which no literal asked for another type
    bool asked = false;     // a literal did, in this round
    bool retry = false;     // a literal at the head takes another type, or a conflict: lower the body again
    bool failed = false;    // in this round
    // Statements that could not be lowered in some round, in the order of their first failure, with the
    // latest error of each; and those of this round.
    std::vector<std::pair<const ast::Node*, std::exception_ptr>> errors;
    std::vector<const ast::Node*> failing;
    size_t typed = 0;  // tensors that had got their element type when this round began
  };
  struct ReturnSite {
    ir::Return* stmt;
    ir::Block* block;
    Value value;
    const ast::Node* node;
  };
  struct Pending {  // an operand that waits for the ones after it
    Value* value;
    size_t mark;
    uint32_t epoch;
  };

  // ---- hints (suggest.cpp); empty: none
  std::string attribute_hint(const Value& object, std::string_view wrong, const ast::Node* at) const;
  std::string keyword_hint(const OpDesc& op, std::string_view wrong) const;
  std::string element_hint(const Value& v, const ast::Node* node) const;
  std::string address_hint(const Value& v, const ast::Node* node, std::string_view use) const;
  std::string tensor_hint(ast::Operator op, const Value& left, const Value& right, const ast::Node* at) const;

  // ---- regions, bindings, joins (scope.cpp)
  void enter(ir::Block* block, bool nested = true);
  void leave(bool keep = false, bool carry = true);  // undoes the region's bindings, or keeps them
  uint32_t depth() const { return regions_.back().depth; }
  void set(uint32_t name, const Binding& b);
  Value read(const ast::Name* name, const ast::Node* at);
  Value global(const ast::Name* name, const ast::Node* at);
  void bind(const ast::Name* name, Value v, const ast::Node* at, DType pin = DType::Void);
  void bind_number(const ast::Name* name, Value v, const ast::Node* at);
  void bind_expr(const ast::Name* name, ir::Expr* e, const ast::Node* at);
  void adopt(const ast::Name* name, ir::Var* var, const ast::Node* at);
  ir::Var* new_var(std::string_view name, Type type, const ast::Node* at);
  ir::Var* declare(std::string_view name, ir::Expr* init, const ast::Node* at);
  ir::Var* temporary(std::string_view name, ir::Expr* init, const ast::Node* at);
  VarInfo& info(const ir::Var* var) { return vars_[var->id]; }
  ir::Expr* ref(ir::Var* var, const ast::Node* at);
  void assign_var(ir::Var* var, ir::Expr* value, const ast::Node* at);
  ir::Assign* undeclare(ir::Var* var);
  void declare_here(ir::Var* var, ir::Expr* init, const ast::Node* at);
  void hoist(ir::Var* var, const ast::Node* at);  // to the current region, if it is declared further in
  void bring_out(const Value& v, const ast::Node* at);
  Edge edge(const std::vector<uint32_t>& names, ir::Block* block, bool jump = false) const;
  std::vector<uint32_t> changed() const;  // names bound in the current region
  Binding merge(uint32_t name, size_t index, std::span<Edge* const> edges, const ast::Node* at);
  Binding merge_slot(uint32_t name, size_t index, std::span<Edge* const> edges, const ast::Node* at);
  void merge_all(const std::vector<uint32_t>& names, std::span<Edge* const> edges, const ast::Node* at);
  bool same_binding(const Binding& a, const Binding& b) const;
  bool form_of(const Binding& b, Type* type, bool* literal) const;  // false: it has no runtime form
  void put(ir::Var* slot, Binding& b, Edge& edge, uint32_t limit, const ast::Node* at);
  void turn_anchor(Anchor* anchor, ir::Var* var, const Value& value, bool declare);
  ir::Expr* convert_to(const Value& v, Type type, const ast::Node* at);
  DType meet_at_head(DType head, bool head_literal, DType now, bool now_literal, const Binding& b) const;
  bool ask_for(const ast::Node* loop, uint32_t name, DType head, DType dtype);
  const ast::Name* name_of(uint32_t id) const { return module_.names[id]; }
  Binding head_binding(uint32_t name, const LoopState& loop);
  void flow_to_head(LoopState& loop, const ast::Node* at);
  void unread_at_head(LoopState& loop, uint32_t name, const Binding& unread);
  Binding conflict(const Binding& a, const ast::Node* other, const std::string& text, const char* hint);
  std::string describe(const Binding& b) const;  // "int32", "a TQue": for messages
  std::pair<std::string, std::string> describe_two(const Binding& a, const Binding& b) const;

  // ---- statements (stmt.cpp, loop.cpp)
  void block(const ast::NodeList& body);
  void statement(const ast::Node* s);
  void assign(const ast::Assign* s);
  Value value_for(const ast::Node* target, const ast::Node* value);
  void ann_assign(const ast::AnnAssign* s);
  void aug_assign(const ast::AugAssign* s);
  void store(const ast::Node* target, const Value& v, const ast::Node* at);
  void store_attribute(const ast::Attribute* target, const Value& v, const ast::Node* at);
  void store_item(const ast::Subscript* target, const Value& v, const ast::Node* at);
  void unpack(const ast::Sequence* target, const Value& v, const ast::Node* at);
  void if_statement(const ast::If* s);
  void return_statement(const ast::Return* s);
  void assert_statement(const ast::Assert* s);
  void expression_statement(const ast::ExprStmt* s);
  void break_or_continue(const ast::Node* s);
  void for_statement(const ast::For* s);
  struct RangeBounds {
    Value values[3];  // start, stop, step
    const ast::Node* nodes[3];
    DType type = DType::Void;
    bool runs = false;  // at least one turn, for certain
  };
  RangeBounds range_bounds(std::span<const Argument> given, const ast::Node* call);
  void reverse(RangeBounds& r, const ast::Node* call);
  ir::Var* loop_variable(const ast::For* s, const LoopState& loop, Type type, ir::Block* body);
  void range_loop(const ast::For* s, std::span<const Argument> args, const ast::Node* call, bool reversed);
  void unroll(const ast::For* s, std::span<const Value> items);
  void unroll_turns(LoopState& loop, const ast::For* s, std::span<const Value> items);
  void wrapped_turn(LoopState& loop, const ast::For* s, const Value& item);
  void store_item_of_turn(const ast::Node* target, const Value& item);
  ir::Var* flag(std::string_view name, const ast::Node* at);
  void unrolled_jump(LoopState& loop, const ast::Node* s);
  void end_wrapper(ir::Block* block, std::vector<Edge>& edges, const LoopState& loop);
  Value parameter(std::string_view name, const ArgKey& key, const ast::Node* at);
  DType annotated_dtype(const ast::Node* annotation);
  void while_statement(const ast::While* s);
  void loop_body(LoopState& loop, const ast::NodeList& body);
  void round_ends(LoopState& loop);
  void prepare_head(LoopState& loop);
  void finish_loop(LoopState& loop, Edge* exit, const ast::NodeList& orelse, bool runs,
                   ir::Block** orelse_block);
  void finish_function();
  Shape shape_of(std::span<const Value> values, std::vector<std::vector<ir::Expr*>>* leaves,
                 std::string_view name);

  // ---- expressions (expr.cpp, arith.cpp, subscript.cpp)
  Value expression(const ast::Node* e);
  Value constant(const ast::Constant* c);
  Value attribute(const Value& object, const ast::Name* name, const ast::Node* at);
  PyObject* private_name(const ast::Name* name, const ast::Node* at);
  Value conditional(const ast::IfExp* e);
  Value short_circuit(const ast::BoolOp* e, uint32_t index);
  Value compare_chain(const ast::Compare* e, uint32_t index, Value left);
  Value sequence(const ast::Sequence* e, bool raw = false);  // raw: the items are used up at once, in order
  bool is_stable(const ir::Expr* e);
  void keep_value(Value* v, const ast::Node* at, bool once = false, std::string_view name = {});
  std::string item_name(size_t index) const;
  Value again(const Value& v, const ast::Node* at);
  Value shared(const Value& v, const ast::Node* at);
  ir::Const* copy_const(const ir::Const* c, Loc where);
  std::optional<uint16_t> field_of(const Type& type, std::string_view name) const;
  Value dict(const ast::Dict* e);
  Value comprehension(const ast::Comp* e);
  void comprehend(const ast::Comp* e, uint32_t index, Seq* list, Map* map);
  void store_in_map(Map* map, PyObject* key, const Value& v, const ast::Node* at);
  void store_hidden(const ast::Node* target, const Value& v);
  Value joined(const ast::JoinedStr* e);
  Value subscript(const ast::Subscript* e);
  Value view(const Value& object, const ast::Subscript* e);
  Value before_start(const Number& n, OpId method, const ast::Node* at);
  Value item(const Value& object, const Value& key, const ast::Node* at);
  void touch_index(PyObject* index);
  DType chosen_type(const Value& yes, const Value& no, const ast::Node* at);
  Value choose(ir::Expr* condition, const Value& yes, const Value& no, const ast::Node* at);
  Value binary(ast::Operator op, Value left, Value right, const ast::Node* at);
  Value static_float(ir::BinaryOp op, Value left, Value right, PyObject* object, const ast::Node* at);
  Value static_binary(ast::Operator op, const Value& left, const Value& right, const ast::Node* at);
  void check_range(const Value& v, const ast::Node* at) const;
  Value unary(ast::UnaryOperator op, Value v, const ast::Node* at);
  Value compare(ast::CompareOperator op, Value left, Value right, const ast::Node* at);
  Value arithmetic(ir::BinaryOp op, const Value& left, const Value& right, const ast::Node* at);
  Value contains(const Value& item, const Value& container, bool negate, const ast::Node* at);
  ir::Expr* condition(const ast::Node* e, std::optional<bool>* known);
  void enter_guarded(ir::Block* block, const std::vector<uint32_t>& names);
  ir::Expr* condition_from(const ast::BoolOp* b, uint32_t index, std::optional<bool>* known);
  ir::Expr* prepend(ir::LogicalOp op, ir::Expr* first, ir::Expr* rest, const ast::Node* at);
  ir::Expr* truth(const Value& v, const ast::Node* at, std::optional<bool>* known);
  // The common type of two numbers, and both as expressions of it.
  DType meet(const Value& left, const Value& right, const ast::Node* at);
  ir::Expr* as_scalar(const Value& v, DType type, const ast::Node* at);
  ir::Expr* natural(const Value& v, const ast::Node* at);  // as a runtime value of its own type
  std::optional<Number> number(const Value& v) const;
  bool is_scalar(const Value& v) const { return v.is_expr() && v.expr->type.is_scalar(); }
  // Addresses as numbers and back (addresses.cpp).
  bool is_address(const Value& v) const;
  Value address_number(const Value& v, const Value* beside, const ast::Node* at);
  ir::Expr* address_as(const Value& v, DType type, const ast::Node* at);
  ir::Expr* as_address(const Value& v, Type pointer, const ast::Node* at);
  ir::Const* spelling(const Value& v, DType type, const ast::Node* at);
  // Order of evaluation: `pend` after each operand, `settle` when all are there.
  Pending pend(Value* v);
  // `in_order`: each operand ends in a statement of its own, in this order.
  void settle(std::span<Pending> operands, const ast::Node* at, bool in_order = false);

  // ---- calls (call.cpp, op_call.cpp, builtins.cpp)
  Value call(const ast::Call* e);
  void arguments(const ast::Call* e, std::vector<Argument>* out);
  Value call_value(const Value& callee, std::vector<Argument>& args, const ast::Call* e);
  Value call_jit(const KernelFunction* function, PyObject* self, std::span<const Argument> args,
                 const ast::Call* e);
  ir::Var* result_var(const Specialisation& spec, ir::Expr* result, const ast::Call* e, bool named);
  Value call_with_results(const Specialisation& spec, std::span<ir::Expr* const> exprs, const ast::Call* e,
                          bool named);
  ArgKey pass(const Value& v, const Parameter& param, const ast::Node* node,
              std::vector<std::pair<ir::Expr*, const ast::Node*>>* exprs);
  Specialisation* specialise(const KernelFunction* function, std::vector<ArgKey> key,
                             std::span<const std::pair<ir::Expr*, const ast::Node*>> passed,
                             const ast::Call* e);
  Match match(OpId op, const Type* self, std::span<Argument> args, const ast::Node* at);
  Value call_op(OpId op, ir::Expr* self, std::span<Argument> args, const ast::Node* at);
  Value call_kind(Kind kind, std::span<Argument> args, const ast::Node* at);

  // ---- Matmul objects (matmul.cpp)
  struct OpCallFacts {  // of a method's call
    OpId op;
    Type self;
    DType elem;     // of the tensor that it is given
    bool to_local;  // which is a LocalTensor
    const ast::Node* operand;
  };
  Value construct_matmul(std::span<Argument> args, const ast::Node* at);
  MatmulMatrix matrix_of(const Argument& a, int side);
  std::span<Argument> matmul_arguments(OpId op, std::span<Argument> args, const ast::Node* at) const;
  void check_matmul_call(const OpCallFacts& call, const ast::Node* at) const;
  void check_matmul_options(OpId op, const OverloadDesc& proto, std::span<ir::Expr* const> operands,
                            const ast::Node* at) const;
  void with_statement(const ast::With* s);

  // ---- the user's structs (structs.cpp)
  bool is_user_struct(const Type& type) const;
  std::string type_text(const Type& type) const;  // as the user knows it
  Value construct_struct(PyObject* cls, std::span<Argument> args, const ast::Node* at);
  Value copy_of_struct(ir::Expr* object, const ast::Node* at);
  void change_struct(ir::Expr* object, const ast::Node* at);
  void lend_struct(ir::Expr* arg, const ir::Var* param, const ast::Node* at);
  void check_field_value(const Value& v, Type want, const ast::Node* at) const;
  ir::Var* new_struct(Type type, std::string_view name, const ast::Node* at);
  void set_nested_defaults(const ir::Expr* place, PyObject* cls, PyObject* instance, const ast::Node* at);
  void make_anew(ir::Var* var, ir::Block* block, size_t at, Loc where);
  void set_defaults(ir::Expr* place, Loc where);
  Effect order_effect(const ir::Expr* e) const;
  ir::Expr* copy_place(const ir::Expr* place, Loc where);
  bool complete(ir::Expr* self, DType elem, const ast::Node* at);
  std::vector<ir::Var*> related(ir::Var* var) const;
  bool is_copy(const ir::Var* var) const;
  // ---- handles of tensors (handles.cpp)
  void note_copy(ir::Var* copy, const ir::Expr* value);
  std::vector<const ir::Var*> sharing(const ir::Var* var) const;
  void note_handle_change(ir::Expr* self, const ast::Node* at);
  bool meets_change(LoopState& loop) const;
  [[noreturn]] void fail_untyped(const ir::Expr* tensor, const ast::Node* at) const;
  std::string chosen_from(const ir::Expr* tensor) const;
  Loc element_type_from(const ir::Var* var) const;  // where a GlobalTensor got its element type
  ir::Expr* operand(const Value& v, const TypePattern& pattern, Type type, const ast::Node* at);
  Value call_static(const Value& callee, std::span<const Argument> args, const ast::Node* at);
  Value call_builtin(BuiltinId id, std::span<const Argument> args, const ast::Call* e);
  bool call_python_builtin(PyObject* callee, std::span<const Argument> args, const ast::Call* e, Value* out);
  bool call_member(const Value& receiver, const ast::Attribute* func, std::vector<Argument>& args,
                   const ast::Call* e, Value* out);
  Value print(const ast::Call* e);
  // The text of a print: see ir::FormatText.
  struct Text {
    std::vector<std::string> pieces{1};
    std::vector<ir::Expr*> values;
    std::vector<std::string> specs;
    std::vector<std::string_view> spec_views() const {  // empty: no value has one
      std::vector<std::string_view> views(specs.begin(), specs.end());
      bool any = false;
      for (const std::string& spec : specs) any |= !spec.empty();
      return any ? views : std::vector<std::string_view>{};
    }
  };
  void format_piece(const ast::Node* node, Text* out);
  void format_value(const Value& v, const ast::Node* node, Text* out, bool inside = false,
                    std::string_view spec = {});
  Value cast_to(const Value& v, DType type, const ast::Node* at);
  Value workspace(std::span<const Argument> args, const ast::Call* e);
  Value min_max(ir::BinaryOp op, std::span<const Argument> args, const ast::Node* at);
  Value any_all(bool is_all, const Argument& items, const ast::Call* e);
  std::vector<Value> items_of(const Argument& a);
  Value new_sequence(bool is_list, std::vector<Value> items, const ast::Node* at);
  struct PythonBuiltin;
  static const PythonBuiltin kPythonBuiltins[18];
#define ASC_PYTHON_BUILTIN(name) Value python_##name(std::span<const Argument> args, const ast::Call* e);
  // clang-format off
  ASC_PYTHON_BUILTIN(len)
  ASC_PYTHON_BUILTIN(min)
  ASC_PYTHON_BUILTIN(max)
  ASC_PYTHON_BUILTIN(abs)
  ASC_PYTHON_BUILTIN(int)
  ASC_PYTHON_BUILTIN(float)
  ASC_PYTHON_BUILTIN(bool)
  ASC_PYTHON_BUILTIN(isinstance)
  ASC_PYTHON_BUILTIN(sum)
  ASC_PYTHON_BUILTIN(divmod)
  ASC_PYTHON_BUILTIN(pow)
  ASC_PYTHON_BUILTIN(any)
  ASC_PYTHON_BUILTIN(all)
  ASC_PYTHON_BUILTIN(zip)
  ASC_PYTHON_BUILTIN(enumerate)
  ASC_PYTHON_BUILTIN(reversed)
  ASC_PYTHON_BUILTIN(list)
  ASC_PYTHON_BUILTIN(tuple)
  // clang-format on
#undef ASC_PYTHON_BUILTIN
  void check_may_change(uint32_t region, const Value& container, const ast::Node* at) const;
  bool list_method(const Value& list, std::string_view name, std::vector<Argument>& args, const ast::Call* e,
                   Value* out);
  bool list_change(const Value& list, std::string_view name, std::vector<Argument>& args, const ast::Call* e,
                   Value* out);
  bool dict_method(const Value& dict, std::string_view name, std::vector<Argument>& args, const ast::Call* e,
                   Value* out);
  bool iterate(const Value& v, const ast::Node* at, std::vector<Value>* items);  // false: not at compile time
  Value result_of(const Shape& shape, std::span<const Value> results, std::span<ir::Expr* const> args,
                  const ast::Node* at);

  // ---- compile-time evaluation (static_eval.cpp)
  PyObject* check(PyObject* owned, const ast::Node* at);  // keeps it; fails with Python's error if it is null
  Value number_value(PyObject* object, DType pinned = DType::Void);
  PyObject* to_object(const Value& v);  // borrowed; null if any part is a runtime value
  Value static_attribute(PyObject* object, PyObject* name, const ast::Node* at);
  PyObject* read_by_name(PyObject* callee, PyObject* args, PyObject* keywords);

  Session& session_;
  ir::Builder& build_;
  Specialisation& spec_;
  const ast::Module& module_;
  const Analysis& analysis_;
  Frame* caller_;
  const ast::Node* call_;
  std::span<const std::pair<ir::Expr*, const ast::Node*>> passed_;  // a helper's arguments, by parameter
  ir::Function* fn_;
  uint32_t source_;
  std::vector<Binding> bindings_;  // by name id
  std::vector<Value> globals_;     // by name id, once read
  std::vector<Region> regions_;
  std::vector<uint32_t> saved_in_;  // by name id: the region that last saved its binding
  std::vector<std::pair<uint32_t, Binding>> trail_;
  uint32_t next_region_ = 0;
  std::vector<VarInfo> vars_;  // by Var id
  std::deque<Anchor> anchors_;
  std::vector<LoopState*> loops_;
  std::vector<ReturnSite> returns_;
  std::vector<Copy> copies_;                                       // of tensors' handles
  std::vector<std::pair<const ast::Node*, ir::Var*>> changed_in_;  // (loop, a tensor from outside of it)
  std::vector<std::pair<uint64_t, DType>> hints_;  // (loop node, name) -> the type a literal takes there
  const ast::Node* hint_call_ = nullptr;           // the call whose results an assignment will name so:
  std::vector<const ast::Name*> hint_names_;
  bool reachable_ = true;
  std::vector<uint32_t> set_if_true_;  // names that the condition at hand has set if it holds
  uint32_t epoch_ = 0;                 // assignments to variables so far
  bool retried_ = false;               // some variables may be left over
  bool plain_numbers_ = false;         // what is stored next: numbers do not get the name's constant
  std::string item_name_;              // what items of a display that are evaluated early are called
  friend class Session;
};

}  // namespace asc::lower
