import { parseArgs } from 'node:util'
import { loadSources } from '../../ingest/sources.ts'
import type { CommandIo } from '../io.ts'
import { sourceFolders } from '../source-folders.ts'

export const summary = 'lists the source definitions and what each fills'
export const usage = 'platbook sources [--sources DIR] [--json]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      sources: { type: 'string', multiple: true },
      data: { type: 'string' },
      json: { type: 'boolean' },
    },
  })
  const sources = await loadSources(sourceFolders(io.config, values.sources))
  const listed = sources.map((source) => ({
    id: source.id,
    title: source.title,
    publisher: source.publisher,
    states: source.states,
    every_days: source.everyDays,
    kinds: source.files.map((file) => file.kind),
    fills: [...new Set(source.files.flatMap((file) => file.rows.map((rows) => rows.into)))].sort(),
  }))
  if (values.json === true) {
    io.out(JSON.stringify({ sources: listed }))
    return 0
  }
  for (const source of listed) {
    io.out(`${source.id}  ${source.title} (${source.publisher})`)
    io.out(
      `  files ${source.kinds.join(', ')}; fills ${source.fills.join(', ')}; every ${source.every_days} days`,
    )
  }
  return 0
}
