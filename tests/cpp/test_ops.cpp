// SPDX-License-Identifier: Apache-2.0
// The op table: grammar of rows, the table itself, types as text, limits and footprints.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.h"
#include "ops/limits.h"
#include "ops/matmul_type.h"
#include "ops/prototype.h"

namespace asc {
namespace {

using detail::Fault;

constexpr Fault fault(std::string_view dtypes, std::string_view overloads) {
  return detail::check_row(dtypes, overloads).fault;
}

// ---- grammar: at compile time, as for rows
static_assert(fault("T: half float", "(out dst:LT<T>@UB, src:LT<T>@UB|L1, count:i32) -> V !AIV") ==
              Fault::None);
static_assert(fault("", "() : i64 -> none") == Fault::None);
static_assert(fault("", "<event:HardEvent:=V_S>(inout self, id:i32=-1) -> S waits") == Fault::None);
static_assert(fault("T: any; U: i8", "<dtype:dtype<U>>(in self) : LT<U> -> addr !ANY") == Fault::None);
static_assert(fault("T U: half half, float half",
                    "<T, U, flag:bool=true>(out a:GT<T>, b:ptr<U>, p:MmadParams) -> FIX") == Fault::None);
static_assert(detail::check_row("T: any", "(a:LT<T>) -> V (b:GT<T>, c:i32) -> S").overloads == 2);

static_assert(fault("T: f32", "(a:LT<T>) -> V") == Fault::Dtypes);
static_assert(fault("T half", "(a:LT<T>) -> V") == Fault::Dtypes);
static_assert(fault("T: half; T: float", "(a:LT<T>) -> V") == Fault::Dtypes);
static_assert(fault("T U: half half, float", "(a:LT<T>) -> V") == Fault::Dtypes);
static_assert(fault("T: half, float", "(a:LT<T>) -> V") == Fault::Dtypes);
static_assert(fault("", "") == Fault::Empty);
static_assert(fault("", "a:i32 -> V") == Fault::ExpectedOpen);
static_assert(fault("", "(a:i32 b:i32) -> V") == Fault::ExpectedClose);
static_assert(fault("", "(a:i32") == Fault::ExpectedClose);
static_assert(fault("", "(9a:i32) -> V") == Fault::BadName);
static_assert(fault("", "(huge a:i32) -> V") == Fault::BadName);
static_assert(fault("", "(a) -> V") == Fault::ExpectedColon);
static_assert(fault("", "(a:int) -> V") == Fault::UnknownType);
static_assert(fault("", "(a:LT<T>) -> V") == Fault::UnknownVariable);
static_assert(fault("T: half", "(a:U) -> V") == Fault::UnknownVariable);
static_assert(fault("T: half", "(a:LT) -> V") == Fault::BadElement);
static_assert(fault("T: half", "(a:LT<nope>) -> V") == Fault::BadElement);
static_assert(fault("T: half", "(a:LT<T>@GM) -> V") == Fault::UnknownSpace);
static_assert(fault("T: half", "(a:LT<T>@UB|XX) -> V") == Fault::UnknownSpace);
static_assert(fault("T: half", "(a:GT<T>@UB) -> V") == Fault::SpaceNeedsTensor);
static_assert(fault("", "(a:u8=256) -> V") == Fault::BadDefault);
static_assert(fault("", "(a:u8=-1) -> V") == Fault::BadDefault);
static_assert(fault("", "(a:i32=1.5) -> V") == Fault::BadDefault);
static_assert(fault("", "(a:float=1.5) -> V") == Fault::None);
static_assert(fault("", "(a:bool=1) -> V") == Fault::BadDefault);
static_assert(fault("", "(a:HardEvent=NOPE) -> V") == Fault::BadDefault);
static_assert(fault("", "(out a:i32) -> V") == Fault::BadDirection);
static_assert(fault("", "(a:i32, a:i32) -> V") == Fault::DuplicateName);
static_assert(fault("", "(a:i32=1, b:i32) -> V") == Fault::DefaultNotLast);
static_assert(fault("", "(a:i32:=1, b:i32) -> V") == Fault::None);
static_assert(fault("", "(a:i32) V") == Fault::ExpectedArrow);
static_assert(fault("", "(a:i32) -> X") == Fault::UnknownPipe);
static_assert(fault("", "(a:i32) -> V !AIX") == Fault::UnknownCore);
static_assert(fault("", "(a:i32, self) -> V") == Fault::SelfNotFirst);

TEST(Grammar, TellsWhereAndWhat) {
  const detail::RowCheck check = detail::check_row("T: half", "(a:LT<T>) -> V (b:LT<U>) -> V");
  EXPECT_EQ(check.overloads, 1);
  EXPECT_EQ(check.at, std::string_view("(a:LT<T>) -> V (b:LT<U").size());
  EXPECT_EQ(detail::fault_text(check.fault), "type variable without dtypes");
}

// ---- the table
TEST(OpTable, EveryRowIsRead) {
  ASSERT_EQ(op_table().size(), static_cast<size_t>(kOpCount));
  for (int i = 0; i < kOpCount; i++) {
    const OpDesc& op = op_table()[i];
    EXPECT_EQ(op.id, static_cast<OpId>(i));
    EXPECT_FALSE(op.overloads.empty()) << op.ir_name;
    EXPECT_FALSE(op.doc.empty()) << op.ir_name;
    EXPECT_EQ(op.family, family_of(op.id));
    EXPECT_EQ(find_op_by_ir_name(op.ir_name), op.id);
    const bool function = op.owner == Kind::Void || op.family == Family::Construct;
    EXPECT_EQ(function ? find_function(op.py_name) : find_method(op.owner, op.py_name), op.id) << op.ir_name;
    for (const OverloadDesc& o : op.overloads) {
      EXPECT_EQ(o.has_self, op.owner != Kind::Void && op.family != Family::Construct) << op.ir_name;
      EXPECT_LE(o.cpp_order.size(), o.params.size());
    }
  }
}

TEST(OpTable, NamesAreDistinct) {
  std::set<std::string> ir, python;
  for (const OpDesc& op : op_table()) {
    EXPECT_TRUE(ir.insert(op.ir_name).second) << op.ir_name;
    EXPECT_TRUE(python.insert(std::to_string(static_cast<int>(op.owner)) + std::string(op.py_name)).second)
        << op.ir_name;
  }
}

TEST(OpTable, PythonOrderIsRequiredThenOptionalRuntimeFirst) {
  for (const OpDesc& op : op_table())
    for (const OverloadDesc& o : op.overloads) {
      int last = 0;
      for (const ParamDesc& p : o.params) {
        const int rank = p.keyword_only ? 4 : (p.has_default ? 2 : 0) + (p.is_template ? 1 : 0);
        EXPECT_LE(last, rank) << op.ir_name << " " << p.name;
        last = rank;
      }
    }
}

TEST(OpTable, CppOrderPutsTemplateArgumentsFirst) {
  const OverloadDesc& set = op_desc(OpId::CrossCoreSetFlag).overloads[0];
  ASSERT_EQ(set.params.size(), 3u);
  EXPECT_EQ(set.params[0].name, "flag_id");
  EXPECT_EQ(set.params[1].name, "mode_id");
  EXPECT_EQ(set.params[2].name, "pipe");
  EXPECT_EQ(set.cpp_order, (std::vector<uint8_t>{1, 2, 0}));
  EXPECT_EQ(set.template_count, 2);

  const OverloadDesc& add = op_desc(OpId::Add).overloads[0];
  EXPECT_EQ(add.params.back().name, "is_set_mask");
  EXPECT_EQ(add.params.back().dir, Dir::PythonOnly);
  EXPECT_EQ(add.cpp_order, (std::vector<uint8_t>{0, 1, 2, 3})) << "Python's own parameter is not printed";

  const OverloadDesc& adds = op_desc(OpId::Adds).overloads[0];
  EXPECT_EQ(adds.leading_vars, 1);
  EXPECT_EQ(adds.template_count, 1);
  EXPECT_EQ(adds.cpp_order, (std::vector<uint8_t>{4, 0, 1, 2, 3}));
  EXPECT_TRUE(adds.params[4].cpp_default);
  EXPECT_FALSE(op_desc(OpId::SetFlag).overloads[0].params[1].cpp_default)
      << "SetFlag has no default event id in C++";
}

TEST(OpTable, EffectsFollowFromTheRows) {
  EXPECT_EQ(op_desc(OpId::GetBlockIdx).effect, Effect::Pure);
  EXPECT_EQ(op_desc(OpId::LocalTensor_Subindex).effect, Effect::Pure);
  EXPECT_EQ(op_desc(OpId::Pointer_Offset).effect, Effect::Pure);
  EXPECT_EQ(op_desc(OpId::Struct_MmadParams).effect, Effect::Pure);
  EXPECT_EQ(op_desc(OpId::LocalTensor_GetValue).effect, Effect::Read);
  EXPECT_EQ(op_desc(OpId::TQue_HasTensorInQue).effect, Effect::Read);
  EXPECT_EQ(op_desc(OpId::LocalTensor_SetValue).effect, Effect::Write);
  EXPECT_EQ(op_desc(OpId::Add).effect, Effect::Write);
  EXPECT_EQ(op_desc(OpId::SetFlag).effect, Effect::Write);
  EXPECT_EQ(op_desc(OpId::TPipe_Init).effect, Effect::Write);
  EXPECT_EQ(op_desc(OpId::TPipe_AllocEventID).effect, Effect::Write);
  EXPECT_EQ(op_desc(OpId::WaitFlag).effect, Effect::Block);
  EXPECT_EQ(op_desc(OpId::CrossCoreWaitFlag).effect, Effect::Block);
  EXPECT_EQ(op_desc(OpId::TQue_AllocTensor).effect, Effect::Block);
  EXPECT_EQ(op_desc(OpId::TQue_DeQue).effect, Effect::Block);
}

TEST(OpTable, PipesAndMemoriesOfCopies) {
  const OpDesc& op = op_desc(OpId::DataCopy);
  ASSERT_EQ(op.overloads.size(), 3u);
  EXPECT_EQ(op.overloads[0].pipe, Pipe::MTE2);
  EXPECT_EQ(op.overloads[1].pipe, Pipe::MTE3);
  EXPECT_EQ(op.overloads[2].pipe, Pipe::V);
  EXPECT_EQ(op.overloads[0].params[0].spaces,
            1u << static_cast<int>(Space::UB) | 1u << static_cast<int>(Space::L1));
  EXPECT_EQ(op.overloads[0].params[1].spaces, 0);
}

// dtypes as the manual's pages list them for this architecture.
TEST(OpTable, DtypesAreConstants) {
  static_assert(op_allows(OpId::Add, 0, DType::I16) && !op_allows(OpId::Add, 0, DType::U16));
  static_assert(op_allows(OpId::Relu, 0, DType::I32) && !op_allows(OpId::Relu, 0, DType::I16));
  static_assert(op_allows(OpId::Duplicate, 0, DType::BF16) && op_allows(OpId::DataCopy, 0, DType::I64));
  static_assert(op_allows_pair(OpId::Axpy, DType::F32, DType::F16) &&
                !op_allows_pair(OpId::Axpy, DType::F16, DType::F32));
  for (const OpDesc& op : op_table())
    for (size_t v = 0; v < op.vars.size(); v++)
      for (int t = 1; t < kDTypeCount; t++)
        EXPECT_EQ(op.vars[v].allows(static_cast<DType>(t)),
                  op_allows(op.id, static_cast<int>(v), static_cast<DType>(t)))
            << op.ir_name;
  ASSERT_EQ(op_desc(OpId::Axpy).combos.size(), 3u);
  EXPECT_EQ(op_desc(OpId::Axpy).combos[2][0], DType::F32);
  EXPECT_EQ(op_desc(OpId::Axpy).combos[2][1], DType::F16);
}

TEST(OpTable, UnknownNamesAreNotFound) {
  EXPECT_FALSE(find_function("nope"));
  EXPECT_FALSE(find_function("get_value")) << "a method is no function";
  EXPECT_FALSE(find_method(Kind::LocalTensor, "LocalTensor")) << "a constructor is no method";
  EXPECT_FALSE(find_method(Kind::Void, "add"));
  EXPECT_FALSE(find_op_by_ir_name("asc_Nope"));
}

TEST(OpTable, EveryStructHasAConstructorWithItsFields) {
  for (const StructInfo& s : struct_table()) {
    if (s.py_name == "TCubeTiling") continue;  // made by its Python class
    const auto id = find_function(s.py_name);
    ASSERT_TRUE(id) << s.py_name;
    const OverloadDesc& o = op_desc(*id).overloads[0];
    EXPECT_EQ(o.result.form, TypePattern::Form::Struct);
    // A template's begins with the dtype.
    const size_t first = o.params[0].type.form == TypePattern::Form::DTypeOf ? 1 : 0;
    ASSERT_EQ(o.params.size(), first + s.fields.size()) << s.py_name;
    for (size_t i = 0; i < s.fields.size(); i++) {
      const ParamDesc& param = o.params[first + i];
      EXPECT_EQ(param.name, s.fields[i].py_name);
      EXPECT_EQ(param.type.dtype, s.fields[i].dtype);
      if (param.has_default) {
        EXPECT_EQ(param.default_value, static_cast<double>(s.fields[i].default_value));
      }
    }
  }
}

// A row that a consumer treats by a function of its own (emit_<Op>, verify_<Op>) is an exception; more than
// 15 % of them would mean that the table's columns no longer fit the ops.
TEST(OpTable, FewRowsAreExceptions) {
  std::set<std::string> exceptions;
  int files = 0;
  for (const char* folder : {"emit", "ir", "lower", "sim"}) {
    const std::filesystem::path path = std::filesystem::path(ASC_SOURCE_DIR) / "csrc" / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.path().extension() != ".cpp") continue;
      std::ifstream in(entry.path());
      const std::string text((std::istreambuf_iterator<char>(in)), {});
      files++;
      for (const OpDesc& op : op_table())
        for (const char* prefix : {"emit_", "verify_"})
          if (text.find(prefix + op.ir_name.substr(4) + "(") != std::string::npos)
            exceptions.insert(op.ir_name);
    }
  }
  EXPECT_GT(files, 0);
  EXPECT_LE(exceptions.size() * 100, op_table().size() * 15);
}

