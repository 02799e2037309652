// Bodies, wheels, markers and fixed things as meshes.
import * as three from "three";
import type { Part, Scene, Wheel } from "./data";
import { type Moment, quaternion, scalar, vector } from "./motion";

const SHADES = [0x2f6f9f, 0xdfe5ea, 0xa9bccb]; // reference body, then links in turn
const ROLES: Record<string, number> = { joint: 0x51606c, tyre: 0x2c2f33, anchor: 0x7c858d, fixture: 0x9a8f83 };
const TYRE = 0.42; // width of a wheel over its radius, as in look.py
const Z = new three.Vector3(0, 0, 1);

export type Paint = (colour: number) => three.Material;

export function geometryOf(part: Part): three.BufferGeometry {
  const { size, semi_axes, radius = 0, length = 0 } = part.lengths;
  switch (part.kind) {
    case "box":
      return new three.BoxGeometry(size![0], size![1], size![2]);
    case "sphere":
      return new three.SphereGeometry(radius, 40, 24);
    case "ellipsoid":
      return new three.SphereGeometry(1, 48, 28).scale(semi_axes![0], semi_axes![1], semi_axes![2]);
    case "cylinder":
      return new three.CylinderGeometry(radius, radius, length, 48).rotateX(Math.PI / 2);
    case "capsule":
      return new three.CapsuleGeometry(radius, length, 12, 32).rotateX(Math.PI / 2);
    case "mesh": {
      const surface = new three.BufferGeometry();
      surface.setAttribute("position", new three.BufferAttribute(part.vertices!.data as Float32Array, 3));
      surface.setIndex(new three.BufferAttribute(part.triangles!.data as Uint32Array, 1));
      const apart = surface.toNonIndexed(); // flat faces: a file says nothing about smooth ones
      apart.computeVertexNormals();
      return apart;
    }
  }
}

function place(object: three.Object3D, at: number[], turned: number[]): void {
  object.position.set(at[0], at[1], at[2]);
  object.quaternion.set(turned[1], turned[2], turned[3], turned[0]);
}

/** The paint of a part: its own colour, or that of its role, or of its body. */
function painted(part: Part, colour: number, paint: Paint): three.Material {
  const own = part.colour && new three.Color().setRGB(part.colour[0], part.colour[1], part.colour[2], three.SRGBColorSpace).getHex();
  const material = paint(own ?? ROLES[part.role] ?? colour);
  const opacity = part.colour?.[3] ?? 1;
  if (opacity < 1) Object.assign(material, { transparent: true, opacity, depthWrite: false });
  return material;
}

/** A part with thin edges, as in a drawing. */
export function meshOf(part: Part, colour: number, paint: Paint): three.Object3D {
  if (part.role === "tyre") {
    const disc = tyre(part.lengths.radius!, part.lengths.length!, paint, painted(part, colour, paint));
    place(disc, part.at, part.quaternion);
    return disc;
  }
  const geometry = geometryOf(part);
  const mesh = new three.Mesh(geometry, painted(part, colour, paint));
  mesh.receiveShadow = true;
  mesh.castShadow = (part.colour?.[3] ?? 1) === 1; // light goes through water
  if (part.role === "ball") mesh.add(...circles(part.lengths.radius!, paint));
  if (part.kind === "box" || part.kind === "cylinder") {
    const lines = new three.LineSegments(
      new three.EdgesGeometry(geometry, 30),
      new three.LineBasicMaterial({ color: 0x1b2730, transparent: true, opacity: 0.45 }),
    );
    mesh.add(lines);
  }
  place(mesh, part.at, part.quaternion);
  return mesh;
}

/** Three great circles that show how a ball turns. */
function circles(radius: number, paint: Paint): three.Mesh[] {
  const ring = new three.TorusGeometry(radius, 0.012 * radius, 8, 72);
  const turns = [new three.Euler(), new three.Euler(Math.PI / 2, 0, 0), new three.Euler(0, Math.PI / 2, 0)];
  return turns.map((turn, k) => {
    const mesh = new three.Mesh(ring, paint(k ? ROLES.joint : 0xe69f00));
    mesh.rotation.copy(turn);
    return mesh;
  });
}

/** A tyre about the z axis, with a hub and spokes that show how it turns. */
function tyre(radius: number, width: number, paint: Paint, rubber: three.Material = paint(ROLES.tyre)): three.Group {
  const group = new three.Group();
  const add = (geometry: three.BufferGeometry, colour: number | three.Material) => {
    const mesh = new three.Mesh(geometry, typeof colour === "number" ? paint(colour) : colour);
    mesh.castShadow = mesh.receiveShadow = true;
    group.add(mesh);
    return mesh;
  };
  add(new three.CylinderGeometry(radius, radius, width, 48).rotateX(Math.PI / 2), rubber);
  add(new three.CylinderGeometry(0.68 * radius, 0.68 * radius, 1.04 * width, 40).rotateX(Math.PI / 2), 0xc9d1d8);
  for (let k = 0; k < 3; k++) {
    const spoke = add(new three.BoxGeometry(1.3 * radius, 0.13 * radius, 1.08 * width), 0x59646e);
    spoke.rotation.z = (k * Math.PI) / 3;
  }
  add(new three.BoxGeometry(0.62 * radius, 0.15 * radius, 1.1 * width).translate(0.34 * radius, 0, 0), 0xe69f00);
  return group;
}

