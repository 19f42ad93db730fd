// SPDX-License-Identifier: Apache-2.0
// The reserved table, and the choice of C++ names.
#include "emit/names.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

namespace asc::emit {

namespace {

// No name may be one of these: C++ keywords, types that the text itself spells, names of the printer's own
// helper templates, and macros that kernel_operator.h and the C headers below it define. Sorted.
// clang-format off
constexpr std::string_view kReserved[] = {
    "ARGS_TO_STRING", "ARG_AND_STRING", "ARG_STEP", "ASCEND_IS_AIC", "ASCEND_IS_AICORE", "ASCEND_IS_AIV",
    "ASCEND_IS_NOT_AIC", "ASCEND_IS_NOT_AIV", "ASSERT", "ASSERT_MSG", "AscendC", "BEGIN_TILING_DATA_DEF",
    "BF16_EXP_BIAS", "BF16_MAX_EXP", "BIG_ENDIAN", "BUFSIZ", "BYTE_ORDER", "CHAR_BIT", "CHAR_MAX", "CHAR_MIN",
    "CLOCKS_PER_SEC", "COUNT_ARGS", "COUNT_ARGS_IMPL", "DBL_EPSILON", "DBL_MAX", "DBL_MIN", "DEBUG_CODE",
    "DFX_MAKE_GUARD", "DT_BF16", "DT_BOOL", "DT_COMPLEX128", "DT_COMPLEX32", "DT_COMPLEX64", "DT_DOUBLE",
    "DT_DUAL", "DT_DUAL_SUB_INT8", "DT_DUAL_SUB_UINT8", "DT_FLOAT", "DT_FLOAT16", "DT_FLOAT4_E1M2",
    "DT_FLOAT4_E2M1", "DT_FLOAT6_E2M3", "DT_FLOAT6_E3M2", "DT_FLOAT8_E4M3FN", "DT_FLOAT8_E5M2",
    "DT_FLOAT8_E8M0", "DT_HIFLOAT8", "DT_INT16", "DT_INT2", "DT_INT32", "DT_INT4", "DT_INT64", "DT_INT8",
    "DT_MAX", "DT_QINT16", "DT_QINT32", "DT_QINT8", "DT_QUINT16", "DT_QUINT8", "DT_RESOURCE", "DT_STRING",
    "DT_STRING_REF", "DT_UINT1", "DT_UINT16", "DT_UINT2", "DT_UINT32", "DT_UINT64", "DT_UINT8",
    "DT_UNDEFINED", "DT_VARIANT", "EDOM", "ENABLE_DETERMINISTIC", "ENABLE_FEATURE_FOR_COMPILE",
    "ENABLE_FEATURE_FOR_TILING", "END_TILING_DATA_DEF", "EOF", "ERANGE", "EXPAND", "EXTERN_IMPL_BUFPOOL",
    "FILENAME_MAX", "FLT_EPSILON", "FLT_MAX", "FLT_MIN", "FOPEN_MAX", "FOR_EACH", "FOR_EACH_1", "FOR_EACH_10",
    "FOR_EACH_2", "FOR_EACH_3", "FOR_EACH_4", "FOR_EACH_5", "FOR_EACH_6", "FOR_EACH_7", "FOR_EACH_8",
    "FOR_EACH_9", "FOR_EACH_CONCAT", "FOR_EACH_N", "FP32_EXP_MASK", "FP32_MAN_HIDE_BIT", "FP32_MAN_MASK",
    "FP32_POS_INFINITY", "FP32_SIGN_MASK", "FP_INFINITE", "FP_NAN", "FP_NORMAL", "FP_SUBNORMAL", "FP_ZERO",
    "GM_ADDR", "HCCL_CHECK_RESTART", "HCCL_CHECK_STATUS", "HUGE_VAL", "HUGE_VALF", "HUGE_VALL", "I",
    "INFINITY", "INT16_C", "INT16_MAX", "INT16_MIN", "INT32_C", "INT32_MAX", "INT32_MIN", "INT4X2_T_STRUCT",
    "INT64_C", "INT64_MAX", "INT64_MIN", "INT8_C", "INT8_MAX", "INT8_MIN", "INTMAX_MAX", "INTMAX_MIN",
    "INTPTR_MAX", "INTPTR_MIN", "INT_MAX", "INT_MIN", "KERNEL_LOG", "KERNEL_LOG_INTERNAL",
    "KERNEL_LOG_KERNEL_DEBUG", "KERNEL_LOG_KERNEL_ERROR", "KERNEL_LOG_KERNEL_INFO", "KERNEL_LOG_KERNEL_WARN",
    "KERNEL_TASK_TYPE", "KERNEL_TASK_TYPE_DEFAULT", "KFC_C310_SSBUF", "KFC_COMM_SERVER",
    "KFC_L1_RESERVER_SIZE", "K_MAX_SHAPE_DIM", "LAUNCH_BOUND", "LITTLE_ENDIAN", "LONG_MAX", "LONG_MIN",
    "MAXFLOAT", "MAX_MSG_COUNT", "MERGE_ARGS", "MIX_LOG", "MSG_POS", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_E",
    "M_LN10", "M_LN2", "M_LOG10E", "M_LOG2E", "M_PI", "M_PI_2", "M_PI_4", "M_SQRT1_2", "M_SQRT2",
    "Mode_Zeroing_Type", "NAN", "NULL", "ONE_CORE_DUMP_SIZE", "PRELOAD", "PTRDIFF_MAX", "PTRDIFF_MIN",
    "QBUFPOOL_MAX_LEN", "QBUF_L0A_RESERVED_LEN", "QBUF_L0B_RESERVED_LEN", "QBUF_MAX_LEN",
    "QBUF_TOTAL_RESERVED_LEN", "RAND_MAX", "REGISTER_NONE_TILING", "REGISTER_TILING_DATA_CLASS",
    "REGISTER_TILING_DEFAULT", "REGISTER_TILING_FOR_TILINGKEY", "SCHAR_MAX", "SCHAR_MIN", "SEEK_CUR",
    "SEEK_END", "SEEK_SET", "SHRT_MAX", "SHRT_MIN", "SIMT_ONE_CORE_DUMP_SIZE", "SIZE_MAX", "SK_BIND",
    "SK_BIND_NAME_CONCAT", "SK_BIND_NAME_CONCAT_IMPL", "SNAN", "SPLIT_CORE_VEC", "SSBUF_ADDR", "TIK_ALIGN",
    "TILING_DATA_FIELD_DEF", "TILING_DATA_FIELD_DEF_ARR", "TILING_DATA_FIELD_DEF_STRUCT",
    "TILING_KEY_ARGS_CONCAT", "TILING_KEY_ARGS_CONCAT_IMPL", "TILING_KEY_ARG_COUNT",
    "TILING_KEY_ARG_COUNT_IMPL", "TILING_KEY_INDEX_INOUT_1", "TILING_KEY_INDEX_INOUT_2",
    "TILING_KEY_INDEX_INOUT_3", "TILING_KEY_INDEX_INOUT_4", "TILING_KEY_INDEX_INOUT_5",
    "TILING_KEY_INDEX_INOUT_6", "TILING_KEY_INDEX_INOUT_7", "TILING_KEY_INDEX_INOUT_8", "TILING_KEY_IS",
    "TILING_KEY_LIST", "TILING_KEY_LIST_INOUT", "TILING_KEY_LIST_INOUT_IMPL", "TILING_KEY_VAR",
    "TILING_STRUCT_SECTION_INIT", "TILING_STRUCT_SECTION_INIT_BASE", "TMP_MAX", "TO_STRING", "TPIPE_MAX_TYPE",
    "TRACE_START", "TRACE_START_IMPL", "TRACE_STOP", "TRACE_STOP_IMPL", "UB_ADDR", "UCHAR_MAX", "UINT16_C",
    "UINT16_MAX", "UINT32_C", "UINT32_MAX", "UINT64_C", "UINT64_MAX", "UINT8_C", "UINT8_MAX", "UINTMAX_MAX",
    "UINTPTR_MAX", "UINT_MAX", "ULONG_MAX", "USE_ISA_INS", "USHRT_MAX", "VA_ARGS_TO_MAKE_TUPLE",
    "VA_ARGS_TO_MAKE_TUPLE_STRING", "WORKSPACE_PARAM_OFFSET", "alignas", "alignof", "alloca", "and", "and_eq",
    "asc_abs", "asc_floor_div", "asc_floor_mod", "asc_max", "asc_min", "asc_pow", "asc_remainder",
    "ascendc_assert", "asm", "assert", "auto", "bfloat16_t", "bitand", "bitor", "bool", "break", "case",
    "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl",
    "complex", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue",
    "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "errno", "explicit",
    "export", "extern", "false", "float", "for", "friend", "g_coreType", "goto", "half", "if", "inline",
    "int", "int16_t", "int32_t", "int4b_t", "int64_t", "int8_t", "likely", "linux", "long", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "offsetof", "operator", "or", "or_eq",
    "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
    "size_t", "sizeof", "static", "static_assert", "static_cast", "std", "stderr", "stdin", "stdout",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
    "typename", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "union", "unix", "unlikely", "unsigned",
    "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq"
};
// clang-format on

// No function may be one of these: they are declared in the global namespace by the C library. Sorted.
// clang-format off
constexpr std::string_view kGlobalFunctions[] = {
    "abort", "abs", "acos", "acosf", "acosh", "asin", "asinf", "asinh", "atan", "atan2", "atan2f", "atanf",
    "atanh", "atof", "atoi", "atol", "bcmp", "bcopy", "bsearch", "bzero", "calloc", "cbrt", "cbrtf", "ceil",
    "ceilf", "clock", "close", "connect", "copysign", "copysignf", "cos", "cosf", "cosh", "coshf", "creat",
    "div", "dup", "erf", "erfc", "erff", "exit", "exp", "exp2", "exp2f", "expf", "expm1", "expm1f", "fabs",
    "fabsf", "fdim", "ffs", "floor", "floorf", "fma", "fmaf", "fmax", "fmaxf", "fmin", "fminf", "fmod",
    "fmodf", "fork", "fprintf", "fputs", "free", "frexp", "gamma", "getenv", "hypot", "hypotf", "ilogb",
    "index", "isfinite", "isinf", "isnan", "j0", "j1", "jn", "kill", "labs", "ldexp", "ldiv", "lgamma",
    "link", "listen", "llabs", "llround", "log", "log10", "log10f", "log1p", "log1pf", "log2", "log2f",
    "logb", "logf", "lrint", "lround", "main", "malloc", "memchr", "memcmp", "memcpy", "memmove", "memset",
    "mktime", "modf", "modff", "nan", "nanf", "nearbyint", "nice", "open", "pause", "perror", "pipe", "poll",
    "pow", "powf", "printf", "putchar", "puts", "qsort", "raise", "rand", "random", "read", "realloc",
    "remainder", "remove", "rename", "rindex", "rint", "rintf", "round", "roundf", "scalbn", "scanf",
    "select", "send", "setenv", "signal", "signbit", "significand", "sin", "sinf", "sinh", "sleep", "socket",
    "sprintf", "sqrt", "sqrtf", "srand", "stat", "strcat", "strchr", "strcmp", "strcpy", "strlen", "strncmp",
    "strncpy", "strstr", "strtol", "sync", "system", "tan", "tanf", "tanh", "tanhf", "tgamma", "time",
    "trunc", "truncate", "truncf", "unlink", "usleep", "vprintf", "wait", "write", "y0", "y1", "yn"
};
// clang-format on

template <size_t n>
constexpr bool is_sorted_table(const std::string_view (&table)[n]) {
  for (size_t i = 1; i < n; i++)
    if (!(table[i - 1] < table[i])) return false;
  return true;
}
static_assert(is_sorted_table(kReserved) && is_sorted_table(kGlobalFunctions));

template <size_t n>
bool contains(const std::string_view (&table)[n], std::string_view name) {
  return std::binary_search(std::begin(table), std::end(table), name);
}

// C++ reserves names with two underscores in a row, and those that start with one and a capital; the
// compiler's own macros live there too.
bool is_implementation_name(std::string_view name) {
  if (name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z')))
    return true;
  return name.find("__") != std::string_view::npos;
}

}  // namespace

bool is_reserved(std::string_view name) { return contains(kReserved, name); }
bool is_global_function(std::string_view name) { return contains(kGlobalFunctions, name); }

std::string_view TextPool::keep(std::string_view text) {
  if (text.size() > room_) {
    room_ = std::max<size_t>(512, text.size());
    blocks_.emplace_back(new char[room_]);
    at_ = blocks_.back().get();
  }
  char* to = at_;
  std::memcpy(to, text.data(), text.size());
  at_ += text.size();
  room_ -= text.size();
  return {to, text.size()};
}

std::string_view legal_name(TextPool& pool, std::string_view name, bool is_function) {
  if (is_implementation_name(name)) {
    char buffer[256];
    size_t n = 0;
    for (char c : name) {
      if (n + 3 > sizeof(buffer)) break;
      if (c == '_' && (n == 0 || buffer[n - 1] == '_')) continue;
      buffer[n++] = c;
    }
    buffer[n++] = '_';
    return pool.keep({buffer, n});
  }
  if (!is_reserved(name) && !(is_function && is_global_function(name))) return name;
  return with_suffix(pool, name, "_");
}

std::string_view with_suffix(TextPool& pool, std::string_view name, std::string_view suffix) {
  char buffer[512];
  const size_t keep = std::min(name.size(), sizeof(buffer) - 32);
  std::memcpy(buffer, name.data(), keep);
  const size_t tail = std::min<size_t>(suffix.size(), 31);
  std::memcpy(buffer + keep, suffix.data(), tail);
  return pool.keep({buffer, keep + tail});
}

std::string_view NameSet::add(TextPool& pool, std::string_view name, const NameSet* also) {
  const auto is_taken = [&](std::string_view candidate) {
    return has(candidate) || (also && also->has(candidate));
  };
  Name chosen{name, name, 0};
  if (is_taken(name)) {
    int& next = next_version_.try_emplace(name, 2).first->second;
    do {
      // `signed_` becomes `signed_2`: C++ reserves two underscores in a row.
      char suffix[16] = {'_'};
      char* const digits = name.ends_with('_') ? suffix : suffix + 1;
      const auto end = std::to_chars(digits, std::end(suffix), next).ptr;
      chosen = {with_suffix(pool, name, {suffix, static_cast<size_t>(end - suffix)}), name, next++};
    } while (is_taken(chosen.name));
  }
  names_.push_back(chosen);
  taken_.insert(chosen.name);
  return chosen.name;
}

void NameSet::release(size_t mark) {
  for (; names_.size() > mark; names_.pop_back()) {
    const Name& last = names_.back();
    taken_.erase(last.name);
    if (last.version != 0) next_version_[last.wanted] = last.version;
  }
}

}  // namespace asc::emit
