"""The Helm chart, rendered by helm and checked without a cluster."""
