// Forces, contact points, trails, the mass centre: what is drawn about the robot.
import * as three from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Scene, Table } from "./data";
import { type Moment, vector } from "./motion";

const FORCE = 0xd55e00;
const TRAILS = [0x0072b2, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9];
const Y = new three.Vector3(0, 1, 0);

/** Arrows at the contacts; their length is force times `scale` (m/N). */
export class Forces {
  readonly root = new three.Group();
  scale: number;
  private readonly shafts: three.InstancedMesh;
  private readonly heads: three.InstancedMesh;
  private readonly dots: three.InstancedMesh;

  constructor(private readonly scene: Scene) {
    const count = scene.contacts?.names.length ?? 0;
    this.scale = scene.contacts?.scale ?? 0;
    const paint = new three.MeshLambertMaterial({ color: FORCE, emissive: 0x5a2500, depthTest: false, transparent: true });
    this.shafts = new three.InstancedMesh(new three.CylinderGeometry(1, 1, 1, 16).translate(0, 0.5, 0), paint, count);
    this.heads = new three.InstancedMesh(new three.ConeGeometry(1, 1, 20).translate(0, 0.5, 0), paint, count);
    const ball = new three.SphereGeometry(0.008 * scene.size, 16, 10);
    this.dots = new three.InstancedMesh(ball, new three.MeshBasicMaterial({ color: 0x20262b }), count);
    for (const mesh of [this.shafts, this.heads, this.dots]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 4; // seen through bodies
      this.root.add(mesh);
    }
  }

  /** The ends of the arrows at an instant, those of long ones nearer: a blow does not make the robot small. */
  tips(at: Moment): three.Vector3[] {
    const contacts = this.scene.contacts;
    if (!contacts) return [];
    return contacts.names.map((_, k) => {
      const force = vector(contacts.forces, at, k, new three.Vector3()).multiplyScalar(this.scale);
      return vector(contacts.points, at, k, new three.Vector3()).add(force.clampLength(0, 0.8 * this.scene.size));
    });
  }

  update(at: Moment): void {
    const contacts = this.scene.contacts;
    if (!contacts) return;
    const size = this.scene.size;
    const point = new three.Vector3();
    const force = new three.Vector3();
    const turned = new three.Quaternion();
    const matrix = new three.Matrix4();
    const thickness = new three.Vector3();
    contacts.names.forEach((_, k) => {
      vector(contacts.points, at, k, point);
      vector(contacts.forces, at, k, force).multiplyScalar(this.scale);
      const length = force.length();
      const there = length > 1e-9 * size ? 1 : 0; // an open contact has no point
      this.dots.setMatrixAt(k, matrix.makeScale(there, there, there).setPosition(point));
      const radius = length > 1e-9 * size ? Math.min(0.009 * size, 0.12 * length) : 0;
      const head = Math.min(0.055 * size, 0.45 * length);
      if (radius > 0) turned.setFromUnitVectors(Y, force.clone().divideScalar(length));
      thickness.set(radius, Math.max(length - head, 0), radius);
      this.shafts.setMatrixAt(k, matrix.compose(point, turned, thickness));
      if (radius > 0) point.addScaledVector(force, (length - head) / length);
      this.heads.setMatrixAt(k, matrix.compose(point, turned, thickness.set(2.4 * radius, radius > 0 ? head : 0, 2.4 * radius)));
    });
    for (const mesh of [this.shafts, this.heads, this.dots]) mesh.instanceMatrix.needsUpdate = true;
  }
}

function fatLine(points: ArrayLike<number>, colour: number, width: number, opacity: number): Line2 {
  const geometry = new LineGeometry();
  geometry.setPositions(Array.from(points));
  const material = new LineMaterial({ color: colour, linewidth: width, transparent: true, opacity });
  const line = new Line2(geometry, material);
  line.frustumCulled = false;
  return line;
}

/** The way of one point: strong up to now, faint afterwards. */
export class Trail {
  readonly root = new three.Group();
  private readonly past: Line2;
  private readonly rest: Line2;

  constructor(readonly name: string, points: Table, number: number, private readonly lift: number) {
    const colour = TRAILS[number % TRAILS.length];
    const raised = Float32Array.from(points.data, (x, i) => (i % 3 === 2 ? x + this.lift : x));
    this.past = fatLine(raised, colour, 2.6, 0.95);
    this.rest = fatLine(raised, colour, 1.4, 0.28);
    this.root.add(this.rest, this.past);
  }

  update(at: Moment): void {
    (this.past.geometry as LineGeometry).instanceCount = at.k + (at.share > 0.5 ? 1 : 0);
  }

  resize(width: number, height: number): void {
    for (const line of [this.past, this.rest]) (line.material as LineMaterial).resolution.set(width, height);
  }
}

/** The mass centre as a small ball. */
export class MassCentre {
  readonly root: three.Mesh;

  constructor(private readonly scene: Scene) {
    const paint = new three.MeshBasicMaterial({ color: 0x111111, depthTest: false, transparent: true, opacity: 0.85 });
    this.root = new three.Mesh(new three.SphereGeometry(0.014 * scene.size, 20, 12), paint);
    this.root.renderOrder = 6;
  }

  update(at: Moment): void {
    if (!this.scene.mass_centre) return;
    vector(this.scene.mass_centre, at, 0, this.root.position);
    this.root.position.z += this.scene.lift[2];
  }
}
