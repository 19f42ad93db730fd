// SPDX-License-Identifier: Apache-2.0
// Checks every row at compile time, fills the op table at first use, looks ops up by name; enums, structs,
// positions.
#include "ops/op_table.h"

#include <algorithm>

#include "base/error.h"
#include "ops/prototype.h"

namespace asc {

// A row that cannot be read stops the build here, at the row's line in its .def file.
#define ASC_OP(Name, py, family, dtypes, overloads, doc)                           \
  static_assert(detail::check_row(dtypes, overloads).fault == detail::Fault::None, \
                "bad row of the op table: " #Name);
#define ASC_METHOD(Owner, Name, py, family, dtypes, overloads, doc)                \
  static_assert(detail::check_row(dtypes, overloads).fault == detail::Fault::None, \
                "bad row of the op table: " #Owner "." #Name);
#include "ops/all.def"

namespace {

using detail::Prototype;

// What evaluating the op may do: blocks if an overload waits; queries and views are pure; otherwise an op
// with no result, a written operand or a new object writes, and the rest reads.
Effect effect_of(Family family, const std::vector<OverloadDesc>& overloads) {
  const auto any = [&](auto&& test) { return std::any_of(overloads.begin(), overloads.end(), test); };
  const auto writes = [](const OverloadDesc& o) {
    if (o.result.form == TypePattern::Form::None || o.result.form == TypePattern::Form::Object) return true;
    if (o.has_self && o.self_dir != Dir::In) return true;
    return std::any_of(o.params.begin(), o.params.end(),
                       [](const ParamDesc& p) { return p.dir == Dir::Out || p.dir == Dir::InOut; });
  };
  if (any([](const OverloadDesc& o) { return o.waits; })) return Effect::Block;
  const bool view = family == Family::Query || family == Family::View || family == Family::Operator ||
                    family == Family::Construct;
  if (view && !any([](const OverloadDesc& o) { return o.pipe != Pipe::None; })) return Effect::Pure;
  return any(writes) ? Effect::Write : Effect::Read;
}

// Rank of a parameter in Python's order.
int python_rank(const ParamDesc& p) {
  if (p.keyword_only) return 4;
  return (p.has_default ? 2 : 0) + (p.is_template ? 1 : 0);
}

OverloadDesc make_overload(const Prototype& proto, std::string_view text) {
  OverloadDesc out;
  uint8_t python_index[Prototype::kMaxParams];
  out.params.reserve(proto.count);
  for (int rank = 0; rank <= 4; rank++)
    for (int i = 0; i < proto.count; i++)
      if (python_rank(proto.params[i]) == rank) {
        python_index[i] = static_cast<uint8_t>(out.params.size());
        out.params.push_back(proto.params[i]);
      }
  out.cpp_order.reserve(proto.count);
  for (int i = 0; i < proto.count; i++)
    if (proto.params[i].dir != Dir::PythonOnly) out.cpp_order.push_back(python_index[i]);
  out.template_count = proto.template_count;
  out.leading_vars = proto.leading_vars;
  out.has_self = proto.has_self;
  out.self_dir = proto.self_dir;
  out.result = proto.result;
  out.pipe = proto.pipe;
  out.core = proto.core;
  out.waits = proto.waits;
  out.text = text;
  return out;
}

void read_vars(const VarColumn& vars, std::string_view text, OpDesc* op) {
  for (int v = 0; v < vars.count; v++) op->vars.push_back({vars.names[v], {}});
  for (int c = 0; c < vars.combo_count; c++) {
    std::array<DType, kMaxTypeVars> combo{};
    std::copy_n(vars.combos[c], kMaxTypeVars, combo.begin());
    op->combos.push_back(combo);
  }
  // The order as written is the order that messages and documents show.
  detail::Cursor in{text};
  int var = -1, tied = 1;
  for (int column = 0; !in.done();) {
    if (in.eat(":") || in.eat(",")) continue;
    if (in.eat(";")) continue;
    const std::string_view word = in.word();
    DType t = DType::Void;
    if (word.size() == 1) {
      var = vars.find(word[0]);
      tied = vars.combo_count > 0 ? vars.count : 1;
      column = 0;
    } else if (detail::find_short_dtype(word, &t)) {
      std::vector<DType>& list = op->vars[tied > 1 ? column : var].dtypes;
      if (std::find(list.begin(), list.end(), t) == list.end()) list.push_back(t);
      column = (column + 1) % tied;
    }
  }
}

OpDesc make_op(const OpRow& row) {
  OpDesc op;
  op.id = row.id;
  op.name = row.name;
  op.py_name = row.py_name;
  op.owner = row.owner;
  op.family = row.family;
  op.doc = row.doc;
  op.ir_name = row.ir_name;
  const VarColumn vars = parse_vars(row.dtypes);
  read_vars(vars, row.dtypes, &op);
  detail::Cursor in{row.overloads};
  while (!in.done()) {
    Prototype proto;
    const size_t begin = in.at;
    if (detail::parse_overload(in, vars, &proto) != detail::Fault::None)
      ASC_BUG("a row passed its check but cannot be read");
    op.overloads.push_back(make_overload(proto, row.overloads.substr(begin, in.at - begin)));
  }
  op.effect = effect_of(op.family, op.overloads);
  return op;
}

struct NameEntry {
  Kind owner;  // Void: functions and constructors
  std::string_view name;
  OpId id;
  bool operator<(const NameEntry& other) const {
    return owner != other.owner ? owner < other.owner : name < other.name;
  }
};

struct Table {
  std::vector<OpDesc> ops;
  std::vector<NameEntry> by_python_name, by_ir_name;

  Table() {
    ops.reserve(kOpCount);
    by_python_name.reserve(kOpCount);
    by_ir_name.reserve(kOpCount);
    for (const OpRow& row : kOpRows) {
      ops.push_back(make_op(row));
      by_python_name.push_back(
          {row.family == Family::Construct ? Kind::Void : row.owner, row.py_name, row.id});
      by_ir_name.push_back({Kind::Void, row.ir_name, row.id});
    }
    std::sort(by_python_name.begin(), by_python_name.end());
    std::sort(by_ir_name.begin(), by_ir_name.end());
  }
};

const Table& table() {
  static const Table the_table;
  return the_table;
}

std::optional<OpId> find(const std::vector<NameEntry>& names, Kind owner, std::string_view name) {
  const NameEntry key{owner, name, OpId::kCount};
  const auto at = std::lower_bound(names.begin(), names.end(), key);
  if (at == names.end() || at->owner != owner || at->name != name) return std::nullopt;
  return at->id;
}

}  // namespace

bool TypeVar::allows(DType t) const {
  return dtypes.empty() || std::find(dtypes.begin(), dtypes.end(), t) != dtypes.end();
}

const OpDesc& op_desc(OpId id) { return table().ops[static_cast<size_t>(id)]; }
std::span<const OpDesc> op_table() { return table().ops; }
std::optional<OpId> find_function(std::string_view name) {
  return find(table().by_python_name, Kind::Void, name);
}
std::optional<OpId> find_method(Kind owner, std::string_view name) {
  return owner == Kind::Void ? std::nullopt : find(table().by_python_name, owner, name);
}
std::optional<OpId> find_op_by_ir_name(std::string_view name) {
  return find(table().by_ir_name, Kind::Void, name);
}

// ---- pipes and memories

std::string_view to_string(Pipe pipe) { return detail::kPipeNames[static_cast<int>(pipe)]; }
std::string_view to_string(Space space) { return detail::kSpaceNames[static_cast<int>(space)]; }

Space space_of_position(int position) {
  switch (position) {
    case tposition::A1:
    case tposition::B1:
    case tposition::C1: return Space::L1;
    case tposition::A2: return Space::L0A;
    case tposition::B2: return Space::L0B;
    case tposition::C2: return Space::BT;
    case tposition::CO1: return Space::L0C;
    case tposition::VECIN:
    case tposition::VECOUT:
    case tposition::VECCALC: return Space::UB;
    default:  // GM, and CO2, which is global memory on this architecture
      return Space::GM;
  }
}

// ---- enums
namespace {

constexpr int kEnumCount = static_cast<int>(EnumId::kCount);

constexpr EnumMember kMembers[] = {
#define ASC_ENUM_MEMBER(Name, member, value) {#member, value},
#include "ops/enums.def"
};

constexpr std::string_view kEnumCppTypes[] = {
#define ASC_ENUM(Name, cpp) cpp,
#include "ops/enums.def"
};

// Members of one enum stand together in enums.def.
constexpr std::array<EnumDesc, kEnumCount> make_enums() {
  std::array<EnumDesc, kEnumCount> out{};
  size_t at = 0;
  for (int e = 0; e < kEnumCount; e++) {
    const size_t begin = at;
    while (at < std::size(kMembers) && detail::kEnumValues[at].owner == static_cast<EnumId>(e)) at++;
    out[e] = {detail::kEnumNames[e], kEnumCppTypes[e], std::span(kMembers + begin, at - begin)};
  }
  return out;
}
constexpr std::array<EnumDesc, kEnumCount> kEnums = make_enums();

constexpr bool all_enums_have_members() {
  size_t members = 0;
  for (const EnumDesc& e : kEnums) {
    if (e.members.empty()) return false;
    members += e.members.size();
  }
  return members == std::size(kMembers);
}
static_assert(all_enums_have_members(), "enums.def: the members of an enum must follow it");

constexpr int value_of(EnumId id, std::string_view name) {
  for (const EnumMember& m : kEnums[static_cast<int>(id)].members)
    if (m.name == name) return m.value;
  return -1;
}
#define ASC_CHECK_POSITION(Name) static_assert(value_of(EnumId::TPosition, #Name) == tposition::Name)
ASC_CHECK_POSITION(GM);
ASC_CHECK_POSITION(A1);
ASC_CHECK_POSITION(A2);
ASC_CHECK_POSITION(B1);
ASC_CHECK_POSITION(B2);
ASC_CHECK_POSITION(C1);
ASC_CHECK_POSITION(C2);
ASC_CHECK_POSITION(CO1);
ASC_CHECK_POSITION(CO2);
ASC_CHECK_POSITION(VECIN);
ASC_CHECK_POSITION(VECOUT);
ASC_CHECK_POSITION(VECCALC);
#undef ASC_CHECK_POSITION

}  // namespace

const EnumMember* EnumDesc::find(std::string_view name) const {
  for (const EnumMember& m : members)
    if (m.name == name) return &m;
  return nullptr;
}
const EnumMember* EnumDesc::find(int64_t value) const {
  for (const EnumMember& m : members)
    if (m.value == value) return &m;
  return nullptr;
}

const EnumDesc& enum_desc(EnumId id) { return kEnums[static_cast<int>(id)]; }
std::span<const EnumDesc> enum_table() { return kEnums; }
std::optional<EnumId> find_enum(std::string_view name) {
  const int id = detail::index_of(detail::kEnumNames, name);
  return id < 0 ? std::nullopt : std::optional(static_cast<EnumId>(id));
}

std::pair<Pipe, Pipe> pipes_of_event(int event) {
  const EnumMember* member = enum_desc(EnumId::HardEvent).find(event);
  if (!member) ASC_BUG("no such HardEvent");
  const size_t bar = member->name.find('_');
  const int first = detail::index_of(detail::kPipeNames, member->name.substr(0, bar));
  const int second = detail::index_of(detail::kPipeNames, member->name.substr(bar + 1));
  ASC_ASSERT(first >= 0 && first < kPipeCount && second >= 0 && second < kPipeCount);
  return {static_cast<Pipe>(first), static_cast<Pipe>(second)};
}

Pipe pipe_of_id(int id) {
  const EnumMember* member = enum_desc(EnumId::PipeID).find(id);
  if (!member) ASC_BUG("no such PipeID");
  const std::string_view name = member->name.substr(5);  // after "PIPE_"
  if (name == "ALL") return Pipe::All;
  const int pipe = detail::index_of(detail::kPipeNames, name);
  return pipe < 0 ? Pipe::None : static_cast<Pipe>(pipe);  // MTE4, MTE5, V2 do not exist on this architecture
}

// ---- structs
namespace {

struct FieldRow {
  StructId owner;
  StructFieldInfo info;
};
constexpr FieldRow kFieldRows[] = {
#define ASC_STRUCT_FIELD(Name, py, cpp, dtype, value) {StructId::Name, {#py, #cpp, DType::dtype, value}},
#include "ops/structs.def"
};
constexpr std::string_view kStructCppTypes[] = {
#define ASC_STRUCT(Name, cpp) cpp,
#include "ops/structs.def"
};

constexpr auto make_fields() {
  std::array<StructFieldInfo, std::size(kFieldRows)> out{};
  for (size_t i = 0; i < out.size(); i++) out[i] = kFieldRows[i].info;
  return out;
}
constexpr auto kFields = make_fields();

constexpr std::array<StructInfo, kStructCount> make_structs() {
  std::array<StructInfo, kStructCount> out{};
  size_t at = 0;
  for (int s = 0; s < kStructCount; s++) {
    const size_t begin = at;
    while (at < kFields.size() && kFieldRows[at].owner == static_cast<StructId>(s)) at++;
    out[s] = {detail::kStructNames[s], kStructCppTypes[s], std::span(kFields.data() + begin, at - begin)};
  }
  return out;
}
constexpr std::array<StructInfo, kStructCount> kStructs = make_structs();

}  // namespace

const StructInfo& struct_info(StructId id) { return kStructs[static_cast<int>(id)]; }
std::span<const StructInfo> struct_table() { return kStructs; }
std::optional<StructId> find_struct(std::string_view name) {
  const int id = detail::index_of(detail::kStructNames, name);
  return id < 0 ? std::nullopt : std::optional(static_cast<StructId>(id));
}

}  // namespace asc
