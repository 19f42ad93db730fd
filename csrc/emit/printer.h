// SPDX-License-Identifier: Apache-2.0
// The Ascend C printer. One pass over the tree appends to one buffer; what only shows later (a constant
// nobody used, a flag that a function turned out to need) is an edit of that buffer, applied when the text is
// put together.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/ascendc.h"
#include "emit/names.h"
#include "ir/ir.h"

namespace asc::emit {

// Binding strength of C++ operators. An operand whose own operator binds less than asked for gets
// parentheses.
enum Prec : int {
  kAny = 0,
  kConditional,
  kOr,
  kAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEquality,
  kRelational,
  kShift,
  kAdditive,
  kMultiplicative,
  kUnary,
  kPostfix,
};

// May a call of the function change what the parameter refers to? (ascendc_structs.cpp)
bool may_change(const ir::Function& function, const ir::Var& parameter);

// Helper functions of the printed program, each printed only when used. ORDER Helper: as emit/helpers.cpp
// lists them.
enum class Helper : uint8_t {
  Abs,
  FloorDiv,
  FloorMod,
  FloatRemainder,
  FloorDivFloat,
  FloorModFloat,
  Max,
  Min,
  Pow,
  PowWhole,
  PowFloat,
  SliceLocal,
  SliceGlobal,
  kCount
};
std::string_view helper_name(Helper helper);
std::string_view helper_text(Helper helper);

// Rows whose call is no printer form of a family: `emit_<Op>` functions. A test bounds their number.
std::span<const OpId> emit_exceptions();

class Printer {
 public:
  Printer(const ir::Module& module, const Options& options) : module_(module), options_(options) {}
  std::string print();

 private:
  // -- module and functions (ascendc.cpp)
  void name_globals();
  void find_queue_spellings();
  std::string assemble(size_t kernel_start, size_t end) const;
  void module_constants();
  // The user's structs (ascendc_structs.cpp).
  void name_structs();
  bool is_struct_name(std::string_view name) const;
  void struct_definitions();
  void struct_parameter(const ir::Var& v);
  void copy_struct_arguments();
  void apply_edits(std::string& to, size_t begin, size_t end) const;
  void function(const ir::Function& f);
  void signature(const ir::Function& f);
  void choose_results(const ir::Function& f);
  void find_last_returns(const ir::Block* b, bool is_branch);
  void drop_unused_constants();
  void reset_function(const ir::Function& f);

  // -- statements (ascendc.cpp, ascendc_loops.cpp)
  void block(const ir::Block* b);       // its statements, one level deeper, in a scope of their own
  void statements(const ir::Block* b);  // at this level
  const ir::Decl* built_in_place(const ir::Block& b, size_t i) const;
  const ir::Field* copied_struct(const ir::Block& b, size_t i) const;
  void statement(const ir::Stmt* s);
  void const_decl(const ir::ConstDecl& s);
  void constant_line(const ir::NamedConst& c, std::string_view name);  // without its newline
  void declaration(const ir::Decl& s);
  void construct(const ir::Decl& s, const ir::OpCall& call);
  void assign(std::string_view name, const Type& type, const ir::Expr* value, Loc loc,
              const ir::Expr* place = nullptr);
  void assigned(const Type& type, const ir::Expr* value, const ir::Expr* place);
  void insert_name(size_t at, std::string_view name);
  void eval(const ir::Eval& s);
  void call_assign(const ir::CallAssign& s);
  void if_(const ir::If& s, bool chained);
  void nested_ifs(const ir::If& s, std::span<const ir::Expr* const> terms);
  void return_(const ir::Return& s);
  void format_text(const ir::FormatText& text, std::string_view tail);
  void assert_(const ir::Assert& s);
  void print_(const ir::Print& s);

  struct LoopPlan;
  struct HeldBounds {
    std::string_view start, stop, step;  // names of ours, or ""
  };
  void for_(const ir::For& s);
  LoopPlan plan_for(const ir::For& s) const;
  HeldBounds hold_bounds(const ir::For& s, const LoopPlan& plan);
  void for_head(const ir::For& s, const LoopPlan& plan, const HeldBounds& held);
  void beside(const ir::Expr* right, DType type, int min);
  void while_(const ir::While& s);
  void open_loop(const ir::Block* body, const ir::Block* orelse);
  void close_loop(const ir::Block* orelse);

