# cmake --install <build>: the programs, the runtime with the CMake package and pkg-config file that lead to it, what
# ravel prints about itself (man page, completions) and the documentation.
include(GNUInstallDirs)

install(TARGETS ravel ravel-cc ravel-c++ RUNTIME)
# Not CMAKE_INSTALL_LIBDIR: programs and packages find each other by these paths under one prefix.
if(TARGET ravel_rt)
  install(TARGETS ravel_rt LIBRARY DESTINATION lib/ravel)
endif()
if(TARGET ravel_clang_plugin)
  install(TARGETS ravel_clang_plugin LIBRARY DESTINATION lib/ravel)
endif()
install(DIRECTORY "${RAVEL_INSTEAD_OF_LIBTSAN}" DESTINATION lib/ravel)
install(DIRECTORY "${CMAKE_BINARY_DIR}/lib/cmake/ravel" DESTINATION lib/cmake)
install(FILES "${CMAKE_BINARY_DIR}/lib/pkgconfig/ravel.pc" DESTINATION lib/pkgconfig)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/ravel" DESTINATION include)
install(FILES "${CMAKE_SOURCE_DIR}/README.md" TYPE DOC OPTIONAL)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs" "${CMAKE_SOURCE_DIR}/examples" TYPE DOC OPTIONAL)

# ravel_install_output(<path under the prefix> <argument of ravel>...): installs what the built program prints.
function(ravel_install_output path)
  list(JOIN ARGN " " arguments)
  install(CODE "
    set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${path}\")
    execute_process(COMMAND \"$<TARGET_FILE:ravel>\" ${arguments}
                    OUTPUT_VARIABLE text RESULT_VARIABLE code ERROR_VARIABLE error)
    if(code EQUAL 0 AND text)
      message(STATUS \"Installing: \${file}\")
      file(WRITE \"\${file}\" \"\${text}\")
    else()
      message(WARNING \"not installed: ${path} ('ravel ${arguments}' ended with \${code}: \${error})\")
    endif()")
endfunction()

ravel_install_output(${CMAKE_INSTALL_MANDIR}/man1/ravel.1 --man)
ravel_install_output(${CMAKE_INSTALL_DATADIR}/bash-completion/completions/ravel completions bash)
ravel_install_output(${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_ravel completions zsh)
ravel_install_output(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/ravel.fish completions fish)
