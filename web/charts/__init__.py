"""Charts, drawn on the server as SVG.

Conventions. A chart is a pure function from values to a `SafeString`: no requests, no queries, no models.

- `scale` turns values into places and finds ticks, `axes` draws an axis with its grid, `figure` wraps a
  drawing: `<figure class="chart">`, an SVG with `role="img"`, title and description, and the figures
  themselves as a table in a `<details>` below it, so that nothing is only to be seen.
- Whatever comes from outside goes through `format_html`. Places are rounded to a tenth of a unit.
- No `style` attributes and no colours: marks carry classes, which styles/charts.css colours in both schemes.
  There are `chart-bar`, `chart-line`, `chart-point`, `chart-mine`, `chart-grid`, `chart-axis`, `chart-label`.
- A drawing is `figure.WIDTH` units wide, about as many pixels as it gets in a column and on a phone, so that
  its text stays legible. Charts that want more room set a class of their own and their own width.
- Meaning never hangs on colour alone: what is one's own is labelled.
"""
