import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { ResultFiles } from '../../src/api/result-files.ts'
import { Snapshots } from '../../src/api/snapshots.ts'
import { silentLog } from '../../src/log.ts'
import { currentSnapshot, openLookup, type Suppression } from '../../src/lookup/index.ts'
import { resultColumns, type ResultShape } from '../../src/enrich/write/result-formats.ts'
import { withFolder } from '../support/folder.ts'
import { INVENTED } from '../support/published.ts'
import { inventedSnapshots, openArchive } from './support.ts'

const SHAPE: ResultShape = { fields: ['age'], top: 1, dedupe: false }
const ADDED = resultColumns(SHAPE)
const lineOf = (own: string, person: string): string =>
  [own, ...ADDED.map((column) => (column === 'pb_person_id' ? person : ''))].join(',')
const RESULT = `${['key', ...ADDED].join(',')}\n${lineOf('a', INVENTED.jane)}\n${lineOf('b', INVENTED.john)}\n`

interface Kept {
  readonly files: ResultFiles
  /** The result itself. */
  readonly path: string
  readonly screened: () => Promise<string>
  readonly suppress: (id: string) => Promise<void>
  readonly names: () => Promise<string[]>
}

/** Makes a result about Jane and John of the made-up world. */
async function withResult(body: (kept: Kept) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const list: Suppression[] = []
    const snapshots = await Snapshots.open({
      folder: await inventedSnapshots(),
      open: openLookup,
      openEvents: openArchive,
      current: currentSnapshot,
      suppressions: { changeCount: async () => list.length, list: async () => list },
      log: silentLog,
    })
    try {
      const path = join(folder, 'result.csv')
      await writeFile(path, RESULT)
      const files = new ResultFiles(snapshots)
      await body({
        files,
        path,
        screened: () => files.withoutSuppressed(path, SHAPE),
        async suppress(id) {
          list.push({ kind: 'person', value: id, marks: [] })
          await snapshots.check()
        },
        names: () => readdir(folder),
      })
    } finally {
      await snapshots.close()
    }
  })
}

test('while nobody is suppressed a result is shown as it is', async () => {
  await withResult(async ({ path, screened, names }) => {
    expect(await screened()).toBe(path)
    expect(await names()).toEqual(['result.csv'])
  })
})

test('all who ask for a result are given one screened copy, until somebody else is suppressed', async () => {
  await withResult(async ({ screened, suppress, names }) => {
    await suppress(INVENTED.jane)
    const [copy = '', ...others] = await Promise.all(Array.from({ length: 8 }, screened))
    expect(new Set([...others, await screened()])).toEqual(new Set([copy]))
    expect(await names()).toHaveLength(2)
    const text = await readFile(copy, 'utf8')
    expect([text.includes(INVENTED.jane), text.includes(INVENTED.john)]).toEqual([false, true])
    await suppress(INVENTED.john)
    const next = await readFile(await screened(), 'utf8')
    expect([next.includes(INVENTED.jane), next.includes(INVENTED.john)]).toEqual([false, false])
  })
})

test('what was made of a result stays for an hour after it was last asked for; of a killed process nothing stays longer', async () => {
  await withResult(async ({ files, path, screened, suppress, names }) => {
    const copies: string[] = []
    for (const id of [INVENTED.jane, INVENTED.john, INVENTED.maria]) {
      await suppress(id)
      copies.push(await screened())
      await files.parquet(copies.at(-1)!, SHAPE)
    }
    const [first = '', second = '', third = ''] = copies
    // The unfinished file of a killed process.
    const part = `${third}.d9c2.part`
    await writeFile(part, 'half')
    const hourAgo = new Date(Date.now() - 3_600_001)
    for (const one of [path, first, `${first}.parquet`, `${second}.parquet`, third, part])
      await utimes(one, hourAgo, hourAgo)
    expect(await screened()).toBe(third)
    await suppress(INVENTED.linh)
    const kept = [path, second, third, `${third}.parquet`, await screened()]
    expect(new Set(await names())).toEqual(new Set(kept.map((one) => basename(one))))
  })
})

test('a file is written once for all who ask meanwhile, and not again when it is there', async () => {
  await withResult(async ({ files, path }) => {
    let written = 0
    const write = async (to: string): Promise<void> => {
      written += 1
      await writeFile(to, 'whole')
    }
    await Promise.all([1, 2, 3].map(() => files.made(`${path}.x`, write)))
    await files.made(`${path}.x`, write)
    expect([written, await readFile(`${path}.x`, 'utf8')]).toEqual([1, 'whole'])
  })
})

test('a file that can’t be written leaves no part, and is tried again when it is asked for again', async () => {
  await withResult(async ({ files, path, names }) => {
    const failing = files.made(`${path}.x`, async (to) => {
      await writeFile(to, 'half')
      throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(await names()).toEqual(['result.csv'])
    await files.made(`${path}.x`, (to) => writeFile(to, 'whole'))
    expect(await readFile(`${path}.x`, 'utf8')).toBe('whole')
  })
})
