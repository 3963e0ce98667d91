import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseModel } from '../../../src/linkage/model.ts'
import { runCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'

const SAMPLE = fileURLToPath(new URL('../../../data/sample/day-1', import.meta.url))

/** A data folder in which the sample's Florida voters and contacts are loaded. */
async function loaded(data: string): Promise<void> {
  for (const folder of ['us-fl-statewide-voters', 'us-lists-contacts']) {
    await cp(join(SAMPLE, folder), join(data, 'landing', folder), { recursive: true })
  }
  expect((await runCommand(['ingest', '--data', data])).code).toBe(0)
}

test('the model is learned once, used by later runs, told of where it has drifted, and learned anew on demand', async () => {
  await withFolder(async (data) => {
    await loaded(data)
    const { stdout } = await runCommand(['link', '--data', data])
    expect(stdout).toMatch(/linked by the model of/)
    const page = join(data, 'out', 'link-report.html')
    expect(stdout).toContain(page)
    const html = await readFile(page, 'utf8')
    expect(html).toContain('Against the run before')
    expect(html).not.toMatch(/NaN|undefined|https?:/)
    const file = join(data, 'warehouse', 'link-model.json')
    const learned = parseModel(await readFile(file, 'utf8'))
    expect(learned).toMatchObject({ version: 1, block_limit: expect.any(Number) })

    const old = structuredClone(learned)
    old.comparisons.find(({ comparison }) => comparison === 'last_name')!.levels[0]!.m /= 4
    await writeFile(file, JSON.stringify({ ...old, trained_on: '2001-02-03' }))
    const full = await runCommand(['link', '--full', '--data', data])
    expect(full.stdout).toMatch(/linked by the model of 2001-02-03, learned from/)
    expect(full.stdout.match(/drift: .*/g)).toEqual([
      expect.stringMatching(/^drift: last_name, exact: [\d.]+ bits in the model, [\d.]+ now$/),
    ])

    const trained = await runCommand(['link', '--train', '--json', '--data', data])
    const report = JSON.parse(trained.stdout) as { link: { changed: boolean; drift: object[] } }
    expect(report.link).toMatchObject({ changed: true, drift: [{ comparison: 'last_name', level: 'exact' }] })
    expect(parseModel(await readFile(file, 'utf8'))).toEqual({ ...learned, trained_on: expect.any(String) })
  })
}, 120_000)

test('a step that links nothing refuses to train', async () => {
  await withFolder(async (data) => {
    expect(await runCommand(['publish', '--train', '--data', data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('platbook link'),
    })
  })
})
