import type { Engine } from '../engine.ts'

/** A component of n records needs about log2(n) rounds; see `src/cluster/decisions/001-components.md`. */
const MOST_ROUNDS = 40

/**
 * Finds the connected components of the table `edges`, and writes `components`: `record`, and `component`, the smallest
 * record of its component. Records without an edge are left out. Uses the rounds of Kiveris et al., "Connected components
 * in MapReduce and beyond" (2014): links lead from a record to a smaller one, and a round replaces them by links to
 * the smallest neighbour.
 */
export async function findComponents(engine: Engine): Promise<{ rounds: number }> {
  await engine.select({
    sql: 'select right_record as a, left_record as b from edges',
    folders: { edges: 'edges' },
    to: 'links_0',
  })
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const [before, starred, after] = [`links_${round - 1}`, `large_star_${round}`, `links_${round}`]
    await engine.select({ sql: LARGE_STAR, folders: { links: before }, to: starred })
    await engine.select({ sql: SMALL_STAR, folders: { links: starred }, to: after })
    const [found] = await engine.select({ sql: UNFINISHED, folders: { links: after } })
    if (Number(found!['paths']) > 0 || Number(found!['links']) > Number(found!['records'])) continue
    await engine.select({ sql: COMPONENTS, folders: { links: after }, to: 'components' })
    return { rounds: round }
  }
  throw new Error(`components were not found in ${MOST_ROUNDS} rounds`)
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
