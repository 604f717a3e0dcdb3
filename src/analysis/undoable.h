// Undoable: states by dense id that can go back to where they were at the last checkpoint. A state costs a
// copy the first time it is used after a checkpoint, and nothing if there never was one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ravel {

template <typename State>
class Undoable {
 public:
  /// The state, which may be changed. References stay valid.
  State& operator[](std::size_t id) {
    if (id >= size_) [[unlikely]]
      grow(id + 1);
    Row& row = at(id);
    if (row.saved_at != checkpoint_) [[unlikely]]
      save(id, row);
    return row.state;
  }
  /// The state as it is, if it was ever used.
  const State* find(std::size_t id) const { return id < size_ ? &at(id).state : nullptr; }
  std::size_t size() const { return size_; }

  void checkpoint() {
    ++checkpoint_;
    saved_count_ = 0;
  }
  /// Back to the checkpoint; as often as one likes.
  void restore() {
    for (std::size_t i = 0; i < saved_count_; ++i) at(saved_[i].id).state = saved_[i].state;
  }

 private:
  struct Row {
    State state;
    std::uint64_t saved_at = 0;  ///< checkpoint since which a copy is in saved_
  };
  struct Saved {
    std::size_t id;
    State state;
  };

  // As many to a chunk as make finding one a shift: std::deque would divide.
  static constexpr std::size_t kChunk = 16;
  using Chunk = std::array<Row, kChunk>;

  Row& at(std::size_t id) const { return (*chunks_[id / kChunk])[id % kChunk]; }
  void grow(std::size_t size) {
    while (chunks_.size() * kChunk < size) chunks_.push_back(std::make_unique<Chunk>());
    size_ = size;
  }
  [[gnu::noinline]] void save(std::size_t id, Row& row) {
    row.saved_at = checkpoint_;
    if (saved_count_ == saved_.size()) saved_.emplace_back();
    saved_[saved_count_].id = id;
    saved_[saved_count_].state = row.state;  // into memory that an earlier copy left
    ++saved_count_;
  }

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
  std::vector<Saved> saved_;
  std::size_t saved_count_ = 0;
  std::uint64_t checkpoint_ = 0;
};

}  // namespace ravel
