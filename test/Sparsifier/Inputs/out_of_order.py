"""Writes a program with tensors whose entries are in random order, or what it prints.

Each tensor has the same elements, but other levels; the program prints, for each of
them, the sum of its elements times weights that tell their places apart.
"""

import sys

import numpy as np

SHAPE = (4, 5, 6)
PLACE, MORE = "nonordered", "nonunique, nonordered"
SINGLETON = f"singleton({MORE}, soa)"
FORMATS = {
    "Trees": [f"compressed({PLACE})"] * 3,
    "Rows": ["dense", f"compressed({PLACE})", f"compressed({PLACE})"],
    "Inner": ["dense", "dense", f"compressed({PLACE})"],
    "Outer": [f"compressed({PLACE})", "compressed", "dense"],
    "Gaps": ["dense", "dense", f"loose_compressed({PLACE})"],
    "List": [f"compressed({MORE})", SINGLETON, f"singleton({PLACE}, soa)"],
}


def fibers_of(level, kind, groups, rng):
    """The children of each group of entries: coordinates, and their entries."""
    fibers = []
    for group in groups:
        places = range(SHAPE[level]) if kind == "dense" else np.unique(group[:, level])
        if PLACE in kind:
            places = rng.permutation(places)
        fibers.append([(x, group[group[:, level] == x]) for x in places])
    return fibers


def pack(kinds, entries, rng):
    """The arrays of all levels, and the values."""
    groups, arrays = [entries], []
    if kinds[1].startswith("singleton"):
        rows = rng.permutation(entries)
        arrays = [np.array([0, len(rows)]), rows[:, 0], rows[:, 1], rows[:, 2]]
        return arrays, rows[:, 3]
    for level, kind in enumerate(kinds):
        fibers = fibers_of(level, kind, groups, rng)
        groups = [group for fiber in fibers for _, group in fiber]
        if kind == "dense":
            continue
        ends = np.cumsum([len(fiber) for fiber in fibers])
        begins = np.append(0, ends[:-1])
        is_loose = kind.startswith("loose")
        pos = np.stack([begins, ends], 1).ravel() if is_loose else np.append(0, ends)
        arrays += [pos, np.array([x for fiber in fibers for x, _ in fiber])]
    return arrays, np.array([group[0, 3] if len(group) else 0 for group in groups])


def constant(name, array, element):
    type = f"tensor<{'x'.join(map(str, array.shape))}x{element}>"
    return f"  %{name} = arith.constant dense<{array.tolist()}> : {type}\n", type


def program(entries, weights, rng):
    head = """#map = affine_map<(i, j, k) -> (i, j, k)>
#sum = { indexing_maps = [#map, #map, affine_map<(i, j, k) -> ()>],
  iterator_types = ["reduction", "reduction", "reduction"] }
"""
    body, weight_type = constant("weights", weights, "i64")
    body += "  %zero = arith.constant dense<0> : tensor<i64>\n"
    for name, kinds in FORMATS.items():
        levels = ", ".join(f"d{n} : {kind}" for n, kind in enumerate(kinds))
        encoding = f"map = (d0, d1, d2) -> ({levels})"
        head += f"#{name} = #sparse_tensor.encoding<{{ {encoding} }}>\n"
        arrays, values = pack(kinds, entries, rng)
        parts = [
            constant(f"{name}{n}", array, "index") for n, array in enumerate(arrays)
        ]
        text, value_type = constant(f"{name}_values", values, "i64")
        body += "".join(line for line, _ in parts) + text
        names = ", ".join(f"%{name}{n}" for n in range(len(parts)))
        types = ", ".join(type for _, type in parts)
        type = f"tensor<{'x'.join(map(str, SHAPE))}xi64, #{name}>"
        body += f"""  %{name} = sparse_tensor.assemble ({names}), %{name}_values
      : ({types}), {value_type} to {type}
  %{name}_sum = linalg.generic #sum ins(%{name}, %weights : {type}, {weight_type})
      outs(%zero : tensor<i64>) {{
  ^bb0(%a: i64, %w: i64, %s: i64):
    %0 = arith.muli %a, %w : i64
    %1 = arith.addi %s, %0 : i64
    linalg.yield %1 : i64
  }} -> tensor<i64>
  %{name}_number = tensor.extract %{name}_sum[] : tensor<i64>
  vector.print %{name}_number : i64
  bufferization.dealloc_tensor %{name}_sum : tensor<i64>
"""
    return f"{head}func.func @main() {{\n{body}  return\n}}\n"


def main():
    rng = np.random.default_rng(11)
    weights = rng.permutation(np.prod(SHAPE)).reshape(SHAPE) + 1
    coords = np.argwhere(rng.random(SHAPE) < 0.4)
    entries = np.column_stack([coords, rng.integers(1, 100, len(coords))])
    if sys.argv[1] == "program":
        print(program(entries, weights, rng))
        return
    total = (entries[:, 3] * weights[tuple(coords.T)]).sum()
    print("\n".join([str(total)] * len(FORMATS)))


main()
