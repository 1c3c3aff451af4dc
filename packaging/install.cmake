# What `cmake --install` puts where. The installed tree can be moved: nothing in it knows its own prefix.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpis)
get_filename_component(openblas_dir ${OPENBLAS_OPENMP} DIRECTORY)

# Other builds of OpenBLAS may stand first in the loader's search; the library names the folder of the one it needs.
set_target_properties(gpis_shared PROPERTIES INSTALL_RPATH ${openblas_dir})
# For the installed static library, gpis::dependencies of gpisConfig.cmake stands for all it is linked with.
target_link_libraries(gpis_static PRIVATE $<INSTALL_INTERFACE:gpis::dependencies>)

install(FILES include/gpis.h TYPE INCLUDE)
install(FILES LICENSE TYPE DOC)
foreach(kind shared static)
  install(TARGETS gpis_${kind} EXPORT gpis_${kind}_targets DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT gpis_${kind}_targets NAMESPACE gpis:: FILE gpis-${kind}.cmake DESTINATION ${package_dir})
endforeach()
if(TARGET gpis_program)
  set_target_properties(gpis_program PROPERTIES INSTALL_RPATH
                        "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${openblas_dir}")
  install(TARGETS gpis_program)
  if(TARGET gpis_mpi)
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
