// The page: a report has its run inside; the studio asks its server for runs.
import type * as three from "three";
import "uplot/dist/uPlot.min.css";
import "./page.css";
import "./studio.css";
import { ticks } from "./charts";
import { bytesOf, unpack } from "./data";
import { Film } from "./film";
import { Show } from "./show";
import { Studio } from "./studio";

async function start(): Promise<void> {
  let show: Show | null = null;
  const frame = (stamp: number) => {
    show?.frame(stamp);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const change = (next: Show) => {
    show = next;
    expose(next);
  };
  const inside = document.getElementById("packet");
  if (inside) {
    const only = new Show(await unpack(bytesOf(inside.textContent!)));
    change(only);
    if (document.querySelector(".player")?.hasAttribute("data-play")) only.player.play();
  } else if (document.getElementById("studio")) await new Studio(change).begin();
}

/** What tests and the video see. */
function expose({ packet, player, stage }: Show): void {
  if (!stage) return;
  Object.assign(window, {
    locodyn: {
      player,
      stage,
      film: new Film(packet.scene, player, stage),
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
