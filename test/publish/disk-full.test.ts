import { execFileSync } from 'node:child_process'
import { cp, mkdir, readdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { currentSnapshot, openLookup } from '../../src/lookup/index.ts'
import { verifySnapshot } from '../../src/lookup/index.ts'
import { isDiskFull, neededBytes } from '../../src/publish/disk-full.ts'
import { withFolder } from '../support/folder.ts'
import { INVENTED, PUBLISHED_ON, publishedSnapshot } from '../support/published.ts'
import { mountDisk } from '../support/small-disk.ts'

test('a full disk is said so, with what is needed; nothing is half published and the old snapshot serves', async (context) => {
  await withFolder(async (elsewhere) => {
    const { version } = await publishedSnapshot(elsewhere)
    const used = Number(execFileSync('du', ['-sk', elsewhere]).toString().split('\t')[0])
    // Room for the old snapshot and more and more of the new one: tables, columns, then the index run out of it.
    for (const share of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      await withFolder(async (snapshots) => {
        const disk = mountDisk(snapshots, Math.round(used * (1 + share)))
        if (disk === null) {
          context.skip()
          return
        }
        try {
          await cp(elsewhere, snapshots, { recursive: true })
          const published = publishedSnapshot(snapshots, undefined, new Date('2026-06-02T00:00:00Z'))
          await expect(published, `room for ${share} of a snapshot`).rejects.toMatchObject({
            code: 'disk_full',
            message: expect.stringMatching(/needs about \d+ MB, free are \d+ MB\. Free that much/) as unknown,
          })
          expect((await readdir(snapshots)).sort()).toEqual([version, 'current'])
          const current = await currentSnapshot(snapshots)
          expect(await verifySnapshot(current!.folder)).toEqual([])
          const lookup = openLookup(current!.folder)
          expect(lookup.person(INVENTED.jane, PUBLISHED_ON)).not.toBeNull()
          lookup.close()
        } finally {
          disk.unmount()
        }
      })
    }
  })
}, 120_000)

test('a snapshot needs what its rows take, and at least a tenth more than the snapshot before', async () => {
  const rows = { people: 1_000_000, properties: 400_000, phones: 0, crosswalk: 5_000_000 }
  expect(await neededBytes(rows, null)).toBe(1_000_000 + 1_900_000_000 + 1_040_000_000)
  expect(await neededBytes({ phones: 1_000, addresses: 2_000 }, null)).toBe(1_000_000 + 450_000 + 300_000)
  await withFolder(async (previous) => {
    await mkdir(join(previous, 'tables'))
    for (const [name, bytes] of [
      ['manifest.json', 10_000_000],
      ['tables/people.parquet', 20_000_000],
    ] as const) {
      await writeFile(join(previous, name), '')
      await truncate(join(previous, name), bytes)
    }
    expect(await neededBytes({ people: 1 }, previous)).toBeCloseTo(33_000_000, 1)
    expect(await neededBytes(rows, previous)).toBe(2_941_000_000)
    expect(await neededBytes({ people: 1 }, join(previous, 'removed'))).toBe(1_001_900)
  })
})

const systemError = (code: number): Error => Object.assign(new Error('write'), { code })

test('a disk is full when the system says so; an input error on a disk with free room is another fault', async () => {
  await withFolder(async (snapshots) => {
    expect(await isDiskFull(systemError(28), snapshots)).toBe(true)
    expect(await isDiskFull(systemError(5), snapshots)).toBe(false)
    expect(await isDiskFull(systemError(13), snapshots)).toBe(false)
  })
})

test('an input error means a full disk while less than 64 MiB are free', async (context) => {
  for (const { free, isFull } of [
    { free: 65_536 - 4, isFull: true },
    { free: 65_536, isFull: false },
  ]) {
    await withFolder(async (snapshots) => {
      const disk = mountDisk(snapshots, free)
      if (disk === null) {
        context.skip()
        return
      }
      try {
        expect(await isDiskFull(systemError(5), snapshots), `${free} KiB free`).toBe(isFull)
        expect(await isDiskFull(systemError(13), snapshots)).toBe(false)
      } finally {
        disk.unmount()
      }
    })
  }
})
