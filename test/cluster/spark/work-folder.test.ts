import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WorkFolder } from '../../../src/cluster/spark/work-folder.ts'
import { withFolder } from '../../support/folder.ts'

test('a folder is a file URL that Spark does not decode, from a path and from a URL', () => {
  expect(new WorkFolder('/data/a b%20').url('pairs_in/unit=3')).toBe('file:///data/a b%20/pairs_in/unit=3')
  expect(new WorkFolder('file:///data/a%20b').url('edges')).toBe('file:///data/a b/edges')
})

test.each(['data/run', '/data/*', '/data/{a}', '/data/a\nb'])('the work folder %j is refused', (work) => {
  expect(() => new WorkFolder(work)).toThrow(`the work folder ${JSON.stringify(work)} is not usable`)
})

test.each(['../edges', '/edges', 'a/../b', '', 'a//b', 'a b'])('%j is no folder of a run', (folder) => {
  expect(() => new WorkFolder('/data').url(folder)).toThrow('is not the name of a folder')
})

test('a work folder that does not exist is refused', async () => {
  await withFolder(async (folder) => {
    await expect(new WorkFolder(join(folder, 'none')).check()).rejects.toThrow(
      /does not exist on this machine/,
    )
  })
})

test('units without a folder get a copy of the file without rows', async () => {
  await withFolder(async (folder) => {
    const work = new WorkFolder(folder)
    await mkdir(join(folder, 'in', 'unit=1'), { recursive: true })
    await mkdir(join(folder, 'in', '_none'))
    await writeFile(join(folder, 'in', '_none', 'part-0.parquet'), '')
    expect(await work.missingUnits('in', 3)).toEqual([0, 2])
    await work.copyToUnits('in', '_none', [0, 2])
    expect((await readdir(join(folder, 'in'), { recursive: true })).sort()).toEqual([
      'unit=0',
      'unit=0/empty.parquet',
      'unit=1',
      'unit=2',
      'unit=2/empty.parquet',
    ])
  })
})
