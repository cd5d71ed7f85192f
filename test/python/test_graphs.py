"""The algorithms of tools/examples/graph_algorithms.py, against those of SciPy."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

FILE = Path(__file__).resolve().parents[2] / "tools/examples/graph_algorithms.py"


@pytest.fixture(scope="module")
def graphs():
    spec = importlib.util.spec_from_file_location("graph_algorithms", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def directed(seed, nodes=60, density=0.03):
    graph = sp.random_array((nodes, nodes), density=density, rng=seed, format="csr")
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph


def undirected(seed, density=0.05):
    graph = directed(seed, density=density)
    return sp.csr_array(graph + graph.T)


@pytest.mark.parametrize("seed", range(3))
def test_breadth_first_search_counts_edges(graphs, seed):
    graph = directed(seed)
    expected = csgraph.shortest_path(graph, unweighted=True, indices=0)
    expected[np.isinf(expected)] = -1
    np.testing.assert_array_equal(graphs.breadth_first(graph, 0), expected)


@pytest.mark.parametrize("seed", range(3))
def test_shortest_paths_are_those_of_bellman_and_ford(graphs, seed):
    graph = directed(seed)
    expected = csgraph.bellman_ford(graph, indices=0)
    np.testing.assert_allclose(graphs.shortest_paths(graph, 0), expected)


def test_edges_may_be_negative_but_not_cycles(graphs):
    path = sp.csr_array(([5.0, 2.0, -4.0], ([0, 0, 1], [2, 1, 2])), shape=(3, 3))
    np.testing.assert_array_equal(graphs.shortest_paths(path, 0), [0, 2, -2])
    cycle = sp.csr_array(([1.0, -2.0], ([0, 1], [1, 0])), shape=(2, 2))
    with pytest.raises(ValueError, match="negative length"):
        graphs.shortest_paths(cycle, 0)


@pytest.mark.parametrize("seed", range(3))
def test_components_are_connected(graphs, seed):
    graph = directed(seed, density=0.015)
    number, labels = csgraph.connected_components(graph, directed=False)
    smallest = np.array([np.flatnonzero(labels == n)[0] for n in range(number)])
    np.testing.assert_array_equal(graphs.components(graph), smallest[labels])


@pytest.mark.parametrize("seed", range(3))
def test_ranks_are_a_fixed_point(graphs, seed):
    graph = directed(seed)
    dense, count = graph.toarray(), graph.shape[0]
    weights = dense.sum(1, keepdims=True)
    step = np.divide(
        dense, weights, out=np.full_like(dense, 1 / count), where=weights > 0
    )
    system = np.eye(count) - 0.85 * step.T
    expected = np.linalg.solve(system, np.full(count, 0.15 / count))
    np.testing.assert_allclose(graphs.page_rank(graph), expected, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_triangles_are_those_on_the_diagonal_of_the_cube(graphs, seed):
    graph = undirected(seed)
    dense = (graph.toarray() != 0).astype(int)
    assert graphs.triangles(graph) == np.trace(dense @ dense @ dense) // 6


@pytest.mark.parametrize("k", [3, 4, 5])
def test_each_edge_of_a_truss_has_its_triangles(graphs, k):
    graph = undirected(1, density=0.12)
    dense = (graph.toarray() != 0).astype(int)
    while True:
        support = dense * (dense @ dense)
        kept = (support >= k - 2).astype(int) * dense
        if (kept == dense).all():
            break
        dense = kept
    found = graphs.truss(graph, k)
    np.testing.assert_array_equal(found.toarray(), support * dense)
    assert found.nnz == np.count_nonzero(dense)


def test_the_example_runs(graphs, capsys):
    assert graphs.main() == 0
    assert "crossings are reached" in capsys.readouterr().out
