"""Services and ports that tests, benchmarks and checks of the repository need from a machine."""
