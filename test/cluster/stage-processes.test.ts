import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linkInUnits } from '../../src/cluster/link/link-in-units.ts'
import { runStageProcesses } from '../../src/cluster/stage-processes.ts'
import { linkAllRecords } from '../../src/link/run.ts'
import { createRecordTables } from '../support/linkage.ts'
import { withFolder } from '../support/folder.ts'
import { given, withWarehouse } from '../support/warehouse.ts'
import { randomMentions } from '../link/records/random-mentions.ts'
import { linkageOf, withLocalEngine } from './support.ts'

const GOING_ON = new AbortController().signal

test('a run in processes of the real command gives the linkage of one run', async () => {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', randomMentions(21).take(120))
    const { model } = await linkAllRecords(db, { threads: 1, today: '2026-01-01' })
    const expected = await linkageOf(db)
    await withLocalEngine(
      async (engine, folder) => linkInUnits(db, model, { engine, folder, units: 3 }),
      async (_folder, stage) => runStageProcesses(stage, { processes: 2, signal: GOING_ON }),
    )
    expect(await linkageOf(db)).toEqual(expected)
  })
})

test('a unit whose process is killed runs again in another process', async () => {
  await withFolder(async (folder) => {
    const killed = join(folder, 'killed')
    const command = await script(
      folder,
      `
      const { existsSync, writeFileSync } = await import('node:fs')
      if (unit === 2 && !existsSync(${JSON.stringify(killed)})) {
        writeFileSync(${JSON.stringify(killed)}, '')
        process.kill(process.pid, 'SIGKILL')
      }`,
    )
    const results = await runStageProcesses(
      { args: ['pairs'], units: 5 },
      { processes: 2, signal: GOING_ON, command },
    )
    expect(results).toEqual([0, 1, 2, 3, 4].map((unit) => ({ unit, counts: { records: unit } })))
    expect(readFileSync(killed, 'utf8')).toBe('')
  })
})

test('a unit that fails every time ends the run, by its name and with its message', async () => {
  await withFolder(async (folder) => {
    const command = await script(
      folder,
      `if (unit === 3) throw new Error('the disk of this machine is full')`,
    )
    await expect(
      runStageProcesses({ args: ['pairs'], units: 5 }, { processes: 2, signal: GOING_ON, command }),
    ).rejects.toThrow(
      /stage pairs: the process ended with code 1 at unit 3: [^]*the disk of this machine is full/,
    )
  })
})

test('an abort ends the processes', async () => {
  await withFolder(async (folder) => {
    const stop = new AbortController()
    const command = await script(folder, 'await new Promise((resolve) => setTimeout(resolve, 60_000))')
    const running = runStageProcesses(
      { args: ['pairs'], units: 2 },
      { processes: 2, signal: stop.signal, command },
    )
    stop.abort(new Error('Ctrl-C'))
    await expect(running).rejects.toThrow('Ctrl-C')
  })
})

/** A command that prints a result for each unit, after `body` has run for `unit`. */
async function script(folder: string, body: string): Promise<readonly string[]> {
  const file = join(folder, 'stage.mjs')
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline'
    for await (const line of createInterface({ input: process.stdin })) {
      const unit = Number(line)
      ${body}
      console.log(JSON.stringify({ unit, counts: { records: unit } }))
    }`,
  )
  return [process.execPath, file]
}
