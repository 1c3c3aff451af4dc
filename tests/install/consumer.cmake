# Somebody's project, as its CMakeLists.txt: finds the installed gpis and links with each of its libraries.
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(gpis 0.2 REQUIRED COMPONENTS shared static)
foreach(kind gpis shared static)
  add_executable(consumer_${kind} consumer.c)
  target_link_libraries(consumer_${kind} PRIVATE gpis::${kind} m)
endforeach()
