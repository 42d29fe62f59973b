"""All our metrics by name."""

from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.metrics_core import Metric

from web.observability.census import Census
from web.site import metrics


def every_family() -> dict[str, Metric]:
    """Return the metrics that the code counts and that the census reads."""
    counted = [found for found in vars(metrics).values() if isinstance(found, MetricWrapperBase)]
    families = [family for metric in counted for family in metric.describe()]
    return {family.name: family for family in (*families, *Census().describe())}


def series_of(family: Metric) -> set[str]:
    """Return the names under which Prometheus stores a metric."""
    match family.type:
        case "counter":
            return {f"{family.name}_total"}
        case "histogram":
            return {f"{family.name}_{end}" for end in ("bucket", "sum", "count")}
    return {family.name}
