# find_package(lemmata) for others.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lemmata")
install(
    EXPORT lemmata-targets
    NAMESPACE lemmata::
    DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lemmata-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/lemmata-config-version.cmake" cmake/lemmata-config.cmake
        DESTINATION "${package_dir}")