// ---- enums
TEST(Enums, FindMembersAndPipes) {
  const auto id = find_enum("HardEvent");
  ASSERT_TRUE(id);
  EXPECT_EQ(*id, EnumId::HardEvent);
  EXPECT_EQ(enum_desc(*id).find("MTE2_V")->value, 4);
  EXPECT_EQ(enum_desc(*id).find(20)->name, "MTE2_MTE3");
  EXPECT_EQ(enum_desc(*id).find("NOPE"), nullptr);
  EXPECT_EQ(pipes_of_event(20), std::pair(Pipe::MTE2, Pipe::MTE3));
  EXPECT_EQ(pipes_of_event(17), std::pair(Pipe::M, Pipe::FIX));
  for (const EnumMember& m : enum_desc(*id).members) EXPECT_NO_THROW(pipes_of_event(m.value)) << m.name;
  EXPECT_EQ(pipe_of_id(6), Pipe::All);
  EXPECT_EQ(pipe_of_id(4), Pipe::MTE2);
  EXPECT_EQ(pipe_of_id(9), Pipe::None);
  EXPECT_FALSE(find_enum("Nope"));
}

TEST(Positions, LieInTheMemoriesOfTheManual) {
  EXPECT_EQ(space_of_position(tposition::GM), Space::GM);
  EXPECT_EQ(space_of_position(tposition::VECCALC), Space::UB);
  EXPECT_EQ(space_of_position(tposition::C1), Space::L1);
  EXPECT_EQ(space_of_position(tposition::A2), Space::L0A);
  EXPECT_EQ(space_of_position(tposition::B2), Space::L0B);
  EXPECT_EQ(space_of_position(tposition::CO1), Space::L0C);
  EXPECT_EQ(space_of_position(tposition::CO2), Space::GM);
  EXPECT_EQ(space_of_position(tposition::C2), Space::BT);
}

