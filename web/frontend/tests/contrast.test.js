import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const CSS = readFileSync(new URL("../src/styles/tokens.css", import.meta.url), "utf8");
const LEAST = 4.5;

/** The relative luminance of an OKLCH colour. Source: CSS Color 4, sections 8 to 10; WCAG 2.2. */
function luminance([lightness, chroma, hue]) {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((value) => Math.min(1, Math.max(0, value)));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

/** The colours of a token in light and in dark. */
function colours(name) {
  const [, value] = new RegExp(`--${name}: light-dark\\((.+)\\);`).exec(CSS);
  return [...value.matchAll(/oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)/g)].map(([, l, c, h]) => [Number(l) / 100, Number(c), Number(h)]);
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const tokens = [...new Set([...CSS.matchAll(/--(code-[a-z]+):/g)].map(([, name]) => name)), "ink", "ink-2", "ink-3"];

for (const ground of ["surface", "sunken", "raised"]) {
  for (const [index, scheme] of ["light", "dark"].entries()) {
    test(`code on --${ground} can be read in the ${scheme} scheme`, () => {
      for (const token of tokens) {
        const ratio = contrast(colours(token)[index], colours(ground)[index]);
        assert.ok(ratio >= LEAST, `--${token}: ${ratio.toFixed(2)}`);
      }
    });
  }
}

test("a selection and the line of the cursor leave code legible", () => {
  for (const ground of ["selection", "hover", "signal-wash", "bad-wash"]) {
    for (const index of [0, 1]) assert.ok(contrast(colours("ink")[index], colours(ground)[index]) >= LEAST, ground);
  }
});
