// A flag that no runtime sees.
int raw_flag;

void raw_spin() {
  while (__atomic_load_n(&raw_flag, __ATOMIC_ACQUIRE) == 0) {
  }
}
void raw_set() { __atomic_store_n(&raw_flag, 1, __ATOMIC_RELEASE); }
