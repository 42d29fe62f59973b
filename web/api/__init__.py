"""The REST API, version 1."""

from ninja import NinjaAPI

api = NinjaAPI(title="Warpcourt", version="1", urls_namespace="api")
