import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../warehouse/query.ts'
import { appendMentions } from './append-mentions.ts'
import type { RuleChanges } from './block-changes.ts'
import { blockParts } from './block-parts.ts'
import { CLUSTER_OPTIONS, clusterMentions } from './clusters.ts'
import { codeSources } from './coding.ts'
import { appendColumns, readIntegers } from './columns.ts'
import type { Components } from './components.ts'
import { findChanges } from './find-changes.ts'
import { type FrequencyWeights, frequencyWeights } from './frequencies.ts'
import type { LinkOptions } from './link-mentions.ts'
import { loadSources } from './load-mentions.ts'
import type { Mentions, PlainMentions } from './mentions.ts'
import { looseEdges, type Pair } from './loose-edges.ts'
import type { LinkModel } from './model.ts'
import { type Drift, driftBetween } from './model-file.ts'
import { numberedAmong, partedEdges, recordsAmong } from './night-edges.ts'
import { nightPairs } from './night-pairs.ts'
import { fillTemporary, openComponents, storeComponents, storeEdges } from './open-components.ts'
import { drawPanel, type PanelInput } from './panel.ts'
import type { PatternCounts } from './patterns.ts'
import { fetchFew, mentionsOf } from './read-few.ts'
import { type Edges, mergedEdges, sortedEdges } from './edges.ts'
import {
  amplyFor,
  isWithin,
  type LinkState,
  roomOf,
  type Sizes,
  type StateReader,
  writeState,
} from './state-file.ts'
import { keepRuns, lastState, nextFolder, storeDropped } from './stored-state.ts'
import { loadRandom } from './stored-terms.ts'
import { type LinkThreads, withThreads } from './threads.ts'
import { shared } from './texts.ts'
import { levelWeights } from './weights.ts'

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
  const changes = await findChanges(db)
  options.lap?.('changes', changes.come + changes.gone)
  if (changes.come + changes.gone === 0) return NOTHING
  const last = await lastState(db, options.stateFolder)
  if (last === undefined) return undefined
  return withQuickCompiling(async () =>
    withThreads(options.threads, async (threads) => {
      threads.start(last.state.count)
      const night = new Night(db, model, threads, options)
      return { ...changes, ...(await night.link(changes.come, last.state, last.base)) }
    }),
  )
}

/**
 * Runs `body` without V8's last, most thorough compiler, in this thread and those that start: what a night runs, in threads that are new, it
 * runs too briefly for that to pay (a seventh of the processor time of a night with a hundredth of a million new).
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

/** What a night asks the engine for before it begins. */
interface Tonight {
  readonly fresh: PlainMentions
  readonly gone: Int32Array
  readonly random: PatternCounts | undefined
  /** The folder for what the night leaves. */
  readonly run: string
}

