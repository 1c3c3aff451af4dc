# What `cmake --install` puts where. The installed tree can be moved: nothing in it knows its own prefix.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpis)
get_filename_component(openblas_dir ${OPENBLAS_OPENMP} DIRECTORY)

# Run paths are the same in the build tree and in the installed tree. Were they different, CMake would rewrite them when it
# installs, and to have space for that it ends those of the build tree with an empty entry, which the loader takes for the
# current folder. Other builds of OpenBLAS may stand first in the loader's search, so each file names the folder of the
# build it needs. $ORIGIN is the folder of the program itself: there the build tree has its libraries.
set_target_properties(gpis_shared PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH ${openblas_dir})
# For the installed static library, gpis::dependencies of gpisConfig.cmake stands for all it is linked with.
target_link_libraries(gpis_static PRIVATE $<INSTALL_INTERFACE:gpis::dependencies>)

install(FILES include/gpis.h TYPE INCLUDE)
install(FILES LICENSE TYPE DOC)
foreach(kind shared static)
  install(TARGETS gpis_${kind} EXPORT gpis_${kind}_targets DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT gpis_${kind}_targets NAMESPACE gpis:: FILE gpis-${kind}.cmake DESTINATION ${package_dir})
endforeach()
if(TARGET gpis_program)
  file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(gpis_program PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                        INSTALL_RPATH "$ORIGIN/${lib_from_bin};$ORIGIN;${openblas_dir}")
  install(TARGETS gpis_program)
  if(TARGET gpis_mpi)
    set_target_properties(gpis_mpi PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS gpis_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}) # found by the run path of the program
  endif()
  install(DIRECTORY data/magic04 data/year DESTINATION share/gpis/data) # where `gpis gen` looks, seen from its bin
endif()

# ---- find_package(gpis) --------------------------------------------------------------------------------------------
configure_package_config_file(packaging/gpisConfig.cmake.in ${CMAKE_BINARY_DIR}/packaging/gpisConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# While the major version is 0, a new minor version may break what was built with the one before.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/packaging/gpisConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/packaging/gpisConfig.cmake ${CMAKE_BINARY_DIR}/packaging/gpisConfigVersion.cmake
        DESTINATION ${package_dir})

# ---- pkg-config gpis -----------------------------------------------------------------------------------------------
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
configure_file(packaging/gpis.pc.in ${CMAKE_BINARY_DIR}/packaging/gpis.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/packaging/gpis.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- manual pages, completion --------------------------------------------------------------------------------------
# The program writes its manual pages from its own tables, so that they cannot differ from --help.
if(TARGET gpis_program)
  set(manual ${CMAKE_BINARY_DIR}/manual)
  file(MAKE_DIRECTORY ${manual})
  add_custom_command(OUTPUT ${manual}/gpis.1 COMMAND gpis_program manual --all ${manual} DEPENDS gpis_program VERBATIM)
  add_custom_target(gpis_manual ALL DEPENDS ${manual}/gpis.1)
  install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES packaging/completion/gpis DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES packaging/completion/_gpis DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
