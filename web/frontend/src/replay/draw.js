// The pictures of a replay. Each takes a canvas, which it sizes to its place.

import { ATOMIC, BARRIER, BRANCH, LANES, READ } from "./format.js";
import { BANKS, costOf } from "./costs.js";
import { between } from "./palette.js";

const COLOUR_OF = { [READ]: "read", 1: "write", [ATOMIC]: "atomic", [BARRIER]: "barrier", [BRANCH]: "branch" };

/** The name of an event's colour. */
export function colourOf(replay, e) {
  return COLOUR_OF[replay.kind[e]];
}

/** Whether an event costs at least twice what it needs. */
export function wastes(replay, e) {
  const found = costOf(replay, e);
  return Boolean(found) && found.cost >= 2 * found.fewest && found.cost > 1;
}

/** The canvas as `width` by `height` CSS pixels, cleared; its context draws in these. */
function prepared(canvas, width, height) {
  const scale = devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.setProperty("height", `${height}px`);
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function widthOf(canvas) {
  return Math.max(120, Math.floor(canvas.parentElement.clientWidth));
}

const MARK_PX = 9; // the height of the row of marks

/** The warps over time: what each does in each step, with the steps that waste much and races marked above. */
export class Timeline {
  constructor(canvas) {
    this.canvas = canvas;
    this.picture = document.createElement("canvas");
  }

  /** `races` are the accesses that race, of which those with `marked` are pointed at. */
  draw(replay, film, palette, races) {
    const width = widthOf(this.canvas);
    const row = Math.max(4, Math.min(14, Math.floor(180 / film.warps.length)));
    this.top = races.length ? MARK_PX : 0;
    this.height = this.top + row * film.warps.length;
    const context = prepared(this.picture, width, this.height);
    context.fillStyle = palette.empty.text;
    context.fillRect(0, this.top, width, this.height - this.top);
    this.step = width / film.steps;
    const gap = this.step >= 4 ? 1 : 0;
    for (let step = 0; step < film.steps; ++step) {
      for (let line = 0; line < film.warps.length; ++line) {
        const e = film.cells[step * film.warps.length + line];
        if (e < 0) continue;
        const x = step * this.step;
        const wide = Math.max(1, this.step - gap);
        context.fillStyle = palette[colourOf(replay, e)].text;
        context.globalAlpha = replay.shared[e] ? 0.55 : 1;
        context.fillRect(x, this.top + line * row + 1, wide, row - 1);
        context.globalAlpha = 1;
        if (!wastes(replay, e)) continue;
        context.fillStyle = palette.waste.text;
        context.fillRect(x, this.top + line * row + 1, wide, Math.max(1, Math.round(row / 3)));
      }
    }
    for (const race of races) this.drawRace(context, race, film.warps.indexOf(replay.warp[race.event]), row, palette);
    this.width = width;
  }

  drawRace(context, { step, marked }, line, row, palette) {
    const x = step * this.step;
    context.strokeStyle = context.fillStyle = palette.race.text;
    context.lineWidth = 2;
    context.strokeRect(x, this.top + line * row + 1, Math.max(3, this.step - 1), row - 1);
    if (!marked) return;
    const middle = x + this.step / 2;
    context.beginPath();
    context.moveTo(middle - MARK_PX / 2, 0);
    context.lineTo(middle + MARK_PX / 2, 0);
    context.lineTo(middle, MARK_PX - 1);
    context.fill();
  }

  point(step, palette) {
    const context = prepared(this.canvas, this.width, this.height);
    context.drawImage(this.picture, 0, 0, this.width, this.height);
    context.strokeStyle = palette.ink.text;
    context.lineWidth = 2;
    context.strokeRect(step * this.step - 1, this.top + 1, Math.max(3, this.step + 1), this.height - this.top - 2);
  }

  /** The step at a place of the page. */
  stepAt(clientX, steps) {
    const box = this.canvas.getBoundingClientRect();
    return Math.max(0, Math.min(steps - 1, Math.floor(((clientX - box.left) / box.width) * steps)));
  }
}

/** The lanes of each warp in one step. `races` are the accesses that race in it. */
export function drawLanes(canvas, replay, film, events, races, palette) {
  const width = widthOf(canvas);
  const row = Math.max(10, Math.min(20, Math.floor(320 / film.warps.length)));
  const context = prepared(canvas, width, row * film.warps.length);
  const label = 34;
  const cell = (width - label) / LANES;
  const now = new Map(events.map(({ row: line, e }) => [line, e]));
  context.font = `${Math.min(12, row - 1)}px ${getComputedStyle(canvas).fontFamily}`;
  context.textBaseline = "middle";
  for (let line = 0; line < film.warps.length; ++line) {
    const e = now.get(line);
    context.fillStyle = palette.muted.text;
    context.fillText(String(film.warps[line]), 0, line * row + row / 2);
    for (let lane = 0; lane < LANES; ++lane) {
      const on = e !== undefined && (replay.mask[e] >>> lane) & 1;
      const aside = on && replay.kind[e] === BRANCH && !((replay.taken[e] >>> lane) & 1);
      context.fillStyle = on ? palette[colourOf(replay, e)].text : palette.empty.text;
      context.globalAlpha = aside ? 0.4 : 1;
      context.fillRect(label + lane * cell, line * row + 1, Math.max(1, cell - 1), row - 2);
    }
    context.globalAlpha = 1;
  }
  context.strokeStyle = palette.race.text;
  context.lineWidth = 3;
  for (const { event, lane } of races) {
    context.strokeRect(label + lane * cell, film.warps.indexOf(replay.warp[event]) * row + 1.5, Math.max(3, cell - 1), row - 3);
  }
}

/** A picture with one pixel for each cell, coloured by how often it was read and written. */
function heatPicture(grid, { reads, writes }, palette) {
  grid.picture ??= Object.assign(document.createElement("canvas"), { width: grid.columns, height: grid.rows });
  const context = grid.picture.getContext("2d");
  const image = (grid.image ??= context.createImageData(grid.columns, grid.rows));
  let most = 1;
  for (let i = 0; i < reads.length; ++i) most = Math.max(most, reads[i] + writes[i]);
  const scale = Math.log(1 + most);
  for (let i = 0; i < reads.length; ++i) {
    const all = reads[i] + writes[i];
    const hue = all ? between(palette.read.rgb, palette.write.rgb, writes[i] / all) : palette.empty.rgb;
    const colour = all ? between(palette.empty.rgb, hue, 0.35 + (0.65 * Math.log(1 + all)) / scale) : hue;
    const at = 4 * i;
    [image.data[at], image.data[at + 1], image.data[at + 2]] = colour;
    image.data[at + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return grid.picture;
}

/** The map of an array. `cells` are those that the step uses, `racing` those of accesses that race. */
export function drawHeat(canvas, grid, map, cells, racing, palette) {
  const width = widthOf(canvas);
  const cell = Math.max(1, Math.min(16, width / grid.columns));
  const context = prepared(canvas, width, Math.ceil(cell * grid.rows));
  context.imageSmoothingEnabled = false;
  context.drawImage(heatPicture(grid, map, palette), 0, 0, cell * grid.columns, cell * grid.rows);
  if (cell >= 5) {
    context.strokeStyle = palette.paper.text;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = 1; x < grid.columns; ++x) context.rect(x * cell - 0.5, 0, 0, cell * grid.rows);
    for (let y = 1; y < grid.rows; ++y) context.rect(0, y * cell - 0.5, cell * grid.columns, 0);
    context.stroke();
  }
  context.strokeStyle = palette.ink.text;
  context.lineWidth = Math.min(2, cell / 4);
  context.globalAlpha = cell < 6 ? 0.6 : 1; // the colour of a small cell must stay visible
  const outline = (at) => context.strokeRect((at % grid.columns) * cell + 0.5, Math.floor(at / grid.columns) * cell + 0.5, Math.max(1, cell - 1.5), Math.max(1, cell - 1.5));
  new Set(cells).forEach(outline);
  context.globalAlpha = 1;
  context.strokeStyle = palette.race.text;
  context.lineWidth = 3;
  racing.forEach(outline);
}

/** Shared memory as banks: above, the words that each bank serves in this step; below, how often each word was used.
 * `racing` are the cells of accesses that race. */
export function drawBanks(canvas, grid, map, now, racing, palette) {
  const width = widthOf(canvas);
  const cell = width / BANKS;
  const high = Math.max(3, Math.min(14, 260 / grid.rows, cell));
  const bars = 44;
  const context = prepared(canvas, width, Math.ceil(bars + high * grid.rows));
  const most = Math.max(1, ...now.banks);
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  context.textAlign = "center";
  for (let bank = 0; bank < BANKS; ++bank) {
    const words = now.banks[bank];
    const tall = words ? Math.max(2, ((bars - 16) * words) / most) : 0;
    context.fillStyle = words > 1 ? palette.waste.text : palette.read.text;
    context.fillRect(bank * cell + 0.5, bars - 4 - tall, Math.max(1, cell - 1), tall);
    if (words && words === most && cell >= 12) context.fillText(String(words), bank * cell + cell / 2, bars - 6 - tall);
  }
  context.imageSmoothingEnabled = false;
  context.drawImage(heatPicture(grid, map, palette), 0, bars, width, high * grid.rows);
  context.strokeStyle = palette.ink.text;
  context.lineWidth = 1;
  const outline = (at) => context.strokeRect((at % BANKS) * cell + 0.5, bars + Math.floor(at / BANKS) * high + 0.5, Math.max(1, cell - 1), Math.max(1, high - 1));
  new Set(now.cells).forEach(outline);
  context.strokeStyle = palette.race.text;
  context.lineWidth = 3;
  racing.forEach(outline);
}
