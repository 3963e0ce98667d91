import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromArrays, tableToIPC } from 'apache-arrow'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withFolder } from '../support/folder.ts'

const ROWS = 7
const NAMES = Array.from({ length: ROWS }, (_, at) => (at % 2 === 0 ? 'Jane Smith' : 'Nobody Whatsoever'))
const PHONES = Array.from({ length: ROWS }, () => '512-555-0101')

/** A list of seven people as an Arrow stream. */
export function arrowList(): Buffer {
  return Buffer.from(tableToIPC(tableFromArrays({ name: NAMES, phone: PHONES }), 'stream'))
}

/** The same, with `rows` in every place that says how many rows it has. */
export function arrowThatClaims(rows: bigint): Buffer {
  const bytes = arrowList()
  for (let at = 0; at + 8 <= bytes.length; at += 4)
    if (bytes.readBigInt64LE(at) === BigInt(ROWS)) bytes.writeBigInt64LE(rows, at)
  return bytes
}

/** A well-formed list in each form that is read. */
export async function lists(): Promise<Readonly<Record<string, Buffer>>> {
  const csv = `name,phone,note\n${NAMES.map((name, at) => `${name},${PHONES[at]},"a ""note"", of\nlines"`).join('\n')}\n`
  const lines = NAMES.map((name, at) => JSON.stringify({ name, phone: PHONES[at], tags: ['a', { b: null }] }))
  return {
    arrow: arrowList(),
    csv: Buffer.from(csv),
    gzip: gzipSync(csv),
    jsonl: Buffer.from(`${lines.join('\n')}\n`),
    parquet: await parquetList(),
  }
}

async function parquetList(): Promise<Buffer> {
  return withFolder(async (folder) => {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    const file = join(folder, 'list.parquet')
    await connection.run(
      `copy (select 'Jane Smith' as name, '512-555-0101' as phone, range as note from range(${ROWS})) to '${file}' (format parquet)`,
    )
    connection.closeSync()
    instance.closeSync()
    return readFile(file)
  })
}

/** Numbers from 0 to 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const TELLING = [0, 1, 2, 7, 34, 44, 91, 123, 127, 128, 255]

/** `list` with one to eight faults: bytes changed, numbers made large or negative, parts cut out, repeated or cut off. */
export function damaged(list: Buffer, random: () => number): Buffer {
  let bytes = Buffer.from(list)
  const at = (): number => Math.floor(random() * bytes.length)
  for (let faults = 1 + Math.floor(random() * 8); faults > 0 && bytes.length > 16; faults--) {
    const kind = Math.floor(random() * 7)
    const [from, to] = [at(), at()].sort((a, b) => a - b) as [number, number]
    if (kind === 0) bytes[from] = Math.floor(random() * 256)
    else if (kind === 1) bytes[from] = TELLING[Math.floor(random() * TELLING.length)]!
    else if (kind === 2)
      bytes.writeInt32LE(Math.floor((random() - 0.5) * 2 ** 32), Math.min(from & ~3, bytes.length - 4))
    else if (kind === 3) bytes.writeInt32LE(0x7fff_ffff, Math.min(from & ~3, bytes.length - 4))
    else if (kind === 4)
      bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(Math.min(to, from + 64))])
    else if (kind === 5)
      bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(Math.max(from, to - 64))])
    else bytes = bytes.subarray(0, Math.max(16, to))
  }
  return bytes
}
