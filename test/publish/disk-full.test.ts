import { execFileSync } from 'node:child_process'
import { cp, readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { currentSnapshot, openLookup } from '../../src/lookup/open.ts'
import { verifySnapshot } from '../../src/lookup/verify.ts'
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
