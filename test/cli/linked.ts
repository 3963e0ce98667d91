import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { runCommand } from '../support/command.ts'
import { prepared } from '../support/prepared.ts'

const SAMPLE = fileURLToPath(new URL('../../data/sample/day-1', import.meta.url))

/** A data folder in which the sample's Florida voters and contacts are loaded and linked, once for a whole test run: read only. */
export function linkedData(): Promise<string> {
  return prepared('linked', async (data) => {
    for (const folder of ['us-fl-statewide-voters', 'us-lists-contacts']) {
      await cp(join(SAMPLE, folder), join(data, 'landing', folder), { recursive: true })
    }
    expect((await runCommand(['ingest', '--data', data])).code).toBe(0)
    const { code, stdout } = await runCommand(['link', '--data', data])
    expect(code).toBe(0)
    await writeFile(join(data, 'linked.txt'), stdout)
  })
}

/** What `platbook link` said of the run that linked them. */
export function saidOfLinked(data: string): Promise<string> {
  return readFile(join(data, 'linked.txt'), 'utf8')
}
