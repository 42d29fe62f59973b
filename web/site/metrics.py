"""Every metric that a process of the site counts, for Prometheus.

Count at the place where it happens: `metrics.SWEEPS.labels(outcome="done").inc()`. State in the database
(queues, nodes, GPUs) is not counted here; `web.observability.census` reads it for each scrape.

Names begin with `warpcourt_` and end in their unit. A label has few values, all defined here: never a user, a
submission, an address or an error's text. If several processes serve together, their counts are summed (see
`web.observability.prometheus_multiproc`); the `multiprocess_mode` of a gauge says how.
"""

from prometheus_client import Counter, Gauge, Histogram

from problems.vocabulary import Verdict

_PAGE_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_STAGE_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
_WAIT_S = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14400)

# Pages and the API

HTTP_REQUESTS = Counter(
    "warpcourt_http_requests",
    "Requests answered, by the name of their URL pattern. The view of an unknown URL is `none`.",
    ["method", "view", "status"],
)
HTTP_SECONDS = Histogram(
    "warpcourt_http_request_seconds",
    "Seconds until the response started. An event stream counts until its first byte.",
    ["method", "view"],
    buckets=_PAGE_S,
)
HTTP_IN_FLIGHT = Gauge(
    "warpcourt_http_requests_in_flight", "Requests in progress.", multiprocess_mode="livesum"
)
EVENT_STREAMS = Gauge("warpcourt_event_streams", "Open event streams.", multiprocess_mode="livesum")

# Submitting

SUBMISSIONS = Counter(
    "warpcourt_submissions", "Submissions accepted into the queue, by mode and queue.", ["mode", "queue"]
)
SUBMISSIONS_REFUSED = Counter("warpcourt_submissions_refused", "Submissions refused, by reason.", ["reason"])
WAKEUPS = Counter(
    "warpcourt_wakeups",
    "Notifications of workers: `sent`, or `lost` because the broker was unreachable.",
    ["outcome"],
)

# Judging

CLAIMS = Counter("warpcourt_claims", "Jobs claimed by workers.", ["queue"])
WAIT_SECONDS = Histogram(
    "warpcourt_wait_seconds",
    "Seconds from queueing to claim, on the database's clock.",
    ["queue"],
    buckets=_WAIT_S,
)
VERDICTS = Counter("warpcourt_verdicts", "Verdicts from workers, sweeps and cancellations.", ["verdict"])
JUDGING_SECONDS = Histogram(
    "warpcourt_judging_seconds", "Seconds from claim to recorded verdict.", ["queue"], buckets=_STAGE_S
)
STAGE_SECONDS = Histogram(
    "warpcourt_stage_seconds",
    "Seconds spent in each stage of judging; docs/glossary.md explains the stages.",
    ["stage"],
    buckets=_STAGE_S,
)
JUDGING = Gauge("warpcourt_judging", "Submissions that this worker is judging.", multiprocess_mode="livesum")
JUDGE_FAILURES = Counter("warpcourt_judge_failures", "Jobs on which the judge itself failed.")
JUDGES_READY = Gauge(
    "warpcourt_judges_ready", "Processes of this worker whose judge is open.", multiprocess_mode="livesum"
)
CANNOT_JUDGE = Counter("warpcourt_cannot_judge", "Times that this host could not judge; its log has the fix.")
JOBS_RETURNED = Counter(
    "warpcourt_jobs_returned",
    "Jobs returned to the queue: `failed` and `disk_full` (count as a try), `stopping`, `cannot_judge`,"
    " `requirement_missing` or `package_not_read`.",
    ["reason"],
)
PAUSED = Gauge(
    "warpcourt_worker_paused",
    "1 while this worker claims no jobs because its disk is full.",
    multiprocess_mode="livemax",
)
POOL_HITS = Counter("warpcourt_pool_hits", "Sandboxes that were ready when needed.", ["kind"])
POOL_MISSES = Counter("warpcourt_pool_misses", "Sandboxes that had to be started on demand.", ["kind"])
SECRET_POOL_HITS = Counter("warpcourt_secret_pool_hits", "Case contents that were generated in advance.")
SECRET_POOL_MISSES = Counter(
    "warpcourt_secret_pool_misses", "Case contents that had to be generated on demand."
)

# Leases and sweeps

CHILDREN_HUNG = Counter("warpcourt_children_hung", "Worker processes killed because a call did not return.")
LEASES_LOST = Counter(
    "warpcourt_leases_lost",
    "Leases lost during judging: `taken` by another worker, or `expired` while the database was down.",
    ["reason"],
)
LEASE_EXTENSIONS_FAILED = Counter(
    "warpcourt_lease_extensions_failed",
    "Heartbeats of leases that failed because the database did not respond.",
)
RECORD_RETRIES = Counter(
    "warpcourt_record_retries", "Failed attempts to record a verdict; the worker retries."
)
VERDICTS_DISCARDED = Counter("warpcourt_verdicts_discarded", "Verdicts discarded because the lease was lost.")
SWEEPS = Counter(
    "warpcourt_sweeps",
    "Sweeps for jobs that a lost worker or message left behind: `done` or `failed`.",
    ["outcome"],
)
SWEEP_SECONDS = Histogram("warpcourt_sweep_seconds", "Seconds that a sweep took.", buckets=_PAGE_S)
LAST_SWEEP = Gauge(
    "warpcourt_last_sweep_timestamp_seconds",
    "Unix time of the latest successful sweep.",
    multiprocess_mode="livemax",
)
SWEPT = Counter(
    "warpcourt_jobs_swept",
    "Jobs that sweeps `requeued` after their lease expired, or `concluded`: no try was left or no host fits.",
    ["outcome"],
)

# Nodes

MPS_RESTARTS = Counter("warpcourt_mps_restarts", "MPS daemons restarted after a fault.", ["gpu"])
QUARANTINES = Counter("warpcourt_gpu_quarantines", "Times that a GPU was quarantined.", ["gpu"])
ORPHANS_REAPED = Counter("warpcourt_orphans_reaped", "Containers of dead workers removed.")
HEARTBEATS_FAILED = Counter(
    "warpcourt_heartbeats_failed",
    "Heartbeats of nodes and workers that failed because the database did not respond.",
)

# Start at zero: otherwise Prometheus would not see the first event of a kind as an increase.
for _verdict in Verdict:
    VERDICTS.labels(verdict=_verdict.value)
for _outcome in ("sent", "lost"):
    WAKEUPS.labels(outcome=_outcome)
for _reason in ("failed", "stopping", "cannot_judge", "disk_full", "requirement_missing", "package_not_read"):
    JOBS_RETURNED.labels(reason=_reason)
for _reason in ("taken", "expired"):
    LEASES_LOST.labels(reason=_reason)
for _outcome in ("done", "failed"):
    SWEEPS.labels(outcome=_outcome)
for _outcome in ("requeued", "concluded"):
    SWEPT.labels(outcome=_outcome)
