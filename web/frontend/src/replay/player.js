// Plays the film of a block: pictures, marks on the source and tables follow the step.

import { announceInTurn } from "../lib/announce.js";
import { Banks } from "./banks.js";
import { Heat, nameOf } from "./arrays.js";
import { Timeline, colourOf, drawBanks, drawHeat, drawLanes } from "./draw.js";
import { blocksOf, eventsAt, film, nextWith, stepOf } from "./film.js";
import { fillBlocks, fillLaunches } from "./choices.js";
import { placeOf } from "./findings.js";
import { markOf, marksOf, nextMark, racingIn } from "./races.js";
import { onScheme, readPalette } from "./palette.js";
import { fillLines, fillRaces, fillStep } from "./tables.js";
import { banksText, mapText, racesText, sentence } from "./words.js";

const MOST_MAPS = 12;
const STEPS_PER_S = { slow: 2, normal: 8, fast: 30 };

export class Player {
  constructor(element, replay) {
    this.element = element;
    this.replay = replay;
    this.blocks = blocksOf(replay);
    this.races = marksOf(replay, this.blocks);
    this.heat = new Heat(replay);
    this.timeline = new Timeline(this.find("timeline"));
    this.marks = new Map([...element.querySelectorAll("[data-mark]")].map((mark) => [Number(mark.dataset.mark), mark]));
    this.marked = [];
    this.step = 0;
    this.drawn = -1;
    fillLaunches(this.find("launch"), replay.head.launches, this.blocks);
    this.makeMaps();
    this.listen();
    this.find("player").hidden = false;
    this.palette = readPalette(element);
    fillLines(this.find("line-rows"), replay);
    this.listRaces();
    this.sayWhatIsCut();
    this.choose(this.firstBlock());
  }

  find(name) {
    return this.element.querySelector(`[data-${name}]`);
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

  listRaces() {
    for (const part of this.element.querySelectorAll("[data-only-races]")) part.hidden = !this.races.length;
    if (!this.races.length) return;
    fillRaces(this.find("race-rows"), this.replay.head.launches.length, this.blocks, this.races);
    this.find("event").value = "race";
  }

  firstBlock() {
    const failing = this.element.querySelector("[data-show][data-headline]");
    return (failing && this.placeOf(failing)?.block) ?? this.blocks[0];
  }

  choose(block) {
    if (this.launch !== block.launch) fillBlocks(this.find("block"), this.replay.head.launches, this.blocks, block.launch);
    this.launch = block.launch;
    this.at = this.blocks.indexOf(block);
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
    const marks = this.races.filter(({ own }) => own.at === this.at && own.step === this.step);
    const racing = racingIn(marks, this.at, this.step);
    if (!this.timelineDrawn) this.timeline.draw(replay, shown, palette, this.racesOnTimeline());
    this.timelineDrawn = true;
    this.timeline.point(this.step, palette);
    drawLanes(this.find("lanes"), replay, shown, events, racing, palette);
    const cells = this.heat.maps.map(() => []);
    const inRace = this.heat.maps.map(() => []);
    for (const { e } of events) for (const { array, cell } of this.heat.cellsOf(e)) cells[array].push(cell);
    for (const { event, lane } of racing) for (const { array, cell } of this.heat.cellsOf(event, lane)) inRace[array].push(cell);
    this.maps.forEach(({ canvas, told: note }, i) => {
      drawHeat(canvas, this.heat.grids[i], this.heat.maps[i], cells[i], inRace[i], palette);
      note.textContent = mapText(this.heat.maps[i]);
    });
    if (this.banks) {
      const now = this.banks.now(events);
      drawBanks(this.find("banks"), this.banks.grid, this.banks.map, now, racing.flatMap(({ event, lane }) => this.banks.cellsOf(event, lane)), palette);
      this.find("banks-told").textContent = banksText(this.banks.map, now);
    }
    this.markLines(events);
    // A table that changes many times a second helps nobody.
    if (!this.playing) fillStep(this.find("step-rows"), replay, this.heat.widths, shown, events, racing);
    this.tellRaces(this.playing ? [] : marks);
    this.find("scrub").value = String(this.step);
    const words = sentence(replay, this.heat.widths, shown, this.step, events, marks);
    this.find("scrub").setAttribute("aria-valuetext", words);
    this.find("where").textContent = `Step ${this.step + 1} of ${shown.steps}`;
    if (told) announceInTurn(words);
  }

  racesOnTimeline() {
    const own = this.races.filter((race) => race.own.at === this.at);
    return own.flatMap((race) => [race.own, race.other].filter(({ at }) => at === this.at).map((access) => ({ ...access, marked: access === race.own })));
  }

  tellRaces(marks) {
    const here = this.races.filter(({ own }) => own.at === this.at).length;
    const told = marks.map(({ message }) => message[0].toUpperCase() + message.slice(1));
    const text = told.join(" ") || racesText(here, this.races.length - here);
    if (this.find("races-told").textContent !== text) this.find("races-told").textContent = text;
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
      const race = event.target.closest("[data-race]");
      if (race) this.showAt(this.places(this.races[race.dataset.race]));
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
    const races = event.key === "r" || event.key === "R"; // only selects search for letters
    const busy = event.target.closest(races ? "select" : "input, select, button, a, summary, [data-scrolls]");
    if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { ArrowLeft: () => this.go(this.step - 1), ArrowRight: () => this.go(this.step + 1), Home: () => this.go(0), End: () => this.go(this.film.steps - 1), " ": () => this.toggle(), r: () => this.jumpToRace(1), R: () => this.jumpToRace(-1) }[event.key];
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
    if (kind === "race") return this.jumpToRace(direction);
    const step = nextWith(this.replay, this.film, kind, this.step, direction);
    if (step >= 0) this.go(step);
    else announceInTurn(this.tell(`There is no ${direction > 0 ? "later" : "earlier"} event of this kind in this block.`));
  }

  /** Goes to the next race in a direction, in whatever block. */
  jumpToRace(direction) {
    const mark = nextMark(this.races, this.at, this.step, direction);
    this.tell("");
    if (!mark) return announceInTurn(this.tell(`There is no ${direction > 0 ? "later" : "earlier"} data race in this replay.`));
    if (mark.own.at !== this.at) this.choose(this.blocks[mark.own.at]);
    return this.go(mark.own.step);
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

  /** The block and the event of the finding of a button, or null if it was not recorded. */
  placeOf({ dataset }) {
    const index = (text) => text?.split(",").map(Number);
    const finding = { kind: dataset.atKind, line: Number(dataset.show), kernel: dataset.atKernel, block: index(dataset.atBlock), thread: index(dataset.atThread) };
    const mark = finding.kind === "race" && markOf(this.races, finding);
    return mark ? this.places(mark) : placeOf(this.replay, this.blocks, finding);
  }

  places({ own }) {
    return { block: this.blocks[own.at], e: own.event };
  }

  showFinding(button) {
    const found = this.placeOf(button);
    this.pause();
    this.tell(found ? "" : "The recorded part has no step of this finding.");
    if (found) this.showAt(found);
  }

  showAt({ block, e }) {
    this.pause();
    this.choose(block);
    this.go(stepOf(this.film, e));
    this.find("player").focus();
  }
}

// Scrolls the list alone, never the page around it.
function into(list, line) {
  const top = line.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (top < 0 || top > list.clientHeight - line.offsetHeight) list.scrollTop += top - list.clientHeight / 3;
}
