"""Trains two graph networks, whose layers are expressions over a sparse matrix.

usage: tools/dev python tools/examples/graph_networks.py

A graph convolution (GCN) averages over the neighbours of a node, and graph attention
(GAT) weighs them. PyTorch trains them by the gradients of nacho.torch.evaluate. The
graph is a random one, with three communities; the networks learn who belongs to which.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import nn

from nacho.torch import evaluate

CLASSES = 3


class Graph(NamedTuple):
    """Nodes with features and labels, and who is a neighbour of whom."""

    adjacency: torch.Tensor
    """In CSR: row i has the neighbours of i, and i itself, with equal weights."""
    features: torch.Tensor
    labels: torch.Tensor


def communities(nodes: int = 90, seed: int = 0) -> Graph:
    """Return a random graph, in which most neighbours have the same label."""
    random = torch.Generator().manual_seed(seed)
    labels = torch.arange(nodes) % CLASSES
    same = labels[:, None] == labels[None, :]
    chance = torch.where(same, 0.15, 0.02)
    linked = torch.rand(nodes, nodes, generator=random) < chance
    linked = linked | linked.T | torch.eye(nodes, dtype=torch.bool)
    weights = linked / linked.sum(1, keepdim=True)
    noise = torch.randn(nodes, CLASSES, generator=random)
    features = nn.functional.one_hot(labels, CLASSES) + 1.5 * noise
    return Graph(weights.to_sparse_csr(), features, labels)


class Convolution(nn.Module):
    """A layer that multiplies the mean of the neighbours by a matrix."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(
            nn.init.xavier_uniform_(torch.empty(inputs, outputs))
        )

    def forward(self, A: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        return evaluate("Y[i,f] = A[i,j] * X[j,g] * W[g,f]", A=A, X=X, W=self.weights)


class GCN(nn.Module):
    """Two convolutions with a rectifier in between."""

    def __init__(self, hidden: int = 8) -> None:
        super().__init__()
        self.first = Convolution(CLASSES, hidden)
        self.second = Convolution(hidden, CLASSES)

    def forward(self, A: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        return self.second(A, self.first(A, X).relu())


class GAT(nn.Module):
    """A layer in which a node attends to its neighbours, and a linear one.

    The weight of a neighbour is a softmax, over the row, of what two vectors say of the
    two nodes. It is a sparse matrix with the entries of the adjacency matrix.
    """

    def __init__(self, hidden: int = 8) -> None:
        super().__init__()
        self.inner = nn.Linear(CLASSES, hidden, bias=False)
        self.receiver = nn.Parameter(torch.randn(hidden) / hidden)
        self.sender = nn.Parameter(torch.randn(hidden) / hidden)
        self.outer = nn.Linear(hidden, CLASSES)

    def forward(self, A: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        V = self.inner(X)
        E = evaluate(
            "E[i,j] = pattern(A)[i,j] * exp(max(s[i] + t[j], 0.2 * (s[i] + t[j])))",
            A=A,
            s=V @ self.receiver,
            t=V @ self.sender,
        )
        attended = evaluate("Y[i,f] = E[i,j] / sum(k, E[i,k]) * V[j,f]", E=E, V=V)
        return self.outer(attended.tanh())


def train(network: nn.Module, graph: Graph, steps: int = 100) -> list[float]:
    """Train a network, and return the loss before each step."""
    optimizer = torch.optim.Adam(network.parameters(), lr=0.05)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        predicted = network(graph.adjacency, graph.features)
        loss = nn.functional.cross_entropy(predicted, graph.labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def accuracy(network: nn.Module, graph: Graph) -> float:
    """Return which part of the nodes is classified as it should be."""
    with torch.no_grad():
        predicted = network(graph.adjacency, graph.features).argmax(1)
    return (predicted == graph.labels).double().mean().item()


def main() -> int:
    graph = communities()
    networks: tuple[Callable[[], nn.Module], ...] = (GCN, GAT)
    for make in networks:
        torch.manual_seed(0)
        network = make()
        losses = train(network, graph)
        print(
            f"{make.__name__}: loss {losses[0]:.3f} -> {losses[-1]:.3f}, "
            f"{accuracy(network, graph):.0%} of the nodes are classified rightly"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
