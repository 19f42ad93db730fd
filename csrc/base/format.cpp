// SPDX-License-Identifier: Apache-2.0
// The one translation unit that holds fmt's bodies.
// Debian ships fmt as a shared library only, and the extension may need nothing beyond libc, libstdc++
// and CPython; so the bodies come from the headers, and the templates that fmt/core.h merely declares
// are instantiated here for char.
#include "base/format.h"

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;

#ifndef FMT_STATIC_THOUSANDS_SEPARATOR
template locale_ref::locale_ref(const std::locale& loc);
template auto locale_ref::get<std::locale>() const -> std::locale;
#endif

template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;

template void buffer<char>::append<char>(const char*, const char*);
template void vformat_to<char>(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                               locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
