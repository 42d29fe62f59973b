// Plays the film of a block: pictures, marks on the source and tables follow the step.

import { announceInTurn } from "../lib/announce.js";
import { Banks } from "./banks.js";
import { Heat, nameOf } from "./arrays.js";
import { Timeline, colourOf, drawBanks, drawHeat, drawLanes } from "./draw.js";
import { blocksOf, eventsAt, film, nextWith, stepOf } from "./film.js";
import { onScheme, readPalette } from "./palette.js";
import { fillLines, fillStep } from "./tables.js";
import { counted, sentence } from "./words.js";

const MOST_MAPS = 12;
const STEPS_PER_S = { slow: 2, normal: 8, fast: 30 };

export class Player {
  constructor(element, replay) {
    this.element = element;
    this.replay = replay;
    this.blocks = blocksOf(replay);
    this.heat = new Heat(replay);
    this.timeline = new Timeline(this.find("timeline"));
    this.marks = new Map([...element.querySelectorAll("[data-mark]")].map((mark) => [Number(mark.dataset.mark), mark]));
    this.marked = [];
    this.step = 0;
    this.drawn = -1;
    this.fillChoices();
    this.makeMaps();
    this.listen();
    this.find("player").hidden = false;
    this.palette = readPalette(element);
    fillLines(this.find("line-rows"), replay);
    this.sayWhatIsCut();
    this.choose(this.firstBlock());
  }

  find(name) {
    return this.element.querySelector(`[data-${name}]`);
  }

  fillChoices() {
    const { launches } = this.replay.head;
    const recorded = new Set(this.blocks.map(({ launch }) => launch));
    const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
    this.find("launch").replaceChildren(...[...recorded].map((at) => option(at, `${at + 1}: ${launches[at].kernel}<<<${launches[at].grid.join("×")}, ${launches[at].block.join("×")}>>>`)));
    this.find("launch").disabled = recorded.size < 2;
  }

  fillBlocks(launch) {
    const { grid } = this.replay.head.launches[launch];
    const option = ({ block }) => {
      const place = [block % grid[0], Math.floor(block / grid[0]) % grid[1], Math.floor(block / grid[0] / grid[1])];
      return Object.assign(document.createElement("option"), { value: block, textContent: grid[1] * grid[2] > 1 ? `${block} (${place.join(", ")})` : String(block) });
    };
    const own = this.blocks.filter((block) => block.launch === launch);
    this.find("block").replaceChildren(...own.map(option));
    this.find("block").disabled = own.length < 2;
  }

  makeMaps() {
    const template = this.find("array-template");
    this.maps = this.replay.head.arrays.slice(0, MOST_MAPS).map((array) => {
      const figure = template.content.firstElementChild.cloneNode(true);
      figure.querySelector("[data-name]").textContent = nameOf(array);
      this.find("arrays").append(figure);
      return { canvas: figure.querySelector("canvas"), told: figure.querySelector("[data-told]") };
    });
  }

  firstBlock() {
    const failing = this.element.querySelector("[data-show][data-headline]");
    return (failing && this.placeOf(failing)?.block) ?? this.blocks[0];
  }

  choose(block) {
    if (this.launch !== block.launch) this.fillBlocks(block.launch);
    this.launch = block.launch;
    this.find("launch").value = String(block.launch);
    this.find("block").value = String(block.block);
    this.film = film(this.replay, block);
    const { shared } = this.replay.head.launches[block.launch];
    this.banks = shared ? new Banks(this.replay, shared) : null;
    this.find("shared").hidden = !shared;
    const scrub = this.find("scrub");
    scrub.max = String(this.film.steps - 1);
    this.step = 0;
    this.drawn = -1;
    this.timelineDrawn = false;
  }

