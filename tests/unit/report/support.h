// What the tests of reports share.
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "gtest/gtest.h"
#include "report/printer.h"

namespace ravel {

inline std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  return out << print_json({&finding, 1});
}

inline Evidence evidence(std::string analysis, Verdict verdict, std::string scope = "t.std") {
  return {.analysis = std::move(analysis),
          .verdict = verdict,
          .scope = std::move(scope),
          .events = {},
          .guarantee = {},
          .schedule = {}};
}

inline Finding finding(std::string id, std::vector<Evidence> evidence) {
  Finding finding;
  finding.id = std::move(id);
  finding.evidence = std::move(evidence);
  return finding;
}

/// A directory of the running test, removed afterwards.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ravel-report-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// Writes a file, with the folders it needs, and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ravel
