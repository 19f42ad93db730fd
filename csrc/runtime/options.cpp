// SPDX-License-Identifier: Apache-2.0
#include "runtime/options.h"

#include <charconv>
#include <cstdlib>

#include "base/format.h"

namespace asc::runtime {
namespace {

[[noreturn]] void bad_value(std::string_view name, std::string_view value, std::string_view where,
                            std::string_view expected) {
  throw LaunchError(fmt::format("{}: {}={} is not valid; expected {}", where, name, value, expected));
}

template <class T>
T parse_number(std::string_view name, std::string_view text, std::string_view where,
               std::string_view expected, T least = T{}) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least))
    bad_value(name, text, where, expected);
  return value;
}

std::optional<sim::Mode> find_mode(std::string_view text) {
  if (text == "check") return sim::Mode::Check;
  if (text == "fast") return sim::Mode::Fast;
  return std::nullopt;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t at = text.find(separator);
    if (at != 0) parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + 1);
  }
  return parts;
}

// Kinds of findings, and ids of single ones.
void check_ignored(const std::vector<std::string>& words, std::string_view where) {
  std::string kinds;
  for (const std::string& word : words) {
    bool known = false;
    kinds.clear();
    for (const FindingInfo& row : finding_table()) {
      known = known || row.kind == word || row.id == word;
      if (kinds.find(row.kind) == kinds.npos) kinds += (kinds.empty() ? "" : ", ") + std::string(row.kind);
    }
    if (!known)
      throw LaunchError(fmt::format(
          "{}: ignore={} is no kind of finding; known are {}, and ids such as ASC-B101", where, word, kinds));
  }
}

// Everything but what says no; `asc doctor` warns of words that say neither.
bool env_true(const char* name) {
  const char* value = std::getenv(name);
  if (!value) return false;
  std::string word = value;
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return !word.empty() && word != "0" && word != "false" && word != "no" && word != "off";
}

}  // namespace

void clear_sim_setting(SimSettings& settings, std::string_view name) {
  const auto clear = [&](std::string_view which, auto& setting) {
    if (name == which) setting.reset();
  };
  clear("mode", settings.mode);
  clear("on_finding", settings.on_finding);
  clear("max_findings", settings.max_findings);
  clear("threads", settings.threads);
  clear("timeout", settings.timeout_seconds);
  clear("ignore", settings.ignore);
}

void set_sim_setting(SimSettings& settings, std::string_view name, std::string_view value,
                     std::string_view where) {
  if (name == "mode") {
    settings.mode = find_mode(value);
    if (!settings.mode) bad_value(name, value, where, "check or fast");
  } else if (name == "on_finding") {
    if (value == "raise")
      settings.on_finding = sim::OnFinding::Raise;
    else if (value == "warn")
      settings.on_finding = sim::OnFinding::Warn;
    else if (value == "collect")
      settings.on_finding = sim::OnFinding::Collect;
    else
      bad_value(name, value, where, "raise, warn or collect");
  } else if (name == "max_findings") {
    settings.max_findings = parse_number<int>(name, value, where, "a whole number, 1 or more", 1);
  } else if (name == "threads") {
    settings.threads =
        parse_number<int>(name, value, where, "a whole number (0: as many as the machine has)");
  } else if (name == "timeout") {
    settings.timeout_seconds = parse_number<double>(name, value, where, "seconds");
  } else if (name == "ignore") {
    settings.ignore = split(value, '+');
    check_ignored(*settings.ignore, where);
  } else {
    throw LaunchError(fmt::format(
        "{}: unknown setting '{}'; known are mode, on_finding, ignore, max_findings, threads, timeout", where,
        name));
  }
}

SimSettings parse_sim_settings(std::string_view text, std::string_view where) {
  SimSettings settings;
  for (const std::string& part : split(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      set_sim_setting(settings, "mode", part, where);
    else
      set_sim_setting(settings, std::string_view(part).substr(0, equals),
                      std::string_view(part).substr(equals + 1), where);
  }
  return settings;
}

sim::Options resolve_sim_options(const SimSettings& own, const PlatformDesc* platform) {
  sim::Options options;
  options.platform = platform;
  const char* env = std::getenv("PYASC_SIM");
  const SimSettings base = env && *env ? parse_sim_settings(env, "PYASC_SIM") : SimSettings{};
  const auto pick = [](auto& to, const auto& first, const auto& second) {
    if (first)
      to = *first;
    else if (second)
      to = *second;
  };
  pick(options.mode, own.mode, base.mode);
  pick(options.on_finding, own.on_finding, base.on_finding);
  pick(options.max_findings, own.max_findings, base.max_findings);
  pick(options.threads, own.threads, base.threads);
  pick(options.timeout_seconds, own.timeout_seconds, base.timeout_seconds);
  pick(options.ignore, own.ignore, base.ignore);
  return options;
}

bool dry_run() { return env_true("PYASC_DRY_RUN") || env_true("DRY_RUN"); }

std::string dump_path() {
  const char* path = std::getenv("PYASC_DUMP_PATH");
  return path ? path : "";
}

}  // namespace asc::runtime
