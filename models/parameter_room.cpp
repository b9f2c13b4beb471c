#include "models/parameter_room.h"

#include "data/files/safetensors.h"

namespace kette {

void expect_room(const std::filesystem::path& file, std::int64_t parameters,
                 const std::string& origin) {
  const SafetensorsFile stored = SafetensorsFile::open(file);
  std::int64_t numbers = 0;
  for (const std::string& name : stored.names()) numbers += stored.shape(name).elements();
  KETTE_CHECK(parameters <= numbers, file.string(), ": expected at least ", parameters,
              " parameters, as many as ", origin, " asks for, given ", numbers,
              "; one of the two is damaged or belongs to another model");
}

}  // namespace kette
