import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { currentSnapshot, snapshotsBefore } from '../../src/lookup/format/current.ts'
import { hashFiles } from '../../src/publish/manifest.ts'
import { movePointer, partialFolder, pruneSnapshots, removeLeftovers } from '../../src/publish/pointer.ts'
import { withFolder } from '../support/folder.ts'

const VERSIONS = [1, 2, 3, 4].map((day) => `2026060${day}T043000000Z-0000000${day}`)

async function withVersions(body: (snapshots: string) => Promise<void>): Promise<void> {
  await withFolder(async (snapshots) => {
    for (const version of VERSIONS) {
      await mkdir(join(snapshots, version))
      await writeFile(join(snapshots, version, 'manifest.json'), '{}')
    }
    await body(snapshots)
  })
}

test('the pointer names one version after the other, and leaves no file beside it', async () => {
  await withVersions(async (snapshots) => {
    expect(await currentSnapshot(snapshots)).toBeNull()
    for (const version of VERSIONS) {
      await movePointer(snapshots, version)
      expect(await currentSnapshot(snapshots)).toEqual({ version, folder: join(snapshots, version) })
    }
    expect((await readdir(snapshots)).sort()).toEqual([...VERSIONS, 'current'])
    const before = await snapshotsBefore(snapshots, VERSIONS[2]!)
    expect(before.map(({ version }) => version)).toEqual([VERSIONS[1], VERSIONS[0]])
  })
})

test('leftovers of a killed publication go; snapshots, the pointer and other files stay', async () => {
  await withVersions(async (snapshots) => {
    await movePointer(snapshots, VERSIONS[0]!)
    await mkdir(join(partialFolder(snapshots, '20260605T043000000Z-00000005'), 'tables'), { recursive: true })
    await writeFile(join(snapshots, 'current.1234'), 'half')
    await writeFile(join(snapshots, 'notes.txt'), 'of the operator')
    await removeLeftovers(snapshots)
    expect((await readdir(snapshots)).sort()).toEqual([...VERSIONS, 'current', 'notes.txt'])
  })
})

test.each([
  [1, 3, [3]],
  [2, 3, [2, 3]],
  [2, 0, [0, 3]],
  [9, 3, [0, 1, 2, 3]],
])('of four snapshots %i are kept, the current one and the newest others', async (keep, current, kept) => {
  await withVersions(async (snapshots) => {
    await mkdir(join(snapshots, 'no-version'))
    const removed = await pruneSnapshots(snapshots, keep, VERSIONS[current]!)
    expect((await readdir(snapshots)).sort()).toEqual([...kept.map((at) => VERSIONS[at]!), 'no-version'])
    expect(removed).toEqual(VERSIONS.filter((_, at) => !kept.includes(at)))
  })
})

test('a manifest names every file but itself, by its path, with size and hash', async () => {
  await withFolder(async (folder) => {
    await mkdir(join(folder, 'lookup', 'columns'), { recursive: true })
    const files = { 'b.txt': 'two', 'lookup/columns/word_text': 'ANN', 'lookup/index.mdb': '' }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    await writeFile(join(folder, 'manifest.json'), '{}')
    const found = await hashFiles(folder, new AbortController().signal)
    expect(Object.keys(found)).toEqual(Object.keys(files))
    for (const [name, { bytes, sha256 }] of Object.entries(found)) {
      const content = await readFile(join(folder, name))
      expect({ bytes, sha256 }).toEqual({
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      })
    }
  })
})
