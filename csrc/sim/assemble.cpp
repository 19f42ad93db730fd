// SPDX-License-Identifier: Apache-2.0
// Assembler: programs, functions and statements.
#include "sim/assemble.h"

#include <algorithm>

#include "base/format.h"
#include "ir/visit.h"
#include "sim/handlers.h"
#include "sim/vm.h"

namespace asc::sim {

namespace {

// Type and default of a struct's fields, of the device's structs and of the module's alike.
std::vector<std::pair<Type, int64_t>> fields_of(const Type& type, const ir::Module& module) {
  std::vector<std::pair<Type, int64_t>> out;
  if (type.id < kStructCount) {
    for (const StructFieldInfo& f : struct_info(static_cast<StructId>(type.id)).fields)
      out.emplace_back(Type::scalar(f.dtype == DType::Void ? type.elem : f.dtype), f.default_value);
  } else {
    for (const ir::StructField& f : module.structs.at(type.id - kStructCount).fields)
      out.emplace_back(f.type, f.default_bits);
  }
  return out;
}

}  // namespace

int slots_of(const Type& type, const ir::Module& module) {
  if (type.is_tensor()) return 2;
  if (type.kind != Kind::Struct) return 1;
  int slots = 0;
  for (const auto& [field, value] : fields_of(type, module)) slots += slots_of(field, module);
  return slots;
}

int field_slot(const Type& type, int index, const ir::Module& module) {
  const auto fields = fields_of(type, module);
  int slot = 0;
  for (int i = 0; i < index; i++) slot += slots_of(fields.at(static_cast<size_t>(i)).first, module);
  return slot;
}

uint32_t ProgramBuilder::loc_index(const Loc& loc) {
  if (program.locs.empty() || !(loc == last_loc_)) {
    program.locs.push_back(loc);
    last_loc_ = loc;
  }
  return static_cast<uint32_t>(program.locs.size() - 1);
}

uint16_t ProgramBuilder::pool_operand(uint64_t bits) {
  const auto found = pool_index.find(bits);
  if (found != pool_index.end()) return found->second;
  if (program.pool.size() >= kPoolOperand - 2u) return kNoOperand;
  const uint16_t code = static_cast<uint16_t>(kPoolOperand | program.pool.size());
  program.pool.push_back(bits);
  pool_index.emplace(bits, code);
  return code;
}

uint32_t ProgramBuilder::object_decl(const Type& type, std::string_view name) {
  auto& decls = program.object_decls;
  const ObjectDecl decl{type, std::string(name)};
  const auto at = std::find(decls.begin(), decls.end(), decl);
  if (at != decls.end()) return static_cast<uint32_t>(at - decls.begin());
  decls.push_back(decl);
  return static_cast<uint32_t>(decls.size() - 1);
}

namespace {

bool has_loops(const ir::Block* block) {
  bool found = false;
  ir::walk(const_cast<ir::Block*>(block), [&found](ir::Stmt* s) {
    found = found || s->kind == ir::StmtKind::For || s->kind == ir::StmtKind::While;
  });
  return found;
}

}  // namespace

FunctionAssembler::FunctionAssembler(ProgramBuilder& builder, const ir::Function& function)
    : b_(builder), f_(function), loc_(function.loc) {
  slot_of_.resize(f_.vars.size());
  // Parameters first: the caller writes them where this frame begins.
  for (const ir::Var* v : f_.params) {
    slot_of_.at(v->id) = static_cast<Slot>(next_);
    next_ += is_reference(*v) ? 1 : width(v->type);
  }
  int results = 0;
  for (const Type& t : f_.results) results += width(t);
  next_ = std::max(next_, results);
  for (const ir::Var* v : f_.vars) {
    if (v->is_param) continue;
    slot_of_.at(v->id) = temp(width(v->type));
  }
  max_ = std::max(max_, next_);
  preload_ = f_.is_kernel || has_loops(f_.body);
}

bool FunctionAssembler::is_reference(const ir::Var& var) const {
  if (!var.is_param) return false;
  // Pipes, queues and buffers are indices of objects: passing the index is passing the object.
  if (var.type.kind == Kind::Struct) return !f_.is_kernel;  // the kernel's own: unpacked by the launch
  return (var.by_ref && !var.type.is_object());
}

FunctionAssembler::Slot FunctionAssembler::temp(int count) {
  const int first = next_;
  next_ += count;
  max_ = std::max(max_, next_);
  if (max_ >= kPoolOperand) unsupported(loc_, "a function with more than 32,767 values alive at once");
  return static_cast<Slot>(first);
}

void FunctionAssembler::unsupported(const Loc& loc, std::string_view what) const {
  throw CompileError(fmt::format("{} is not yet supported by the simulator", what), {},
                     {b_.module.sources.resolve(loc)});
}

int FunctionAssembler::emit(Op op, int a, int b, int c, int32_t imm) {
  Instr in;
  in.op = op;
  in.a = static_cast<uint16_t>(a);
  in.b = static_cast<uint16_t>(b);
  in.c = static_cast<uint16_t>(c);
  in.imm = imm;
  b_.code.push_back(in);
  b_.program.locs_of.push_back(b_.loc_index(loc_));
  fuse(here() - 1);
  return here() - 1;
}

int FunctionAssembler::emit_wide(Op op, int a, int64_t wide) {
  const int at = emit(op, a);
  b_.code[static_cast<size_t>(at)].wide = wide;
  return at;
}

int FunctionAssembler::emit_compare_k(Op op, int a, int32_t k) {
  const int at = emit(op, a);
  b_.code[static_cast<size_t>(at)].k = k;
  return at;
}

void FunctionAssembler::patch(int at, int target) {
  Instr& in = b_.code[static_cast<size_t>(at)];
  const bool with_constant =
      (in.op >= Op::JltK && in.op <= Op::JneK) || (in.op >= Op::JltKA && in.op <= Op::JneKA);
  (with_constant ? in.target : in.imm) = target - at;
  barrier_ = std::max(barrier_, target);
}

void FunctionAssembler::patch_all(std::vector<int>& jumps, int target) {
  for (int at : jumps) patch(at, target);
  jumps.clear();
}

void FunctionAssembler::move(const Type& type, int to, int from) {
  if (to == from) return;
  if (type.is_tensor()) {
    emit(Op::Mov2, to, from);
  } else {
    for (int i = 0; i < width(type); i++) emit(Op::Mov, to + i, from + i);
  }
}

void FunctionAssembler::run(FunctionCode* out) {
  const int first = barrier_ = here();
  // Constants are known only after the body: it is assembled once to collect them, then for good.
  if (preload_) {
    const auto code = b_.code.size();
    const int slots = next_;
    const size_t sites = b_.program.sites.size(), operands = b_.program.operands.size(),
                 texts = b_.program.texts.size();
    block(f_.body);
    b_.code.resize(code);
    barrier_ = first;
    b_.program.locs_of.resize(code);
    b_.program.sites.resize(sites);
    b_.program.operands.resize(operands);
    b_.program.texts.resize(texts);
    objects_ = 0;
    next_ = slots;
    loops_.clear();
    loc_ = f_.loc;
    for (auto& [value, slot] : constants_) slot = temp();
    for (const auto& [value, slot] : constants_) emit_wide(Op::Const, slot, static_cast<int64_t>(value));
  }
  block(f_.body);
  loc_ = f_.loc;
  emit(Op::Ret);
  out->name = std::string(f_.name);
  out->first = static_cast<uint32_t>(first);
  out->end = static_cast<uint32_t>(here());
  out->slots = static_cast<uint32_t>(max_);
  out->objects = objects_;
  out->stack = std::max(out->slots, stack_below_);
  out->depth = 1 + depth_below_;
  out->object_stack = objects_ + objects_below_;
  // A callee's objects come behind this function's, whose number is known only now.
  for (int i = first; i < here(); i++)
    if (b_.code[static_cast<size_t>(i)].op == Op::Call)
      b_.code[static_cast<size_t>(i)].b = static_cast<uint16_t>(objects_);
}

// ---- statements
// ---------------------------------------------------------------------------------------------------------

void FunctionAssembler::block(const ir::Block* block) {
  if (!block) return;
  for (const ir::Stmt* s : *block) statement(*s);
}

void FunctionAssembler::statement(const ir::Stmt& s) {
  const int saved = next_;
  loc_ = s.loc;
  switch (s.kind) {
    case ir::StmtKind::ConstDecl: break;
    case ir::StmtKind::Decl: declare(static_cast<const ir::Decl&>(s)); break;
    case ir::StmtKind::Assign: {
      const auto& a = static_cast<const ir::Assign&>(s);
      store(*a.var, a.value);
      break;
    }
    case ir::StmtKind::SetField: set_field(static_cast<const ir::SetField&>(s)); break;
    case ir::StmtKind::Eval: expr(static_cast<const ir::Eval&>(s).value); break;
    case ir::StmtKind::CallAssign: call_assign(static_cast<const ir::CallAssign&>(s)); break;
    case ir::StmtKind::If: if_(static_cast<const ir::If&>(s)); break;
    case ir::StmtKind::For: for_(static_cast<const ir::For&>(s)); break;
    case ir::StmtKind::While: while_(static_cast<const ir::While&>(s)); break;
    case ir::StmtKind::Break: loops_.back().breaks.push_back(emit(Op::Jmp)); break;
    case ir::StmtKind::Continue: loops_.back().continues.push_back(emit(Op::Jmp)); break;
    case ir::StmtKind::Return: return_(static_cast<const ir::Return&>(s)); break;
    case ir::StmtKind::Assert: {
      const auto& a = static_cast<const ir::Assert&>(s);
      std::vector<int> holds;
      branch(a.condition, true, &holds);
      print(a.message, Op::AssertFail, s.loc);
      patch_all(holds, here());
      break;
    }
    case ir::StmtKind::Print: print(static_cast<const ir::Print&>(s).text, Op::Print, s.loc); break;
  }
  next_ = saved;
}

void FunctionAssembler::store(const ir::Var& var, const ir::Expr* value) {
  const int slot = slot_of_.at(var.id);
  if (is_reference(var)) {
    const Slot from = expr(value);
    if (var.type.kind == Kind::Struct) return copy_struct(slot, from, width(var.type));
    emit(var.type.is_tensor() ? Op::StoreRef2 : Op::StoreRef, slot, from);
    return;
  }
  if (var.type.kind == Kind::Struct) {
    const Slot from = expr(value);  // a pointer to its fields
    for (int i = 0; i < width(var.type); i++) {
      const Slot at = temp();
      emit(Op::AddK, at, from, 0, i * 8);
      emit(Op::LoadRef, slot + i, at);
    }
    return;
  }
  naming_ = &var;
  const Slot from = expr(value, slot);
  naming_ = nullptr;
  move(var.type, slot, from);
}

void FunctionAssembler::declare(const ir::Decl& s) {
  const Kind kind = s.var->type.kind;
  if (s.init) {
    store(*s.var, s.init);
  } else if (kind == Kind::TPipe || kind == Kind::TQue || kind == Kind::TBuf || kind == Kind::Matmul) {
    naming_ = s.var;
    new_object(s.var->type, slot_of_.at(s.var->id), s.loc);
    naming_ = nullptr;
  } else {
    // What a variable holds before its first assignment is nothing: an unbound tensor, a zero, a struct's
    // defaults.
    int slot = slot_of_.at(s.var->id);
    if (kind == Kind::Struct) return default_fields(s.var->type, slot);
    for (int i = 0; i < width(s.var->type); i++) emit_wide(Op::Const, slot + i, 0);
  }
}

void FunctionAssembler::default_fields(const Type& type, int slot) {
  for (const auto& [field, value] : fields_of(type, b_.module)) {
    if (field.kind == Kind::Struct) {
      default_fields(field, slot);
    } else {
      for (int i = 0; i < width(field); i++)
        emit_wide(Op::Const, slot + i, i == 0 ? field_bits(field, value) : 0);
    }
    slot += width(field);
  }
}

void FunctionAssembler::set_field(const ir::SetField& s) {
  const Slot value = expr(s.value);
  const Slot object = expr(s.object);
  const Slot at = temp();
  emit(Op::AddK, at, object, 0, field_slot(s.object->type, s.index, b_.module) * 8);
  if (s.value->type.kind == Kind::Struct) return copy_struct(at, value, width(s.value->type));
  emit(s.value->type.is_tensor() ? Op::StoreRef2 : Op::StoreRef, at, value);
}

void FunctionAssembler::copy_struct(int to, int from, int slots) {
  const Slot source = temp(), target = temp(), value = temp();
  for (int i = 0; i < slots; i++) {
    emit(Op::AddK, source, from, 0, i * 8);
    emit(Op::AddK, target, to, 0, i * 8);
    emit(Op::LoadRef, value, source);
    emit(Op::StoreRef, target, value);
  }
}

void FunctionAssembler::call_assign(const ir::CallAssign& s) {
  int from = call(*s.callee, s.args, s.loc);
  for (size_t i = 0; i < s.callee->results.size(); i++) {
    const Type& type = s.callee->results[i];
    if (i < s.results.size() && s.results[i]) {
      const ir::Var& var = *s.results[i];
      const int slot = slot_of_.at(var.id);
      if (is_reference(var)) {
        emit(type.is_tensor() ? Op::StoreRef2 : Op::StoreRef, slot, from);
      } else {
        move(type, slot, from);
      }
    }
    from += width(type);
  }
}

void FunctionAssembler::if_(const ir::If& s) {
  std::vector<int> to_else, to_end;
  branch(s.condition, false, &to_else);
  block(s.then_block);
  if (s.else_block && !s.else_block->empty()) {
    to_end.push_back(emit(Op::Jmp));
    patch_all(to_else, here());
    block(s.else_block);
    patch_all(to_end, here());
  } else {
    patch_all(to_else, here());
  }
}

// May the block change the variable: by an assignment, or by lending it to a callee?
bool FunctionAssembler::assigned_in(const ir::Block* block, const ir::Var* var) const {
  bool found = false;
  auto lends = [&](const ir::Function& callee, std::span<ir::Expr* const> args) {
    for (size_t i = 0; i < args.size(); i++) {
      const auto* ref = ir::as<ir::VarRef>(args[i]);
      found = found || (ref && ref->var == var && callee.params[i]->by_ref);
    }
  };
  ir::walk(const_cast<ir::Block*>(block), [&](ir::Stmt* s) {
    if (const auto* a = ir::as<ir::Assign>(s)) found = found || a->var == var;
    if (const auto* d = ir::as<ir::Decl>(s)) found = found || d->var == var;
    if (const auto* f = ir::as<ir::For>(s)) found = found || f->var == var;
    if (const auto* c = ir::as<ir::CallAssign>(s)) {
      found = found || std::find(c->results.begin(), c->results.end(), var) != c->results.end();
      lends(*c->callee, c->args);
    }
    ir::for_each_expr(s, [&](ir::Expr*& e) {
      ir::walk_expr(e, [&](ir::Expr* x) {
        if (const auto* c = ir::as<ir::Call>(x)) lends(*c->callee, c->args);
      });
    });
  });
  return found;
}

void FunctionAssembler::for_(const ir::For& s) {
  const int slot = slot_of_.at(s.var->id);
  const bool is_unsigned = s.var->type.elem == DType::U64;
  // The count of turns left, then the step: hidden slots. The variable itself moves on unless the body
  // changes it.
  const Slot count = temp(2);
  const ir::Const* fixed_step = ir::as<ir::Const>(s.step);
  const bool one = !s.step || (fixed_step && fixed_step->bits == 1);
  const bool own = is_reference(*s.var) || assigned_in(s.body, s.var);
  // Start and stop are evaluated before the variable is touched: they may read it.
  const Slot start = expr(s.start);
  const Slot stop = expr(s.stop);
  if (one) {
    emit_wide(Op::Const, count + 1, 1);
  } else {
    const Slot step = expr(s.step, count + 1);
    if (step != count + 1) emit(Op::Mov, count + 1, step);
  }
  loc_ = s.loc;
  const DType type = s.var->type.elem;
  if (!one) emit(Op::ForCheck, count, start, stop, static_cast<int32_t>(type));
  const Op prepare = one && !is_unsigned ? Op::ForPrep1 : is_unsigned ? Op::ForPrepU : Op::ForPrep;
  const int prep = emit(prepare, count, start, stop);
  const int cursor = own ? temp() : slot;
  emit(Op::Mov, cursor, start);
  const int enter = emit(Op::ForEnter, count, cursor);
  const int head = barrier_ = here();
  if (own) emit(is_reference(*s.var) ? Op::StoreRef : Op::Mov, slot, cursor);
  loops_.emplace_back();
  block(s.body);
  loc_ = s.loc;
  patch_all(loops_.back().continues, here());
  const int next = one ? emit(Op::ForNext1, count, cursor) : emit(Op::ForNext, count, cursor, count + 1);
  patch(next, head);
  keep_in_registers(enter, head, next);
  patch(prep, here());
  std::vector<int> breaks = std::move(loops_.back().breaks);
  loops_.pop_back();
  block(s.orelse);
  patch_all(breaks, here());
}

void FunctionAssembler::while_(const ir::While& s) {
  const int head = barrier_ = here();
  std::vector<int> exits;
  block(s.condition_pre);
  loc_ = s.loc;
  branch(s.condition, false, &exits);
  loops_.emplace_back();
  block(s.body);
  loc_ = s.loc;
  patch_all(loops_.back().continues, here());
  patch(emit(Op::Loop), head);
  patch_all(exits, here());
  std::vector<int> breaks = std::move(loops_.back().breaks);
  loops_.pop_back();
  block(s.orelse);
  patch_all(breaks, here());
}

void FunctionAssembler::return_(const ir::Return& s) {
  if (s.values.size() == 1) {
    const Type& type = s.values[0]->type;
    move(type, 0, expr(s.values[0]));
  } else if (!s.values.empty()) {
    std::vector<Slot> slots;
    for (const ir::Expr* value : s.values) {
      // Into temporaries of their own: a result slot may still be a parameter that a later value reads.
      const Slot own = temp(width(value->type));
      move(value->type, own, expr(value, own));
      slots.push_back(own);
    }
    int to = 0;
    for (size_t i = 0; i < slots.size(); i++) {
      move(s.values[i]->type, to, slots[i]);
      to += width(s.values[i]->type);
    }
  }
  loc_ = s.loc;
  emit(Op::Ret);
}

void FunctionAssembler::print(const ir::FormatText& text, Op op, const Loc& loc) {
  TextFormat format;
  for (size_t i = 0; i < text.pieces.size(); i++) {
    TextPiece piece;
    piece.text = std::string(text.pieces[i]);
    if (i < text.values.size()) {
      piece.type = text.values[i]->type;
      piece.spec = std::string(text.spec(i));
      const Slot own = temp(width(piece.type));
      move(piece.type, own, expr(text.values[i], own));
      piece.operand = own;
    }
    format.pieces.push_back(std::move(piece));
  }
  b_.program.texts.push_back(std::move(format));
  loc_ = loc;  // and not that of the last value
  emit(op, 0, 0, 0, static_cast<int32_t>(b_.program.texts.size() - 1));
}

// ---- programs
// -----------------------------------------------------------------------------------------------------------

namespace {

// Functions that the kernel reaches: only these decide whether cores run in lockstep.
bool uses_cross_core(const ir::Module& module) {
  bool found = false;
  for (const auto& f : module.functions) {
    if (!f->body) continue;
    ir::walk(f->body, [&found](ir::Stmt* s) {
      ir::for_each_expr(s, [&found](ir::Expr*& e) {
        ir::walk_expr(e, [&found](ir::Expr* x) {
          if (const auto* op = ir::as<ir::OpCall>(x)) found = found || op->desc().family == Family::CrossCore;
        });
      });
    });
  }
  return found;
}

}  // namespace

ProgramPtr assemble(const ir::Module& module) {
  auto program = std::make_shared<Program>();
  ProgramBuilder builder(module, *program);
  if (!module.kernel()) ASC_BUG("a module without a kernel");
  program->sources = module.sources;
  program->functions.resize(module.functions.size());
  for (size_t i = 0; i < module.functions.size(); i++) {
    FunctionAssembler assembler(builder, *module.functions[i]);
    assembler.run(&program->functions[i]);
  }
  int slot = 0;
  program->workspace.areas = module.workspace;
  program->workspace.layout = ir::lay_out(module.workspace);
  for (const ir::Var* v : module.kernel()->params) {
    if (!module.args.empty() && module.args.back().is_workspace && module.args.back().var == v) {
      program->workspace.slot = static_cast<uint16_t>(slot);  // the last one
      break;
    }
    KernelParam& param = program->params.emplace_back();
    param.name = std::string(v->name);
    param.type = v->type;
    param.slot = static_cast<uint16_t>(slot);
    if (v->type.kind == Kind::Struct) add_struct(&param, module);
    for (const ir::KernelArg& arg : module.args) {
      if (arg.var != v) continue;
      param.may_read = arg.may_read;
      param.may_write = arg.may_write;
    }
    slot += slots_of(v->type, module);
  }
  program->kernel_type =
      module.kernel_type == ir::KernelType::Auto ? ir::KernelType::AIV_ONLY : module.kernel_type;
  program->lockstep = uses_cross_core(module);
  for (CallSite& site : program->sites) bind_handlers(&site);
  for (int m = 0; m < kModeCount; m++) {
    program->code[m] = builder.code;
    const int32_t* handlers = handler_offsets(static_cast<Mode>(m));
    for (Instr& in : program->code[m]) in.handler = handlers[static_cast<int>(in.op)];
  }
  return program;
}

}  // namespace asc::sim
