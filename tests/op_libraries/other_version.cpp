// What a library says that was compiled with the headers of an older Kette.
namespace {
struct Library {
  const char* version;
} const library{"0.0.9"};
}  // namespace
extern "C" const Library* kette_op_library() { return &library; }
