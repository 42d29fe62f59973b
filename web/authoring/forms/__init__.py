"""What authors fill in. Each form turns what the browser sent into rows of `web.authoring.editing`."""
