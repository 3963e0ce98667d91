import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

// The format of us-atlas: TopoJSON from the Census Bureau's shapes. A ring is a list of arcs, which neighbouring shapes
// share. The number ~n means arc n in reverse.
const Rings = z.array(z.array(z.int()))
const Geometry = z.union([
  z.object({ type: z.literal('Polygon'), id: z.string(), arcs: Rings }),
  z.object({ type: z.literal('MultiPolygon'), id: z.string(), arcs: z.array(Rings) }),
])
const Topology = z.object({
  transform: z.object({
    scale: z.tuple([z.number(), z.number()]),
    translate: z.tuple([z.number(), z.number()]),
  }),
  arcs: z.array(z.array(z.tuple([z.int(), z.int()]))),
  objects: z.record(z.string(), z.object({ geometries: z.array(z.looseObject({})).optional() })),
})

type Point = readonly [x: number, y: number]

/** A county or state as closed rings of points. */
export interface Shape {
  readonly id: string
  readonly rings: readonly (readonly Point[])[]
}

/**
 * Returns the shapes of counties or states. `albers` coordinates fit a drawing of 975 × 610; `geographic` ones are
 * longitude and latitude.
 */
export function atlasShapes(kind: 'counties' | 'states', projection: 'albers' | 'geographic'): Shape[] {
  const file = fileURLToPath(
    import.meta.resolve(`us-atlas/${kind}${projection === 'albers' ? '-albers' : ''}-10m.json`),
  )
  const { transform, arcs, objects } = Topology.parse(JSON.parse(readFileSync(file, 'utf8')))
  const lines = arcs.map((arc) => {
    let x = 0
    let y = 0
    return arc.map(([dx, dy]): Point => {
      x += dx
      y += dy
      return [
        x * transform.scale[0] + transform.translate[0],
        y * transform.scale[1] + transform.translate[1],
      ]
    })
  })
  const ring = (numbers: readonly number[]): Point[] =>
    numbers.flatMap((number, at) => {
      const line = number < 0 ? lines[~number]!.toReversed() : lines[number]!
      // The last point of an arc is also the first point of the next arc.
      return at === 0 ? line : line.slice(1)
    })
  return (objects[kind]?.geometries ?? []).flatMap((geometry) => {
    const parsed = Geometry.safeParse(geometry)
    if (!parsed.success) return []
    const { id, type, arcs: parts } = parsed.data
    return [{ id, rings: (type === 'Polygon' ? parts : parts.flat()).map(ring) }]
  })
}

/** Finds the shape that contains a point, by counting crossings. */
export class ShapeFinder {
  readonly #boxes: readonly { shape: Shape; west: number; east: number; south: number; north: number }[]

  constructor(shapes: readonly Shape[]) {
    this.#boxes = shapes.map((shape) => {
      const points = shape.rings.flat()
      const xs = points.map(([x]) => x)
      const ys = points.map(([, y]) => y)
      return {
        shape,
        west: min(xs),
        east: -min(xs.map((x) => -x)),
        south: min(ys),
        north: -min(ys.map((y) => -y)),
      }
    })
  }

  find(x: number, y: number): string | null {
    for (const { shape, west, east, south, north } of this.#boxes) {
      if (x >= west && x <= east && y >= south && y <= north && holds(shape, x, y)) return shape.id
    }
    return null
  }
}

function min(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
}

function holds({ rings }: Shape, x: number, y: number): boolean {
  let isInside = false
  for (const ring of rings) {
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const [xi, yi] = ring[i]!
      const [xj, yj] = ring[j]!
      if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) isInside = !isInside
    }
  }
  return isInside
}

/** Returns a shape as an SVG path. Leaves out points closer than `step` to the previous one. */
export function svgPath({ rings }: Shape, step: number): string {
  return rings
    .map((ring) => {
      let last: Point | null = null
      const points: string[] = []
      for (const point of ring) {
        if (last !== null && Math.hypot(point[0] - last[0], point[1] - last[1]) < step) continue
        points.push(`${point[0].toFixed(1)} ${point[1].toFixed(1)}`)
        last = point
      }
      return points.length < 3 ? '' : `M${points.join('L')}Z`
    })
    .join('')
}
