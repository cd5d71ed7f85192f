"""Algorithms of graphs, whose steps are expressions under semirings.

usage: tools/dev python tools/examples/graph_algorithms.py

A graph is a sparse matrix, with an entry A[i,j] for the edge from node i to node j. A
step of an algorithm is a product of the matrix with a vector, or with itself, in which
other operators stand for + and *: a path takes the smaller one of two lengths, and adds
up the lengths of its edges.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import nacho

Graph = sp.csr_array
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def breadth_first(graph: Graph, source: int) -> Integers:
    """Return how many edges the shortest path to each node has; -1 without a path.

    The frontier is a sparse vector: a step reads the rows of its nodes only.
    """
    levels = np.full(graph.shape[0], -1)
    levels[source] = 0
    frontier = nacho.Tensor.from_coo([[source]], [True], shape=levels.shape)
    while frontier.nnz:
        reached = nacho.evaluate(
            "n[j] = f[i] * A[i,j]",
            f=frontier,
            A=graph,
            semiring="any_pair",
            out="sparse-vector",
        )
        frontier = nacho.evaluate(
            "f[j] = keep(n[j], v[j] < 0)", n=reached, v=levels, out="sparse-vector"
        )
        levels[frontier.coords[0]] = levels.max() + 1
    return levels


def shortest_paths(graph: Graph, source: int) -> Floats:
    """Return the length of the shortest path to each node: Bellman and Ford's way.

    Lengths of edges may be negative, but no cycle may get shorter and shorter.
    """
    lengths = np.full(graph.shape[0], np.inf)
    lengths[source] = 0
    for _ in range(graph.shape[0]):
        step = nacho.evaluate(
            "e[j] = d[j] + d[i] * A[i,j]", d=lengths, A=graph, semiring="min_plus"
        )
        if np.array_equal(step, lengths):
            return lengths
        lengths = step
    raise ValueError("a cycle of negative length has no shortest path")


def components(graph: Graph) -> Integers:
    """Return, per node, the smallest node that is connected with it."""
    labels = np.arange(graph.shape[0])
    while True:
        step = nacho.evaluate(
            "m[i] = l[i] + A[i,j] * l[j] + A[j,i] * l[j]",
            l=labels,
            A=graph,
            semiring="min_second",
        )
        if np.array_equal(step, labels):
            return labels
        labels = step


def page_rank(graph: Graph, damping: float = 0.85, tolerance: float = 1e-12) -> Floats:
    """Return how often someone is at each node who follows edges at random.

    At a node without edges, and else with a probability of 1 - damping, the next node
    is any node.
    """
    count = graph.shape[0]
    weights = nacho.evaluate("w[i] = sum(j, A[i,j])", A=graph)
    share = np.divide(1, weights, out=np.zeros(count), where=weights != 0)
    ranks = np.full(count, 1 / count)
    while True:
        lost = 1 - damping * ranks[weights != 0].sum()
        step = nacho.evaluate(
            "r[j] = damping * q[i] * s[i] * A[i,j] + lost / count",
            {"q": ranks, "s": share, "A": graph, "damping": damping}
            | {"lost": lost, "count": float(count)},
        )
        if np.abs(step - ranks).sum() < tolerance:
            return step
        ranks = step


def triangles(graph: Graph) -> int:
    """Return how many triples of nodes are neighbours of each other.

    Edges go both ways; their weights do not matter.
    """
    lower = sp.csr_array(sp.tril(graph, -1))
    counted = nacho.evaluate(
        "t = L[i,j] * L[i,k] * L[j,k]", L=lower, semiring="plus_pair"
    )
    return int(counted)


def truss(graph: Graph, k: int) -> Graph:
    """Return the k-truss: each edge is part of k - 2 triangles of its edges.

    Edges go both ways; the values of the result are the numbers of triangles.
    """
    kept = graph
    while True:
        support = nacho.evaluate(
            "S[i,j] = T[i,j] * T[i,k] * T[j,k]", T=kept, semiring="plus_pair"
        )
        found = nacho.evaluate("T[i,j] = keep(S[i,j], S[i,j] >= n)", S=support, n=k - 2)
        if found.nnz == kept.nnz:
            return found
        kept = found


def road_map(side: int = 30, seed: int = 0) -> Graph:
    """Return a grid whose edges go both ways, with random lengths; some are missing."""
    random = np.random.default_rng(seed)
    nodes = np.arange(side * side).reshape(side, side)
    ends = np.concatenate(
        [
            np.stack([nodes[:-1].ravel(), nodes[1:].ravel()]),
            np.stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()]),
        ],
        axis=1,
    )
    ends = ends[:, random.random(ends.shape[1]) < 0.9]
    lengths = random.uniform(1, 10, ends.shape[1])
    shape = (side * side, side * side)
    one_way = sp.coo_array((lengths, (ends[0], ends[1])), shape=shape)
    return sp.csr_array(one_way + one_way.T)


def main() -> int:
    graph = road_map()
    levels = breadth_first(graph, 0)
    lengths = shortest_paths(graph, 0)
    labels, sizes = np.unique(components(graph), return_counts=True)
    random = sp.random_array((300, 300), density=0.03, rng=0)
    friends = sp.csr_array(random + random.T)
    print(
        f"{np.count_nonzero(levels >= 0)} of {graph.shape[0]} crossings are reached, "
        f"the last one by {levels.max()} roads",
        f"the longest way is {lengths[np.isfinite(lengths)].max():.1f} long",
        f"{labels.size} components, the largest with {sizes.max()} crossings",
        f"crossing {page_rank(graph).argmax()} is passed most often",
        f"{triangles(friends)} triangles of friends, "
        f"{truss(friends, 3).nnz // 2} pairs in the 3-truss",
        sep="\n",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