  /** Shows the step; `told` says it to screen readers too. */
  show({ told = false } = {}) {
    const { replay, film: shown, palette } = this;
    const events = eventsAt(shown, this.step);
    this.count();
    if (!this.timelineDrawn) this.timeline.draw(replay, shown, palette);
    this.timelineDrawn = true;
    this.timeline.point(this.step, palette);
    drawLanes(this.find("lanes"), replay, shown, events, palette);
    const cells = this.heat.maps.map(() => []);
    for (const { e } of events) for (const { array, cell } of this.heat.cellsOf(e)) cells[array].push(cell);
    this.maps.forEach(({ canvas, told: note }, i) => {
      drawHeat(canvas, this.heat.grids[i], this.heat.maps[i], cells[i], palette);
      note.textContent = mapText(this.heat.maps[i]);
    });
    if (this.banks) {
      const now = this.banks.now(events);
      drawBanks(this.find("banks"), this.banks.grid, this.banks.map, now, palette);
      this.find("banks-told").textContent = banksText(this.banks.map, now);
    }
    this.markLines(events);
    // A table that changes many times a second helps nobody.
    if (!this.playing) fillStep(this.find("step-rows"), replay, this.heat.widths, shown, events);
    this.find("scrub").value = String(this.step);
    const words = sentence(replay, this.heat.widths, shown, this.step, events);
    this.find("scrub").setAttribute("aria-valuetext", words);
    this.find("where").textContent = `Step ${this.step + 1} of ${shown.steps}`;
    if (told) announceInTurn(words);
  }

  // Counts up to the step; only forwards without starting over.
  count() {
    if (this.step < this.drawn || this.drawn < 0) {
      this.heat.clear();
      this.banks?.clear();
      this.drawn = -1;
    }
    while (this.drawn < this.step) {
      for (const { e } of eventsAt(this.film, ++this.drawn)) {
        this.heat.add(e);
        this.banks?.add(e);
      }
    }
  }

  markLines(events) {
    for (const mark of this.marked) {
      mark.textContent = "";
      mark.removeAttribute("data-kind");
      mark.parentElement.classList.remove("at-step");
    }
    const rows = new Map();
    for (const { row, e } of events) {
      const mark = this.marks.get(this.replay.line[e]);
      if (!mark) continue;
      const warps = rows.get(mark) ?? [];
      warps.push(this.film.warps[row]);
      rows.set(mark, warps);
      mark.dataset.kind = colourOf(this.replay, e);
    }
    for (const [mark, warps] of rows) {
      mark.textContent = warps.length > 1 ? `${warps.length}w` : `w${warps[0]}`;
      mark.parentElement.classList.add("at-step");
    }
    this.marked = [...rows.keys()];
    if (this.marked.length) into(this.find("source-lines"), this.marked[0].parentElement);
  }

  go(step, { told = true, alone = false } = {}) {
    this.step = Math.max(0, Math.min(this.film.steps - 1, step));
    this.show({ told });
    if (!alone) this.element.dispatchEvent(new CustomEvent("warpcourt:step", { bubbles: true, detail: this.step }));
  }

  listen() {
    const actions = {
      first: () => this.go(0),
      back: () => this.go(this.step - 1),
      next: () => this.go(this.step + 1),
      last: () => this.go(this.film.steps - 1),
      play: () => this.toggle(),
      "event-back": () => this.jump(-1),
      "event-next": () => this.jump(1),
    };
    this.element.addEventListener("click", (event) => {
      const button = event.target.closest("[data-do]");
      if (button) {
        if (button.dataset.do !== "play") this.pause();
        actions[button.dataset.do]();
      }
      const finding = event.target.closest("[data-show]");
      if (finding) this.showFinding(finding);
    });
    this.find("scrub").addEventListener("input", (event) => {
      this.pause();
      this.go(Number(event.target.value), { told: false });
    });
    for (const name of ["launch", "block"]) {
      this.find(name).addEventListener("change", () => {
        this.pause();
        const launch = Number(this.find("launch").value);
        const block = name === "launch" ? null : Number(this.find("block").value);
        this.choose(this.blocks.find((at) => at.launch === launch && (block === null || at.block === block)));
        this.show({ told: true });
      });
    }
    // The other player of the page follows, if its steps are tied to these.
    document.addEventListener("warpcourt:step", (event) => {
      if (event.target === this.element || !document.querySelector("[data-together]")?.checked) return;
      this.go(event.detail, { told: false, alone: true });
    });
    const timeline = this.find("timeline");
    const drag = (event) => {
      if (!event.buttons) return;
      this.pause();
      this.go(this.timeline.stepAt(event.clientX, this.film.steps), { told: false });
    };
    timeline.addEventListener("pointerdown", drag);
    timeline.addEventListener("pointermove", drag);
    this.element.addEventListener("keydown", (event) => this.press(event));
    onScheme(() => {
      this.palette = readPalette(this.element);
      this.redraw();
    });
    new ResizeObserver(() => this.redraw()).observe(this.find("views"));
  }

  redraw() {
    if (!this.film) return;
    this.timelineDrawn = false;
    this.show();
  }

