// SPDX-License-Identifier: Apache-2.0
// What a launch certainly writes (overwrites_walk.h): control flow. Values: overwrites_values.cpp.
#include "passes/overwrites_walk.h"

#include "passes/control.h"

namespace asc::passes {

OverwritesWalk::OverwritesWalk(const ir::Module& module, std::span<const LaunchArgument> arguments, int grid)
    : module_(module), arguments_(arguments), grid_(grid) {
  if (grid > 1) block_symbol_ = symbols_.add(grid);
  for (const LaunchArgument& given : arguments) steps_left_ += given.bytes / kBytesOfStep;
  steps_left_ = std::min(steps_left_, kMostSteps);
}

void OverwritesWalk::run() {
  const ir::Function& kernel = *module_.kernel();
  values_.assign(kernel.vars.size(), Value());
  for (size_t i = 0; i < arguments_.size(); i++) {
    const ir::KernelArg& arg = module_.args[i];
    if (!arg.var) continue;
    if (arguments_[i].number) assign(arg.var, number(*arguments_[i].number, arg.var->type));
    if (arguments_[i].bytes > 0) assign(arg.var, {Value::Kind::Address, static_cast<uint32_t>(i), {}});
  }
  block(kernel.body);
}

// ---- statements ---------------------------------------------------------------------------------

OverwritesWalk::Flow OverwritesWalk::block(const ir::Block* block) {
  for (const ir::Stmt* s : *block) {
    if (--steps_left_ < 0) return Flow::Maybe;
    if (const Flow flow = statement(s); flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

OverwritesWalk::Flow OverwritesWalk::statement(const ir::Stmt* s) {
  switch (s->kind) {
    case ir::StmtKind::ConstDecl: return Flow::Next;
    case ir::StmtKind::Decl: declare(*static_cast<const ir::Decl*>(s)); return Flow::Next;
    case ir::StmtKind::Assign: {
      const auto* a = static_cast<const ir::Assign*>(s);
      const Value value = eval(a->value);
      assign(a->var, value);
      return Flow::Next;
    }
    case ir::StmtKind::SetField: set_field(*static_cast<const ir::SetField*>(s)); return Flow::Next;
    case ir::StmtKind::Eval: eval(static_cast<const ir::Eval*>(s)->value); return Flow::Next;
    case ir::StmtKind::CallAssign: {
      const auto* a = static_cast<const ir::CallAssign*>(s);
      call(*a->callee, a->args);
      for (size_t i = 0; i < a->results.size(); i++)
        if (a->results[i]) assign(a->results[i], i < returned_.size() ? returned_[i] : Value());
      return Flow::Next;
    }
    case ir::StmtKind::If: return if_(*static_cast<const ir::If*>(s));
    case ir::StmtKind::For: return for_(*static_cast<const ir::For*>(s));
    case ir::StmtKind::While: return skip(s);
    case ir::StmtKind::Break:
    case ir::StmtKind::Continue: return Flow::Turn;
    case ir::StmtKind::Return: {
      std::vector<Value> results;
      for (const ir::Expr* value : static_cast<const ir::Return*>(s)->values) results.push_back(eval(value));
      returned_ = std::move(results);
      return Flow::Return;
    }
    case ir::StmtKind::Assert:  // one that fails is a finding; its message is evaluated only then
      eval(static_cast<const ir::Assert*>(s)->condition);
      return Flow::Next;
    case ir::StmtKind::Print:
      for (const ir::Expr* value : static_cast<const ir::Print*>(s)->text.values) eval(value);
      return Flow::Next;
  }
  return Flow::Maybe;
}

OverwritesWalk::Flow OverwritesWalk::skip(const ir::Stmt* s) {
  for_each_changed(s, [this](const ir::Var* var) { assign(var, Value()); });
  const Leaves out = leaves(s);
  return out.function || out.turn ? Flow::Maybe : Flow::Next;
}

OverwritesWalk::Flow OverwritesWalk::if_(const ir::If& s) {
  const Value condition = eval(s.condition);
  if (!condition.is_number() || !condition.at.single()) return skip(&s);
  if (condition.at.base != 0) return block(s.then_block);
  return s.else_block ? block(s.else_block) : Flow::Next;
}

OverwritesWalk::Flow OverwritesWalk::for_(const ir::For& s) {
  Value start, step;
  const std::optional<int64_t> turns = turns_of(s, &start, &step);
  const size_t before = writes_.size();
  if (!turns || (*turns > 0 && !all_turns(s, start, step, *turns))) {
    writes_.resize(before);
    return skip(&s);
  }
  return s.orelse ? block(s.orelse) : Flow::Next;
}

// How many turns the loop takes, where every block and every turn of the loops around it agree on that.
std::optional<int64_t> OverwritesWalk::turns_of(const ir::For& s, Value* start, Value* step) {
  *start = eval(s.start);
  const Value stop = eval(s.stop);
  *step = s.step ? eval(s.step) : number(1, s.var->type);
  if (!start->is_number() || !stop.is_number() || !step->is_number()) return std::nullopt;
  if (!step->at.single() || step->at.base == 0) return std::nullopt;
  const std::optional<Affine> way = subtract(stop.at, start->at);
  if (!way) return std::nullopt;
  const Interval range = range_of(*way, symbols_);
  const bool up = step->at.base > 0;
  if (up ? range.hi <= 0 : range.lo >= 0) return 0;
  if (!way->single()) return std::nullopt;
  const Wide size = up ? Wide{step->at.base} : -Wide{step->at.base};
  const Wide turns = ((up ? range.lo : -range.lo) + size - 1) / size;
  return turns <= Symbols::kMostTurns ? std::optional(static_cast<int64_t>(turns)) : std::nullopt;
}

// False where some turn may end other than by its end; values and writes are then of no use.
bool OverwritesWalk::all_turns(const ir::For& s, const Value& start, const Value& step, int64_t turns) {
  struct Carried {
    const ir::Var* var;
    Value before;
    std::optional<int64_t> move;  // by one turn; none: not known at the head of a turn
  };
  // How far a turn moves a value; none: it is another one, or no guess is made.
  const auto moved_by = [](const Value& from, const Value& to) -> std::optional<int64_t> {
    if (from.kind != to.kind || from.index != to.index) return std::nullopt;
    if (from.kind == Value::Kind::Unknown || from.kind == Value::Kind::Struct) return std::nullopt;
    const std::optional<Affine> way = subtract(to.at, from.at);
    return way && way->single() ? std::optional(way->base) : std::nullopt;
  };
  std::vector<Carried> carried;
  bool any_known = false;
  for_each_changed(s.body, [&](const ir::Var* var) {
    const auto same = [var](const Carried& c) { return c.var == var; };
    if (var == s.var || std::ranges::any_of(carried, same)) return;
    carried.push_back({var, value_of(var), std::nullopt});
    any_known = any_known || moved_by(value_of(var), value_of(var));
  });
  const size_t before = writes_.size();
  if (turns == 1) {
    assign(s.var, start);
    return block(s.body) == Flow::Next;
  }
  if (any_known) {  // the first turn, for a guess
    assign(s.var, start);
    if (block(s.body) != Flow::Next) return false;
    for (Carried& c : carried) c.move = moved_by(c.before, value_of(c.var));
  }
  const uint32_t turn = symbols_.add(turns);
  const auto in_turn = [&](const Value& first, int64_t move) {
    Value value = first;
    const std::optional<Affine> now = add(first.at, Affine::of(turn, move));
    return now ? (value.at = *now, value) : Value();
  };
  // Any turn; guesses that it does not bear out are given up.
  bool held = false;
  while (!held) {
    writes_.resize(before);
    for (const Carried& c : carried) assign(c.var, c.move ? in_turn(c.before, *c.move) : Value());
    assign(s.var, in_turn(start, step.at.base));
    if (block(s.body) != Flow::Next) return false;
    held = true;
    for (Carried& c : carried) {
      if (!c.move || moved_by(in_turn(c.before, *c.move), value_of(c.var)) == c.move) continue;
      c.move.reset();
      held = false;
    }
  }
  const auto after_last = [&](const ir::Var* var) {
    Value& value = value_of(var);
    const bool lasts = value.kind != Value::Kind::Struct;
    const std::optional<Affine> last = lasts ? at(value.at, turn, turns - 1) : std::nullopt;
    if (last)
      value.at = *last;
    else
      value = Value();
  };
  for (const Carried& c : carried) after_last(c.var);
  after_last(s.var);
  return true;
}

namespace {

bool is_copy_params(const Type& type) {
  return type.kind == Kind::Struct && (type.id == static_cast<uint16_t>(StructId::DataCopyParams) ||
                                       type.id == static_cast<uint16_t>(StructId::DataCopyExtParams));
}

const StructFieldInfo& field_info(const Type& type, size_t index) {
  return struct_info(static_cast<StructId>(type.id)).fields[index];
}

}  // namespace

OverwritesWalk::Value OverwritesWalk::as_field(const Value& value, const Type& type, size_t index) const {
  return value.is_number() ? number(value.at, Type::scalar(field_info(type, index).dtype)) : Value();
}

// Parameters of copies have fields that are known; of other objects nothing is asked.
void OverwritesWalk::declare(const ir::Decl& s) {
  const Type& type = s.var->type;
  if (!is_copy_params(type)) {
    const Value value = s.init ? eval(s.init) : Value();
    return assign(s.var, value);
  }
  std::array<Value, kFields> fields;
  for (size_t i = 0; i < kFields; i++)
    fields[i] = number(field_info(type, i).default_value, Type::scalar(field_info(type, i).dtype));
  const auto* made = ir::as<ir::OpCall>(s.init);
  for (size_t i = 0; made && i < made->args.size(); i++) {
    if (!made->args[i]) continue;
    const Value value = eval(made->args[i]);
    if (i < kFields) fields[i] = as_field(value, type, i);
  }
  Value value;
  if (made || !s.init) value = {Value::Kind::Struct, static_cast<uint32_t>(structs_.size()), {}};
  structs_.push_back(fields);
  assign(s.var, value);
}

void OverwritesWalk::set_field(const ir::SetField& s) {
  const Value value = eval(s.value);
  const auto* ref = ir::as<ir::VarRef>(s.object);
  if (!ref) return for_each_changed(&s, [this](const ir::Var* var) { assign(var, Value()); });
  const Value& object = value_of(ref->var);
  if (object.kind == Value::Kind::Struct && s.index < kFields)
    structs_[object.index][s.index] = as_field(value, ref->var->type, s.index);
}

}  // namespace asc::passes
