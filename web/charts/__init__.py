"""Charts as SVG, drawn on the server.

Conventions. A chart is a pure function from values to a `SafeString`: no requests, no queries, no models.

- `scale` maps values to positions and chooses ticks. `axes` draws an axis with its grid. `figure` wraps a
  drawing: `<figure class="chart">`, an SVG with `role="img"`, title and description, and the figures as a
  table in a `<details>` below. The table makes all information available without the image.
- `format_html` escapes all values from outside. Positions are rounded to a tenth of a unit.
- There are no `style` attributes and no colours. Marks carry classes, which styles/charts.css colours in both
  schemes: `chart-bar`, `chart-line`, `chart-point`, `chart-mine`, `chart-grid`, `chart-axis`, `chart-label`.
- A drawing is `figure.WIDTH` units wide. That is about its width in pixels in a column and on a phone, so
  that the text stays legible. Wider charts set their own class and width.
- Colour is never the only distinction: the viewer's own values are also labelled.
"""
