"""A simulation of KEDA's autoscaler, and a deterministic model of it, for `benchmarks.capacity`.

Theory of operation. KEDA reports the number of unfinished jobs to Kubernetes. While there is at least one
pod, the horizontal pod autoscaler decides. Every SYNC_S, it divides the number of jobs by the target number
of jobs per pod. If the result is greater than the number of pods, the autoscaler adds pods immediately,
within limits. Otherwise it uses the greatest result of the last STABLE_S. A new pod starts to judge after
`start_s`. A removed pod claims no more jobs, and has `grace_s` to finish its current ones. Kubernetes first
removes pods that are not running yet, then pods with the lowest deletion cost. The simulated workers set the
deletion cost with the worker's own `PodCost`.

The model replaces single jobs by a flow: jobs that arrive per second, and jobs that a GPU judges per second.
It uses the same autoscaler, but no random numbers.

Source: https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/ and
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/
"""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.judge_hosts import Court, Host, Job
from worker.pod_cost import PodCost

SYNC_S = 15.0  # defaults of Kubernetes
TOLERANCE = 0.1
STABLE_S = 300.0
_GROWS_BY, _GROWS_TO = 4, 2  # maximum growth in one step; the larger limit applies
_LOOK_S = 1.0  # interval at which a worker checks its jobs


@dataclass(frozen=True, slots=True)
class Scaling:
    """The `autoscaling` of a pool, the start time of a new pod, and the grace period of a removed one."""

    least: int = 1
    most: int = 4
    jobs_per_replica: int = 4
    start_s: float = 60.0
    grace_s: float = 120.0


@dataclass(slots=True)
class Autoscaler:
    """The horizontal pod autoscaler with its default behaviour, for a metric of the type AverageValue."""

    scaling: Scaling
    _wanted: deque[tuple[float, int]] = field(default_factory=deque)

    def replicas(self, now_s: float, jobs: float, replicas: int) -> int:
        """Return the next number of pods, given the current numbers of jobs and pods."""
        wanted = replicas
        if abs(1 - jobs / (self.scaling.jobs_per_replica * replicas)) > TOLERANCE:
            wanted = math.ceil(jobs / self.scaling.jobs_per_replica)
        self._wanted.append((now_s, wanted))
        while self._wanted[0][0] <= now_s - STABLE_S:
            self._wanted.popleft()
        if wanted < replicas:
            wanted = min(replicas, max(number for _, number in self._wanted))
        wanted = min(wanted, max(_GROWS_TO * replicas, replicas + _GROWS_BY))
        return max(self.scaling.least, min(self.scaling.most, wanted))


@dataclass(slots=True)
class Scaled:
    """The result of a simulation.

    `steps` has each time at which the number of pods changed, with the new number. `removed` counts removed
    pods, `removed_judging` those that were judging, and `interrupted` the jobs that did not finish within the
    grace period.
    """

    jobs: Sequence[Job]
    steps: list[tuple[float, int]]
    removed: int = 0
    removed_judging: int = 0
    interrupted: int = 0


@dataclass(slots=True)
class _Pod:
    host: Host
    writer: PodCost
    cost: int = 0


class ScaledCourt:
    """A `Court` in which an autoscaler adds and removes hosts."""

    def __init__(self, scaling: Scaling, *, at_a_time: int, container_s: float, costs: bool = True) -> None:
        self._scaling, self._costs = scaling, costs
        self._court = Court(0, at_a_time=at_a_time, container_s=container_s)
        self._clock = self._court.clock
        self._autoscaler = Autoscaler(scaling)
        self._pods: list[_Pod] = []
        self._starting = 0
        self._cancelled = 0
        for _ in range(scaling.least):
            self._add()

    def judge(self, jobs: Sequence[Job], *, seconds: float, first_sync_s: float) -> Scaled:
        """Judge all `jobs`. The autoscaler runs from `first_sync_s` until `seconds`."""
        scaled = Scaled(jobs, [(0.0, self._replicas)])
        for at_s in np.arange(_LOOK_S, seconds, _LOOK_S):
            self._clock.after(float(at_s), self._look)
        for at_s in np.arange(first_sync_s, seconds, SYNC_S):
            self._clock.after(float(at_s), partial(self._sync, scaled))
        self._court.judge(jobs)
        return scaled

    @property
    def _replicas(self) -> int:
        return len(self._pods) + self._starting

    def _sync(self, scaled: Scaled) -> None:
        wanted = self._autoscaler.replicas(self._clock.now_s, self._court.unfinished, self._replicas)
        if wanted != self._replicas:
            scaled.steps.append((self._clock.now_s, wanted))
        for _ in range(wanted - self._replicas):
            self._starting += 1
            self._clock.after(self._scaling.start_s, self._started)
        while self._replicas > wanted:
            self._remove(scaled)

    def _started(self) -> None:
        if self._cancelled:
            self._cancelled -= 1
        else:
            self._starting -= 1
            self._add()

    def _add(self) -> None:
        host = self._court.add_host()
        pod = _Pod(
            host,
            PodCost(lambda cost: self._write(pod, cost), held=lambda: len(host.running), clock=self._now_s),
        )
        self._pods.append(pod)

    def _remove(self, scaled: Scaled) -> None:
        if self._starting:
            self._starting -= 1
            self._cancelled += 1
            return
        # Of pods with equal cost, remove the newest one, as Kubernetes does.
        pod = min(reversed(self._pods), key=lambda pod: pod.cost if self._costs else 0)
        self._pods.remove(pod)
        self._court.drain(pod.host)
        scaled.removed += 1
        if pod.host.running:
            scaled.removed_judging += 1
            self._clock.after(self._scaling.grace_s, partial(self._kill, pod.host, scaled))

    def _kill(self, host: Host, scaled: Scaled) -> None:
        scaled.interrupted += len(host.running)

    def _look(self) -> None:
        for pod in self._pods:
            pod.writer.look()

    def _now_s(self) -> float:
        return self._clock.now_s

    @staticmethod
    def _write(pod: _Pod, cost: int) -> None:
        pod.cost = cost


def modelled_waits(
    arrivals: NDArray[np.float64], scaling: Scaling, *, rate_per_s: float, at_a_time: int, first_sync_s: float
) -> NDArray[np.float64]:
    """Return the waiting time of the jobs that arrive in each second, according to the flow model.

    `arrivals` has the number of jobs that arrive in each second. `rate_per_s` is the number of jobs that one
    GPU judges per second.
    """
    autoscaler, replicas, ready = Autoscaler(scaling), scaling.least, [0.0] * scaling.least
    waiting, next_sync_s = 0.0, first_sync_s
    arrived, claimed = np.cumsum(arrivals), np.zeros(len(arrivals))
    for second in range(len(arrivals)):
        judging = sum(start_s <= second for start_s in ready)
        waiting += arrivals[second]
        served = min(waiting, judging * rate_per_s)
        waiting -= served
        claimed[second] = served
        if second >= next_sync_s:
            next_sync_s += SYNC_S
            inside = min(judging * at_a_time, waiting + served / rate_per_s)
            replicas = autoscaler.replicas(second, waiting + inside, replicas)
            ready = ready[:replicas] + [second + scaling.start_s] * (replicas - len(ready))
    # A job waits until as many jobs were claimed as had arrived with it.
    ends = np.searchsorted(np.cumsum(claimed), arrived - 1e-6)
    waits: NDArray[np.float64] = np.maximum(0.0, ends - np.arange(len(arrivals), dtype=np.float64))
    return waits
