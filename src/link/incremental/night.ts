import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { DuckDBConnection } from '@duckdb/node-api'
import { appendMentions } from './append-mentions.ts'
import type { RandomPairs } from '../model/birth-pairs.ts'
import type { ChangeInput, RuleChanges } from './block-changes.ts'
import { blockParts } from '../block/block-parts.ts'
import { CLUSTER_OPTIONS, clusterMentions } from '../cluster/clusters.ts'
import { codeSources } from '../records/coding.ts'
import type { Components } from '../cluster/components.ts'
import { findChanges, listChanges, numberChanges } from './find-changes.ts'
import { type FrequencyWeights, frequencyWeights } from '../model/frequencies.ts'
import type { LinkOptions } from '../score-and-cluster.ts'
import { loadSources } from '../records/load-mentions.ts'
import { goneBelow, markGone, type Mentions, type PlainMentions } from '../records/mentions.ts'
import { looseEdges, type Pair } from './loose-edges.ts'
import type { LinkModel } from '../model/model.ts'
import { type Drift, driftBetween } from '../model/model-file.ts'
import { numberedAmong, partedEdges, recordsAmong } from './night-edges.ts'
import { nightPairs } from './night-pairs.ts'
import { openComponents, removeComponents, storeEdges } from './open-components.ts'
import { drawPanel, type Panel } from './panel.ts'
import { fetchFew, mentionsOf } from './read-few.ts'
import { type Edges, mergedEdges, sortedEdges } from '../cluster/edges.ts'
import { amplyFor, isWithin, type LinkState, roomOf, type StateReader, writeState } from './state-file.ts'
import { keepRuns, type LastState, lastState, nextFolder, storeGroups, storeKeys } from './stored-state.ts'
import { loadRandom } from '../model/stored-terms.ts'
import { type LinkThreads, withThreads } from '../threads/threads.ts'
import { shared } from '../records/texts.ts'
import { levelWeights } from '../model/weights.ts'

/** When more than this share of what the state began with has come and gone, it is written whole again. */
const MOST_SINCE = 0.2

export interface NightOptions extends LinkOptions {
  /** Where the last run left what this one goes on from. */
  readonly stateFolder: string
}

export interface NightReport {
  /** Records that came or changed, and that left or changed. */
  readonly come: number
  readonly gone: number
  readonly pairs: number
  /** Records whose clusters were decided anew, and components among them that were above the limit. */
  readonly decided: number
  readonly cut: number
  /** Where the model differs from what a panel of records would teach now. */
  readonly drift: readonly Drift[]
}

type Outcome = Pick<NightReport, 'pairs' | 'decided' | 'cut' | 'drift'>

const NOTHING = { come: 0, gone: 0, pairs: 0, decided: 0, cut: 0, drift: [] }

/**
 * Brings the stored linkage up to `link.records`: only records that came, changed or left are compared (with everything), and only
 * the components that they touch are clustered anew. Ends with exactly what linking everything with the same model gives.
 * Undefined, and nothing done, where the state of the last run is not there.
 */
export async function linkChanges(
  db: DuckDBConnection,
  model: LinkModel,
  options: NightOptions,
): Promise<NightReport | undefined> {
  const { threads: count, stateFolder, lap } = options
  return withQuickCompiling(async () =>
    withThreads(count, async (threads) => {
      const last = await lastState(db, stateFolder)
      try {
        const changes = await findChanges(db)
        lap?.('changes', changes.come + changes.gone)
        if (changes.come + changes.gone === 0) return NOTHING
        if (last === undefined) return undefined
        return { ...changes, ...(await new Night(db, model, threads, options).link(changes.come, last)) }
      } finally {
        last?.state.close()
      }
    }),
  )
}

/**
 * Runs `body` without V8's last, most thorough compiler, in this thread and those that start: what a night runs, in threads that are new, it
 * runs too briefly for that to pay (a sixth of the processor time of a night with a hundredth of a million new).
 */
async function withQuickCompiling<T>(body: () => Promise<T>): Promise<T> {
  setFlagsFromString('--no-turbofan')
  try {
    return await body()
  } finally {
    setFlagsFromString('--turbofan')
  }
}

interface NightInput {
  readonly mentions: Mentions
  readonly frequencies: FrequencyWeights
  readonly changes: readonly RuleChanges[]
  /** Mentions from here on came tonight. */
  readonly first: number
  /** Mentions that left. */
  readonly gone: Int32Array
}

