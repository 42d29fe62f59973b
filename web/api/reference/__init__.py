"""The page that describes the API, made from its OpenAPI document."""
