import type { DuckDBConnection } from '@duckdb/node-api'
import { loadSet, SETS, SETS_FOLDER } from './sets.ts'
import { fillWorld } from './world.ts'
import { MILLION, WORLDS } from './worlds/all-worlds.ts'
import type { World, WorldColumn } from './worlds/kit/world.ts'
import { fillWorldRecords, loadWorld } from './worlds/load-world.ts'

/** A population with its truth: an invented world or a public set. */
export interface Subject {
  readonly name: string
  readonly setting: string
  /** Groups of columns that can be left out together. */
  readonly columns: readonly (readonly WorldColumn[])[]
  /** Runs only when it is named. */
  readonly isLarge: boolean
  readonly world?: World
  /** Fills `link.records` and `truth`; returns what is missing where it cannot. */
  readonly load: (db: DuckDBConnection) => Promise<string | undefined>
  /** The same without some columns, after `load`. */
  readonly loadWithout?: (db: DuckDBConnection, columns: readonly WorldColumn[]) => Promise<void>
}

/** One made-up world in several sizes: what part of a lower F1 is size itself. */
const INVENTED: readonly (readonly [name: string, records: number])[] = [
  ['invented-150k', 150_000],
  ['invented-1m', 1_000_000],
  ['invented-4m', 4_000_000],
]

export const SUBJECTS: readonly Subject[] = [
  ...WORLDS.map(ofWorld),
  ...SETS.map((set) => ({
    name: set.name,
    setting: 'public set',
    columns: [],
    isLarge: false,
    load: async (db: DuckDBConnection) =>
      (await loadSet(db, set))
        ? undefined
        : `${set.files.map(({ file }) => file).join(', ')} not in ${SETS_FOLDER} (set LINKAGE_DATA)`,
  })),
  ...INVENTED.map(([name, records]) => ({
    name,
    setting: 'the made-up world of `bench:link` (`world.ts`), hard noise',
    columns: [],
    isLarge: true,
    load: async (db: DuckDBConnection) => {
      await fillWorld(db, records)
      return undefined
    },
  })),
]

function ofWorld(world: World): Subject {
  const { name, setting, columns } = world
  return {
    name,
    setting,
    columns,
    isLarge: name === MILLION,
    world,
    load: async (db) => {
      await fillWorldRecords(db, world)
      await loadWorld(db, world)
      return undefined
    },
    loadWithout: async (db, without) => loadWorld(db, world, without),
  }
}
