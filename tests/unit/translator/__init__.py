"""The translator: parsing, emission, and what instructions compute, against an independent model."""
