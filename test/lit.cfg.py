"""What the lit tests run with: tools, substitutions, features.

Substitutions besides the tools' names: %python (with nacho importable), %isolated
(runs kernels on memory that the host cannot read), %simulated (runs kernels of the gpu
dialect on the simulated GPU), %nacho_plugin (NachoPlugin.so), %nacho_include (our
include directory), the pipelines below, and commands that compile programs and run
them: %sparsifier-nacho, %sparsifier-upstream, %run-main and, without sparse tensors of
MLIR's own library, %direct-nacho and %direct-upstream; %c-compiler makes programs of
what is compiled ahead of time, with %link-program.
Features: `nvptx` (LLVM can emit PTX), `ptxas` (PTX can be assembled), `cuda`
(kernels can run), `thorough` (tests may repeat others, and take long).
"""

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst


def has_cuda_device():
    """Whether the driver is there and finds a device."""
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except (OSError, AttributeError):
        return False


def find_filecheck():
    """LLVM's FileCheck, or else the Python port beside this Python."""
    beside = os.path.join(os.path.dirname(sys.executable), "filecheck")
    return shutil.which("FileCheck", path=config.llvm_tools_dir) or beside


def find_leak_checker():
    """Return the library that finds leaks in a process, if it works here."""
    found = subprocess.run(
        [config.c_compiler, "-print-file-name=liblsan.so"],
        capture_output=True,
        text=True,
        check=False,
    )
    library = found.stdout.strip()
    if config.sanitizers or not os.path.isfile(library):
        return None
    # It stops the threads of the process to look at them, which may be forbidden.
    ends = subprocess.run(
        ["true"], env={**os.environ, "LD_PRELOAD": library}, check=False
    )
    return None if ends.returncode else library


config.name = "Nacho"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "python"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.nacho_test_dir

llvm_config.add_tool_substitutions(
    [
        ToolSubst("FileCheck", command=find_filecheck()),
        ToolSubst("nacho-opt", unresolved="fatal"),
        ToolSubst("nacho-unit", unresolved="fatal"),
        ToolSubst("mlir-opt", unresolved="fatal"),
        ToolSubst("mlir-translate", unresolved="fatal"),
    ],
    [config.nacho_tools_dir, config.llvm_tools_dir],
)
config.substitutions += [
    ("%python", config.python_executable),
    ("%isolated", os.path.join(config.nacho_tools_dir, "isolated")),
    ("%simulated", os.path.join(config.nacho_tools_dir, "simulated")),
    ("%nacho_plugin", config.nacho_plugin),
    ("%nacho_runtime", config.nacho_runtime),
    ("%nacho_include", os.path.join(config.nacho_source_dir, "include")),
]

# A test of one pass says itself which passes make its input, and no others run:
# `nacho-cpu` and its option `until` are for tests of the pipeline as a whole.
config.substitutions += [
    # From statements to loops over tensors.
    ("%{concretize}", "nacho-concretize,cse"),
    # Loops cut into parts of equal cost.
    ("%{cut}", "nacho-partition-loops{cost=nnz},cse,nacho-bound-loops"),
    # The functions partition, assemble and compute of every nest.
    ("%{assemble}", "nacho-assemble-outputs,canonicalize,cse"),
    # All the way to PTX, as text in the gpu.binary ops.
    ("%{ptx}", "builtin.module(nacho-gpu)"),
]

# What compiles a program in MLIR, and what runs it from its function @main.
runner_libraries = ",".join(
    [
        os.path.join(config.llvm_lib_dir, "libmlir_c_runner_utils.so"),
        os.path.join(config.llvm_lib_dir, "libmlir_runner_utils.so"),
        config.nacho_runtime,
    ]
)
runner = os.path.join(config.llvm_tools_dir, "mlir-runner")
run_main = f"{runner} -e main -entry-point-result=void -shared-libs={runner_libraries}"
# A program that leaks memory fails.
leak_checker = find_leak_checker()
if leak_checker:
    run_main = f"env LD_PRELOAD={leak_checker} {run_main}"
folders = {config.llvm_lib_dir, os.path.dirname(config.nacho_runtime)}
link_program = " ".join(
    [
        *runner_libraries.split(","),
        *(f"-Wl,-rpath,{folder}" for folder in sorted(folders)),
        "-lm",
    ]
)
ours = os.path.join(config.nacho_tools_dir, "nacho-opt")
theirs = os.path.join(config.llvm_tools_dir, "mlir-opt")
direct = "enable-runtime-library=false"
config.substitutions += [
    ("%sparsifier-nacho", f"{ours} --nacho-sparsifier"),
    ("%sparsifier-upstream", f"{theirs} --sparsifier"),
    ("%direct-nacho", f"{ours} --nacho-sparsifier={direct}"),
    ("%direct-upstream", f"{theirs} --sparsifier={direct}"),
    ("%run-main", run_main),
    ("%link-program", link_program),
    ("%c-compiler", config.c_compiler),
]

# ptxas lies where the caller's PATH says; `not` and `split-file` are words too
# common for a substitution, and are found beside LLVM's other tools.
llvm_config.with_system_environment(["PATH", "HOME", "OMP_NUM_THREADS"])
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
# What reads memory that is released, or not set yet, reads rubbish.
llvm_config.with_environment("MALLOC_PERTURB_", "165")
llvm_config.with_environment(
    "PYTHONPATH", os.path.join(config.nacho_source_dir, "python")
)

if os.environ.get("NACHO_THOROUGH") == "1":
    config.available_features.add("thorough")
if "NVPTX" in config.llvm_targets:
    config.available_features.add("nvptx")


def ptxas_folders():
    """Return where the wheels of NVIDIA have ptxas."""
    nvidia = importlib.util.find_spec("nvidia")
    places = nvidia.submodule_search_locations if nvidia else ()
    found = [p for place in places for p in Path(place).glob("*/bin/ptxas")]
    return [str(path.parent) for path in found]


for folder in ptxas_folders():
    llvm_config.with_environment("PATH", folder, append_path=True)
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
if has_cuda_device():
    config.available_features.add("cuda")
