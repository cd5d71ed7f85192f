"""Assembles the PTX in the gpu.binary ops of a module, which has all kernels.

usage: assemble_ptx.py FILE.mlir CHIP

Prints for each kernel how many registers it takes, and the bytes that are spilled.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

BINARY = re.compile(r'gpu\.binary @(\w+) .*?assembly = "((?:[^"\\]|\\.)*)"')
ESCAPE = re.compile(r'\\([0-9A-F]{2}|["\\])')
KERNEL = re.compile(
    r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores.*?Used (\d+) reg",
    re.DOTALL,
)


def unescape(text: str) -> str:
    r"""Undo MLIR's escapes: \0A, \", \\."""

    def replace(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code, 16)) if len(code) == 2 else code

    return ESCAPE.sub(replace, text).rstrip("\0")


def main(path: str, chip: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        for _, text in BINARY.findall(Path(path).read_text()):
            ptx.write_text(unescape(text))
            command = ["ptxas", "-v", f"-arch={chip}", "-o", str(cubin), str(ptx)]
            done = subprocess.run(
                command, check=True, text=True, stderr=subprocess.PIPE
            )
            for name, spilled, registers in KERNEL.findall(done.stderr):
                print(f"{name}: {registers} registers, {spilled} bytes spilled")


if __name__ == "__main__":
    main(*sys.argv[1:])