// ---- types as text
TEST(Types, MatmulKeepsItsMatrices) {
  const MatmulMatrix matrices[] = {{15, 7, DType::F64, true},
                                   {0, 0, DType::Bool, false},
                                   {9, 1, DType::F32, false},
                                   {11, 0, DType::I8, true}};
  const Type type = matmul_type(matrices);
  for (int side = 0; side < kMatmulMatrices; side++) EXPECT_EQ(matmul_matrix(type, side), matrices[side]);
  EXPECT_TRUE(type.is_object());
  EXPECT_EQ(qualified_name(Kind::Matmul), "asc.adv.Matmul");
  EXPECT_EQ(qualified_name(Kind::TQue), "asc.TQue");
}

TEST(Types, PrintAndReadBack) {
  const std::pair<Type, const char*> cases[] = {
      {Type{}, "None"},
      {Type::scalar(DType::BF16), "bfloat16"},
      {Type::pointer(DType::F16), "GlobalAddress<float16>"},
      {Type::global_tensor(DType::Void), "GlobalTensor<?>"},
      {Type::local_tensor(DType::U64), "LocalTensor<uint64>"},
      {Type::object(Kind::TPipe), "TPipe"},
      {Type::queue(tposition::VECIN, 2), "TQue<VECIN, 2>"},
      {Type::buffer(tposition::VECCALC), "TBuf<VECCALC>"},
      {Type::of_enum(static_cast<uint16_t>(EnumId::TPosition)), "TPosition"},
      {Type::of_struct(static_cast<uint16_t>(StructId::MmadParams)), "MmadParams"},
      {Type::of_struct(kStructCount + 3), "struct<3>"},
      {matmul_type({{0, 0, DType::F16, true}, {0, 0, DType::F16}, {tposition::VECCALC, 1, DType::F32}, {}}),
       "Matmul<GM ND float16 T, GM ND float16, VECCALC NZ float32>"},
      {matmul_type({{0, 0, DType::I8}, {0, 0, DType::I8, true}, {0, 0, DType::I32}, {0, 0, DType::I32}}),
       "Matmul<GM ND int8, GM ND int8 T, GM ND int32, GM ND int32>"},
  };
  for (const auto& [type, text] : cases) {
    EXPECT_EQ(to_string(type), text);
    Type back;
    ASSERT_TRUE(parse_type(text, &back)) << text;
    EXPECT_EQ(back, type) << text;
  }
}

