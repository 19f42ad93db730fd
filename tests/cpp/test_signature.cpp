// SPDX-License-Identifier: Apache-2.0
// Matching of calls to prototypes, and the texts of calls that fit none.
#include <gtest/gtest.h>

#include "ops/signature.h"

namespace asc {
namespace {

// ---- matching
CallArg runtime(Type type, std::string_view keyword = {}) {
  CallArg arg;
  arg.form = CallArg::Form::Runtime;
  arg.type = type;
  arg.keyword = keyword;
  arg.shown = to_string(type);
  return arg;
}
CallArg lt(DType t) { return runtime(Type::local_tensor(t)); }
CallArg gt(DType t) { return runtime(Type::global_tensor(t)); }
CallArg integer(int64_t value, std::string_view keyword = {}) {
  CallArg arg;
  arg.form = CallArg::Form::IntConst;
  arg.type = Type::scalar(DType::I32);
  arg.int_value = value;
  arg.keyword = keyword;
  arg.shown = std::to_string(value);
  return arg;
}
CallArg real(double value) {
  CallArg arg;
  arg.form = CallArg::Form::FloatConst;
  arg.type = Type::scalar(DType::F32);
  arg.float_value = value;
  arg.shown = "2.5";
  return arg;
}
CallArg boolean(bool value, std::string_view keyword = {}) {
  CallArg arg = integer(value, keyword);
  arg.form = CallArg::Form::BoolConst;
  arg.type = Type::scalar(DType::Bool);
  arg.shown = value ? "True" : "False";
  return arg;
}
CallArg dtype(DType t) {
  CallArg arg;
  arg.form = CallArg::Form::DTypeConst;
  arg.dtype = t;
  arg.shown = std::string(py_name(t));
  return arg;
}
CallArg member(EnumId id, std::string_view name, std::string_view keyword = {}) {
  CallArg arg;
  arg.form = CallArg::Form::EnumConst;
  arg.type = Type::of_enum(static_cast<uint16_t>(id));
  arg.int_value = enum_desc(id).find(name)->value;
  arg.keyword = keyword;
  arg.shown = std::string(enum_desc(id).py_name) + "." + std::string(name);
  return arg;
}
CallArg none(std::string_view keyword = {}) {
  CallArg arg;
  arg.form = CallArg::Form::NoneConst;
  arg.keyword = keyword;
  arg.shown = "None";
  return arg;
}

Match match(OpId id, const std::vector<CallArg>& args, const Type* self = nullptr) {
  return match_call(op_desc(id), self, args);
}
using Args = std::vector<int16_t>;

TEST(MatchCall, PositionalAndDefaults) {
  const Match m = match(OpId::Add, {lt(DType::F16), lt(DType::F16), lt(DType::F16), integer(64)});
  ASSERT_EQ(m.overload, 0) << m.error;
  EXPECT_EQ(m.args, (Args{0, 1, 2, 3, -1}));
  EXPECT_EQ(m.vars[0], DType::F16);
  EXPECT_TRUE(m.error.empty());
}

TEST(MatchCall, Keywords) {
  const Match m =
      match(OpId::Add, {lt(DType::I32), runtime(Type::local_tensor(DType::I32), "src1"),
                        runtime(Type::scalar(DType::I64), "count"),
                        runtime(Type::local_tensor(DType::I32), "src0"), boolean(false, "is_set_mask")});
  ASSERT_EQ(m.overload, 0) << m.error;
  EXPECT_EQ(m.args, (Args{0, 3, 1, 2, 4}));
}

TEST(MatchCall, ChoosesByKind) {
  EXPECT_EQ(match(OpId::DataCopy, {lt(DType::I8), gt(DType::I8), integer(32)}).overload, 0);
  EXPECT_EQ(match(OpId::DataCopy, {gt(DType::I8), lt(DType::I8), integer(32)}).overload, 1);
  EXPECT_EQ(match(OpId::DataCopy, {lt(DType::I8), lt(DType::I8), integer(32)}).overload, 2);
}

TEST(MatchCall, ChoosesByNumberAndKeyword) {
  const Type pipe = Type::object(Kind::TPipe);
  const CallArg que = runtime(Type::queue(tposition::VECIN, 2), "que");
  const CallArg buf = runtime(Type::buffer(tposition::VECCALC), "buf");
  EXPECT_EQ(match(OpId::TPipe_InitBuffer, {que, integer(2, "num"), integer(64, "len")}, &pipe).overload, 0);
  EXPECT_EQ(match(OpId::TPipe_InitBuffer, {buf, integer(64, "num")}, &pipe).overload, 1);
  EXPECT_EQ(match(OpId::TPipe_InitBuffer, {buf, integer(64, "len")}, &pipe).overload, 2);
  const Type tensor = Type::local_tensor(DType::F32);
  EXPECT_EQ(match(OpId::LocalTensor_Subindex, {integer(8)}, &tensor).overload, 0);
  EXPECT_EQ(match(OpId::LocalTensor_Subindex, {integer(8), integer(4)}, &tensor).overload, 1);
}

TEST(MatchCall, TemplateArgumentsStandWherePythonPutsThem) {
  const Match m =
      match(OpId::SetFlag, {member(EnumId::HardEvent, "MTE2_V"), runtime(Type::scalar(DType::I32))});
  ASSERT_EQ(m.overload, 0) << m.error;
  EXPECT_EQ(m.args, (Args{0, 1}));
  EXPECT_EQ(match(OpId::SetFlag, {member(EnumId::HardEvent, "MTE2_V")}).args, (Args{0, -1}));
  EXPECT_EQ(
      match(OpId::CrossCoreSetFlag, {integer(3), integer(2), member(EnumId::PipeID, "PIPE_MTE3")}).overload,
      0);
}

TEST(MatchCall, ConstructorsBindADtype) {
  const Match m = match(OpId::LocalTensor_Init,
                        {dtype(DType::F16), member(EnumId::TPosition, "VECIN"), integer(0), integer(64)});
  ASSERT_EQ(m.overload, 0) << m.error;
  EXPECT_EQ(m.args, (Args{0, 1, 2, 3}));
  EXPECT_EQ(m.vars[0], DType::F16);
  EXPECT_EQ(resolve(op_desc(OpId::LocalTensor_Init).overloads[0].result, m.vars, nullptr),
            Type::local_tensor(DType::F16));
  EXPECT_EQ(match(OpId::LocalTensor_Init, {dtype(DType::F16)}).args, (Args{0, -1, -1, -1}));
  const Type queue = Type::queue(tposition::VECIN, 1);
  EXPECT_EQ(match(OpId::TQue_DeQue, {dtype(DType::U8)}, &queue).vars[0], DType::U8);
}

TEST(MatchCall, TheReceiverBindsItsDtype) {
  const Type half = Type::local_tensor(DType::F16);
  const Match get = match(OpId::LocalTensor_GetValue, {integer(0)}, &half);
  EXPECT_EQ(resolve(op_desc(OpId::LocalTensor_GetValue).overloads[0].result, get.vars, &half),
            Type::scalar(DType::F16));
  const Match cast = match(OpId::LocalTensor_ReinterpretCast, {dtype(DType::I16)}, &half);
  EXPECT_EQ(resolve(op_desc(OpId::LocalTensor_ReinterpretCast).overloads[0].result, cast.vars, &half),
            Type::local_tensor(DType::I16));
}

TEST(MatchCall, ATensorWithoutDtypeTakesTheBuffers) {
  const Type open = Type::global_tensor(DType::Void), half = Type::global_tensor(DType::F16);
  const CallArg floats = runtime(Type::pointer(DType::F32));
  EXPECT_EQ(match(OpId::GlobalTensor_SetGlobalBuffer, {floats}, &open).vars[0], DType::F32);
  const Match m = match(OpId::GlobalTensor_SetGlobalBuffer, {floats}, &half);
  EXPECT_EQ(m.overload, -1);
  EXPECT_NE(m.error.find("buffer is GlobalAddress<float32>, but the GlobalTensor is GlobalTensor<float16>"),
            std::string::npos)
      << m.error;
}

TEST(MatchCall, NoneLeavesAnOptionalParameterOut) {
  const Type half = Type::global_tensor(DType::F16);
  const CallArg buffer = runtime(Type::pointer(DType::F16));
  EXPECT_EQ(match(OpId::GlobalTensor_SetGlobalBuffer, {buffer, none()}, &half).args, (Args{0, -1}));
  EXPECT_EQ(match(OpId::GlobalTensor_SetGlobalBuffer, {none()}, &half).overload, -1);
}

TEST(MatchCall, ScalarsConvert) {
  const std::vector<CallArg> floats{lt(DType::F32), lt(DType::F32)}, ints{lt(DType::I16), lt(DType::I16)};
  const auto adds = [&](std::vector<CallArg> args, CallArg scalar) {
    args.push_back(scalar);
    args.push_back(integer(8));
    return match(OpId::Adds, args);
  };
  EXPECT_EQ(adds(floats, integer(5)).overload, 0);
  EXPECT_EQ(adds(floats, real(2.5)).overload, 0);
  EXPECT_EQ(adds(floats, boolean(true)).overload, 0);
  EXPECT_EQ(adds(floats, runtime(Type::scalar(DType::I64))).overload, 0);
  EXPECT_EQ(adds(ints, integer(-32768)).overload, 0);
  EXPECT_EQ(adds(ints, integer(32768)).overload, -1);
  EXPECT_EQ(adds(ints, real(2.5)).overload, -1);
  EXPECT_EQ(adds(ints, runtime(Type::scalar(DType::F32))).overload, -1);
}

TEST(MatchCall, Uint64Constants) {
  CallArg big = integer(-1);
  big.is_u64 = true;
  big.shown = "18446744073709551615";
  const Type bytes = Type::global_tensor(DType::U8), words = Type::global_tensor(DType::U64);
  EXPECT_EQ(match(OpId::GlobalTensor_SetValue, {integer(0), big}, &words).overload, 0);
  EXPECT_EQ(match(OpId::GlobalTensor_SetValue, {integer(0), big}, &bytes).overload, -1);
  EXPECT_EQ(match(OpId::GlobalTensor_GetValue, {big}, &bytes).overload, 0);
}

TEST(MatchCall, TiedVariables) {
  EXPECT_EQ(match(OpId::Axpy, {lt(DType::F32), lt(DType::F16), real(2.5), integer(8)}).overload, 0);
  const Match m = match(OpId::Axpy, {lt(DType::F16), lt(DType::F32), real(2.5), integer(8)});
  EXPECT_EQ(m.overload, -1);
  EXPECT_EQ(m.error_arg, 1);
  EXPECT_EQ(
      m.error,
      "asc.axpy: dst is LocalTensor<float16> and src is LocalTensor<float32>; together they may be T = float16, U = "
      "float16; T = float32, U = float32; T = float32, U = float16\n"
      "  asc.axpy(dst: LocalTensor[T], src: LocalTensor[U], scalar: U, count: int32)");
}

TEST(MatchCall, StructsAndKeywordOnly) {
  const CallArg params = runtime(Type::of_struct(static_cast<uint16_t>(StructId::MmadParams)));
  const CallArg other = runtime(Type::of_struct(static_cast<uint16_t>(StructId::LoadData2DParams)));
  EXPECT_EQ(match(OpId::Mmad, {lt(DType::F32), lt(DType::F16), lt(DType::F16), params}).overload, 0);
  EXPECT_EQ(match(OpId::Mmad, {lt(DType::F32), lt(DType::F16), lt(DType::F16), other}).error_arg, 3);
  EXPECT_EQ(match(OpId::Struct_MmadParams, {integer(16, "m"), integer(16, "n"), integer(32, "k")}).overload,
            0);
  const std::vector<CallArg> sizes{integer(16), integer(16), integer(16), integer(16)};
  std::vector<CallArg> five = sizes, keyword = sizes;
  five.push_back(boolean(true));
  keyword.push_back(boolean(true, "relu_en"));
  EXPECT_EQ(match(OpId::Struct_FixpipeParamsV220, five).overload, -1);
  EXPECT_EQ(match(OpId::Struct_FixpipeParamsV220, keyword).args, (Args{0, 1, 2, 3, 4}));
}

// ---- texts of what does not fit
TEST(MatchText, DtypeMismatchNamesBothOperands) {
  const Match m = match(OpId::Add, {lt(DType::F32), lt(DType::F32), lt(DType::I32), integer(8)});
  EXPECT_EQ(m.overload, -1);
  EXPECT_EQ(m.error_arg, 2);
  EXPECT_EQ(
      m.error,
      "asc.add: src1 is LocalTensor<int32>, but dst is LocalTensor<float32>: both have one element type T (float16, "
      "float32, int16 or int32)\n"
      "  asc.add(dst: LocalTensor[T], src0: LocalTensor[T], src1: LocalTensor[T], count: int32, is_set_mask: bool = True)");
}

TEST(MatchText, Float64IsNumpysDefault) {
  const Match m = match(OpId::Add, {lt(DType::F64), lt(DType::F64), lt(DType::F64), integer(8)});
  EXPECT_EQ(m.error_arg, 0);
  EXPECT_NE(m.error.find("dst is LocalTensor<float64>; it takes float16, float32, int16 or int32"),
            std::string::npos)
      << m.error;
  EXPECT_EQ(
      m.hint,
      "dst is float64, numpy's default; Add takes float16, float32, int16, int32: pass x.astype('float32') "
      "(torch: x.float())");
}

TEST(MatchText, SeveralFormsAreListedNearestFirst) {
  const Match m = match(OpId::DataCopy, {gt(DType::F16), lt(DType::F16), real(2.5)});
  EXPECT_EQ(m.error_arg, 2);
  EXPECT_EQ(m.error,
            "asc.data_copy: no form of it takes (GlobalTensor<float16>, LocalTensor<float16>, 2.5)\n"
            "  asc.data_copy(dst: GlobalTensor[T], src: LocalTensor[T], count: uint32)\n"
            "    count is 2.5, a float; it takes uint32\n"
            "  asc.data_copy(dst: LocalTensor[T], src: GlobalTensor[T], count: uint32)\n"
            "    dst is GlobalTensor<float16>, not a LocalTensor[T]\n"
            "  asc.data_copy(dst: LocalTensor[T], src: LocalTensor[T], count: uint32)\n"
            "    dst is GlobalTensor<float16>, not a LocalTensor[T]");
  EXPECT_EQ(m.hint, "write int(...), or // instead of /");
}

struct TextCase {
  OpId op;
  std::vector<CallArg> args;
  const char* reason;
  const char* hint;
};

TEST(MatchText, EachReason) {
  const CallArg f = lt(DType::F16);
  const CallArg event = runtime(Type::of_enum(static_cast<uint16_t>(EnumId::HardEvent)));
  const TextCase cases[] = {
      {OpId::Abs, {f, f}, "count (int32) is missing", ""},
      {OpId::Abs, {f, f, integer(1), integer(2)}, "takes at most 3 arguments, 4 given", ""},
      {OpId::GetBlockIdx, {integer(1)}, "takes at most 0 arguments, 1 given", ""},
      {OpId::Abs, {f, f, integer(1, "cout")}, "has no parameter 'cout'", "did you mean 'count'?"},
      {OpId::Abs, {f, f, integer(1), integer(1, "count")}, "count is given twice", ""},
      {OpId::Abs,
       {f, runtime(Type::local_tensor(DType::F16), "dst"), integer(1, "count")},
       "dst is given twice",
       ""},
      {OpId::Abs, {f, integer(3), integer(1)}, "src is 3, not a LocalTensor[T]", ""},
      {OpId::Abs,
       {f, gt(DType::F16), integer(1)},
       "src is GlobalTensor<float16>, not a LocalTensor[T]",
       "copy it there"},
      {OpId::Abs,
       {f, f, integer(int64_t{1} << 31)},
       "count is 2147483648, outside int32 (-2147483648 to 2147483647)",
       ""},
      {OpId::DataCopy,
       {lt(DType::I8), gt(DType::I8), integer(-32)},
       "count is -32, outside uint32 (0 to 4294967295)",
       ""},
      {OpId::DataCopy,
       {lt(DType::I8), runtime(Type::pointer(DType::I8)), integer(32)},
       "src is GlobalAddress<int8>, not a",
       "set_global_buffer"},
      {OpId::SetFlag, {event}, "event is a runtime value; it must be known at compile time", "ConstExpr"},
      {OpId::SetFlag, {integer(4)}, "event is 4, not a member of HardEvent", ""},
      {OpId::SetFlag,
       {member(EnumId::PipeID, "PIPE_V")},
       "event is PipeID.PIPE_V, not a member of HardEvent",
       ""},
      {OpId::LocalTensor_Init, {integer(1)}, "dtype is 1, not a dtype such as asc.float16", ""},
      {OpId::Not,
       {lt(DType::I32), lt(DType::I32), integer(8)},
       "dst is LocalTensor<int32>; it takes int16 or uint16",
       ""},
      {OpId::Struct_FixpipeParamsV220,
       {integer(1), integer(1), integer(1), integer(1), boolean(true)},
       "relu_en is given by keyword only: relu_en=True",
       ""},
  };
  for (const TextCase& c : cases) {
    const Match m = match(c.op, c.args);
    EXPECT_EQ(m.overload, -1);
    EXPECT_NE(m.error.find(c.reason), std::string::npos) << m.error;
    EXPECT_NE(m.hint.find(c.hint), std::string::npos) << m.hint;
    if (!*c.hint) {
      EXPECT_EQ(m.hint, "") << m.error;
    }
  }
}

TEST(PythonSignature, ShowsDefaultsAndKeywordOnly) {
  EXPECT_EQ(
      python_signature(op_desc(OpId::LocalTensor_Init), op_desc(OpId::LocalTensor_Init).overloads[0]),
      "asc.LocalTensor(dtype: DataType, pos: TPosition = TPosition.VECIN, addr: uint32 = 0, tile_size: uint32 = 0) -> "
      "LocalTensor[T]");
  EXPECT_EQ(python_signature(op_desc(OpId::TPipe_InitBuffer), op_desc(OpId::TPipe_InitBuffer).overloads[0]),
            "TPipe.init_buffer(que: TQue, num: uint8, len: uint32)");
  EXPECT_EQ(
      python_signature(op_desc(OpId::Struct_FixpipeParamsV220),
                       op_desc(OpId::Struct_FixpipeParamsV220).overloads[0]),
      "asc.FixpipeParamsV220(n_size: uint16, m_size: uint16, src_stride: uint16, dst_stride: uint32, *, relu_en: bool = "
      "False) -> FixpipeParamsV220");
}

}  // namespace
}  // namespace asc
