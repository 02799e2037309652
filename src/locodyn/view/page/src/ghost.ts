// Another run, seen through: its bodies and rods, without forces, ways and ground.
import * as three from "three";
import { Bodies } from "./bodies";
import type { Scene } from "./data";
import { moment } from "./motion";
import { Tube } from "./rods";

const COLOUR = 0x6b7f90;
const OPACITY = 0.32;

export class Ghost {
  readonly root = new three.Group();
  readonly bodies: Bodies;
  private readonly tubes: Tube[];

  constructor(private readonly scene: Scene) {
    const skin = new three.MeshLambertMaterial({ color: COLOUR, transparent: true, opacity: OPACITY, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    this.bodies = new Bodies({ ...scene, fixtures: [] }, () => skin); // what stands in the world is there already
    this.bodies.axes.visible = false;
    this.tubes = scene.rods.map((rod) => new Tube(rod, skin));
    this.root.add(this.bodies.root, ...this.tubes.map((tube) => tube.mesh));
    this.root.traverse((object) => (object.castShadow = false));
  }

  seek(t: number): void {
    const at = moment(this.scene.times.data, t);
    this.bodies.update(at);
    for (const tube of this.tubes) tube.update(at);
  }
}