TEST(Types, RefuseWhatIsNoType) {
  Type type;
  for (const char* text :
       {"", "half", "float", "LocalTensor", "LocalTensor<half>", "TQue<VECIN>", "TQue<VECIN, x>", "?",
        "struct<>", "Matmul", "Matmul<>", "Matmul<GM ND float16, GM ND float16>",
        "Matmul<GM ND half, GM ND half, GM ND float>",
        "Matmul<GM ND float16 t, GM ND float16, GM ND float32>"})
    EXPECT_FALSE(parse_type(text, &type)) << text;
}

// ---- limits and footprints
TEST(Platforms, HaveCoresAndMemories) {
  const PlatformDesc* b1 = find_platform("Ascend910B1");
  ASSERT_NE(b1, nullptr);
  EXPECT_EQ(b1->aic_cores, 24);
  EXPECT_EQ(b1->aiv_cores, 48);
  EXPECT_EQ(b1->memory_bytes[static_cast<int>(Space::UB)], 196608u);
  EXPECT_EQ(b1->memory_bytes[static_cast<int>(Space::L0C)], 131072u);
  EXPECT_EQ(find_platform("Ascend910_9362")->aic_cores, 20);
  EXPECT_EQ(find_platform("Ascend910X"), nullptr);
  for (const PlatformDesc& p : platforms()) EXPECT_EQ(p.aiv_cores, 2 * p.aic_cores) << p.name;
}

