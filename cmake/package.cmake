# SPDX-License-Identifier: Apache-2.0
#
# What is installed, and the Debian package made of it. The tool finds the
# guest at ../lib/heddle/libheddle.so as seen from its own directory, and the
# name gcc links at gcc/libtsan.so beside the guest; so the tree can be moved.

set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE
	OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

if(TARGET heddle)
	install(TARGETS heddle DESTINATION bin)
	install(FILES ${CMAKE_BINARY_DIR}/heddle-cc ${CMAKE_BINARY_DIR}/heddle-c++
		DESTINATION bin)
	install(FILES ${CMAKE_BINARY_DIR}/completion.bash RENAME heddle
		DESTINATION share/bash-completion/completions)
	# zsh looks in the first below /usr/local, Debian's in the second
	# below /usr.
	foreach(directory site-functions vendor-completions)
		install(FILES ${CMAKE_BINARY_DIR}/completion.zsh RENAME _heddle
			DESTINATION share/zsh/${directory})
	endforeach()
	install(FILES src/cli/heddle-gdb.py DESTINATION lib/heddle)
endif()
if(TARGET guest)
	install(TARGETS guest DESTINATION lib/heddle)
	install(FILES ${CMAKE_BINARY_DIR}/gcc/libtsan.so
		DESTINATION lib/heddle/gcc)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/include/heddle.h)
	install(FILES include/heddle.h DESTINATION include)
endif()
foreach(section 1 3)
	file(GLOB pages CONFIGURE_DEPENDS man/*.${section})
	install(FILES ${pages} DESTINATION share/man/man${section})
endforeach()
foreach(document README.md CHANGELOG.md)
	if(EXISTS ${PROJECT_SOURCE_DIR}/${document})
		install(FILES ${document} DESTINATION share/doc/heddle)
	endif()
endforeach()
if(EXISTS ${PROJECT_SOURCE_DIR}/LICENSE)
	install(FILES LICENSE DESTINATION share/doc/heddle RENAME copyright)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR "the heddle developers")
set(CPACK_PACKAGE_CONTACT "the heddle developers <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "gcc | clang")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, gdb")
include(CPack)
