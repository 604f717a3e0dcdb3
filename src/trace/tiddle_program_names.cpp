#include <algorithm>
#include <array>
#include <cctype>

#include "trace/tiddle_program_plan.h"

namespace ravel {
namespace {

constexpr std::array kKeywords = {
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "typeof",       "union",
    "unsigned",    "using",    "virtual",    "void",      "volatile",  "wchar_t",      "while",
    "xor",         "xor_eq",
};

// Macros of the headers that the program includes, in lower case; those in upper case are avoided as a group.
constexpr std::array kMacros = {
    "alloca",
    "assert",
    "be16toh",
    "be32toh",
    "be64toh",
    "errno",
    "htobe16",
    "htobe32",
    "htobe64",
    "htole16",
    "htole32",
    "htole64",
    "issubnormal",
    "le16toh",
    "le32toh",
    "le64toh",
    "linux",
    "math_errhandling",
    "offsetof",
    "sched_priority",
    "stderr",
    "stdin",
    "stdout",
    "strdupa",
    "strndupa",
    "timeradd",
    "timerclear",
    "timercmp",
    "timerisset",
    "timersub",
    "unix",
    "pthread_cleanup_pop",
    "pthread_cleanup_push",
    "pthread_cleanup_pop_restore_np",
    "pthread_cleanup_push_defer_np",
};

// Names of the generated program itself, its local variables among them (they would shadow).
constexpr std::array kOwnNames = {"std", "lockstep", "main", "run", "seen", "held", "argc", "argv"};

}  // namespace

Identifiers::Identifiers() {
  taken_.insert(kKeywords.begin(), kKeywords.end());
  taken_.insert(kMacros.begin(), kMacros.end());
  taken_.insert(kOwnNames.begin(), kOwnNames.end());
}

std::string Identifiers::take(std::string_view name, std::string_view suffix) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kDigits = "0123456789";
  std::string identifier;
  for (const char c : name)
    identifier += kLetters.find(c) != kLetters.npos || kDigits.find(c) != kDigits.npos ? c : '_';
  if (identifier.empty() || kLetters.find(identifier.front()) == kLetters.npos) identifier.insert(0, "v_");
  const bool has_lower = std::ranges::any_of(identifier, [](char c) { return c >= 'a' && c <= 'z'; });
  if (identifier.size() > 1 && !has_lower) identifier += "_v";  // not a macro
  if (taken_.contains(identifier)) identifier += suffix;
  std::string unique = identifier;
  for (int i = 2; !taken_.insert(unique).second; ++i) unique = identifier + "_" + std::to_string(i);
  return unique;
}

}  // namespace ravel
