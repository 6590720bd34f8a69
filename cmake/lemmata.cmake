# What every library of this project has in common.

# lemmata_library(<area> SOURCES … HEADERS …): target lemmata_<area>, alias lemmata::<area>, with
# public headers below the current directory, installed and checked to compile on their own.
function(lemmata_library area)
    cmake_parse_arguments(arg "" "" "SOURCES;HEADERS" ${ARGN})
    set(target lemmata_${area})
    add_library(${target} ${arg_SOURCES})
    add_library(lemmata::${area} ALIAS ${target})
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}" FILES ${arg_HEADERS})
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${area} POSITION_INDEPENDENT_CODE ON)
    lemmata_tune(${target})
    install(
        TARGETS ${target}
        EXPORT lemmata-targets
        FILE_SET HEADERS)
endfunction()

# Compile for this machine's processor, if wanted.
function(lemmata_tune target)
    if(LEMMATA_NATIVE)
        target_compile_options(${target} PRIVATE -march=native)
    endif()
endfunction()
