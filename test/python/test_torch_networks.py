"""Graph networks train by gradients of expressions, in tools/examples."""

import importlib.util
from pathlib import Path

import pytest

from libraries import needed
from nacho._nacho import SANITIZER

if SANITIZER != "none":
    pytest.skip("PyTorch is not made for sanitizers", allow_module_level=True)
torch = needed("torch")

# PyTorch says once per process that its csr is in beta.
pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")

FILE = Path(__file__).resolve().parents[2] / "tools/examples/graph_networks.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("graph_networks", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def convolved(network, A, X):
    hidden = (A @ X @ network.first.weights).relu()
    return A @ hidden @ network.second.weights


def attended(network, A, X):
    """Attention as PyTorch computes it with dense matrices."""
    V = network.inner(X)
    scores = (V @ network.receiver)[:, None] + (V @ network.sender)[None, :]
    scores = torch.nn.functional.leaky_relu(scores, 0.2)
    scores = scores.masked_fill(A == 0, -torch.inf)
    return network.outer((scores.softmax(1) @ V).tanh())


@pytest.mark.parametrize("name, dense", [("GCN", convolved), ("GAT", attended)])
def test_gradients_are_those_of_dense_layers(example, name, dense):
    torch.manual_seed(3)
    graph = example.communities(30)
    network = getattr(example, name)().double()
    A, X = graph.adjacency.double(), graph.features.double().requires_grad_()
    inputs = (X, *network.parameters())
    found, wanted = network(A, X), dense(network, A.to_dense(), X)
    torch.testing.assert_close(found, wanted)
    cotangent = torch.randn_like(found)
    mine = torch.autograd.grad(found, inputs, cotangent)
    theirs = torch.autograd.grad(wanted, inputs, cotangent)
    for each, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(each, other)


@pytest.mark.parametrize("name", ["GCN", "GAT"])
def test_networks_learn(example, name):
    torch.manual_seed(0)
    graph, network = example.communities(), getattr(example, name)()
    losses = example.train(network, graph)
    assert losses[-1] < losses[0] / 2
    assert example.accuracy(network, graph) > 0.75


def test_it_runs_as_a_program(example, capsys):
    assert example.main() == 0
    assert capsys.readouterr().out.count("are classified rightly") == 2