  press(event) {
    const busy = event.target.closest("input, select, button, a, summary, [data-scrolls]");
    if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { ArrowLeft: () => this.go(this.step - 1), ArrowRight: () => this.go(this.step + 1), Home: () => this.go(0), End: () => this.go(this.film.steps - 1), " ": () => this.toggle() }[event.key];
    if (!act) return;
    event.preventDefault();
    if (event.key !== " ") this.pause();
    act();
  }

  toggle() {
    if (this.playing) return this.pause();
    if (this.step === this.film.steps - 1) this.step = -1;
    this.playing = true;
    this.find("play-label").textContent = "Pause";
    let due = performance.now();
    const turn = (now) => {
      if (!this.playing) return;
      const pause = 1000 / STEPS_PER_S[this.find("speed").value];
      if (now >= due) {
        due = Math.max(due + pause, now);
        this.go(this.step + 1, { told: false });
        if (this.step === this.film.steps - 1) return this.pause();
      }
      requestAnimationFrame(turn);
    };
    return requestAnimationFrame(turn);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.show();
    this.find("play-label").textContent = "Play";
  }

  jump(direction) {
    const kind = this.find("event").value;
    const step = nextWith(this.replay, this.film, kind, this.step, direction);
    if (step >= 0) this.go(step);
    else announceInTurn(this.tell(`There is no ${direction > 0 ? "later" : "earlier"} event of this kind in this block.`));
  }

  sayWhatIsCut() {
    const { level, shortened } = this.replay.head;
    const told = [
      level ? "The program used memory more than 65,536 times, so only some blocks or warps were recorded, each of them completely." : "",
      shortened ? "Threads or launches that did too much are incomplete." : "",
    ];
    this.find("cut").hidden = !level && !shortened;
    this.find("cut-text").textContent = told.filter(Boolean).join(" ");
  }

  /** Says something next to the controls. */
  tell(text) {
    this.find("message").textContent = text;
    return text;
  }

  /** The block and the event of a finding, or null if it was not recorded. */
  placeOf({ dataset }) {
    const line = Number(dataset.show);
    const { launches } = this.replay.head;
    const [x, y, z] = (dataset.atBlock ?? "").split(",").map(Number);
    const [a, b, c] = (dataset.atThread ?? "").split(",").map(Number);
    let loose = null;
    for (const block of this.blocks) {
      const { kernel, grid, block: size } = launches[block.launch];
      if (dataset.atKernel && dataset.atKernel !== kernel) continue;
      const here = !dataset.atBlock || block.block === x + grid[0] * (y + grid[1] * z);
      const warp = dataset.atThread ? Math.floor((a + size[0] * (b + size[1] * c)) / 32) : -1;
      let last = -1;
      for (let e = block.from; e < block.to; ++e) {
        if (here && (warp < 0 || this.replay.warp[e] === warp)) last = e;
        if (this.replay.line[e] !== line) continue;
        if (here && (warp < 0 || this.replay.warp[e] === warp)) return { block, e };
        loose ??= { block, e };
      }
      // The access that ended the program was never made: show what its warp did last.
      if (here && dataset.atBlock && last >= 0) loose = { block, e: last };
    }
    return loose;
  }

  showFinding(button) {
    const found = this.placeOf(button);
    this.pause();
    this.tell(found ? "" : "The recorded part has no step of this finding.");
    if (!found) return;
    this.choose(found.block);
    this.go(stepOf(this.film, found.e));
    this.find("player").focus();
  }
}

function mapText({ requests, sectors, fewest, updates }) {
  const moved = requests ? `${counted(requests, "request")}, ${counted(sectors, "sector")} moved, ${fewest.toLocaleString("en")} needed` : "";
  const updated = updates ? counted(updates, "atomic request") : "";
  return [moved, updated].filter(Boolean).join(", ") || "not used yet";
}

function banksText({ requests, wavefronts, fewest }, { cost }) {
  const now = cost > 1 ? `, now ${counted(cost, "wavefront")}` : "";
  return requests ? `${counted(requests, "request")}, ${counted(wavefronts, "wavefront")}, ${fewest.toLocaleString("en")} needed${now}` : "not used yet";
}

// Scrolls the list alone, never the page around it.
function into(list, line) {
  const top = line.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (top < 0 || top > list.clientHeight - line.offsetHeight) list.scrollTop += top - list.clientHeight / 3;
}
