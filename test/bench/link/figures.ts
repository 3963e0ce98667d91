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
