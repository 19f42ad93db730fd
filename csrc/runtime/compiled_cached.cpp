// SPDX-License-Identifier: Apache-2.0
// A compiled kernel as bytes, for the kernel cache: the IR in its text form, which reads back to the same,
// with the texts printed from it and the diagnostics.
#include "emit/ascendc.h"
#include "ir/rebind.h"
#include "ir/text.h"
#include "runtime/cache_file.h"
#include "runtime/compiled.h"

namespace asc::runtime {
namespace {

void write_loc(cache::ByteWriter& out, const Loc& loc) {
  for (const uint32_t value : {loc.source, loc.line, loc.col, loc.end_line, loc.end_col}) out.u32(value);
}
Loc read_loc(cache::ByteReader& in) {
  Loc loc;
  for (uint32_t* value : {&loc.source, &loc.line, &loc.col, &loc.end_line, &loc.end_col}) *value = in.u32();
  return loc;
}

// The text of the IR before passes names files and lines too.
std::string rebound_text(std::string_view text, std::span<const SourceText* const> sources) {
  if (text.empty()) return {};
  std::vector<ir::Diagnostic> none;
  const std::unique_ptr<ir::Module> module = ir::parse_module(text);
  return ir::rebind_sources(*module, none, sources) ? ir::print_module(*module) : std::string();
}

}  // namespace

std::string CompiledKernel::serialise() const {
  cache::ByteWriter out;
  out.text(module_->kernel()->name);
  out.text(ir::print_module(*module_));
  out.text(emit::print_ascendc(*module_));
  out.text(ir_lowered_);
  out.u32(static_cast<uint32_t>(diagnostics_.size()));
  for (const ir::Diagnostic& diagnostic : diagnostics_) {
    out.text(diagnostic.id);
    out.text(diagnostic.kind);
    out.text(diagnostic.message);
    out.text(diagnostic.fix);
    out.u32(static_cast<uint32_t>(diagnostic.where.size()));
    for (const Loc& loc : diagnostic.where) write_loc(out, loc);
  }
  return out.take();
}

std::string CompiledKernel::stored_name(std::string_view bytes) {
  return std::string(cache::ByteReader(bytes).text());
}

std::shared_ptr<CompiledKernel> CompiledKernel::load(std::string_view bytes,
                                                     std::span<const SourceText* const> sources,
                                                     const PlatformDesc& platform) {
  cache::ByteReader in(bytes);
  in.text();  // the name
  const std::string_view ir = in.text(), ascendc = in.text(), lowered = in.text();
  std::shared_ptr<CompiledKernel> kernel(new CompiledKernel(platform));
  for (uint32_t n = in.count(4); n > 0; n--) {
    ir::Diagnostic& diagnostic = kernel->diagnostics_.emplace_back();
    for (std::string* text : {&diagnostic.id, &diagnostic.kind, &diagnostic.message, &diagnostic.fix})
      *text = in.text();
    for (uint32_t sites = in.count(20); sites > 0; sites--) diagnostic.where.push_back(read_loc(in));
  }
  if (!in.good() || !in.at_end()) return nullptr;
  try {
    kernel->module_ = ir::parse_module(ir);
    kernel->ir_lowered_ = rebound_text(lowered, sources);
  } catch (const std::exception&) {  // no text of this version
    return nullptr;
  }
  if (!kernel->module_->kernel() || !ir::rebind_sources(*kernel->module_, kernel->diagnostics_, sources))
    return nullptr;
  kernel->ascendc_ = std::make_unique<std::string>(ascendc);
  return kernel;
}

}  // namespace asc::runtime
