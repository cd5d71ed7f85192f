"""Print a program that computes with every function of Functions.def.

With the word `defined`, it has functions of its own by all of their names.
"""

import re
import sys
from pathlib import Path

FORMATS = """
#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>
#each = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}
"""

KERNEL = """
func.func @compute_{name}(%x: tensor<2x{element}, #Vector>) -> tensor<2x{result}> {{
  %zero = arith.constant dense<{zero}> : tensor<2x{result}>
  %y = linalg.generic #each ins(%x : tensor<2x{element}, #Vector>)
      outs(%zero : tensor<2x{result}>) {{
  ^bb0(%a: {element}, %sum0: {result}):
{body}
    linalg.yield %sum{count} : {result}
  }} -> tensor<2x{result}>
  return %y : tensor<2x{result}>
}}
"""

CALL = """
  %dense_{name} = arith.constant dense<{values}> : tensor<2x{element}>
  %x_{name} = sparse_tensor.convert %dense_{name}
      : tensor<2x{element}> to tensor<2x{element}, #Vector>
  %y_{name} = call @compute_{name}(%x_{name})
      : (tensor<2x{element}, #Vector>) -> tensor<2x{result}>
  %shown_{name} = vector.transfer_read %y_{name}[%c0], %zero_{result}
      : tensor<2x{result}>, vector<2x{result}>
  vector.print %shown_{name} : vector<2x{result}>
  bufferization.dealloc_tensor %x_{name} : tensor<2x{element}, #Vector>
  bufferization.dealloc_tensor %y_{name} : tensor<2x{result}>
"""

# Ops by other names than functions, and functions of complex numbers without an op.
OTHERS = {"fmod": "arith.remf", "pow": "math.powf"}
WITHOUT = {"casin", "cacos", "catan", "casinh", "cacosh", "catanh", "csinh", "ccosh"}


def real_body(functions, element):
    """Return the sum of all functions, each where it is defined."""
    lines = [
        f"    %one = arith.constant 1.0 : {element}",
        f"    %more = arith.addf %a, %one : {element}",
    ]
    for n, (name, parameters) in enumerate(functions):
        op = OTHERS.get(name, f"math.{name}")
        arguments = ", ".join(["%more"] * parameters) if name == "acosh" else "%a"
        if parameters == 2:
            arguments = "%a, %a"
        lines += [
            f"    %f{n} = {op} {arguments} : {element}",
            f"    %sum{n + 1} = arith.addf %sum{n}, %f{n} : {element}",
        ]
    return "\n".join(lines)


def complex_body(functions):
    """Return the sum of the magnitudes of all functions that have an op."""
    lines = []
    for n, name in enumerate(functions):
        value = "%a"
        if name != "cabs":
            value = f"%f{n}"
            lines.append(f"    {value} = complex.{name[1:]} %a : complex<f64>")
        lines += [
            f"    %abs{n} = complex.abs {value} : complex<f64>",
            f"    %sum{n + 1} = arith.addf %sum{n}, %abs{n} : f64",
        ]
    return "\n".join(lines)


def main():
    """Print the program."""
    table = Path(sys.argv[1]).read_text()
    real = re.findall(r"^NACHO_REAL\((\w+), (\d)\)", table, re.M)
    real = [(name, int(parameters)) for name, parameters in real]
    everything = re.findall(r"^NACHO_COMPLEX\((\w+),", table, re.M)
    functions = [name for name in everything if name not in WITHOUT]
    print(FORMATS)
    if "defined" in sys.argv:
        names = [name for name, _ in real] + [f"{name}f" for name, _ in real]
        for name in names + everything:
            print(f"func.func @{name}() {{ return }}")
    calls = []
    for element in ("f32", "f64"):
        given = {"name": element, "element": element, "result": element}
        body = real_body(real, element)
        print(KERNEL.format(**given, zero="0.0", body=body, count=len(real)))
        calls.append(CALL.format(**given, values="[0.25, 0.5]"))
    given = {"name": "complex", "element": "complex<f64>", "result": "f64"}
    body = complex_body(functions)
    print(KERNEL.format(**given, zero="0.0", body=body, count=len(functions)))
    calls.append(CALL.format(**given, values="[(0.25, 0.5), (0.5, -1.5)]"))
    print("func.func @main() {\n  %c0 = arith.constant 0 : index")
    for element in ("f32", "f64"):
        print(f"  %zero_{element} = arith.constant 0.0 : {element}")
    print("".join(calls), "  return\n}", sep="")


if __name__ == "__main__":
    main()
