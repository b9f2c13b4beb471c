// A shared object without ops.
extern "C" int kette_ops_of_another_name() { return 0; }
