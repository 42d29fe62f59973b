"""Forms for authors. Each form turns the submitted data into rows of `web.authoring.editing`."""
