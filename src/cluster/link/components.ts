import { AppError } from '../../errors.ts'
import { type ClusterOptions, CUT_STEP } from '../../link/cluster/cluster-component.ts'
import type { Engine } from '../engine.ts'

/** A component of n records needs about log2(n) rounds; see `src/cluster/decisions/001-components.md`. */
const MOST_ROUNDS = 40

/**
 * Finds the connected components of the table `edges`, and writes the table `to`: `record`, and `component`, the smallest
 * record of its component. Records without an edge are left out. Uses the rounds of Kiveris et al., "Connected components
 * in MapReduce and beyond" (2014): links lead from a record to a smaller one, and a round replaces them by links to the
 * smallest neighbour. Returns the number of rounds.
 */
export async function findComponents(engine: Engine, edges: string, to: string): Promise<number> {
  const linksOf = (round: number): string => `${to}_links_${round}`
  await engine.select({
    sql: 'select right_record as a, left_record as b from edges',
    folders: { edges },
    to: linksOf(0),
  })
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const [starred, after] = [`${to}_star_${round}`, linksOf(round)]
    await engine.select({ sql: LARGE_STAR, folders: { links: linksOf(round - 1) }, to: starred })
    await engine.select({ sql: SMALL_STAR, folders: { links: starred }, to: after })
    const [found] = await engine.select({ sql: UNFINISHED, folders: { links: after } })
    if (Number(found!['paths']) > 0 || Number(found!['links']) > Number(found!['records'])) continue
    await engine.select({ sql: COMPONENTS, folders: { links: after }, to })
    return round
  }
  throw new AppError('stage_failed', `the components of ${edges} were not found in ${MOST_ROUNDS} rounds`)
}

export interface Parts {
  /** The table with the parts: `record`, and `component`, the smallest record of its part. */
  readonly table: string
  /** Number of components above the size limit. */
  readonly cut: number
  /** Rounds that the search for the components took. */
  readonly rounds: number
}

/**
 * Finds the components of the table `edges` (table `components`), and cuts those above the size limit as
 * `clusterComponent` does: only edges of a higher match weight connect their records. Parts that are too large are cut
 * again. Records that no such edge connects are in no part.
 */
export async function findParts(engine: Engine, { edgesFrom, mostRecords }: ClusterOptions): Promise<Parts> {
  const rounds = await findComponents(engine, 'edges', 'components')
  let table = 'components'
  let cut = 0
  for (let level = 1; ; level++) {
    const large = `with large as (select component from parts group by component having count(*) > ${mostRecords})`
    const [found] = await engine.select({
      sql: `${large} select count(*) as large from large`,
      folders: { parts: table },
    })
    if (level === 1) cut = Number(found!['large'])
    if (Number(found!['large']) === 0) return { table, cut, rounds }
    const [strong, connected, next] = [`strong_edges_${level}`, `connected_${level}`, `parts_${level}`]
    await engine.select({
      sql: `${large}
        select e.left_record, e.right_record, e.match_weight from edges as e
        inner join parts as l on e.left_record = l.record
        inner join parts as r on e.right_record = r.record and l.component = r.component
        inner join large on l.component = large.component
        where e.match_weight >= ${edgesFrom + level * CUT_STEP}`,
      folders: { edges: 'edges', parts: table },
      to: strong,
    })
    await findComponents(engine, strong, connected)
    await engine.select({
      sql: `${large}
        select p.record, p.component from parts as p left join large on p.component = large.component
        where large.component is null
        union all
        select record, component from connected`,
      folders: { parts: table, connected },
      to: next,
    })
    table = next
  }
}

// Links the larger neighbours of each record to its smallest neighbour, or to the record itself if it is smaller.
const LARGE_STAR = `
with both_ways as (select a, b from links union all select b as a, a as b from links),
smallest as (select a, least(min(b), a) as first from both_ways group by a)
select distinct both_ways.b as a, smallest.first as b
from both_ways inner join smallest on both_ways.a = smallest.a
where both_ways.b > both_ways.a`

// Links each record, and its other smaller neighbours, to its smallest neighbour.
const SMALL_STAR = `
with smallest as (select a, min(b) as first from links group by a)
select links.b as a, smallest.first as b
from links inner join smallest on links.a = smallest.a
where links.b <> smallest.first
union
select a, first as b from smallest`

// At the end each record has one link, and it leads to a record without a link.
const UNFINISHED = `
select count(*) as links, count(distinct links.a) as records, count(inner_records.a) as paths
from links left join (select distinct a from links) as inner_records on links.b = inner_records.a`

const COMPONENTS = `
select a as record, b as component from links
union all
select distinct b as record, b as component from links`
