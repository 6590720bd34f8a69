# hash_sources(<file.cpp> <sources>…): generates lemmata::verify::code_version(), a hash of the sources'
# names and text, made again whenever one of them changes. Run as a script it is its own generator.
if(CMAKE_SCRIPT_MODE_FILE)
    set(all "")
    foreach(source IN LISTS sources)
        file(SHA256 "${source}" hash)
        get_filename_component(name "${source}" NAME)
        string(APPEND all "${name} ${hash}\n")
    endforeach()
    string(SHA256 hash "${all}")
    string(SUBSTRING "${hash}" 0 16 hash)
    file(WRITE "${out}" "#include <lemmata/verify/code_version.hpp>\n
namespace lemmata::verify {\n
std::string_view code_version() {
    return \"${hash}\";
}\n
}  // namespace lemmata::verify\n")
    return()
endif()

function(hash_sources out)
    list(SORT ARGN)
    add_custom_command(
        OUTPUT "${out}"
        COMMAND "${CMAKE_COMMAND}" "-Dout=${out}" "-Dsources=${ARGN}" -P "${PROJECT_SOURCE_DIR}/cmake/hash_sources.cmake"
        DEPENDS ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/hash_sources.cmake"
        COMMENT "Hashing the sources that results depend on"
        VERBATIM)
endfunction()
