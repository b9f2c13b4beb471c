// Calls what neither it nor the program has.
extern "C" int kette_function_that_is_nowhere();
extern "C" const void* kette_op_library() {
  static const int answer = kette_function_that_is_nowhere();
  return &answer;
}
