// SPDX-License-Identifier: Apache-2.0
#include "runtime/compiled.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/format.h"
#include "emit/ascendc.h"
#include "ir/text.h"
#include "ir/workspace.h"
#include "passes/passes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace asc::runtime {
namespace {

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string content_key(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file && std::fclose(file) == 0 && written) return;
  throw LaunchError(fmt::format("cannot write {}", path.string()),
                    "set PYASC_DUMP_PATH to a folder that can be written");
}

}  // namespace

CompiledKernel::CompiledKernel(std::unique_ptr<ir::Module> module, const PlatformDesc& platform,
                               bool keep_lowered)
    : module_(std::move(module)), platform_(platform) {
  if (keep_lowered) ir_lowered_ = ir::print_module(*module_);
  diagnostics_ = passes::run(*module_, platform).diagnostics;
}

std::vector<Finding> CompiledKernel::early_findings() const {
  std::vector<Finding> findings;
  for (const ir::Diagnostic& diagnostic : diagnostics_) {
    Finding finding;
    finding.id = diagnostic.id;
    finding.kind = diagnostic.kind;
    finding.message = diagnostic.message;
    finding.fix = diagnostic.fix;
    for (const Loc& loc : diagnostic.where) finding.sites.push_back(module_->sources.resolve(loc));
    findings.push_back(std::move(finding));
  }
  return findings;
}

const std::string& CompiledKernel::ascendc() {
  const std::lock_guard lock(mutex_);
  if (!ascendc_) ascendc_ = std::make_unique<std::string>(emit::print_ascendc(*module_));
  return *ascendc_;
}

const std::string& CompiledKernel::ir_text() {
  const std::lock_guard lock(mutex_);
  if (!ir_text_) ir_text_ = std::make_unique<std::string>(ir::print_module(*module_));
  return *ir_text_;
}

const sim::Program& CompiledKernel::program() {
  if (const sim::Program* ready = ready_.load(std::memory_order_acquire)) return *ready;
  const std::lock_guard lock(mutex_);
  if (!program_) program_ = sim::assemble(*module_);
  ready_.store(program_.get(), std::memory_order_release);
  return *program_;
}

std::string CompiledKernel::bytecode() { return sim::disassemble(program()); }

static std::string type_text(const ir::Module& module, const Type& type) {
  if (type.kind != Kind::Struct || type.id < kStructCount) return to_string(type);
  return fmt::format("struct {}", module.structs.at(type.id - kStructCount).name);
}

std::string meta_json(CompiledKernel& kernel) {
  const ir::Module& module = kernel.module();
  std::string out = "{\n";
  out += fmt::format("  \"kernel\": {},\n", json_string(module.kernel()->name));
  out += fmt::format("  \"platform\": {},\n", json_string(kernel.platform().name));
  out += fmt::format("  \"kernel_type\": {},\n", json_string(ir::to_string(module.kernel_type)));
  out += fmt::format("  \"auto_sync\": {},\n  \"arguments\": [", module.auto_sync ? "true" : "false");
  const char* separator = "";
  for (const ir::KernelArg& arg : module.args) {
    if (arg.is_workspace) continue;
    out += fmt::format("{}\n    {{\"name\": {}, \"type\": {}, \"reads\": {}, \"writes\": {}}}", separator,
                       json_string(arg.name), json_string(type_text(module, arg.type)),
                       arg.may_read ? "true" : "false", arg.may_write ? "true" : "false");
    separator = ",";
  }
  const ir::WorkspaceLayout workspace = ir::lay_out(module.workspace);
  out += fmt::format("\n  ],\n  \"workspace\": {{\"shared\": {}, \"per_block\": {}}}", workspace.shared,
                     workspace.block);
  out += fmt::format(",\n  \"functions\": {},\n  \"diagnostics\": [", module.functions.size());
  separator = "";
  for (const ir::Diagnostic& diagnostic : kernel.diagnostics()) {
    out += fmt::format("{}\n    {{\"id\": {}, \"message\": {}}}", separator, json_string(diagnostic.id),
                       json_string(diagnostic.message));
    separator = ",";
  }
  out += "\n  ]\n}\n";
  return out;
}

std::string save_compiled(CompiledKernel& kernel, const std::string& root, bool comments) {
  const std::string meta = meta_json(kernel);
  const std::string key = content_key(kernel.ir_text() + meta);
  const std::filesystem::path folder =
      std::filesystem::path(root) / fmt::format("{}_{}", kernel.module().kernel()->name, key.substr(0, 16));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw LaunchError(fmt::format("cannot create the folder {}: {}", folder.string(), error.message()),
                      "set PYASC_DUMP_PATH to a folder that can be written");
  if (!kernel.ir_lowered().empty()) write_file(folder / "ir.lowered.txt", kernel.ir_lowered());
  write_file(folder / "ir.txt", kernel.ir_text());
  write_file(folder / "ascendc.cpp", emit::print_ascendc(kernel.module(), {.comments = comments}));
  write_file(folder / "bytecode.txt", kernel.bytecode());
  write_file(folder / "meta.json", meta);
  return folder.string();
}

}  // namespace asc::runtime
