// Time: the clock, and the buttons below the picture.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** Plays from `start` to `end` (s); `onTime` is called with every new time. */
export class Player {
  time: number;
  playing = false;
  loop = true;
  speed = 1;
  private last = 0;
  private readonly listeners: ((t: number) => void)[] = [];
  private readonly watchers: (() => void)[] = [];

  constructor(readonly start: number, readonly end: number) {
    this.time = start;
  }

  onTime(listener: (t: number) => void): void {
    this.listeners.push(listener);
  }

  /** Called when it starts, stops, or is set otherwise. */
  onChange(watcher: () => void): void {
    this.watchers.push(watcher);
  }

  changed(): void {
    for (const watcher of this.watchers) watcher();
  }

  seek(t: number): void {
    this.time = Math.min(Math.max(t, this.start), this.end);
    for (const listener of this.listeners) listener(this.time);
  }

  play(): void {
    if (this.time >= this.end) this.seek(this.start);
    this.playing = true;
    this.last = 0;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  /** Go on to the wall-clock stamp (ms) of an animation frame. */
  advance(stamp: number): void {
    const passed = this.last ? Math.min(Math.max(stamp - this.last, 0), 250) / 1000 : 0; // the first stamp may lie before
    this.last = stamp;
    if (!this.playing || passed === 0) return;
    const t = this.time + passed * this.speed;
    if (t < this.end) this.seek(t);
    else if (this.loop) this.seek(this.start + ((t - this.start) % (this.end - this.start || 1)));
    else {
      this.seek(this.end);
      this.pause();
    }
  }
}

function icon(path: string): string {
  return `<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="${path}" fill="currentColor"/></svg>`;
}

const PLAY = icon("M7 4.5v15l13-7.5z");
const PAUSE = icon("M6 4.5h4.2v15H6zM13.8 4.5H18v15h-4.2z");
const LOOP = icon("M17 3l4 4-4 4V8.2H7.5A2.5 2.5 0 0 0 5 10.7V12H3v-1.3a4.5 4.5 0 0 1 4.5-4.5H17zM7 21l-4-4 4-4v2.8h9.5a2.5 2.5 0 0 0 2.5-2.5V12h2v1.3a4.5 4.5 0 0 1-4.5 4.5H7z");

export function button(content: string, title: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.innerHTML = content;
  made.title = title;
  made.setAttribute("aria-label", title);
  made.addEventListener("click", act);
  return made;
}

/** Whether a key is meant for a field, not for the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName) && !target.classList.contains("scrub");
}

/** Play, scrub, time, speed, loop; space, arrow keys, Home and End. */
export function controls(player: Player, into: HTMLElement, until: AbortSignal): void {
  const play = button(PLAY, "play (space)", () => (player.playing ? player.pause() : player.play()));
  play.className = "play";
  const scrub = document.createElement("input");
  scrub.type = "range";
  scrub.className = "scrub";
  scrub.setAttribute("aria-label", "time");
  [scrub.min, scrub.max, scrub.step] = [String(player.start), String(player.end), "any"];
  scrub.addEventListener("input", () => player.seek(Number(scrub.value)));
  const clock = document.createElement("output");
  clock.className = "clock";
  const speed = document.createElement("select");
  speed.title = "speed";
  speed.setAttribute("aria-label", "speed");
  for (const value of SPEEDS) speed.add(new Option(`${value}×`, String(value), value === 1, value === 1));
  speed.addEventListener("change", () => (player.speed = Number(speed.value)));
  const loop = button(LOOP, "repeat", () => {
    player.loop = !player.loop;
    player.changed();
  });
  into.replaceChildren(play, scrub, clock, speed, loop);
  const digits = player.end - player.start < 5 ? 3 : 2;
  player.onTime((t) => {
    scrub.value = String(t);
    scrub.style.setProperty("--done", `${(100 * (t - player.start)) / (player.end - player.start || 1)}%`);
    clock.value = `${t.toFixed(digits)} s`;
  });
  player.onChange(() => {
    play.innerHTML = player.playing ? PAUSE : PLAY;
    loop.classList.toggle("on", player.loop);
  });
  player.changed();
  document.addEventListener("keydown", (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (player.end - player.start) / 200;
    if (event.key === " ") player.playing ? player.pause() : player.play();
    else if (event.key === "ArrowRight") player.seek(player.time + step);
    else if (event.key === "ArrowLeft") player.seek(player.time - step);
    else if (event.key === "Home") player.seek(player.start);
    else if (event.key === "End") player.seek(player.end);
    else return;
    event.preventDefault();
  }, { signal: until });
}
