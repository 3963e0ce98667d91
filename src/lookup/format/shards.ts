import { hash } from 'node:crypto'
import { join } from 'node:path'

/** One of the shards of a snapshot. `number` counts from 0 and is below `count`. */
export interface ShardPlace {
  readonly number: number
  readonly count: number
}

/** The only shard of a snapshot that is not divided. */
export const WHOLE: ShardPlace = { number: 0, count: 1 }

/** The most shards that a snapshot may have. */
export const MOST_SHARDS = 256

const HEX_DIGITS = 8

/** Returns the number of the shard in which the person, property, address or phone with this id is at home. */
export function shardOf(id: string, count: number): number {
  return count === 1 ? 0 : Number.parseInt(hash('md5', id).slice(0, HEX_DIGITS), 16) % count
}

/** Returns the same rule as an SQL condition: whether the id in `column` is at home in the shard. */
export function isAtHomeSql(column: string, { number, count }: ShardPlace): string {
  return count === 1 ? 'true' : `(('0x' || md5(${column})[:${HEX_DIGITS}])::bigint % ${count} = ${number})`
}

/** Returns the folders of a snapshot's shards, in order. A snapshot of one shard has its files in `lookup/`. */
export function shardFolders(snapshotFolder: string, count: number): string[] {
  const lookup = join(snapshotFolder, 'lookup')
  if (count === 1) return [lookup]
  return Array.from({ length: count }, (_, number) => join(lookup, String(number).padStart(3, '0')))
}
