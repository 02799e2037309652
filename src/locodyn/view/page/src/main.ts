// The page: reads its data, builds the picture and the charts, and lets them follow one clock.
import * as three from "three";
import "uplot/dist/uPlot.min.css";
import "./page.css";
import { TimeChart, ticks } from "./charts";
import { type Packet, unpack } from "./data";
import { BarChart, PlaneChart } from "./drawings";
import { FieldChart } from "./fields";
import { Film } from "./film";
import { panel } from "./panel";
import { Player, controls } from "./player";
import { Stage } from "./stage";

interface Shown {
  resize(): void;
  recolour(): void;
}

function charts(packet: Packet, player: Player): Shown[] {
  const kinds = { time: TimeChart, log: TimeChart, plane: PlaneChart, bars: BarChart, field: FieldChart };
  const found: Shown[] = [];
  for (const chart of packet.charts) {
    const holder = document.querySelector<HTMLElement>(`[data-chart="${chart.name}"]`);
    if (holder) found.push(new kinds[chart.kind](chart, packet.times, player, holder));
  }
  return found;
}

/** The picture; null where the browser cannot draw it, which does not stop the charts. */
function stageOf(packet: Packet, holder: HTMLElement): Stage | null {
  try {
    return new Stage(packet.scene, holder, new URLSearchParams(location.search).has("plain"));
  } catch {
    holder.textContent = "The animation needs a browser with WebGL 2 (any from 2023 on); the curves below do not.";
    return null;
  }
}

async function start(): Promise<void> {
  const packet = await unpack(document.getElementById("packet")!.textContent!);
  const times = packet.scene.times.data;
  const player = new Player(times[0], times[times.length - 1]);
  const holder = document.getElementById("stage")!;
  const stage = stageOf(packet, holder);
  controls(player, document.getElementById("controls")!);
  const shown: Shown[] = [];
  if (stage) {
    panel(stage, holder);
    player.onTime((t) => stage.seek(t));
    new ResizeObserver(() => stage.resize()).observe(holder);
    shown.push(stage);
  }
  shown.push(...charts(packet, player));
  const fit = () => shown.forEach((part) => part.resize());
  new ResizeObserver(fit).observe(document.body);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => shown.forEach((part) => part.recolour()));
  fit();
  player.seek(player.start);
  const frame = (stamp: number) => {
    player.advance(stamp);
    stage?.draw();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  if (stage) expose(packet, player, stage);
}

/** What tests and the video see. */
function expose(packet: Packet, player: Player, stage: Stage): void {
  const film = new Film(packet.scene, player, stage);
  Object.assign(window, {
    locodyn: {
      player,
      film,
      seek: (t: number) => player.seek(t),
      pose: (name: string) => {
        const drawn = stage.bodies.shapes[stage.bodies.index(name)];
        const { x, y, z, w } = drawn.quaternion;
        return { position: drawn.position.toArray(), quaternion: [w, x, y, z] };
      },
      ticks,
      wheel: (name: string) => stage.bodies.wheel(name),
      tube: (name: string) => {
        const found = stage.tubes.find((tube) => tube.rod.name === name);
        return Array.from((found!.mesh.geometry.getAttribute("position") as three.BufferAttribute).array);
      },
    },
  });
  document.documentElement.dataset.ready = "yes";
}

void start();
