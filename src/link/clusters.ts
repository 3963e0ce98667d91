/** What of a mention can forbid a merger; all columns are indexed by mention number (the first is 1, place 0 is empty). */
export interface Traits {
  /** yyyymmdd, unknown parts 0; 0: unknown. */
  readonly birth: Int32Array
  /** 0 none, else a code per generation (`generationOf`). */
  readonly generation: Uint8Array
  /** 0 none, else a bit for its letter (A = 1, B = 2, …). */
  readonly middle: Int32Array
  /** 0 unknown, 1 F, 2 M. */
  readonly gender: Uint8Array
}

/** Edges in the order in which they are tried: strongest first. */
export interface Edges {
  readonly left: Int32Array
  readonly right: Int32Array
  readonly weight: Uint8Array
}

export interface Clusters {
  /** Per mention number: the smallest mention number of its cluster. */
  readonly clusterOf: Int32Array
  /** Edges whose merger a guard forbade. */
  readonly refused: number
}

/** From here up an edge says that the source itself takes both for one person: no guard. */
const CERTAIN_WEIGHT = 93
/** Below it an edge rests on a name and a place: two middle initials or genders forbid it, and very large clusters. */
const FIRM_WEIGHT = 72
/** A landlord's mentions may be many, but not through weak edges alone. */
const LARGEST_WEAK_CLUSTER = 400

/**
 * Connected components, edge by edge from the strongest, without the mergers that would put two people into one:
 * two birth dates, two generations (Jr, Sr), through a weak edge also two middle initials or genders.
 * Near linear, and the same for the same edges in the same order.
 */
export function clusterMentions(traits: Traits, edges: Edges): Clusters {
  const size = traits.birth.length
  const parent = new Int32Array(size)
  for (let i = 0; i < size; i++) parent[i] = i
  const cluster: Merging = {
    parent,
    count: new Int32Array(size).fill(1),
    birth: traits.birth.slice(),
    generation: traits.generation.slice(),
    middle: traits.middle.slice(),
    gender: traits.gender.slice(),
  }
  let refused = 0
  for (let edge = 0; edge < edges.left.length; edge++) {
    const a = rootOf(parent, edges.left[edge]!)
    const b = rootOf(parent, edges.right[edge]!)
    if (a === b) continue
    if (mayMerge(cluster, a, b, edges.weight[edge]!)) merge(cluster, a, b)
    else refused++
  }
  const clusterOf = new Int32Array(size)
  for (let i = 0; i < size; i++) clusterOf[i] = rootOf(parent, i)
  return { clusterOf, refused }
}

interface Merging {
  readonly parent: Int32Array
  readonly count: Int32Array
  readonly birth: Int32Array
  readonly generation: Uint8Array
  readonly middle: Int32Array
  readonly gender: Uint8Array
}

function mayMerge(of: Merging, a: number, b: number, weight: number): boolean {
  if (weight >= CERTAIN_WEIGHT) return true
  if (birthsConflict(of.birth[a]!, of.birth[b]!)) return false
  if (of.generation[a]! !== of.generation[b]! && of.generation[a]! > 0 && of.generation[b]! > 0) return false
  if (weight >= FIRM_WEIGHT) return true
  if ((of.middle[a]! & of.middle[b]!) === 0 && of.middle[a]! > 0 && of.middle[b]! > 0) return false
  if (of.gender[a]! !== of.gender[b]! && of.gender[a]! > 0 && of.gender[b]! > 0) return false
  return of.count[a]! + of.count[b]! <= LARGEST_WEAK_CLUSTER
}

// The smallest number is the root, so that a cluster's name does not depend on the order of its edges.
function merge(of: Merging, a: number, b: number): void {
  const [root, child] = a < b ? [a, b] : [b, a]
  const larger = of.count[a]! >= of.count[b]! ? a : b
  const birth =
    of.birth[larger]! > 0
      ? mostPrecise(of.birth[larger]!, of.birth[a + b - larger]!)
      : of.birth[a + b - larger]!
  of.parent[child] = root
  of.count[root]! += of.count[child]!
  of.birth[root] = birth
  of.generation[root] = of.generation[root]! || of.generation[child]!
  of.middle[root]! |= of.middle[child]!
  of.gender[root] = of.gender[root]! || of.gender[child]!
}

function rootOf(parent: Int32Array, mention: number): number {
  let at = mention
  while (parent[at] !== at) {
    // Path halving: every second step shortens the way for the next.
    parent[at] = parent[parent[at]!]!
    at = parent[at]!
  }
  return at
}

function mostPrecise(a: number, b: number): number {
  return a % 100 === 0 && b % 100 > 0 ? b : a
}

/**
 * Whether two birth dates (yyyymmdd, zeros unknown) can't be one person's: known parts differ,
 * by more than one wrong digit, two neighbouring digits or day and month exchanged. The macro `birth_level` says the same in SQL.
 */
export function birthsConflict(a: number, b: number): boolean {
  if (a === b || a === 0 || b === 0) return false
  const sameYear = Math.trunc(a / 10_000) === Math.trunc(b / 10_000)
  if (sameYear && (a % 10_000 === 0 || b % 10_000 === 0)) return false
  const sameMonth = Math.trunc(a / 100) === Math.trunc(b / 100)
  if (sameMonth && (a % 100 === 0 || b % 100 === 0)) return false
  if (sameYear && Math.trunc(a / 100) % 100 === b % 100 && a % 100 === Math.trunc(b / 100) % 100) return false
  return !oneSlip(String(a), String(b))
}

function oneSlip(a: string, b: string): boolean {
  const differing: number[] = []
  for (let i = 0; i < 8; i++) if (a[i] !== b[i]) differing.push(i)
  if (differing.length === 1) return true
  const [i, j] = differing
  return differing.length === 2 && i !== undefined && j === i + 1 && a[i] === b[j] && a[j] === b[i]
}

const GENERATIONS = ['', 'SR', 'JR', 'II', 'III', 'IV', 'V']

/** A code for a name's suffix: 0 when it says no generation (`MD`). */
export function generationOf(suffix: string | null): number {
  return Math.max(0, GENERATIONS.indexOf(suffix ?? ''))
}