  // -- expressions (ascendc_expr.cpp)
  // The C++ value equals the value of `e`; its C++ type may differ (an int literal for an int64 one).
  // `converts`: the context converts it to its own type, which cuts what C++ computed wider.
  void expr(const ir::Expr* e, int min = kAny, bool converts = false);
  // The context converts the value to `to`, as C++ does on initialisation.
  void converted(const ir::Expr* e, DType to, int min = kAny);
  const ir::Expr* conversion_source(const ir::Expr* e, DType to) const;
  // The C++ type is exactly that of `e`: a template deduces from it.
  void exact(const ir::Expr* e, int min = kAny);
  void condition(const ir::Expr* e);
  void variable(const ir::Var& v);
  // The C++ type of what `expr` prints; Void for what is no number.
  DType natural(const ir::Expr* e, bool converts = false) const;

  struct BinaryPlan {
    const ir::Expr *left, *right;  // after casts that C++ makes by itself are taken off
    bool exact_left = false, exact_right = false;
    DType common = DType::Void;  // what C++ computes in
    bool wrap = false;           // the result must be cut back to its type
  };
  BinaryPlan plan_operands(const ir::Expr* left, const ir::Expr* right, DType type) const;
  BinaryPlan plan(const ir::Binary& e) const;
  BinaryPlan plan_select(const ir::Select& e) const;
  void operand(const ir::Expr* e, DType type, bool as_exact, int min);
  void open_wrap(DType type);  // "static_cast<type>("
  void binary(const ir::Binary& e, int min, bool converts);
  std::string_view compound_sign(const ir::Binary& e) const;  // " += ", or "" where C++ has none
  void helper_call(Helper helper, const ir::Expr* left, const ir::Expr* right, DType type);
  void float_helper_call(Helper helper, const ir::Expr* left, const ir::Expr* right, DType type);
  void unary(const ir::Unary& e, int min, bool converts);
  void compare_to_zero(const ir::Expr* e, std::string_view op, int min);
  void negated(const ir::Expr* e, int min);
  void cast(const ir::Cast& e, int min);
  void select(const ir::Select& e, int min);
  void logical(const ir::Logical& e, int min);
  void core_predicate(bool aic);
  void workspace(const ir::Workspace& e, int min);
  bool is_plain_division(const ir::Binary& e) const;
  static bool is_division(ir::BinaryOp op);
  void power(const ir::Binary& e, int min, bool converts);

  enum class ConstForm : uint8_t { Name, Spelling, Literal };
  ConstForm const_form(const ir::Const& c) const;
  const ir::Expr* spelt_tree(const ir::Expr* e) const;
  bool spelling_value(const ir::Expr* e, double* value) const;
  void constant(const ir::Const& c, int min, bool converts);
  void literal(const Type& type, int64_t bits, int min, bool converts = false);
  void enum_value(uint16_t enum_id, int64_t value);
  void number(int64_t value);
  void float_literal(DType type, double value, int min, bool converts);
  // By Ascend C: a qualified name, as no Python name is.
  static bool is_declared_elsewhere(const ir::NamedConst& c) { return c.name.find("::") != c.name.npos; }
  std::string_view visible_name(const ir::NamedConst& c) const;  // "" where it cannot be named here
  void use_constant(const ir::NamedConst& c);

  // -- calls (ascendc_calls.cpp)
  void op_call(const ir::OpCall& e, int min);
  void operator_call(const ir::OpCall& e, int min);
  void template_arguments(const ir::OpCall& e);
  bool has_constructor_arguments(const ir::OpCall& e) const;
  void constructed_type(const ir::OpCall& e, const Type& type);
  void arguments(const ir::OpCall& e);
  void argument(const ir::OpCall& e, int index);
  void default_value(const ParamDesc& param);
  void call(const ir::Function& callee, std::span<ir::Expr* const> args,
            std::span<const std::string_view> results);
  bool emit_exception(const ir::OpCall& e, int min);
  bool asks_for_sizes(Kind kind);
  bool sized_slice(const ir::OpCall& view);
  // A tensor that gets a name here, or is asked for its size: a slice keeps its length.
  void tensor(const ir::Expr* e, int min = kAny);
  void receiver(const ir::OpCall& e);
  void emit_Pointer_Init(const ir::OpCall& e);
  void emit_REGIST_MATMUL_OBJ(const ir::OpCall& e);
  void emit_Matmul_Init(const ir::OpCall& e);
  void emit_LocalTensor_GetPhyAddr(const ir::OpCall& e, int min);

