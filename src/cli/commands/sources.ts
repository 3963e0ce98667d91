import { parseArgs } from 'node:util'
import type { SourceDefinition } from '../../ingest/definition.ts'
import { failedExamples } from '../../ingest/examples.ts'
import { loadSources } from '../../ingest/sources.ts'
import { openWarehouse } from '../../warehouse/open.ts'
import type { CommandIo } from '../io.ts'
import { sourceFolders } from '../source-folders.ts'

export const summary = 'lists the source definitions and what each fills; --test runs their examples'
export const usage = 'platbook sources [--sources DIR] [--test] [--json]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      sources: { type: 'string', multiple: true },
      data: { type: 'string' },
      json: { type: 'boolean' },
      test: { type: 'boolean' },
    },
  })
  const sources = await loadSources(sourceFolders(io.config, values.sources))
  if (values.test === true) return testExamples(sources, values.json === true, io)
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

/** Runs the examples of all definitions through the SQL that loads files, in a warehouse of their own. */
async function testExamples(
  sources: readonly SourceDefinition[],
  isJson: boolean,
  io: CommandIo,
): Promise<number> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '1GB', threads: 1 })
  try {
    const failed: string[] = []
    for (const source of sources) failed.push(...(await failedExamples(warehouse.db, source)))
    const examples = sources.reduce((sum, source) => sum + source.examples.length, 0)
    if (isJson) {
      io.out(JSON.stringify({ examples, failed }))
    } else {
      for (const sentence of failed) io.err(sentence)
      io.out(`${examples} examples of ${sources.length} sources${failed.length === 0 ? ' hold' : `; ${failed.length} values or tables are otherwise`}`) // prettier-ignore
    }
    return failed.length === 0 ? 0 : 1
  } finally {
    await warehouse.close()
  }
}
