import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import { engineFaults } from '../../ingest/definition-faults.ts'
import { failedExamples } from '../../ingest/examples.ts'
import { sharedNames } from '../../ingest/shared-files.ts'
import { placedFaults, readSources, type ReadSources } from '../../ingest/sources.ts'
import { openWarehouse } from '../../warehouse/open.ts'
import { ACTIONS, runHeldLoads } from '../held-loads.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { several } from '../progress.ts'
import { sourceFolders } from '../source-folders.ts'

export const summary = 'lists and checks source definitions; lists, accepts and rejects held files'
export const usage = `platbook sources [--sources DIR] [--test] [--json]
       platbook sources held [SOURCE] [--json]
       platbook sources accept SOURCE [--file NAME] [--always] [--json]
       platbook sources reject SOURCE [--file NAME] [--json]

--test checks the definitions and runs their examples. held lists files that wait for a decision.
accept loads them in the next run, reject leaves them out. accept --file NAME also takes back the rejection of that file.`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      sources: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      test: { type: 'boolean' },
      file: { type: 'string', multiple: true },
      always: { type: 'boolean' },
    },
  })
  const folders = sourceFolders(io.config, values.sources)
  const [word, named] = positionals
  if (word !== undefined) {
    const action = ACTIONS.find((each) => each === word)
    if (action === undefined || positionals.length > 2) {
      throw new AppError('bad_usage', `platbook sources: '${word}' is not one of ${ACTIONS.join(', ')}`)
    }
    const { file: files = [], always = false, json = false } = values
    return await runHeldLoads({ action, source: named, files, always, json, sourceFolders: folders }, io)
  }
  const { sources, bad } = await readSources(folders)
  if (values.test === true) return testDefinitions({ sources, bad }, values.json === true, io)
  const listed = sources.map((source) => ({
    id: source.id,
    title: source.title,
    publisher: source.publisher,
    states: source.states,
    every_days: source.everyDays,
    kinds: source.files.map((file) => file.kind),
    fills: [...new Set(source.files.flatMap((file) => file.rows.map((rows) => rows.into)))].sort(),
  }))
  const lines = listed.flatMap(({ id, title, publisher, kinds, fills, every_days }) => [
    `${id}  ${title} (${publisher})`,
    `  files ${kinds.join(', ')}; fills ${fills.join(', ')}; every ${every_days} days`,
  ])
  print(io, values.json, { sources: listed, bad }, lines)
  if (values.json !== true) for (const { message } of bad) io.err(message)
  return bad.length === 0 ? 0 : 1
}

/**
 * Checks all definitions: their fields, their expressions in DuckDB, and their examples. The examples run through the SQL that loads files,
 * in an in-memory warehouse. Returns exit code 1 when a definition has a fault.
 */
async function testDefinitions(
  { sources, bad }: ReadSources,
  isJson: boolean,
  io: CommandIo,
): Promise<number> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '1GB', threads: 1 })
  try {
    const failed = bad.flatMap(({ message }) => message.split('\n'))
    for (const source of sources) {
      const faults = await engineFaults(warehouse.db, source)
      const all = faults.length > 0 ? faults : await failedExamples(warehouse.db, source)
      failed.push(...(await placedFaults(source, all)))
    }
    const examples = sources.reduce((sum, source) => sum + source.examples.length, 0)
    const shared_names = sharedNames(sources)
    const notes = [...shared_names.map((sentence) => `note: ${sentence}`), ...failed]
    if (!isJson) for (const sentence of notes) io.err(sentence)
    const result = failed.length === 0 ? ' hold' : `; ${several(failed.length, 'fault')}, named above`
    print(io, isJson, { examples, failed, shared_names }, [
      `${examples} examples of ${sources.length} sources${result}`,
    ])
    return failed.length === 0 ? 0 : 1
  } finally {
    await warehouse.close()
  }
}
