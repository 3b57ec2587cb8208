// A good shared object that is no plugin.
int answer(void) { return 42; }
