# mutants.cmake - deliberate errors, each a few lines of source replaced in a copy
#
# SPDX-License-Identifier: MIT
#
# The sources know nothing of mutants. table.cmake lists them:
#
#   mutant(NAME "what is done wrong" tests that must notice...)
#   edit(FILE [=[the text as it is]=] [=[the text as it should not be]=])
#
# A text must be found exactly once in its file, so that the table cannot rot. Three uses:
#
#   -DISG_MUTANT=NAME        a whole build, with all its tests, of the mutated library
#   target mutant_NAME       the named tests alone, linked with the mutated objects before the library
#   cmake -P mutants.cmake   says whether all of the table fits the sources; with MUTANT, TO and FILES,
#                            writes those files of that mutant below TO
cmake_minimum_required(VERSION 3.25) # which a script must say for itself
get_filename_component(mutants_root "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(mutants_script ${CMAKE_CURRENT_LIST_FILE})
if(NOT mutants_table)
  set(mutants_table ${CMAKE_CURRENT_LIST_DIR}/table.cmake)
endif()

# ---- the table: texts are kept in properties, since lists would take their brackets and semicolons
function(mutant name story)
  get_property(names GLOBAL PROPERTY MUTANTS)
  if(name IN_LIST names)
    message(FATAL_ERROR "mutant ${name}: is in the table twice")
  endif()
  set_property(GLOBAL APPEND PROPERTY MUTANTS ${name})
  set_property(GLOBAL PROPERTY MUTANT_${name}_STORY "${story}")
  set_property(GLOBAL PROPERTY MUTANT_${name}_TESTS ${ARGN})
  set_property(GLOBAL PROPERTY MUTANT_${name}_FILES "")
  set_property(GLOBAL PROPERTY MUTANT_LAST ${name})
endfunction()

function(edit file old new)
  get_property(name GLOBAL PROPERTY MUTANT_LAST)
  get_property(files GLOBAL PROPERTY MUTANT_${name}_FILES)
  list(LENGTH files count)
  set_property(GLOBAL APPEND PROPERTY MUTANT_${name}_FILES ${file}) # once for every edit
  set_property(GLOBAL PROPERTY MUTANT_${name}_${count}_OLD "${old}")
  set_property(GLOBAL PROPERTY MUTANT_${name}_${count}_NEW "${new}")
endfunction()

# The text of a file as the mutant has it.
function(mutant_text out name file)
  file(READ ${mutants_root}/${file} text)
  get_property(files GLOBAL PROPERTY MUTANT_${name}_FILES)
  set(count 0)
  foreach(edited IN LISTS files)
    if(edited STREQUAL file)
      get_property(old GLOBAL PROPERTY MUTANT_${name}_${count}_OLD)
      get_property(new GLOBAL PROPERTY MUTANT_${name}_${count}_NEW)
      string(FIND "${text}" "${old}" first)
      string(FIND "${text}" "${old}" last REVERSE)
      if(first EQUAL -1 OR NOT first EQUAL last OR old STREQUAL new)
        message(FATAL_ERROR "mutant ${name}: ${file}: expected this text exactly once:\n${old}")
      endif()
      string(REPLACE "${old}" "${new}" text "${text}")
    endif()
    math(EXPR count "${count} + 1")
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

include(${mutants_table})
get_property(mutants GLOBAL PROPERTY MUTANTS)

# ---- as a script ---------------------------------------------------------------------------------
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  if(DEFINED MUTANT)
    file(GLOB_RECURSE stale RELATIVE ${TO} ${TO}/src/*)
    foreach(file IN LISTS stale) # left by an earlier version of the table
      if(NOT file IN_LIST FILES)
        file(REMOVE ${TO}/${file})
      endif()
    endforeach()
    foreach(file IN LISTS FILES)
      mutant_text(text ${MUTANT} ${file})
      set(before "")
      if(EXISTS ${TO}/${file})
        file(READ ${TO}/${file} before)
      endif()
      if(NOT before STREQUAL text) # what did not change is not compiled again
        file(WRITE ${TO}/${file} "${text}")
      endif()
    endforeach()
  else()
    foreach(name IN LISTS mutants)
      get_property(files GLOBAL PROPERTY MUTANT_${name}_FILES)
      list(REMOVE_DUPLICATES files)
      foreach(file IN LISTS files)
        mutant_text(text ${name} ${file})
      endforeach()
    endforeach()
    list(LENGTH mutants count)
    math(EXPR count "${count} - 1") # one is the control
    message("${count} mutants fit the sources")
  endif()
  return()
endif()

# ---- in a build ----------------------------------------------------------------------------------

# All files that change with some of them: themselves and, of headers, whoever includes them, unit
# tests and their helpers among them.
function(mutant_reach out)
  set(reach ${ARGN})
  set(before "")
  while(reach MATCHES "\\.h" AND NOT before STREQUAL reach)
    set(before "${reach}")
    foreach(pair IN LISTS mutants_includes)
      string(REPLACE "|" ";" pair ${pair})
      list(POP_FRONT pair includer)
      if(pair IN_LIST before)
        list(APPEND reach ${includer})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES reach)
  endwhile()
  set(${out} ${reach} PARENT_SCOPE)
endfunction()

# Who includes what, as "includer|included".
set(mutants_includes "")
foreach(folder src/* tests/unit tests/unit/*)
  file(GLOB files RELATIVE ${mutants_root} ${mutants_root}/${folder}/*.[ch])
  foreach(file IN LISTS files)
    file(STRINGS ${mutants_root}/${file} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${line}")
      if(EXISTS ${mutants_root}/src/${included})
        list(APPEND mutants_includes "${file}|src/${included}")
      else()
        list(APPEND mutants_includes "${file}|tests/unit/${included}")
      endif()
    endforeach()
  endforeach()
endforeach()

# Rules that make the files of a mutant below a directory. Gives those of src, with their names in the
# tree, and the unit tests and helpers that see them.
function(mutant_sources out out_tests name to)
  get_property(files GLOBAL PROPERTY MUTANT_${name}_FILES)
  list(REMOVE_DUPLICATES files)
  mutant_reach(files ${files})
  set(tests ${files})
  list(FILTER tests INCLUDE REGEX "^tests/")
  list(FILTER files EXCLUDE REGEX "^tests/")
  list(TRANSFORM files PREPEND ${to}/ OUTPUT_VARIABLE made)
  list(TRANSFORM files PREPEND ${mutants_root}/ OUTPUT_VARIABLE originals)
  string(REPLACE ";" "$<SEMICOLON>" names "${files}")
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DMUTANT=${name} -DTO=${to} "-DFILES=${names}" -P ${mutants_script}
    DEPENDS ${originals} ${mutants_script} ${mutants_table} VERBATIM
    COMMENT "Mutating for ${name}")
  foreach(file IN LISTS files)
    get_source_file_property(options ${mutants_root}/${file} DIRECTORY ${mutants_root} COMPILE_OPTIONS)
    if(NOT options)
      set(options "")
    endif()
    # An error that the compiler suspects is one all the same.
    set_source_files_properties(${to}/${file} PROPERTIES COMPILE_OPTIONS "${options};-Wno-error")
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
  set(${out_tests} ${tests} PARENT_SCOPE)
endfunction()

# Puts a mutant into the sources of the library, and its headers before theirs.
function(mutate sources name)
  if(NOT name IN_LIST mutants)
    message(FATAL_ERROR "ISG_MUTANT: '${name}' is not in ${mutants_table}")
  endif()
  set(to ${PROJECT_BINARY_DIR}/mutant/${name}) # its own, or headers of another would be found
  mutant_sources(files seeing ${name} ${to})
  set(all ${${sources}})
  foreach(file IN LISTS files)
    list(REMOVE_ITEM all ${mutants_root}/${file})
    list(APPEND all ${to}/${file})
  endforeach()
  if(files MATCHES "\\.h") # for all who see them, tests among them
    include_directories(BEFORE ${to}/src)
  endif()
  set(${sources} ${all} PARENT_SCOPE)
endfunction()

# The tests of a mutant. What the object files before the library define is not taken from it; a
# test that sees a mutated header is compiled anew.
function(add_mutant name)
  set(to ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  mutant_sources(files seeing ${name} ${to})
  list(TRANSFORM files PREPEND ${to}/ OUTPUT_VARIABLE sources)
  get_property(tests GLOBAL PROPERTY MUTANT_${name}_TESTS)
  add_custom_target(mutant_${name})
  foreach(test IN LISTS tests)
    set(program mutant_${name}_${test})
    if(seeing MATCHES "/(${test}|helper_[a-z_]*)\\.c")
      add_executable(${program} EXCLUDE_FROM_ALL ${sources} ${${test}_source} ${helpers})
    else()
      add_executable(${program} EXCLUDE_FROM_ALL ${sources} $<TARGET_OBJECTS:${test}>
        $<TARGET_OBJECTS:test_helpers>)
    endif()
    target_include_directories(${program} BEFORE PRIVATE ${to}/src ${mutants_root}/src
      ${CMAKE_CURRENT_SOURCE_DIR}/unit)
    target_link_libraries(${program} PRIVATE isinglass_static PkgConfig::cmocka)
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${test} RUNTIME_OUTPUT_DIRECTORY ${to})
    add_dependencies(mutant_${name} ${program})
  endforeach()
  get_property(story GLOBAL PROPERTY MUTANT_${name}_STORY)
  list(JOIN tests " " tests)
  file(APPEND ${CMAKE_CURRENT_BINARY_DIR}/mutants/list.txt "${name}|${tests}|${story}\n")
endfunction()

function(add_mutants)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/mutants/list.txt "")
  foreach(name IN LISTS mutants)
    add_mutant(${name})
  endforeach()
endfunction()