TEST(Findings, IdsFollowOneScheme) {
  const std::pair<std::string_view, char> letters[] = {
      {"bounds", 'B'}, {"alignment", 'A'}, {"limits", 'L'},  {"sync", 'Y'},   {"queue", 'Q'},
      {"scalar", 'S'}, {"deadlock", 'D'},  {"timeout", 'T'}, {"assert", 'E'}, {"matmul", 'M'}};
  for (const FindingInfo& f : finding_table()) {
    const auto* row = std::find_if(std::begin(letters), std::end(letters),
                                   [&](const auto& l) { return l.first == f.kind; });
    ASSERT_NE(row, std::end(letters)) << f.kind;
    ASSERT_EQ(f.id.size(), 8u) << f.id;
    EXPECT_EQ(f.id.substr(0, 4), "ASC-");
    EXPECT_EQ(f.id[4], row->second) << f.id;
    EXPECT_EQ(find_finding(f.id), &f);
  }
  EXPECT_EQ(find_finding("ASC-X999"), nullptr);
  EXPECT_EQ(finding_info(FindingId::CopyCount).kind, "alignment");
}

TEST(Limits, CopyCount) {
  EXPECT_FALSE(check_copy_count("data_copy", 16, DType::F16));
  EXPECT_FALSE(check_copy_count("data_copy", 0, DType::F16));
  const Verdict v = check_copy_count("data_copy", 17, DType::F16);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->id(), "ASC-A102");
  EXPECT_EQ(
      v->message,
      "data_copy: 17 float16 are 34 bytes, not a multiple of 32: the device copies 32 bytes (16 elements) and "
      "leaves out the rest");
  EXPECT_EQ(v->fix, "copy a multiple of 32 bytes (16 elements: 16 or 32), or use data_copy_pad for the tail");
  EXPECT_EQ(copy_bytes(17, DType::F16), 32);
  EXPECT_EQ(copy_bytes(4, DType::F32), 0);
  EXPECT_EQ(count_bytes(17, DType::F16), 34);
}

