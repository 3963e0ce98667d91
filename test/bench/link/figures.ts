/** Pairwise precision, recall and F1 over all true pairs, and B-cubed, of clusters against truth. */
export interface ClusterFigures {
  readonly precision: number
  readonly recall: number
  readonly f1: number
  readonly bCubedF1: number
}

/** `found[i]` and `truth[i]` name the cluster of record i. With `group`, only pairs of different groups count (links between files). */
export function clusterFigures(
  found: ArrayLike<number>,
  truth: ArrayLike<string | number>,
  group?: ArrayLike<number>,
): ClusterFigures {
  const byFound = new Map<number, number[]>()
  const byTruth = new Map<string | number, number[]>()
  for (let i = 0; i < found.length; i++) {
    push(byFound, found[i]!, i)
    push(byTruth, truth[i]!, i)
  }
  const counted = (members: number[]): number => {
    let pairs = (members.length * (members.length - 1)) / 2
    if (group === undefined) return pairs
    for (const same of partition(members, (i) => group[i]!).values())
      pairs -= (same.length * (same.length - 1)) / 2
    return pairs
  }
  let foundPairs = 0
  let truePairs = 0
  let common = 0
  let precision = 0
  let recall = 0
  for (const members of byTruth.values()) truePairs += counted(members)
  for (const members of byFound.values()) {
    foundPairs += counted(members)
    for (const both of partition(members, (i) => truth[i]!).values()) {
      common += counted(both)
      precision += (both.length * both.length) / members.length
      recall += (both.length * both.length) / byTruth.get(truth[both[0]!]!)!.length
    }
  }
  const p = precision / found.length
  const r = recall / found.length
  return {
    precision: foundPairs === 0 ? 1 : common / foundPairs,
    recall: truePairs === 0 ? 1 : common / truePairs,
    f1: (2 * common) / Math.max(1, foundPairs + truePairs),
    bCubedF1: (2 * p * r) / (p + r),
  }
}

function partition<Key>(items: number[], keyOf: (item: number) => Key): Map<Key, number[]> {
  const parts = new Map<Key, number[]>()
  for (const item of items) push(parts, keyOf(item), item)
  return parts
}

function push<Key>(map: Map<Key, number[]>, key: Key, item: number): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [item])
  else list.push(item)
}

interface Pairs {
  readonly count: number
  readonly left: Int32Array
  readonly right: Int32Array
  readonly bits: Float64Array
}

/** Of edges of at least even odds taken one by one, over all true pairs. */
export function edgeFigures(
  edges: Pairs,
  truth: ArrayLike<string>,
  group?: ArrayLike<number>,
): { f1: number } {
  let [all, right] = [0, 0]
  for (let k = 0; k < edges.count; k++) {
    if (edges.bits[k]! < 0) continue
    all++
    if (truth[edges.left[k]!] === truth[edges.right[k]!]) right++
  }
  const alone = Int32Array.from({ length: truth.length }, (_, i) => i)
  const truePairs = Math.round(trueCount(alone, truth, group))
  return { f1: (2 * right) / Math.max(1, all + truePairs) }
}

function trueCount(alone: Int32Array, truth: ArrayLike<string>, group?: ArrayLike<number>): number {
  const sizes = new Map<string, number>()
  let pairs = 0
  const count = (key: string, sign: 1 | -1): void => {
    const seen = sizes.get(key) ?? 0
    pairs += sign * seen
    sizes.set(key, seen + 1)
  }
  for (const i of alone) count(truth[i]!, 1)
  if (group !== undefined) for (const i of alone) count(`${truth[i]!} ${group[i]!}`, -1)
  return pairs
}

/** Edges of one band of probability: how many, what was promised, what was so. */
export interface Reliability {
  readonly from: number
  readonly edges: number
  readonly expected: number
  readonly observed: number
}

const BANDS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999]

/** How far the probabilities of the edges can be taken at their word. */
export function reliabilityOf(
  edges: Pairs,
  truth: ArrayLike<string>,
  probabilityOf: (bits: number) => number,
): Reliability[] {
  const bands = BANDS.map((from) => ({ from, edges: 0, expected: 0, observed: 0 }))
  for (let k = 0; k < edges.count; k++) {
    const probability = probabilityOf(edges.bits[k]!)
    const band = bands.findLast(({ from }) => probability >= from)
    if (band === undefined) continue
    band.edges++
    band.expected += probability
    if (truth[edges.left[k]!] === truth[edges.right[k]!]) band.observed++
  }
  return bands.map((band) => ({
    ...band,
    expected: band.expected / Math.max(1, band.edges),
    observed: band.observed / Math.max(1, band.edges),
  }))
}
