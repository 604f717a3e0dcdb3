# autoconf, automake and libtool: configure finds out what it wants to know, and libtool's own way to link C++ works.
source "$RAVEL_SOURCE_DIR/tests/cli/support/wrapper.bash"
for tool in autoreconf libtoolize; do
  command -v $tool >/dev/null || fail "$tool is missing (scripts/packages)"
done

mkdir project && mv main.cpp add.cpp count.c project && cd project
cat >configure.ac <<'END'
AC_INIT([p], [1])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AM_PROG_AR
LT_INIT
AC_PROG_CC
AC_PROG_CXX
AC_LANG([C++])
AC_CHECK_HEADERS([cstdio])
AC_SEARCH_LIBS([pthread_create], [pthread])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
lib_LTLIBRARIES = libadd.la
libadd_la_SOURCES = add.cpp
libadd_la_LDFLAGS = -no-undefined -Wl,-z,defs
bin_PROGRAMS = p c
p_SOURCES = main.cpp
p_LDADD = libadd.la
c_SOURCES = count.c
END
expect 0 autoreconf --install
mkdir build && cd build
# Out of the tree, with the compiler that is not the default, if there is one.
expect 0 ../configure --disable-static CC="$cc --ravel-compiler=${compilers[-1]}" CXX="$cxx --ravel-compiler=${compilers[-1]}"
expect 0 make
for file in .libs/p .libs/libadd.so c; do ours $file; done
hooked ./p
hooked ./c