  // -- text
  void type_name(const Type& type);
  void matmul_name(const Type& type);
  std::string_view matmul_includes() const;
  std::string_view field_name(const Type& type, uint16_t index) const;
  void parameter(const ir::Var& v);
  void indent() { out_.append(static_cast<size_t>(depth_) * 2, ' '); }
  void end_line(Loc loc);
  void put(std::string_view text) { out_ += text; }
  void put(char c) { out_ += c; }
  bool open(int prec, int min) {
    if (prec < min) put('(');
    return prec < min;
  }
  void close(bool opened) {
    if (opened) put(')');
  }

  // -- names
  std::string_view declare(const ir::Var& v);
  std::string_view local_name(std::string_view wanted);
  std::string_view fresh(std::string_view name, std::string_view suffix = {});  // a name of ours
  std::string_view name_of(const ir::Var& v) const;

  struct Edit {
    size_t at, length;          // cut
    std::string_view insert{};  // and put this in
  };
  struct PrintedConst {
    const ir::NamedConst* constant;
    size_t begin, end;                        // its line
    std::vector<const ir::NamedConst*> uses;  // what its own text names
    bool used = false;
  };
  struct VisibleConst {
    const ir::NamedConst* constant;
    std::string_view name;
    int printed;                  // index in printed_, or -1:
    const ir::NamedConst* alias;  // the module constant it is another word for
  };
  struct Loop {
    std::string_view flag;  // set by `break`, for the loop's else
  };
  struct QueueSpelling {
    Type type;
    const ir::Expr* depth;  // null: several spellings
  };

  const ir::Module& module_;
  const Options& options_;
  TextPool pool_;
  std::string out_;
  std::vector<Edit> edits_;  // by position

  NameSet globals_;                                        // functions and the printer's helpers
  std::vector<std::string_view> function_names_;           // by Function::id
  std::vector<std::string_view> constant_names_;           // module constants, by NamedConst::id
  std::vector<uint8_t> constant_used_;                     // by NamedConst::id
  std::vector<std::pair<size_t, size_t>> constant_lines_;  // begin and length in out_, last one first
  size_t constants_in_scope_ = 0;  // how many of the module's constants a text may name
  std::vector<QueueSpelling> queue_spellings_;
  int asks_for_sizes_ = -1;  // of local (1) and global (2) tensors; not looked for yet
  std::array<bool, static_cast<size_t>(Helper::kCount)> helpers_{};

  bool sizes_matter_ = false;  // of the receiver that is printed next

  // of the function being printed
  const ir::Function* fn_ = nullptr;
  int depth_ = 0;
  size_t body_start_ = 0;
  std::vector<std::string_view> var_names_;  // by Var::id; "" not declared yet
  NameSet locals_, pinned_;                  // pinned_: names of ours that hold in the whole function
  std::vector<VisibleConst> visible_;
  std::vector<PrintedConst> printed_;
  int const_in_print_ = -1;                  // index in printed_ of the constant whose text is being printed
  std::vector<const ir::Var*> result_vars_;  // the variable that carries each result out, or null
  std::vector<std::string_view> result_names_;
  std::vector<Loop> loops_;
  struct StructNames {
    std::string_view type;
    std::vector<std::string_view> fields;
  };
  struct StructArgument {
    const ir::Var* var;
    std::string_view bytes;  // the parameter's name
  };
  std::vector<StructNames> struct_names_;         // as Module::structs
  std::vector<StructArgument> struct_arguments_;  // of the kernel's signature
  std::pair<size_t, size_t> struct_text_;         // place and length in out_
  std::vector<const ir::Decl*> in_place_;         // structs printed where they are used
  std::string_view core_flags_[2];                // names of `is_aiv`, `is_aic`
  struct LastReturn {
    const ir::Stmt* stmt;
    bool alone;  // nothing else is in its branch
  };
  std::vector<LastReturn> last_returns_;  // behind which the function ends anyway
  uint64_t commented_line_ = ~uint64_t{0};
};

}  // namespace asc::emit
