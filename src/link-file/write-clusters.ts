import { COMMA, type Dialect } from '../enrich/read/records.ts'
import { openFile } from '../enrich/write/output.ts'
import { AppError } from '../errors.ts'
import { probabilityOf } from '../link/model/weights.ts'
import type { RowClusters } from './clusters.ts'
import { batchesOf, type PeopleFile, reopen } from './load-files.ts'
import { fieldText } from '../enrich/read/rows.ts'

/** Columns that are written before the columns of the input. */
export const ADDED = ['cluster_id', 'cluster_size', 'match_probability', 'source_file', 'source_row'] as const

export interface ClustersOutput {
  /** The file to write. The caller renames it when it is complete. */
  readonly path: string
  readonly kind: 'csv' | 'tsv' | 'jsonl'
  readonly prefix: string
  /** Output file for rows that cannot be read: file, line, row, reason, text. Null when there are none. */
  readonly rejectedPath: string | null
}

/**
 * Writes each row of the files, in their order, with its cluster. The output has the columns of all files; columns
 * with one name become one. Returns the number of written and of rejected rows.
 */
export async function writeClusters(
  files: readonly PeopleFile[],
  clusters: RowClusters,
  { path, kind, prefix, rejectedPath }: ClustersOutput,
  signal: AbortSignal,
): Promise<{ rows: number; rejected: number }> {
  const header = [...new Set(files.flatMap(({ proposal }) => proposal.header))]
  const dialect: Dialect = kind === 'tsv' ? { delimiter: '\t', quote: '"' } : COMMA
  const output = await openFile(path, 0)
  const rejects = rejectedPath === null ? null : await openFile(rejectedPath, 0)
  const counts = { rows: 0, rejected: 0 }
  const line = (cells: readonly (string | number)[], of = dialect): string =>
    `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : fieldText(cell, of))).join(of.delimiter)}\n`
  try {
    if (kind !== 'jsonl')
      await output.write(Buffer.from(line([...ADDED.map((name) => prefix + name), ...header])))
    await rejects?.write(Buffer.from(line(['file', 'line', 'row', 'reason', 'text'], COMMA)))
    for (const file of files) {
      const input = await reopen(file)
      const place = header.map((name) => file.proposal.header.indexOf(name))
      try {
        for await (const rows of batchesOf(input)) {
          signal.throwIfAborted()
          let text = ''
          let rejectedText = ''
          for (const { cells, raw, line: at, row, fault } of rows) {
            if (cells === null) {
              counts.rejected++
              rejectedText += line([file.path, at, row, fault, raw], COMMA)
              continue
            }
            const added = addedOf(clusters, counts.rows++, file.path, row)
            text +=
              kind === 'jsonl'
                ? jsonLine(prefix, added, input.kind === 'jsonl' ? raw : objectOf(header, place, cells))
                : line([...added.map((value) => value ?? ''), ...place.map((column) => (column < 0 ? '' : cells[column]!))]) // prettier-ignore
          }
          await output.write(Buffer.from(text))
          await rejects?.write(Buffer.from(rejectedText))
        }
        await input.checkUnchanged()
      } finally {
        await input.close()
      }
    }
    for (const one of [output, rejects]) await one?.sync()
  } finally {
    for (const one of [output, rejects]) await one?.close()
  }
  if (counts.rows !== clusters.cluster.length)
    throw new AppError(
      'input_changed',
      `a file changed during the run: ${clusters.cluster.length} rows were linked, but ${counts.rows} rows were read again; run the command again`,
    )
  return counts
}

type Added = readonly (string | number | null)[]

function addedOf({ cluster, size, weight }: RowClusters, ordinal: number, file: string, row: number): Added {
  const bits = weight[ordinal]!
  const probability = Number.isNaN(bits) ? null : Number(probabilityOf(bits).toFixed(6))
  return [cluster[ordinal]!, size[ordinal]!, probability, file, row]
}

function objectOf(header: readonly string[], place: readonly number[], cells: readonly string[]): string {
  const pairs = header.flatMap((name, at) => (place[at]! < 0 ? [] : `${JSON.stringify(name)}:${JSON.stringify(cells[place[at]!])}`)) // prettier-ignore
  return `{${pairs.join(',')}}`
}

function jsonLine(prefix: string, added: Added, object: string): string {
  const own = ADDED.map((name, at) => `${JSON.stringify(prefix + name)}:${JSON.stringify(added[at])}`).join(',') // prettier-ignore
  const rest = object.slice(1).trimStart()
  return `{${own}${rest.startsWith('}') ? '' : ','}${rest}\n`
}