/** What a night begins with. */
interface Tonight {
  /** What was there, with those that left marked. */
  readonly before: LinkState
  readonly fresh: PlainMentions
  readonly gone: Int32Array
  readonly panel: Panel
}

/** The edges of open components as they are now, and those that they had and have no more. */
interface OpenEdges {
  readonly edges: Edges
  readonly left: Edges
}

interface DrawnPanel {
  readonly panel: Panel
  /** Undefined where nothing was ever trained in this warehouse: there is nothing to hold the panel against. */
  readonly random: RandomPairs | undefined
}

class Night {
  readonly #db: DuckDBConnection
  readonly #model: LinkModel
  readonly #threads: LinkThreads
  readonly #options: NightOptions

  constructor(db: DuckDBConnection, model: LinkModel, threads: LinkThreads, options: NightOptions) {
    this.#db = db
    this.#model = model
    this.#threads = threads
    this.#options = options
  }

  async link(come: number, { state, runs }: LastState): Promise<Outcome> {
    const { lap, stateFolder } = this.#options
    const first = state.count
    const { fresh, before, gone, panel } = await this.#read(come, state)
    lap?.('load', fresh.count)
    const mentions = appendMentions(before.mentions, before.sizes, fresh)
    lap?.('state', first)
    const isWhole = isLargelyNew(before, mentions)
    const run = nextFolder(stateFolder, runs)
    const into = join(stateFolder, run)
    let random: RandomPairs | undefined
    const changes = await this.#threads.run(
      {
        kind: 'changes',
        input: this.#changeInput({ mentions, first, gone, panel, index: state.folders, into, isWhole }),
      },
      async () => {
        random = await loadRandom(this.#db)
      },
    )
    lap?.('block', changes.length)
    const { totals } = this.#model
    const frequencies = frequencyWeights(mentions, { totals, stored: before.terms }, this.#model)
    const linkage = await this.#link(
      { mentions, frequencies, changes: changes.flat(), first, gone },
      { panel, random },
    )
    writeState(into, mentions, before.terms, isWhole ? undefined : before.baseSizes)
    await keepRuns(this.#db, stateFolder, isWhole ? run : runs.base, isWhole ? null : run)
    lap?.('store', 0)
    return linkage
  }

  // What was there is read from the disk while the engine gives what came.
  async #read(come: number, stored: StateReader): Promise<Tonight> {
    const room = amplyFor(come)
    // The engine is asked first: to make room for the arrays takes this thread a while.
    const listing = listChanges(this.#db)
    const reading = stored.read(room)
    const asking = listing.then(async (gone) => this.#ask(come, stored.count, gone, reading))
    // Nothing is left running when one of them fails.
    await Promise.allSettled([listing, reading, asking])
    const [before, tonight] = await Promise.all([reading, asking])
    const needed = roomOf(tonight.fresh)
    if (isWithin(needed, room)) return { ...tonight, before }
    const roomier = await stored.read(needed)
    markGone(roomier.mentions, tonight.gone)
    return { ...tonight, before: roomier }
  }

  async #ask(
    come: number,
    first: number,
    gone: Int32Array,
    reading: Promise<LinkState>,
  ): Promise<Omit<Tonight, 'before'>> {
    await codeSources(this.#db, 'temp.come')
    const sources = await loadSources(this.#db)
    // In halves, side by side: the engine gives so few rows no second thread.
    const half = come >>> 1
    const fetching = fetchFew(
      this.#db,
      `(from temp.come where mention < ${half} union all from temp.come where mention >= ${half})`,
    )
    // Until newcomers are read a core is idle.
    this.#threads.start(first)
    const drawing = reading.then(({ mentions }) => {
      markGone(mentions, gone)
      return drawPanel(mentions)
    })
    await Promise.allSettled([fetching, drawing])
    const [records, panel] = await Promise.all([fetching, drawing])
    // Kept by the engine while texts are looked at here.
    const numbering = numberChanges(this.#db, first)
    try {
      return { fresh: mentionsOf(records, this.#model.attributes, sources), gone, panel }
    } finally {
      await numbering
    }
  }

  #changeInput({
    panel,
    ...input
  }: Omit<ChangeInput, 'panel' | 'parts' | 'limit'> & { panel: Panel }): ChangeInput {
    const { mentions, first, gone } = input
    const numbers = Int32Array.from([...numbersFrom(first, mentions.count), ...gone, ...panel.records])
    return {
      ...input,
      panel: panel.records,
      parts: blockParts(mentions, numbers),
      limit: this.#model.block_limit,
    }
  }

  // What only waits for the engine, or is one thread's work, is done while others are at theirs.
  async #link(input: NightInput, drawn: DrawnPanel): Promise<Outcome> {
    const { mentions, frequencies, changes } = input
    const { lap } = this.#options
    let loose: readonly Pair[] = []
    const { pairs, edges: found } = await this.#score(input, async () => {
      loose = await looseEdges(this.#db, mentions, changes)
    })
    lap?.('score', pairs)
    const opening = this.#open(input, found, loose)
    const drifting = this.#drift(input, drawn, opening)
    const deciding = opening.then(async ({ edges, left }) =>
      this.#decide(mentions, frequencies, edges, async () => {
        await storeEdges(this.#db, left, found)
        await storeKeys(this.#db, changes)
        await removeComponents(this.#db)
      }),
    )
    // Nothing is written any more when one of them fails.
    await Promise.allSettled([drifting, deciding])
    const [drift, { components, smallest, cut }] = await Promise.all([drifting, deciding])
    lap?.('cluster', components.members.length)
    await storeGroups(this.#db, components, smallest)
    return { pairs, decided: components.members.length, cut, drift }
  }

  /** The edges of the components that tonight touches. */
  async #open(
    { mentions, first, gone }: NightInput,
    found: Edges,
    loose: readonly Pair[],
  ): Promise<OpenEdges> {
    const touched = recordsAmong(mentions.count, [gone, ...loose, found.left, found.right])
    const open = await openComponents(this.#db, touched)
    const { kept, left } = partedEdges(mentions, open, found, loose, first)
    return { edges: mergedEdges(kept, found), left }
  }

  async #score(
    { mentions, frequencies, changes, first }: NightInput,
    meanwhile: () => Promise<void>,
  ): Promise<{ pairs: number; edges: Edges }> {
    const found = await this.#threads.run(
      {
        kind: 'edges',
        input: { mentions, night: nightPairs(changes, first, mentions.count), frequencies },
        weights: levelWeights(this.#model, mentions.attributes),
      },
      meanwhile,
    )
    return {
      pairs: found.reduce((total, part) => total + part.pairs, 0),
      edges: sortedEdges(found.flatMap((part) => part.edges)),
    }
  }

  /** Where EM over the panel's candidates differs from the model by more than chance. */
  async #drift(
    { mentions, frequencies, changes }: NightInput,
    { panel, random }: DrawnPanel,
    meanwhile: Promise<unknown>,
  ): Promise<readonly Drift[]> {
    if (random === undefined) return []
    const { agreements } = this.#model
    const blocks = changes.map(({ panelStarts, panelMembers }) => ({
      starts: panelStarts,
      members: panelMembers,
    }))
    const input = { mentions, frequencies, agreements, blocks, panel, random }
    const [found] = (
      await this.#threads.run({ kind: 'panel', input }, async () => void (await meanwhile))
    ).flat()
    return driftBetween(this.#model, found!.fresh, found!.known)
  }

  /**
   * Decides the components of some edges, numbered among their records alone: what it costs follows from them. Other threads begin
   * while this one is at what there is to do `meanwhile`.
   */
  async #decide(
    mentions: Mentions,
    frequencies: FrequencyWeights,
    edges: Edges,
    meanwhile: () => Promise<void>,
  ): Promise<{ components: Components; smallest: Int32Array; cut: number }> {
    const weights = levelWeights(this.#model, mentions.attributes)
    const records = recordsAmong(mentions.count, [edges.left, edges.right])
    const smallest = shared(Int32Array, mentions.count)
    for (const record of records) smallest[record] = record
    let all: Components | undefined
    const { cut } = await clusterMentions(
      records.length,
      numberedAmong(records, mentions.count, edges),
      async (found, _, options) => {
        const members = shared(Int32Array, found.members.length)
        for (let k = 0; k < members.length; k++) members[k] = records[found.members[k]!]!
        const components = { ...found, members }
        const input = { mentions, weights, frequencies, components, smallest, options }
        await this.#threads.run({ kind: 'clusters', input }, all === undefined ? meanwhile : undefined)
        // Those of the first round are of all edges; larger ones come again, cut.
        all ??= components
      },
      CLUSTER_OPTIONS,
    )
    return { components: all!, smallest, cut: cut.length }
  }
}

function isLargelyNew({ baseSizes, baseGone }: LinkState, mentions: Mentions): boolean {
  const come = mentions.count - baseSizes.count
  const gone = goneBelow(mentions, baseSizes.count).length - baseGone
  return come + gone > baseSizes.count * MOST_SINCE
}

function numbersFrom(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, k) => first + k)
}
