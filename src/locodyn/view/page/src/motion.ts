// Reading tables between two instants.
import { Quaternion, Vector3 } from "three";
import type { Table } from "./data";

/** A place on the time axis: between the rows k and k + 1, at this share of the way. */
export interface Moment {
  k: number;
  share: number;
}

/** Where the time t lies among increasing times; before the first and after the last at the ends. */
export function moment(times: ArrayLike<number>, t: number): Moment {
  let low = 0;
  let high = times.length - 1;
  if (high < 1 || !(t > times[0])) return { k: 0, share: 0 };
  if (t >= times[high]) return { k: high - 1, share: 1 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return { k: low, share: (t - times[low]) / (times[high] - times[low]) };
}

/** Entry number `column` of the rows of a table. */
export function scalar(table: Table, at: Moment, column: number): number {
  const width = table.data.length / table.shape[0];
  const i = at.k * width + column;
  const next = Math.min(i + width, table.data.length - width + column);
  return table.data[i] * (1 - at.share) + table.data[next] * at.share;
}

/** Vector number `index` of the rows of a table of vectors. */
export function vector(table: Table, at: Moment, index: number, into: Vector3): Vector3 {
  return into.set(scalar(table, at, 3 * index), scalar(table, at, 3 * index + 1), scalar(table, at, 3 * index + 2));
}

const other = new Quaternion();

/** Unit quaternion number `index` of the rows of a table of (w, x, y, z). */
export function quaternion(table: Table, at: Moment, index: number, into: Quaternion): Quaternion {
  const width = table.data.length / table.shape[0];
  const i = at.k * width + 4 * index;
  const j = Math.min(i + width, table.data.length - width + 4 * index);
  const d = table.data;
  into.set(d[i + 1], d[i + 2], d[i + 3], d[i]).normalize();
  other.set(d[j + 1], d[j + 2], d[j + 3], d[j]).normalize();
  return into.slerp(other, at.share);
}
