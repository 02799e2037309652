// The studio: a form beside the page of the report. It asks its server to build, draw and run, and shows what comes back.
import { unpack } from "./data";
import { isTyping } from "./player";
import { Show } from "./show";
import { Form } from "./studio_form";
import { BusySign, type Told, work } from "./work";

const PAUSE = 250; // ms after the last change of a parameter until the robot is drawn anew

function element<T extends HTMLElement>(name: string): T {
  return document.getElementById(name) as T;
}

export class Studio {
  private readonly robot = element<HTMLSelectElement>("robot");
  private readonly inputs = ["t_end", "dt", "integrator"].map((name) => element<HTMLInputElement>(name));
  private readonly compare = element<HTMLInputElement>("compare");
  private readonly form = new Form(element("fields"), () => this.later());
  private readonly sign = new BusySign(element("stage"), () => void this.stop());
  private show: Show | null = null;
  private timer = 0;
  private asked = 0; // packets; only the last one is shown
  private result: number | null = null;
  private previous: number | null = null;

  constructor(private readonly change: (show: Show) => void) {
    this.robot.addEventListener("change", () => void this.choose());
    for (const input of this.inputs) input.addEventListener("change", () => this.later());
    this.compare.addEventListener("change", () => this.result !== null && void this.fetch(this.result, false));
    element<HTMLFormElement>("form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.run();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.sign.on) void this.stop();
      if (event.key === "r" && !isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey) void this.run();
    });
  }

  async begin(): Promise<void> {
    if (matchMedia("(max-width: 760px)").matches) element<HTMLDetailsElement>("parameters").open = false;
    await this.choose();
  }

  private sent(): object {
    const [t_end, dt, integrator] = this.inputs.map((input) => input.value);
    return { robot: this.robot.value, values: this.form.values(), t_end, dt, integrator };
  }

  private async choose(): Promise<void> {
    const robot = this.robot.value;
    window.clearTimeout(this.timer);
    this.result = this.previous = null;
    this.say([]);
    document.title = `locodyn: ${robot}`;
    for (const name of ["about", "source"]) element<HTMLAnchorElement>(name).href = `${name}/${robot}`;
    element("files").replaceChildren(Object.assign(document.createElement("p"), { textContent: "There is nothing to save yet; run the robot first." }));
    await work("choose", { robot }, this.sign, `building ${robot}`, (told) => (this.robot.value === robot ? this.hear(told, true) : undefined));
  }

  /** A parameter has changed: draw the robot anew, when no other change follows soon. */
  private later(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.say([]);
      void work("draw", this.sent(), this.sign, "drawing the robot", (told) => this.hear(told, false));
    }, PAUSE);
  }

  private async run(): Promise<void> {
    window.clearTimeout(this.timer);
    this.say([]);
    const button = element<HTMLButtonElement>("run");
    button.disabled = true;
    const aim = this.result === null;
    try {
      await work("run", this.sent(), this.sign, "preparing", (told) => this.hear(told, aim));
    } finally {
      button.disabled = false;
    }
  }

  private async stop(): Promise<void> {
    await fetch("stop", { method: "POST", body: "{}" }).catch(() => undefined);
  }

  private async hear(told: Told, aim: boolean): Promise<void> {
    if (told.refused) this.say([told.refused], true);
    if (told.said) this.say(told.said);
    if (told.fields) {
      this.form.fill(told.fields);
      element("kind").textContent = `${told.summary}. ${told.classification}.`;
      [told.t_end!, told.dt!, told.integrator!].forEach((value, k) => (this.inputs[k].value = value));
    }
    if (told.number !== undefined) {
      [this.previous, this.result] = [this.result, told.number];
      this.saves(told);
    }
    if (told.shown !== undefined) {
      element("charts").innerHTML = told.figures ?? "";
      element("facts").innerHTML = told.facts ?? "";
      await this.fetch(told.shown, told.still ?? false, aim);
    }
  }

  /** Show a packet of the server; the camera stays where it is unless `aim`. */
  private async fetch(number: number, still: boolean, aim = false): Promise<void> {
    const turn = ++this.asked;
    const against = !still && this.compare.checked && this.previous !== null ? `?with=${this.previous}` : "";
    const answer = await fetch(`packet/${number}${against}`);
    if (!answer.ok) return this.say([await answer.text()], true);
    const packet = await unpack(await answer.arrayBuffer());
    if (turn !== this.asked) return;
    const before = this.show;
    const time = before && !aim && !still ? before.player.time : null;
    const [camera, target, following] = before?.stage ? [before.stage.camera.position.clone(), before.stage.controls.target.clone(), before.stage.following] : [null, null, false];
    this.show = new Show(packet, before);
    if (!aim && camera && target) this.show.stage?.lookFrom(camera, target, following);
    this.change(this.show);
    if (time !== null) this.show.player.seek(time);
    if (!still) this.show.player.play();
  }

  private saves(told: Told): void {
    const files = element("files");
    const kinds = [["nc", "result (NetCDF)"], ["html", "report (HTML)"], ["py", "Python lines"]];
    const links = kinds.map(([kind, words]) => Object.assign(document.createElement("a"), { href: `save/${told.number}/${kind}`, textContent: words, className: "file" }));
    const lines = Object.assign(document.createElement("pre"), { textContent: `${told.lines}` });
    const command = Object.assign(document.createElement("pre"), { textContent: `${told.command}` });
    files.replaceChildren(...links, lines, command);
  }

  private say(words: string[], refused = false): void {
    const place = element("said");
    place.classList.toggle("refused", refused);
    place.replaceChildren(...words.map((one) => Object.assign(document.createElement("p"), { textContent: one })));
  }
}
