# Run by cpack between the install rules and the packages: adds what only a package of Debian has, and gives all files one
# time and the usual rights.
file(GLOB parts LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/*)  # a folder for each component
foreach(part IN LISTS parts)
  if(CPACK_GENERATOR STREQUAL "DEB")
    cmake_path(GET part FILENAME component)
    string(TOUPPER ${component} component)
    set(package ${CPACK_DEBIAN_${component}_PACKAGE_NAME})
    set(documents ${part}/usr/share/doc)
    file(REMOVE ${documents}/kette/LICENSE)  # it stands in the copyright
    file(READ ${CPACK_RESOURCE_FILE_LICENSE} licence)
    set(others "")
    if(EXISTS ${documents}/kette/licences)
      set(others "\nThe program has code of the packages that licences/ names beside this file, under the licences there.\n")
    endif()
    file(WRITE ${documents}/${package}/copyright "Kette\n\n${licence}${others}")
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(WRITE ${documents}/${package}/changelog.Debian
         "kette (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
         "  * Made by cpack. What changed stands in Kette's CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    file(GLOB_RECURSE texts ${part}/usr/share/man/*.[1-9] ${documents}/${package}/changelog.Debian)
    execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  execute_process(COMMAND chmod -R u=rwX,go=rX ${part} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find ${part} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} + COMMAND_ERROR_IS_FATAL ANY)
endforeach()
