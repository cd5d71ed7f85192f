"""Measures one kernel on one workload: results are compared, then peers take turns."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nacho_bench import canonical
from nacho_bench.kernels import Kernel
from nacho_bench.machine import neighbours
from nacho_bench.operands import Operands, moved_bytes
from nacho_bench.peers import OURS, WITNESS
from nacho_bench.process import BLOCKTIME
from nacho_bench.progress import say
from nacho_bench.spread import calmest, summary

if TYPE_CHECKING:
    from nacho_bench.driver import Driver

_PREFERRED = ("scipy", "reference", "graphblas", "mkl")
"""The peers whose results are trusted, in this order, if there is no majority."""
_FAR, _BRIEF, _LONG = 6.0, 0.01, 1.0
"""A peer that takes ``_FAR`` times as long as the fastest is timed only once. The
fastest counts as taking at least ``_BRIEF`` seconds. A far peer that takes more than
``_LONG`` seconds is not even called again: the call that verified it is its time."""
_SIZE = ("digest", "shape", "stored", "nnz", "entries", "bytes")


class Measurement:
    """One kernel on one workload: prepare, verify, time.

    ``known`` is the record of the same pair with another number of threads, or None if
    there is none. With it, results are only compared by their digests.
    """

    def __init__(
        self,
        driver: "Driver",
        kernel: Kernel,
        files: dict[str, str],
        known: dict[str, Any] | None = None,
    ) -> None:
        self.driver = driver
        self.kernel = kernel
        self.files = files
        self.known = known
        self.left_out: dict[str, str] = {}
        self.wrong: dict[str, str] = {}
        self.peers = driver.having(kernel)

    def run(self) -> dict[str, Any]:
        self._all("prepare", kernel=self.kernel.name, files=self.files)
        if self.known:
            seconds = self._compare(self.known["digest"])
            size = {key: self.known[key] for key in _SIZE if key in self.known}
        else:
            truth, seconds, size = self._verify()
            size |= self._size(self.driver.result(truth)) if truth else {}
        for peer, how in self.wrong.items():
            self.peers.remove(peer)
            say(f"{self.kernel.name}: {peer} is WRONG and left out: {how}")
        if self.driver.options.on_gpu and WITNESS in self.peers:
            self.peers.remove(WITNESS)
        record = size | {
            "times": {mode: self._timed(mode, seconds) for mode in self._modes()},
            "checked": len(seconds) - len(self.wrong),
            "wrong": self.wrong,
            "left_out": self.left_out,
        }
        if self.driver.options.beside:
            with neighbours(self.driver.options.beside):
                record["beside"] = self._timed("steady", seconds)
        if self.driver.options.on_gpu and OURS in self.peers:
            record["profile"] = self.driver.ask(OURS, "launches")
        for peer in self.driver.having(self.kernel):
            self.driver.ask(peer, "drop")
            self.driver.result(peer).unlink(missing_ok=True)
        return record

    def _all(self, do: str, **arguments: Any) -> dict[str, dict[str, Any]]:
        """Ask all peers, two at a time; return the answers, without failures."""

        def ask(peer: str) -> dict[str, Any]:
            given = {
                key: value(peer) if callable(value) else value
                for key, value in arguments.items()
            }
            return self._asked(peer, do, **given)

        peers = tuple(self.peers)
        with ThreadPoolExecutor(2) as pool:
            answers = zip(peers, pool.map(ask, peers), strict=True)
            return {peer: answer for peer, answer in answers if answer}

    def _modes(self) -> tuple[str, ...]:
        # "keep" comes before "steady", so that no memory is there yet to be recycled.
        return tuple(sorted(self.driver.options.modes))

    def _asked(self, peer: str, do: str, **arguments: Any) -> dict[str, Any]:
        """Return a peer's answer; if it fails, leave it out and return nothing."""
        answer = self.driver.ask(peer, do, **arguments)
        reason = answer.get("unsuitable") or answer.get("error")
        if reason is None:
            return {"ok": True, **answer}
        self.left_out[peer] = reason
        if peer in self.peers:
            self.peers.remove(peer)
        say(f"{self.kernel.name}: {peer} is left out: {reason}")
        return {}

    def _verify(self) -> tuple[str, dict[str, float], dict[str, Any]]:
        """Return a peer whose result is right, the times of calls, and the digest."""
        answers = self._all("verify", path=lambda p: str(self.driver.result(p)))
        if not answers:
            return "", {}, {}
        paths = {peer: self.driver.result(peer) for peer in answers}
        truth, self.wrong = canonical.majority(paths, _PREFERRED)
        seconds = {peer: answer["seconds"] for peer, answer in answers.items()}
        return truth, seconds, {"digest": answers[truth]["digest"]}

    def _compare(self, right: Sequence[float]) -> dict[str, float]:
        """Compare all digests with the right one; return the times of calls."""
        answers = self._all("verify", path=None)
        for peer, answer in answers.items():
            if not canonical.same_digest(right, answer["digest"]):
                self.wrong[peer] = "its digest differs from that with other threads"
        return {peer: answer["seconds"] for peer, answer in answers.items()}

    def _timed(self, mode: str, seconds: dict[str, float]) -> dict[str, list[float]]:
        """Return the times of all peers; ``seconds`` says how long a call takes."""
        near = self._near(seconds)
        far = {peer: 1 for peer in seconds if peer not in near}
        # Slow peers have been called once, to verify the result; that is enough.
        slow = {peer: [seconds[peer]] for peer in far if seconds[peer] > _LONG}
        peers = [peer for peer in self.peers if peer not in slow]
        if mode == "keep":
            counts = dict.fromkeys(seconds, self.driver.options.rounds) | far
            return self._turns(mode, peers, counts) | _of(slow, self.peers)
        calls = {peer: self._calls(seconds[peer]) for peer in peers}
        return self._steady(calls, near, far) | _of(slow, self.peers)

    def _calls(self, taken: float) -> int:
        """Return how many calls that take so many seconds make one turn."""
        return max(1, min(5, int(self.driver.options.turn / max(taken, 1e-6))))

    def _steady(
        self, calls: dict[str, int], near: set[str], far: dict[str, int]
    ) -> dict[str, list[float]]:
        """Return the times of the calmest of several attempts.

        Peers that are near are measured again while their times are disturbed.
        """
        attempts = {peer: [t] for peer, t in self._rounds(calls, far).items()}
        for _ in range(self.driver.options.repeats):
            again = {
                peer: calls[peer]
                for peer, tried in attempts.items()
                if peer in near and summary(calmest(tried)).is_disturbed
            }
            if not again:
                break
            for peer, times in self._rounds(again, {}).items():
                attempts[peer].append(times)
        return {peer: list(calmest(tried)) for peer, tried in attempts.items()}

    def _near(self, seconds: dict[str, float]) -> set[str]:
        """Return the peers that are timed in full; all others get one turn only."""
        fastest = min((seconds[peer] for peer in self.peers), default=0.0)
        near = {p for p in seconds if seconds[p] <= _FAR * max(fastest, _BRIEF)}
        return near | {OURS}

    def _rounds(
        self, calls: dict[str, int], once: dict[str, int]
    ) -> dict[str, list[float]]:
        """Return, per peer, the median time of each of its turns."""
        options = self.driver.options
        found: dict[str, list[float]] = {}
        for number in range(options.rounds):
            going = [
                peer
                for peer in self.peers
                if peer in calls
                and (number == 0 or peer not in once)
                and sum(found.get(peer, ())) < options.budget
            ]
            for peer, times in self._turns("steady", going, calls).items():
                found.setdefault(peer, []).append(float(np.median(times)))
        return found

    def _turns(
        self, mode: str, peers: Sequence[str], calls: dict[str, int]
    ) -> dict[str, list[float]]:
        found = {}
        budget = self.driver.options.budget
        for peer in tuple(peers):
            time.sleep(2 * BLOCKTIME / 1e3)
            answer = self._asked(
                peer, "time", mode=mode, calls=calls[peer], budget=budget
            )
            if answer:
                found[peer] = answer["times"]
        return found

    def _size(self, truth: Path) -> dict[str, Any]:
        """Return how large operands and result are, and the bytes read and written.

        The shape and the number of stored entries are those of A.
        """
        given = Operands(self.kernel.name, self.files, self.driver.threads)
        keys, _ = canonical.read(truth)
        coords: tuple[np.ndarray, ...] = ()
        if given.shape and self.kernel.result != "dense":
            coords = np.unravel_index(keys, given.shape)
        return {
            "shape": given.shapes["A"],
            "stored": given.coo("A")[1].size,
            "nnz": sum(given.coo(name)[1].size for name in self.kernel.sparse),
            "entries": int(keys.size),
            "bytes": int(moved_bytes(given, coords)),
        }


def _of(times: dict[str, list[float]], peers: Sequence[str]) -> dict[str, list[float]]:
    return {peer: times[peer] for peer in peers if peer in times}