TEST(Limits, Alignment) {
  EXPECT_FALSE(check_alignment("add", {"dst", Space::UB, DType::F32, 64}));
  EXPECT_FALSE(check_alignment("add", {"dst", Space::UB, DType::F32, std::nullopt}));
  EXPECT_EQ(check_alignment("add", {"dst", Space::UB, DType::F32, 16})->id(), "ASC-A101");
  EXPECT_TRUE(check_alignment("mmad", {"fm", Space::L0A, DType::F16, 256}));
  EXPECT_TRUE(check_alignment("mmad", {"dst", Space::L0C, DType::F32, 32}));
  EXPECT_FALSE(check_alignment("data_copy", {"src", Space::GM, DType::F16, 2}));
  EXPECT_EQ(check_alignment("data_copy", {"src", Space::GM, DType::F16, 3})->id(), "ASC-A103");
}

TEST(Limits, IdsModesCountsAndCores) {
  EXPECT_FALSE(check_event_id("set_flag", 0));
  EXPECT_FALSE(check_event_id("set_flag", 7));
  EXPECT_EQ(check_event_id("set_flag", 8)->id(), "ASC-L101");
  EXPECT_TRUE(check_event_id("set_flag", -1));
  EXPECT_FALSE(check_cross_core_id("cross_core_set_flag", 15, 2));
  EXPECT_EQ(check_cross_core_id("cross_core_set_flag", 16, 2)->id(), "ASC-L102");
  EXPECT_EQ(check_cross_core_id("cross_core_set_flag", 0, 3)->id(), "ASC-L103");
  EXPECT_FALSE(check_count("add", "count", 0));
  EXPECT_EQ(check_count("add", "count", -1)->id(), "ASC-L104");
  EXPECT_FALSE(check_core("add", CoreSet::AIV, CoreSet::AIV));
  EXPECT_FALSE(check_core("add", CoreSet::Any, CoreSet::AIC));
  EXPECT_EQ(check_core("add", CoreSet::AIV, CoreSet::AIC)->message,
            "add does nothing on a cube core (AIC): it needs a vector core (AIV)");
  const uint8_t ub_or_l1 = op_desc(OpId::DataCopy).overloads[0].params[0].spaces;
  EXPECT_FALSE(check_space("data_copy", "dst", Space::L1, ub_or_l1));
  EXPECT_FALSE(check_space("data_copy", "dst", Space::L0C, 0));
  EXPECT_EQ(check_space("data_copy", "dst", Space::L0A, ub_or_l1)->message,
            "data_copy: dst lies in L0A, the op takes it from UB or L1");
  EXPECT_FALSE(check_shift("shift_left", DType::I16, 16));
  EXPECT_TRUE(check_shift("shift_left", DType::I16, 17));
  EXPECT_TRUE(check_shift("shift_left", DType::I32, -1));
  EXPECT_FALSE(check_cube_shape("mmad", 0, 16, 4095));
  EXPECT_EQ(check_cube_shape("mmad", 16, 16, 4096)->id(), "ASC-L107");
  EXPECT_FALSE(check_barrier_pipe("pipe_barrier", 6));
  EXPECT_EQ(check_barrier_pipe("pipe_barrier", 0)->id(), "ASC-L110");
  EXPECT_TRUE(check_barrier_pipe("pipe_barrier", 8));
  EXPECT_FALSE(check_buffer_total("init_buffer", 64));
  EXPECT_EQ(check_buffer_total("init_buffer", 65)->id(), "ASC-Q106");
  const PlatformDesc& b1 = *find_platform("Ascend910B1");
  EXPECT_FALSE(check_grid(48, b1, CoreSet::AIV));
  EXPECT_TRUE(check_grid(49, b1, CoreSet::AIV));
  EXPECT_TRUE(check_grid(25, b1, CoreSet::Any));
}

