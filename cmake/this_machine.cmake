# What a build for one machine alone (KETTE_NATIVE) asks of it.

# The best kernels that its CPU runs: v4, v3, or base for plain x86-64. By the loader, which chooses among them
# in other builds (ld.so(8), "glibc-hwcaps"); "" where it does not tell.
function(find_kernel_level result)
  execute_process(COMMAND /lib64/ld-linux-x86-64.so.2 --help OUTPUT_VARIABLE help RESULT_VARIABLE failed ERROR_QUIET)
  set(level "")
  if(NOT failed AND help MATCHES "x86-64-v3")
    set(level base)
    foreach(better v3 v4)
      if(help MATCHES "x86-64-${better} \\(supported")
        set(level ${better})
      endif()
    endforeach()
  endif()
  set(${result} "${level}" PARENT_SCOPE)
endfunction()

# The architectures of its GPUs, as CMake names them; "" if none answers.
function(find_gpu_architectures result)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities RESULT_VARIABLE failed ERROR_QUIET)
  set(architectures "")
  if(NOT failed)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" architectures "${capabilities}")
    list(REMOVE_DUPLICATES architectures)
    list(TRANSFORM architectures REPLACE "\\." "")
    list(TRANSFORM architectures APPEND "-real")
  endif()
  set(${result} "${architectures}" PARENT_SCOPE)
endfunction()
