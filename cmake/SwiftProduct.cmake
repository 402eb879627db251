# SPDX-License-Identifier: Apache-2.0
#
# obv_add_swift_product(MODULE): the Swift module of the folder that calls it,
# which needs ObservableSwift and what comes with the compiler: libMODULE, shared
# and static, built and installed as the overlay is
# (Sources/ObservableSwift/CMakeLists.txt). observableSwift.cmake.in has its
# targets.
function(obv_add_swift_product module)
    set(folder ${PROJECT_BINARY_DIR}/swift)
    set(shared ${PROJECT_BINARY_DIR}/lib${module}.so)
    set(static ${PROJECT_BINARY_DIR}/lib${module}.a)
    set(soname lib${module}.so.${PROJECT_VERSION})
    set(object ${folder}/${module}_product.o)
    set(compiled ${object} ${folder}/${module}.swiftmodule
                 ${folder}/${module}.swiftdoc)
    # What it imports would have the shared libraries linked into a static program.
    set(without "")
    foreach(library ObservableSwift observable)
        list(APPEND without
             -Xfrontend -disable-autolink-library -Xfrontend ${library})
    endforeach()
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.swift)
    add_custom_command(
        OUTPUT ${compiled}
        COMMAND ${OBV_SWIFTC} -c -parse-as-library ${OBV_SWIFT_FLAGS}
                -module-name ${module} -module-link-name ${module}
                -emit-module -emit-module-path ${folder}/${module}.swiftmodule
                -Xfrontend -no-serialize-debugging-options
                ${without}
                -I ${folder} -I ${PROJECT_SOURCE_DIR}/include
                -I ${PROJECT_SOURCE_DIR}/Sources/ObservableRuntime/include
                -o ${object} ${sources}
        COMMAND ${CMAKE_COMMAND} -E touch ${compiled}
        DEPENDS ${sources} ${folder}/ObservableSwift.swiftmodule
        COMMENT "Compiling the Swift module ${module}"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_command(
        OUTPUT ${shared}
        COMMAND ${OBV_SWIFTC} -emit-library -module-name ${module}
                -o ${PROJECT_BINARY_DIR}/${soname} ${object}
                ${PROJECT_BINARY_DIR}/libObservableSwift.so
                $<TARGET_LINKER_FILE:observable>
                -Xlinker -soname -Xlinker ${soname}
                -Xlinker -rpath -Xlinker $ORIGIN
                -Xlinker --no-undefined
        COMMAND ${CMAKE_COMMAND} -E create_symlink ${soname} ${shared}
        DEPENDS ${object} ${PROJECT_BINARY_DIR}/libObservableSwift.so observable
        COMMENT "Linking ${soname}"
        VERBATIM)
    add_custom_command(
        OUTPUT ${static}
        COMMAND ${CMAKE_COMMAND} -E rm -f ${static}
        COMMAND ${CMAKE_AR} qcs ${static} ${object}
        DEPENDS ${object}
        COMMENT "Linking lib${module}.a"
        VERBATIM)
    add_custom_target(${module}_build ALL DEPENDS ${shared} ${static})
    add_dependencies(${module}_build observable_swift_build)

    install(PROGRAMS ${PROJECT_BINARY_DIR}/${soname}
            DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES ${shared} ${static} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(kind swiftmodule swiftdoc)
        install(FILES ${folder}/${module}.${kind}
                DESTINATION
                ${CMAKE_INSTALL_LIBDIR}/swift/${OBV_SWIFT_PLATFORM}/${module}.swiftmodule
                RENAME ${OBV_SWIFT_TRIPLE}.${kind})
    endforeach()
endfunction()
