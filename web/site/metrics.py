"""Every metric that a process of ours counts by itself, for Prometheus.

Count at the place where it happens: `metrics.SWEEPS.labels(outcome="done").inc()`. What the database knows
(queues, nodes, GPUs) is not counted here but read when somebody asks, by `web.observability.census`.

Names begin with `warpcourt_` and end in their unit. A label has few values, all of ours: never a user, a
submission, an address or an error's text. Where several processes serve together, their counts are summed
(see `web.observability.prometheus_multiproc`); a gauge says by its `multiprocess_mode` how.
"""

from prometheus_client import Counter, Gauge, Histogram

from problems.vocabulary import Verdict

_PAGE_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_STAGE_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
_WAIT_S = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14400)

# Pages and the API

HTTP_REQUESTS = Counter(
    "warpcourt_http_requests",
    "Requests answered, by the name of their address; a request for no known address has the view `none`.",
    ["method", "view", "status"],
)
HTTP_SECONDS = Histogram(
    "warpcourt_http_request_seconds",
    "Time until the answer began. An event stream counts until its first byte.",
    ["method", "view"],
    buckets=_PAGE_S,
)
HTTP_IN_FLIGHT = Gauge(
    "warpcourt_http_requests_in_flight", "Requests being answered now.", multiprocess_mode="livesum"
)
EVENT_STREAMS = Gauge("warpcourt_event_streams", "Event streams open now.", multiprocess_mode="livesum")

# Handing in

SUBMISSIONS = Counter("warpcourt_submissions", "Submissions taken, by mode and queue.", ["mode", "queue"])
SUBMISSIONS_REFUSED = Counter(
    "warpcourt_submissions_refused", "Submissions not taken, by the name of the refusal.", ["reason"]
)
RINGS = Counter("warpcourt_rings", "Rings for a worker: sent, or lost for want of a broker.", ["outcome"])

# Judging

CLAIMS = Counter("warpcourt_claims", "Jobs that a worker took.", ["queue"])
WAIT_SECONDS = Histogram(
    "warpcourt_wait_seconds",
    "Time from being queued to being claimed, on the database's clock.",
    ["queue"],
    buckets=_WAIT_S,
)
VERDICTS = Counter("warpcourt_verdicts", "Verdicts given, by workers, sweeps and cancellations.", ["verdict"])
JUDGING_SECONDS = Histogram(
    "warpcourt_judging_seconds", "Time from claim to recorded verdict.", ["queue"], buckets=_STAGE_S
)
STAGE_SECONDS = Histogram(
    "warpcourt_stage_seconds",
    "Time of a stage of judging; docs/glossary.md explains the stages.",
    ["stage"],
    buckets=_STAGE_S,
)
JUDGING = Gauge(
    "warpcourt_judging", "Submissions being judged by this worker now.", multiprocess_mode="livesum"
)
JUDGE_FAILURES = Counter("warpcourt_judge_failures", "Times that the judge itself failed on a job.")
JUDGES_READY = Gauge(
    "warpcourt_judges_ready", "Processes of this worker whose judge is open.", multiprocess_mode="livesum"
)
CANNOT_JUDGE = Counter(
    "warpcourt_cannot_judge", "Times that this host found that it cannot judge; its log has the fix."
)
HANDED_BACK = Counter(
    "warpcourt_jobs_handed_back",
    "Jobs given up for another try: `failed` (charged as a try), `stopping`, `cannot_judge` or `disk_full`.",
    ["reason"],
)
PAUSED = Gauge(
    "warpcourt_worker_paused",
    "1 while this worker takes no jobs because its disk is full.",
    multiprocess_mode="livemax",
)
POOL_HITS = Counter("warpcourt_pool_hits", "Sandboxes that were ready when they were wanted.", ["kind"])
POOL_MISSES = Counter("warpcourt_pool_misses", "Sandboxes that had to be started on the spot.", ["kind"])
SECRET_POOL_HITS = Counter("warpcourt_secret_pool_hits", "Contents of cases that were drawn ahead.")
SECRET_POOL_MISSES = Counter("warpcourt_secret_pool_misses", "Contents of cases that were drawn on the spot.")

# Leases and sweeps

CHILDREN_HUNG = Counter(
    "warpcourt_children_hung", "Processes of workers that were killed because one call did not end."
)
LEASES_LOST = Counter(
    "warpcourt_leases_lost",
    "Leases lost in the middle: `taken` by another worker, or `expired` while the database did not answer.",
    ["reason"],
)
LEASE_EXTENSIONS_FAILED = Counter(
    "warpcourt_lease_extensions_failed", "Heartbeats that the database did not answer."
)
RECORD_RETRIES = Counter(
    "warpcourt_record_retries", "Times that a verdict could not be recorded at once and was kept for later."
)
VERDICTS_DISCARDED = Counter("warpcourt_verdicts_discarded", "Verdicts that came after the lease was lost.")
SWEEPS = Counter("warpcourt_sweeps", "Sweeps for what was left behind: done, or failed.", ["outcome"])
SWEEP_SECONDS = Histogram("warpcourt_sweep_seconds", "Time of a sweep.", buckets=_PAGE_S)
LAST_SWEEP = Gauge(
    "warpcourt_last_sweep_timestamp_seconds", "When a sweep was last done.", multiprocess_mode="livemax"
)
SWEPT = Counter(
    "warpcourt_jobs_swept",
    "Jobs whose lease had expired: `requeued`, or `concluded` because no try was left.",
    ["outcome"],
)

# Nodes

MPS_RESTARTS = Counter("warpcourt_mps_restarts", "MPS daemons restarted after a fault.", ["gpu"])
QUARANTINES = Counter("warpcourt_gpu_quarantines", "Times that a GPU was taken out of use.", ["gpu"])
ORPHANS_REAPED = Counter("warpcourt_orphans_reaped", "Containers of dead workers that were removed.")
HEARTBEATS_FAILED = Counter(
    "warpcourt_heartbeats_failed", "Heartbeats of a node or worker that the database did not take."
)

# From the start at zero: the first of its kind would be no increase to Prometheus otherwise.
for _verdict in Verdict:
    VERDICTS.labels(verdict=_verdict.value)
for _outcome in ("sent", "lost"):
    RINGS.labels(outcome=_outcome)
for _reason in ("failed", "stopping", "cannot_judge", "disk_full"):
    HANDED_BACK.labels(reason=_reason)
for _reason in ("taken", "expired"):
    LEASES_LOST.labels(reason=_reason)
for _outcome in ("done", "failed"):
    SWEEPS.labels(outcome=_outcome)
for _outcome in ("requeued", "concluded"):
    SWEPT.labels(outcome=_outcome)
