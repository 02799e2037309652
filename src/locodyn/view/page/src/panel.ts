// What is shown in the picture: the buttons on it.
import { button, isTyping } from "./player";
import type { Stage, View } from "./stage";
import { short } from "./charts";
import { cividis, css } from "./colours";
import { roundLength } from "./ground";

function tick(label: string, on: boolean, act: (on: boolean) => void): HTMLLabelElement {
  const line = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = on;
  box.addEventListener("change", () => act(box.checked));
  line.append(box, document.createTextNode(label));
  return line;
}

/** Views, following, and a list of what can be shown; keys 1 to 4 and f. */
export function panel(stage: Stage, into: HTMLElement, until: AbortSignal): void {
  const views = document.createElement("div");
  views.className = "views";
  const follow = button("follow", "the camera goes with the robot (f)", () => {
    stage.following = !stage.following;
    follow.classList.toggle("on", stage.following);
  });
  follow.classList.toggle("on", stage.following);
  const names: [View, string][] = [["free", "3D"], ["top", "top"], ["side", "side"], ["front", "front"]];
  views.append(...names.map(([view, word]) => button(word, `view: ${word}`, () => stage.look(view))), follow);
  document.addEventListener("keydown", (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "f") follow.click();
    else if (["1", "2", "3", "4"].includes(event.key)) stage.look(names[Number(event.key) - 1][0]);
  }, { signal: until });
  const list = document.createElement("details");
  list.className = "shown";
  list.innerHTML = "<summary>show</summary>";
  const scene = stage.scene;
  const switchOf = (root: { visible: boolean }) => (on: boolean) => {
    root.visible = on;
    stage.touch();
  };
  if (scene.contacts) {
    list.append(tick("forces", true, switchOf(stage.forces.root)));
    list.append(forceScale(stage));
  }
  stage.trails.forEach((trail, k) => list.append(tick(`way of ${trail.name}`, scene.trails[k].shown, switchOf(trail.root))));
  if (scene.mass_centre) list.append(tick("mass centre", false, switchOf(stage.centre.root)));
  list.append(tick("frames", false, switchOf(stage.bodies.axes)));
  if (scene.ground) list.append(tick("ground", true, switchOf(stage.ground.root)));
  into.append(views, list);
  const note = document.createElement("div");
  note.className = "note";
  const words = scene.ground ? [`grid ${short(stage.ground.cell)} m`] : [];
  if (scene.contacts && scene.contacts.scale > 0) words.push(`<span class="arrow"></span> ${forceWords(stage)}`);
  for (const { rod, range } of stage.tubes.slice(0, 1)) {
    const steps = Array.from({ length: 10 }, (_, k) => css(cividis(k / 9))).join(",");
    const bar = `<i class="bar" style="background:linear-gradient(90deg,${steps})"></i>`;
    const values = range[0] === range[1] ? short(range[0]) : `${short(range[0])} ${bar} ${short(range[1])}`;
    if (rod.scalar) words.push(`${rod.scalar_label} ${values}`);
  }
  note.innerHTML = words.join(" · ");
  into.append(note);
}

function forceWords(stage: Stage): string {
  const force = roundLength((0.2 * stage.scene.size) / stage.forces.scale); // an arrow of about a fifth of the robot
  return `force: ${short(force)} N as ${short(Number((force * stage.forces.scale).toPrecision(2)))} m`;
}

function forceScale(stage: Stage): HTMLLabelElement {
  const line = document.createElement("label");
  const slider = document.createElement("input");
  slider.type = "range";
  [slider.min, slider.max, slider.step, slider.value] = ["-2", "2", "0.05", "0"];
  slider.setAttribute("aria-label", "length of the force arrows");
  slider.addEventListener("input", () => {
    stage.forces.scale = stage.scene.contacts!.scale * 10 ** Number(slider.value);
    stage.refreshForces();
    const note = document.querySelector(".note");
    if (note) note.innerHTML = note.innerHTML.replace(/force: .*? m/, forceWords(stage));
  });
  line.append(document.createTextNode("scale"), slider);
  return line;
}