type DrawnPanel = Pick<PanelInput, 'random' | 'panel'>

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

  async link(come: number, stored: StateReader, base: string): Promise<Outcome> {
    const { lap, stateFolder } = this.#options
    const first = stored.count
    const { fresh, before, gone, random, run } = await this.#read(come, stored).finally(() => stored.close())
    lap?.('load', fresh.count)
    const mentions = appendMentions(before.mentions, before.sizes, fresh)
    for (const record of gone) mentions.ranks[record] = -1
    lap?.('state', first)
    const isWhole = isLargelyNew(before, mentions)
    const drawn = random === undefined ? undefined : { random, panel: drawPanel(mentions, first) }
    const panel = drawn?.panel.records ?? new Int32Array(0)
    const into = join(stateFolder, run)
    const changes = await this.#threads.run({
      kind: 'changes',
      input: {
        mentions,
        first,
        gone,
        panel,
        parts: blockParts(
          mentions,
          Int32Array.from([...numbersFrom(first, mentions.count), ...gone, ...panel]),
        ),
        limit: this.#model.block_limit,
        index: stored.folders,
        into,
        isWhole,
      },
    })
    lap?.('block', changes.length)
    const { agreements, own_records: own, totals } = this.#model
    const frequencies = frequencyWeights(mentions, { totals, stored: before.terms }, agreements, own)
    const linkage = await this.#link({ mentions, frequencies, changes: changes.flat(), first, gone }, drawn)
    writeState(into, mentions, before.terms, isWhole ? undefined : before.baseSizes)
    await keepRuns(this.#db, stateFolder, isWhole ? run : base, isWhole ? null : run)
    lap?.('store', 0)
    return linkage
  }

  // What was there is read from the disk while the engine gives what came.
  async #read(come: number, stored: StateReader): Promise<Tonight & { before: LinkState }> {
    const room = amplyFor(come)
    // Sources are told by what comes: they may be new.
    const reading = stored.read(room, new Uint8Array(0))
    const asking = this.#ask(stored.count)
    // Nothing is left running when one of the two fails.
    await Promise.allSettled([reading, asking])
    const [before, tonight] = await Promise.all([reading, asking])
    const needed = roomOf(tonight.fresh)
    return {
      ...tonight,
      before: isWithin(needed, room) ? before : await stored.read(needed, new Uint8Array(0)),
    }
  }

  // Numbers are kept by the engine while texts are looked at here.
  async #ask(first: number): Promise<Tonight> {
    await codeSources(this.#db, 'temp.come')
    const sources = await loadSources(this.#db)
    const gone = await this.#goneNumbers()
    const random = await loadRandom(this.#db)
    const run = await nextFolder(this.#db, this.#options.stateFolder)
    const records = await fetchFew(this.#db, 'temp.come')
    const keeping = this.#keepNumbers(first)
    try {
      return { fresh: mentionsOf(records, this.#model.attributes, sources), gone, random, run }
    } finally {
      await keeping
    }
  }

  async #keepNumbers(first: number): Promise<void> {
    await execute(
      this.#db,
      'delete from link.coded_records where record_number in (select record_number from temp.gone)',
    )
    await execute(
      this.#db,
      `insert into link.coded_records select ${first} + mention, record_id, hash(record_id), content from temp.come`,
    )
  }

  async #goneNumbers(): Promise<Int32Array> {
    const gone: number[] = []
    await readIntegers(this.#db, 'select record_number from temp.gone order by 1', ([numbers], rows) => {
      for (let k = 0; k < rows; k++) gone.push(numbers![k]!)
    })
    return Int32Array.from(gone)
  }

  // What only waits for the engine, or is one thread's work, is done while others are at theirs.
  async #link(input: NightInput, drawn: DrawnPanel | undefined): Promise<Outcome> {
    const { mentions, frequencies, changes } = input
    const { lap } = this.#options
    let loose: readonly Pair[] = []
    const { pairs, edges: found } = await this.#score(input, async () => {
      loose = await looseEdges(this.#db, mentions, changes)
    })
    lap?.('score', pairs)
    const opening = this.#open(input, found, loose)
    const [drift, { components, smallest, cut }] = await Promise.all([
      this.#drift(input, drawn, opening),
      opening.then(async (edges) => this.#decide(mentions, frequencies, edges)),
    ])
    lap?.('cluster', components.members.length)
    await storeComponents(this.#db, components, smallest)
    return { pairs, decided: components.members.length, cut, drift }
  }

  /** The edges of the components that tonight touches, as they are now. */
  async #open(
    { mentions, changes, first, gone }: NightInput,
    found: Edges,
    loose: readonly Pair[],
  ): Promise<Edges> {
    const touched = recordsAmong(mentions.count, [gone, ...loose, found.left, found.right])
    const open = await openComponents(this.#db, touched)
    const { kept, left } = partedEdges(mentions, open, found, loose, first)
    await storeEdges(this.#db, left, found)
    await this.#storeKeys(changes)
    return mergedEdges(kept, found)
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
    drawn: DrawnPanel | undefined,
    meanwhile: Promise<unknown>,
  ): Promise<readonly Drift[]> {
    if (drawn === undefined) return []
    const { agreements } = this.#model
    const blocks = changes.map(({ panelStarts, panelMembers }) => ({
      starts: panelStarts,
      members: panelMembers,
    }))
    const input = { mentions, frequencies, agreements, blocks, ...drawn }
    const [found] = (
      await this.#threads.run({ kind: 'panel', input }, async () => void (await meanwhile))
    ).flat()
    return driftBetween(this.#model, found!.fresh, found!.known)
  }

  /** Decides the components of some edges, numbered among their records alone: what it costs follows from them. */
  async #decide(
    mentions: Mentions,
    frequencies: FrequencyWeights,
    edges: Edges,
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
        // Those of the first round are of all edges; larger ones come again, cut.
        all ??= components
        const input = { mentions, weights, frequencies, components, smallest, options }
        await this.#threads.run({ kind: 'clusters', input })
      },
      CLUSTER_OPTIONS,
    )
    return { components: all!, smallest, cut: cut.length }
  }

  async #storeKeys(changes: readonly RuleChanges[]): Promise<void> {
    const joined = (of: 'grownNodes' | 'grownKeys' | 'shrunkNodes' | 'shrunkKeys'): Int32Array =>
      Int32Array.from(changes.flatMap((change) => [...change[of]]))
    await this.#deleteKeys('link.oversized_keys', joined('shrunkNodes'), joined('shrunkKeys'))
    const grown = joined('grownNodes')
    await appendColumns(this.#db, 'link.oversized_keys', [grown, joined('grownKeys')], grown.length)
    const dropped = changes.flatMap(({ droppedBefore }) => droppedBefore)
    const nodes = Int32Array.from(dropped, ({ node }) => node)
    await this.#deleteKeys(
      'link.dropped_blocks',
      nodes,
      Int32Array.from(dropped, ({ key }) => key),
    )
    await storeDropped(
      this.#db,
      changes.flatMap((change) => change.dropped),
    )
  }

  async #deleteKeys(table: string, node: Int32Array, key: Int32Array): Promise<void> {
    if (node.length === 0) return
    await fillTemporary(this.#db, 'temp.passed_keys', { node, key })
    await execute(
      this.#db,
      `delete from ${table} as t using temp.passed_keys as p where t.node = p.node and t.key = p.key`,
    )
    await execute(this.#db, 'drop table temp.passed_keys')
  }
}

function isLargelyNew({ baseSizes }: { baseSizes: Sizes }, { count, ranks }: Mentions): boolean {
  let gone = 0
  for (let i = 0; i < baseSizes.count; i++) if (ranks[i]! < 0) gone++
  return count - baseSizes.count + gone > baseSizes.count * MOST_SINCE
}

function numbersFrom(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, k) => first + k)
}
