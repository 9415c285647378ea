# SPDX-License-Identifier: Apache-2.0
#
# cmake -DOUT=FILE -DIN=a;b -P embed.cmake: files as arrays of C, each with a
# zero byte behind. page.js becomes page_js.

set(text "/* Made by cmake/embed.cmake. */\n#include \"report/page.h\"\n")
foreach(file ${IN})
	get_filename_component(name ${file} NAME)
	string(REPLACE "." "_" name ${name})
	file(READ ${file} hex HEX)
	string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
	string(APPEND text
		"const unsigned char ${name}[] = { ${bytes}0 };\n")
endforeach()
file(WRITE ${OUT} "${text}")
