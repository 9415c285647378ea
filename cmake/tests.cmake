# SPDX-License-Identifier: Apache-2.0
#
# Tests are found by their names: tests/unit/test_<file>.c is a cmocka program
# with all rooms behind it, tests/e2e/*.sh and tests/structure/*.sh are scripts
# (but for lib.sh, which they read). A script that cannot run here ends with 77.

enable_testing()
set(test_environment
	"HEDDLE=${CMAKE_BINARY_DIR}/heddle"
	"BUILD=${CMAKE_BINARY_DIR}"
	"SOURCE=${PROJECT_SOURCE_DIR}"
	"UBSAN_OPTIONS=print_stacktrace=1")

function(test_properties name label seconds)
	set_tests_properties(${name} PROPERTIES LABELS ${label}
		TIMEOUT ${seconds} SKIP_RETURN_CODE 77
		ENVIRONMENT "${test_environment}")
endfunction()

pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
file(GLOB sources CONFIGURE_DEPENDS tests/unit/test_*.c)
if(NOT CMOCKA_FOUND)
	message(STATUS "cmocka is not installed: no unit tests")
	set(sources)
endif()
# The guest's filter, for tests that play the threads it is made for.
add_library(guest_filter OBJECT EXCLUDE_FROM_ALL src/runtime/filter.c
	src/runtime/order.c src/runtime/shadow.c)
target_include_directories(guest_filter PRIVATE src)
target_compile_definitions(guest_filter PRIVATE _GNU_SOURCE)
target_compile_options(guest_filter PRIVATE -mcx16)
target_link_libraries(guest_filter PRIVATE warnings)

# The collector of access pairs, for its test.
add_library(guest_pairs OBJECT EXCLUDE_FROM_ALL src/runtime/pairs.c
	src/runtime/pairs_plain.c src/runtime/pairs_change.c
	src/runtime/pairs_granules.c src/runtime/pairs_wide.c
	src/runtime/pairs_table.c src/runtime/pairs_loops.c
	src/runtime/pairs_delay.c)
target_include_directories(guest_pairs PRIVATE src)
target_compile_definitions(guest_pairs PRIVATE _GNU_SOURCE)
target_link_libraries(guest_pairs PRIVATE warnings)

# The heap of runs under control, for its test.
add_library(guest_heap OBJECT EXCLUDE_FROM_ALL src/runtime/heap_own.c
	src/runtime/heap_huge.c src/runtime/heap_misuse.c
	src/runtime/heap_poison.c)
target_include_directories(guest_heap PRIVATE src)
target_compile_definitions(guest_heap PRIVATE _GNU_SOURCE)
target_link_libraries(guest_heap PRIVATE warnings)

foreach(source ${sources})
	get_filename_component(name ${source} NAME_WE)
	add_executable(${name} ${source})
	if(name MATCHES "^test_filter")
		target_link_libraries(${name} PRIVATE guest_filter)
	elseif(name MATCHES "^test_(pairs|pairs_race|loop_stack)$")
		target_link_libraries(${name} PRIVATE guest_pairs)
	elseif(name MATCHES "^test_heap")
		target_link_libraries(${name} PRIVATE guest_heap)
	endif()
	set_target_properties(${name} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	target_link_libraries(${name} PRIVATE ${rooms} tool_flags
		PkgConfig::CMOCKA)
	add_test(NAME ${name} COMMAND ${name}
		WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
	test_properties(${name} unit 120)
endforeach()

# Reads filter.c as part of itself.
if(TARGET test_stepped_filter)
	target_sources(test_stepped_filter PRIVATE src/runtime/order.c
		src/runtime/shadow.c)
	target_compile_options(test_stepped_filter PRIVATE -mcx16)
endif()
if(TARGET test_forcing)
	target_sources(test_forcing PRIVATE src/runtime/forcing.c
		src/runtime/force_watch.c)
endif()
if(TARGET test_record)
	target_sources(test_record PRIVATE src/runtime/record.c
		src/runtime/order.c)
endif()

foreach(kind e2e structure)
	file(GLOB sources CONFIGURE_DEPENDS tests/${kind}/*.sh)
	list(FILTER sources EXCLUDE REGEX "/lib\\.sh$")
	foreach(source ${sources})
		get_filename_component(name ${source} NAME_WE)
		add_test(NAME ${name} COMMAND bash ${source}
			WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
		test_properties(${name} ${kind} 300)
	endforeach()
endforeach()

# These compile or run the whole tree or all subjects, and use two processors
# themselves.
foreach(name tidy both_compilers sanitized subjects_build subjects_found)
	if(TEST ${name})
		set_tests_properties(${name} PROPERTIES PROCESSORS 2 TIMEOUT 600)
	endif()
endforeach()
# The longest on one processor begins first, so that the others run beside it.
set_tests_properties(valgrind PROPERTIES TIMEOUT 600 COST 1000)