TEST(Limits, MemoryMapNamesTheHolders) {
  const MemoryHolder holders[] = {{"in_queue", 0, 131072, 2}};
  EXPECT_FALSE(check_memory("init_buffer", Space::UB, 196608, holders, {"out_queue", 131072, 65536, 1}));
  const Verdict v = check_memory("init_buffer", Space::UB, 196608, holders, {"out_queue", 131072, 131072, 2});
  ASSERT_TRUE(v);
  EXPECT_EQ(v->id(), "ASC-B107");
  EXPECT_EQ(v->message,
            "init_buffer: out_queue does not fit into UB (196608 bytes):\n"
            "        0 ..  131072  in_queue (2 x 65536 bytes)\n"
            "   131072 ..  262144  out_queue (2 x 65536 bytes)  <- ends 65536 bytes outside");
  EXPECT_EQ(v->fix, "2 x 32768 bytes would fit");
}

TEST(Footprints, BuffersAndFractals) {
  EXPECT_EQ(buffer_bytes(33), 64);
  EXPECT_EQ(buffer_bytes(64), 64);
  const FractalCopy copy = load_data_2d(2, 4, 3, 1, false);
  EXPECT_EQ(copy.src_begin, 1024);
  EXPECT_EQ(copy.src_step, 1536);
  EXPECT_EQ(copy.dst_step, 1024);
  EXPECT_EQ(load_data_2d(2, 4, 3, 1, true).src_step, -1536);
  // 16x16x16 float16: one fractal an operand, 1 KiB of float32 results; 17x16x40 int8: 2 rows of 2 fractals.
  const MmadFootprint one = mmad_footprint(16, 16, 16, DType::F16, DType::F32);
  EXPECT_EQ(one.dst, 1024);
  EXPECT_EQ(one.fm, 512);
  EXPECT_EQ(one.filter, 512);
  const MmadFootprint more = mmad_footprint(17, 16, 40, DType::I8, DType::I32);
  EXPECT_EQ(more.dst, 2048);
  EXPECT_EQ(more.fm, 2048);
  EXPECT_EQ(more.filter, 1024);
  // A vector on the left is k elements, not 16 rows of them.
  const MmadFootprint vector = mmad_footprint(1, 16, 256, DType::F16, DType::F32);
  EXPECT_EQ(vector.fm, 256 * 2);
  EXPECT_EQ(vector.filter, 256 * 16 * 2);
  EXPECT_EQ(vector.dst, 16 * 16 * 4);
}

}  // namespace
}  // namespace asc
