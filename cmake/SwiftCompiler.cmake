# SPDX-License-Identifier: Apache-2.0
#
# Looks for a Swift compiler that can build the overlay, and decides by
# OBV_SWIFT whether it is built. Sets
#
#     OBV_SWIFT_ENABLED   whether it is
#     OBV_SWIFTC          the compiler
#     OBV_SWIFT_CLANG     the C compiler of the same toolchain
#     OBV_SWIFT_VERSION   its version, such as 6.3.1
#     OBV_SWIFT_TRIPLE    the name of the file inside a .swiftmodule folder
#     OBV_SWIFT_PLATFORM  the name of the folder below lib/swift
#
# The language support of CMake is not used: until 3.29 a whole-module build
# with it is never up to date, it knows of no headers, and it wants Ninja.

# obv_find_swift(VARIABLE): what is in the way, or nothing.
function(obv_find_swift problem)
    set(${problem} "" PARENT_SCOPE)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/Sources/ObservableSwift)
        set(${problem} "its sources are not here" PARENT_SCOPE)
        return()
    endif()
    if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR CMAKE_CROSSCOMPILING)
        set(${problem} "only a native build on Linux has it" PARENT_SCOPE)
        return()
    endif()
    if(CMAKE_CONFIGURATION_TYPES)
        set(${problem} "${CMAKE_GENERATOR} builds several configurations"
            PARENT_SCOPE)
        return()
    endif()
    if(OBV_SANITIZE)
        set(${problem} "OBV_SANITIZE is for C alone" PARENT_SCOPE)
        return()
    endif()

    find_program(OBV_SWIFTC swiftc DOC "The Swift compiler")
    mark_as_advanced(OBV_SWIFTC)
    if(NOT OBV_SWIFTC)
        set(${problem} "no swiftc is found" PARENT_SCOPE)
        return()
    endif()
    execute_process(COMMAND ${OBV_SWIFTC} -print-target-info
        OUTPUT_VARIABLE info ERROR_VARIABLE failed RESULT_VARIABLE status)
    if(status)
        set(${problem} "${OBV_SWIFTC} does not run: ${failed}" PARENT_SCOPE)
        return()
    endif()
    string(JSON version GET "${info}" compilerVersion)
    string(JSON triple GET "${info}" target moduleTriple)
    string(JSON resources GET "${info}" paths runtimeResourcePath)
    string(JSON runtime GET "${info}" paths runtimeLibraryPaths 0)
    string(REGEX MATCH "Swift version ([0-9.]+)" version "${version}")
    set(version ${CMAKE_MATCH_1})
    if(version VERSION_LESS 6.2)
        set(${problem} "${OBV_SWIFTC} is ${version}, 6.2 is needed"
            PARENT_SCOPE)
        return()
    endif()
    # Next to the compiler that is found, or to the one that a link leads to.
    cmake_path(SET bin NORMALIZE ${resources}/../../bin)
    find_program(OBV_SWIFT_CLANG clang HINTS ${bin} NO_DEFAULT_PATH
                 DOC "The C compiler of the Swift toolchain")
    mark_as_advanced(OBV_SWIFT_CLANG)
    if(NOT OBV_SWIFT_CLANG)
        set(${problem} "no clang is in ${bin}" PARENT_SCOPE)
        return()
    endif()
    cmake_path(GET runtime FILENAME platform)
    set(OBV_SWIFT_VERSION ${version} PARENT_SCOPE)
    set(OBV_SWIFT_TRIPLE ${triple} PARENT_SCOPE)
    set(OBV_SWIFT_PLATFORM ${platform} PARENT_SCOPE)
endfunction()

set(OBV_SWIFT_ENABLED OFF)
if(OBV_SWIFT)
    obv_find_swift(problem)
    if(problem STREQUAL "")
        set(OBV_SWIFT_ENABLED ON)
        message(STATUS "Swift overlay: with Swift ${OBV_SWIFT_VERSION}")
    elseif(OBV_SWIFT STREQUAL AUTO)
        message(STATUS "Swift overlay: not built, ${problem}")
    else()
        message(FATAL_ERROR "OBV_SWIFT=${OBV_SWIFT}: ${problem}")
    endif()
endif()

# What everything in Swift is compiled with.
string(TOUPPER "${CMAKE_BUILD_TYPE}" kind)
set(OBV_SWIFT_FLAGS_DEBUG -Onone -g)
set(OBV_SWIFT_FLAGS_RELEASE -O)
set(OBV_SWIFT_FLAGS_RELWITHDEBINFO -O -g)
set(OBV_SWIFT_FLAGS_MINSIZEREL -Osize)
set(OBV_SWIFT_FLAGS
    -swift-version 6 -wmo -package-name observable ${OBV_SWIFT_FLAGS_${kind}})
if(OBV_WERROR)
    list(APPEND OBV_SWIFT_FLAGS -warnings-as-errors)
endif()

# obv_add_swift_program(NAME SOURCE...): a program that uses the overlay of this
# build, as ${CMAKE_CURRENT_BINARY_DIR}/NAME; the target is NAME_build.
function(obv_add_swift_program name)
    set(program ${CMAKE_CURRENT_BINARY_DIR}/${name})
    set(include
        $<TARGET_PROPERTY:observable::swift,INTERFACE_INCLUDE_DIRECTORIES>)
    add_custom_command(
        OUTPUT ${program}
        COMMAND ${OBV_SWIFTC} -emit-executable ${OBV_SWIFT_FLAGS}
                -module-name ${name} -I "$<JOIN:${include},;-I;>"
                -L ${PROJECT_BINARY_DIR} $<TARGET_LINKER_FILE:observable>
                -Xlinker -rpath -Xlinker ${PROJECT_BINARY_DIR}
                -o ${program} ${ARGN}
        DEPENDS ${ARGN} $<TARGET_FILE:observable::swift> observable
        COMMENT "Building ${name}"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(${name}_build ALL DEPENDS ${program})
    add_dependencies(${name}_build observable_swift_build)
endfunction()
