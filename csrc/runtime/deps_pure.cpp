// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps_pure.h"

#include <algorithm>
#include <iterator>

namespace asc::runtime {
namespace {

template <size_t N>
bool is_one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool is_in(std::string_view module, std::string_view package) {
  return module == package || (module.starts_with(package) && module[package.size()] == '.');
}

constexpr std::string_view kBuiltins[] = {"abs",
                                          "all",
                                          "any",
                                          "ascii",
                                          "bin",
                                          "callable",
                                          "chr",
                                          "divmod",
                                          "format",
                                          "getattr",
                                          "hasattr",
                                          "hex",
                                          "isinstance",
                                          "issubclass",
                                          "iter",
                                          "len",
                                          "max",
                                          "min",
                                          "oct",
                                          "ord",
                                          "pow",
                                          "sum",
                                          "print",
                                          "repr",
                                          "round",
                                          "setattr",
                                          "delattr",
                                          "sorted",
                                          "__build_class__"};

constexpr std::string_view kModules[] = {"math",
                                         "cmath",
                                         "_operator",
                                         "operator",
                                         "functools",
                                         "_functools",
                                         "itertools",
                                         "dataclasses",
                                         "enum",
                                         "types",
                                         "_types",
                                         "collections",
                                         "_collections",
                                         "collections.abc",
                                         "_collections_abc",
                                         "abc",
                                         "_abc",
                                         "copy",
                                         "copyreg",
                                         "_copyreg",
                                         "numbers",
                                         "fractions",
                                         "statistics",
                                         "_statistics",
                                         "_struct",
                                         "struct",
                                         "string",
                                         "_string",
                                         "re",
                                         "_sre",
                                         "textwrap",
                                         "bisect",
                                         "_bisect",
                                         "heapq",
                                         "_heapq",
                                         "json",
                                         "_json",
                                         "binascii",
                                         "zlib",
                                         "hashlib",
                                         "_hashlib",
                                         "contextlib",
                                         "array",
                                         "reprlib",
                                         "keyword",
                                         "ml_dtypes",
                                         "typing_extensions"};

constexpr std::string_view kNumpy[] = {"array",         "asarray",      "ascontiguousarray",
                                       "arange",        "linspace",     "logspace",
                                       "geomspace",     "zeros",        "ones",
                                       "full",          "zeros_like",   "ones_like",
                                       "full_like",     "eye",          "identity",
                                       "prod",          "sum",          "cumsum",
                                       "cumprod",       "amax",         "amin",
                                       "max",           "min",          "mean",
                                       "median",        "std",          "var",
                                       "argmax",        "argmin",       "argsort",
                                       "sort",          "unique",       "where",
                                       "clip",          "round",        "around",
                                       "dot",           "matmul",       "inner",
                                       "outer",         "transpose",    "reshape",
                                       "ravel",         "concatenate",  "stack",
                                       "hstack",        "vstack",       "tile",
                                       "repeat",        "split",        "roll",
                                       "flip",          "diff",         "all",
                                       "any",           "nonzero",      "flatnonzero",
                                       "count_nonzero", "searchsorted", "broadcast_to",
                                       "expand_dims",   "squeeze",      "swapaxes",
                                       "moveaxis",      "tri",          "tril",
                                       "triu",          "diag",         "meshgrid",
                                       "indices",       "isclose",      "allclose",
                                       "array_equal",   "can_cast",     "result_type",
                                       "promote_types", "ndim",         "size",
                                       "shape",         "kron",         "trace",
                                       "interp",        "ceil",         "frombuffer",
                                       "pad",           "isscalar",     "ix_",
                                       "take",          "real",         "imag"};

}  // namespace

bool is_pure_function(std::string_view module, std::string_view name) {
  if (module == "builtins") return is_one_of(name, kBuiltins);
  if (module == "typing") return name != "get_type_hints";
  if (module == "dataclasses" && name == "fields") return true;
  if (module == "numpy") return is_one_of(name, kNumpy);
  return is_in(module, "asc") || is_in(module, "re") || is_one_of(module, kModules);
}

bool is_pure_type(std::string_view module, std::string_view name) {
  if (module == "numpy" || module == "numpy.dtypes") return name != "memmap" && name != "DataSource";
  constexpr std::string_view kTypes[] = {"datetime.timedelta", "datetime.timezone", "torch.Size",
                                         "torch.dtype"};
  for (const std::string_view type : kTypes)
    if (type.size() == module.size() + 1 + name.size() && type.starts_with(module) && type.ends_with(name))
      return true;
  return module == "builtins" || module == "typing" || is_in(module, "asc") || is_in(module, "re") ||
         is_one_of(module, kModules);
}

bool is_fixed_in_sys(std::string_view name) {
  constexpr std::string_view kFixed[] = {"maxsize", "byteorder",  "version_info", "hexversion",
                                         "version", "float_info", "int_info",     "implementation"};
  return is_one_of(name, kFixed);
}

bool reads_the_program(std::string_view module, std::string_view name) {
  constexpr std::string_view kBuiltin[] = {"eval", "exec", "globals", "locals", "vars", "dir", "__import__"};
  constexpr std::string_view kSys[] = {"modules", "_getframe", "_current_frames", "exc_info"};
  if (module == "builtins") return is_one_of(name, kBuiltin);
  if (module == "sys") return is_one_of(name, kSys);
  return is_in(module, "importlib") || module == "inspect" || module == "gc" ||
         (module == "typing" && name == "get_type_hints");
}

bool asks_identity(std::string_view module, std::string_view name) {
  return (module == "builtins" && name == "id") || (module == "_operator" && name.starts_with("is_"));
}

bool is_introspection(std::string_view attribute) {
  constexpr std::string_view kSeen[] = {
      "__doc__",        "__annotations__",    "__annotate__",  "__subclasses__", "__code__",
      "__globals__",    "__closure__",        "__builtins__",  "__hash__",       "__metadata__",
      "__weakref__",    "__text_signature__", "__spec__",      "__loader__",     "__abstractmethods__",
      "__orig_bases__", "__type_params__",    "__traceback__", "__firstlineno__"};
  if (is_one_of(attribute, kSeen)) return true;
  for (const std::string_view of : {"f_", "co_", "tb_", "gi_", "cr_"})  // frames, code, tracebacks
    if (attribute.starts_with(of)) {
      constexpr std::string_view kParts[] = {
          "globals",     "locals",   "back",     "code",     "builtins", "lineno",   "lasti", "frame",
          "next",        "name",     "qualname", "names",    "varnames", "consts",   "flags", "lines",
          "firstlineno", "filename", "freevars", "argcount", "running",  "yieldfrom"};
      return is_one_of(attribute.substr(of.size()), kParts);
    }
  return false;
}

bool asks_for_facts(std::string_view name) {
  constexpr std::string_view kAsked[] = {"__name__", "__qualname__", "__module__",    "__dataclass_fields__",
                                         "fields",   "__bases__",    "__mro__",       "mro",
                                         "__dict__", "__defaults__", "__kwdefaults__"};
  return is_one_of(name, kAsked);
}

bool reads_by_computed_name(std::string_view name) {
  constexpr std::string_view kReads[] = {"getattr",      "hasattr",          "attrgetter",
                                         "methodcaller", "__getattribute__", "__dict__"};
  return is_one_of(name, kReads);
}

}  // namespace asc::runtime
