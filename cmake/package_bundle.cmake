# An install step of the archive (packages.cmake): copies the libraries that the `program` of the build folder needs into
# `folder`, where the installed one looks for them, and their licences, as the system's packages have them, into `licences`.
# glibc stays the system's; its loader and it belong together.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${program} RESOLVED_DEPENDENCIES_VAR libraries
     UNRESOLVED_DEPENDENCIES_VAR missing PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread)\\.so"
     POST_EXCLUDE_REGEXES "/libkette-")
if(missing OR NOT patchelf)
  message(FATAL_ERROR "package: expected patchelf and the libraries of ${program}, given ${patchelf}, without ${missing}")
endif()
file(MAKE_DIRECTORY ${folder} ${licences})
foreach(library IN LISTS libraries)
  cmake_path(GET library FILENAME name)
  file(COPY_FILE ${library} ${folder}/${name})  # not a link to it
  file(CHMOD ${folder}/${name} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  execute_process(COMMAND ${patchelf} --set-rpath "$ORIGIN" ${folder}/${name} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND dpkg -S */${name} OUTPUT_VARIABLE packages ERROR_QUIET)
  string(REGEX MATCH "^[^:,\n]+" package "${packages}")
  if(NOT EXISTS /usr/share/doc/${package}/copyright)
    message(FATAL_ERROR "package: expected the licence of ${library} in a package of the system, given none")
  endif()
  file(COPY_FILE /usr/share/doc/${package}/copyright ${licences}/${package}.txt)
endforeach()
