# What cpack makes of the install rules (docs/install.md):
#   cpack -G DEB    packages for Debian: kette, libkette-dev, and a plug-in for each MPI
#   cpack -G TXZ    one archive that runs from any folder: the program with the libraries it needs, but glibc
# Folders of the two are the same, and so is the program. scripts/package.sh builds both as they are to be published.
set(CPACK_PACKAGE_NAME kette)
set(CPACK_PACKAGE_VENDOR "Kette authors")
set(CPACK_PACKAGE_CONTACT "Kette authors <kette@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Transformers trained, run and understood from the command line")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB TXZ)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_files.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
string(TOLOWER "kette-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_KETTE_ARCHIVE)
if(TARGET kette-cuda)
  string(APPEND CPACK_KETTE_ARCHIVE -cuda)
endif()

# Of code that is compiled in, where the system's package has its licence. (Boost's asks nothing of programs.)
set(licences ${CMAKE_INSTALL_DATAROOTDIR}/doc/kette/licences)
foreach(package libcli11-dev libjs-dygraphs libtomlplusplus-dev nlohmann-json3-dev)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION ${licences} RENAME ${package}.txt OPTIONAL)
endforeach()

# --- Debian
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0kette1)  # below any of Debian's own
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(same_version "kette (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_KETTE_PACKAGE_NAME kette)
set(CPACK_COMPONENT_KETTE_DESCRIPTION "It has translators, parsers, GPT and BERT, a server for their users, and
pages that show how a model came to what it wrote. All is built on automatic
differentiation from scratch, with kernels for every level of x86-64; each
gradient is checked against finite differences.")
set(CPACK_DEBIAN_KETTE_PACKAGE_SECTION science)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libkette-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
# What KetteTargets.cmake names.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${same_version}, libopenblas-dev, libsentencepiece-dev, libutf8proc-dev, \
zlib1g-dev, liblzma-dev, libzstd-dev, nlohmann-json3-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "Headers and the static library, for programs that differentiate or use\nmodels by themselves: find_package(Kette) of CMake.")
foreach(plugin ${mpi_plugins})
  string(TOUPPER ${plugin} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${plugin})
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_${name}_PACKAGE_DEPENDS "${same_version}")
  string(REPLACE kette- "" engine ${plugin})
  set(CPACK_COMPONENT_${name}_DESCRIPTION
      "The plug-in by which many processes of kette train find each other\nunder the mpirun of ${engine}.")
endforeach()

# --- The archive: what a system may lack lies beside the kernels. A plain install has nothing of that.
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
find_program(KETTE_PATCHELF patchelf)
install(CODE "set(program \"$<TARGET_FILE:kette>\")
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${KETTE_PRIVATE_LIBDIR}\")
  set(licences \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${licences}\")
  set(patchelf \"${KETTE_PATCHELF}\")" COMPONENT bundle EXCLUDE_FROM_ALL)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/package_bundle.cmake COMPONENT bundle EXCLUDE_FROM_ALL)

# Read by cpack for each kind of package. Its files have the commit's time, so that two builds give the same bytes.
list(JOIN mpi_plugins " " plugins)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/CPackOptions.cmake @ONLY CONTENT [[
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C "@PROJECT_SOURCE_DIR@" log -1 --format=%ct OUTPUT_VARIABLE time
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT time)
    string(TIMESTAMP time %s UTC)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${time})
endif()
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_COMPONENTS_ALL kette dev @plugins@)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
else()
  set(CPACK_COMPONENTS_ALL kette bundle)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_PACKAGE_FILE_NAME ${CPACK_KETTE_ARCHIVE})
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
]])
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/CPackOptions.cmake)
include(CPack)