interface Rolling {
  steer: three.Object3D;
  roll: three.Object3D;
  index: number;
}

/** Everything that moves with bodies. */
export class Bodies {
  readonly root = new three.Group();
  readonly shapes: three.Group[] = []; // raised by `lift`
  readonly frames: three.Group[] = []; // where the bodies are
  readonly axes = new three.Group();
  readonly solids = new three.Group();
  private readonly wheels: Rolling[] = [];
  private readonly crosses: { cross: three.Object3D; body: number }[] = [];

  constructor(private readonly scene: Scene, paint: Paint) {
    this.solids.position.fromArray(scene.lift);
    this.root.add(this.solids, this.axes);
    for (const body of scene.bodies) {
      const shape = new three.Group();
      const colour = body.depth === 0 ? SHADES[0] : SHADES[1 + ((body.depth - 1) % 2)];
      for (const part of body.parts) shape.add(meshOf(part, colour, paint));
      this.shapes.push(shape);
      this.solids.add(shape);
      const frame = new three.Group();
      this.frames.push(frame);
      this.root.add(frame);
      this.addCross(scene.bodies.indexOf(body), [0, 0, 0], [1, 0, 0, 0], 0.12 * scene.size);
    }
    for (const mark of scene.frames) this.addCross(this.index(mark.body), mark.at, mark.quaternion, 0.08 * scene.size);
    scene.wheels.forEach((wheel, k) => this.addWheel(wheel, k, paint));
    for (const part of scene.fixtures) this.root.add(meshOf(part, ROLES.fixture, paint));
  }

  index(name: string): number {
    return this.scene.bodies.findIndex((body) => body.name === name);
  }

  private addCross(body: number, at: number[], turned: number[], size: number): void {
    const holder = new three.Group();
    const cross = new three.AxesHelper(size);
    (cross.material as three.LineBasicMaterial).depthTest = false;
    cross.renderOrder = 5;
    place(cross, at, turned);
    holder.add(cross);
    this.axes.add(holder);
    this.crosses.push({ cross: holder, body });
  }

  private addWheel(wheel: Wheel, index: number, paint: Paint): void {
    const vertical = new three.Vector3().fromArray(wheel.vertical);
    const axle = new three.Vector3().fromArray(wheel.axle);
    const heading = new three.Vector3().crossVectors(axle, vertical);
    const basis = new three.Quaternion().setFromRotationMatrix(new three.Matrix4().makeBasis(heading, axle, vertical));
    for (const ground of wheel.places) {
      const steer = new three.Group();
      steer.position.fromArray(ground);
      steer.quaternion.copy(basis);
      steer.userData.basis = basis;
      const roll = new three.Group();
      if (wheel.kind === "skate") {
        const blade = new three.BoxGeometry(2 * wheel.radius, 0.08 * wheel.radius, 0.5 * wheel.radius);
        const mesh = new three.Mesh(blade.translate(0, 0, 0.25 * wheel.radius), paint(ROLES.tyre));
        mesh.castShadow = true;
        steer.add(mesh);
      } else {
        roll.position.set(0, 0, wheel.radius);
        const disc = tyre(wheel.radius, TYRE * wheel.radius, paint);
        disc.quaternion.setFromUnitVectors(Z, new three.Vector3(0, 1, 0));
        roll.add(disc);
        steer.add(roll);
      }
      this.frames[this.index(wheel.body)].add(steer);
      this.wheels.push({ steer, roll, index });
    }
  }

  update(at: Moment): void {
    this.scene.bodies.forEach((_, k) => {
      const shape = this.shapes[k];
      vector(this.scene.positions, at, k, shape.position);
      quaternion(this.scene.orientations, at, k, shape.quaternion);
      this.frames[k].position.copy(shape.position);
      this.frames[k].quaternion.copy(shape.quaternion);
    });
    for (const { cross, body } of this.crosses) {
      cross.position.copy(this.frames[body].position);
      cross.quaternion.copy(this.frames[body].quaternion);
    }
    const turn = new three.Quaternion();
    for (const { steer, roll, index } of this.wheels) {
      turn.setFromAxisAngle(Z, scalar(this.scene.wheel_steer, at, index));
      steer.quaternion.copy(steer.userData.basis as three.Quaternion).multiply(turn);
      roll.rotation.y = scalar(this.scene.wheel_turn, at, index);
    }
  }

  /** How a wheel stands and has turned, rad. */
  wheel(name: string): { steer: number; turn: number } | null {
    const k = this.scene.wheels.findIndex((wheel) => wheel.name === name);
    const found = this.wheels.find((wheel) => wheel.index === k);
    if (!found) return null;
    const turned = (found.steer.userData.basis as three.Quaternion).clone().invert().multiply(found.steer.quaternion);
    return { steer: 2 * Math.atan2(turned.z, turned.w), turn: found.roll.rotation.y };
  }
}
