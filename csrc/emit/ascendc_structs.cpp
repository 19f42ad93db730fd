// SPDX-License-Identifier: Apache-2.0
// The user's structs: their definitions above the functions, and the kernel's struct arguments, which arrive
// as bytes in global memory and become a local copy at the kernel's start: fields of global memory cannot be
// passed by reference.
#include <algorithm>

#include "emit/printer.h"
#include "ir/visit.h"

namespace asc::emit {

namespace {

bool writes(Dir dir) { return dir == Dir::Out || dir == Dir::InOut; }

bool is_part_of(const ir::Expr* e, const ir::Var& var) {
  while (const auto* field = ir::as<ir::Field>(e)) e = field->object;
  const auto* ref = ir::as<ir::VarRef>(e);
  return ref && ref->var == &var;
}

bool hands_on(const ir::Function& callee, std::span<ir::Expr* const> args, const ir::Var& var) {
  for (size_t i = 0; i < args.size(); i++)
    if (is_part_of(args[i], var) && may_change(callee, *callee.params[i])) return true;
  return false;
}

bool expr_hands_on(const ir::Expr* e, const ir::Var& var) {
  bool changes = false;
  ir::walk_expr(e, [&](const ir::Expr* x) {
    if (const auto* call = ir::as<ir::Call>(x)) changes |= hands_on(*call->callee, call->args, var);
    const auto* op = ir::as<ir::OpCall>(x);
    for (size_t i = 0; op && i < op->args.size(); i++)
      changes |= op->args[i] && writes(op->proto().params[i].dir) && is_part_of(op->args[i], var);
  });
  return changes;
}

}  // namespace

bool may_change(const ir::Function& function, const ir::Var& parameter) {
  if (parameter.type.kind != Kind::Struct) return parameter.by_ref || parameter.type.is_object();
  bool changes = false;
  ir::walk(static_cast<const ir::Block*>(function.body), [&](const ir::Stmt* s) {
    if (changes) return;
    if (const auto* set = ir::as<ir::SetField>(s)) changes = is_part_of(set->object, parameter);
    if (const auto* call = ir::as<ir::CallAssign>(s))
      changes |= hands_on(*call->callee, call->args, parameter);
    ir::for_each_expr(s, [&](const ir::Expr* e) { changes |= expr_hands_on(e, parameter); });
  });
  return changes;
}

void Printer::name_structs() {
  for (const ir::StructDesc& desc : module_.structs) {
    StructNames& names = struct_names_.emplace_back();
    names.type = globals_.add(pool_, legal_name(pool_, desc.cpp_name));
    NameSet taken;
    for (const ir::StructField& field : desc.fields)
      names.fields.push_back(taken.add(pool_, legal_name(pool_, field.name)));
  }
}

bool Printer::is_struct_name(std::string_view name) const {
  return std::any_of(struct_names_.begin(), struct_names_.end(),
                     [&](const StructNames& names) { return names.type == name; });
}

// Behind the functions, as constants are: `assemble` puts the text in front. Nested ones come first in the
// module.
void Printer::struct_definitions() {
  const size_t begin = out_.size();
  for (size_t i = 0; i < module_.structs.size(); i++) {
    const ir::StructDesc& desc = module_.structs[i];
    put("struct ");
    put(struct_names_[i].type);
    put(" {\n");
    for (size_t j = 0; j < desc.fields.size(); j++) {
      const Type& type = desc.fields[j].type;
      put("  ");
      type_name(type);
      put(' ');
      put(struct_names_[i].fields[j]);
      if (type.kind != Kind::Struct) {
        put(" = ");
        literal(type, desc.fields[j].default_bits, kAny);
      }
      put(";\n");
    }
    put("};\nstatic_assert(sizeof(");
    put(struct_names_[i].type);
    put(") == ");
    number(desc.bytes);
    put(", \"the host packs ");
    number(desc.bytes);
    put(" bytes\");\n\n");
  }
  struct_text_ = {begin, out_.size() - begin};
}

void Printer::struct_parameter(const ir::Var& v) {
  put("__gm__ uint8_t* ");
  struct_arguments_.push_back({&v, fresh(name_of(v), "_gm")});
  put(struct_arguments_.back().bytes);
}

void Printer::copy_struct_arguments() {
  for (const StructArgument& argument : struct_arguments_) {
    const size_t mark = locals_.mark();
    const std::string_view index = fresh("i"), name = name_of(*argument.var);
    put("  ");
    type_name(argument.var->type);
    put(' ');
    put(name);
    put(";\n  for (uint32_t ");
    put(index);
    put(" = 0; ");
    put(index);
    put(" < sizeof(");
    put(name);
    put("); ");
    put(index);
    put("++) {\n    reinterpret_cast<uint8_t*>(&");
    put(name);
    put(")[");
    put(index);
    put("] = ");
    put(argument.bytes);
    put('[');
    put(index);
    put("];\n  }\n");
    locals_.release(mark);
  }
  struct_arguments_.clear();
}

}  // namespace asc::emit
