import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { PRIVATE, tightenedLines } from '../../src/cli/permissions.ts'
import { runCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'

/** The modes of all folders and of all files below `folder`, each with the first path that has it. */
async function modesBelow(folder: string): Promise<{ folders: string[]; files: string[] }> {
  const modes = { folders: new Set<string>(), files: new Set<string>() }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const mode = ((await stat(path)).mode & 0o7777).toString(8)
    expect(['700', '600', '2770', '770', '660'], `${relative(folder, path)} has ${mode}`).toContain(mode)
    modes[entry.isDirectory() ? 'folders' : 'files'].add(mode)
  }
  return { folders: [...modes.folders].sort(), files: [...modes.files].sort() }
}

test('one file is one file in the message about its mode', () => {
  const changed = { folders: ['data/out'], count: 1, refused: 1 }
  expect(tightenedLines(changed, PRIVATE)).toEqual([
    'platbook: 1 file or folder of data/out is now open to this account only (0700, 0600; --shared opens them to the group)',
    'platbook: 1 file or folder of the data folder belongs to another account, and its mode stays: run chown there, or run Platbook as the owner',
  ])
})

test('data is closed to other accounts, also that of an older installation; --shared opens it to the group', async () => {
  await withFolder(async (folder) => {
    const data = join(folder, 'data')
    // An older installation left everything readable.
    await inventedSnapshot(join(data, 'snapshots'))
    await mkdir(join(data, 'landing', 'us-lists-contacts'), { recursive: true })
    await writeFile(join(data, 'landing', 'us-lists-contacts', 'contacts.csv'), 'name\n')
    for (const name of ['snapshots', 'landing']) await chmod(join(data, name), 0o755)

    const leads = join(folder, 'leads.csv')
    await writeFile(leads, 'name,phone\nJane Smith,512-555-0101\n')
    const out = join(data, 'out', 'leads.enriched.csv')
    const enrich = [
      'enrich',
      leads,
      '--out',
      out,
      '--report',
      join(data, 'out', 'report.html'),
      '--data',
      data,
    ]
    await mkdir(join(data, 'out'))
    const first = await runCommand(enrich)
    expect(first.code).toBe(0)
    expect(first.stderr).toMatch(
      /platbook: \d+ files and folders of .*snapshots, .*landing.* are now open to this account only \(0700, 0600; --shared opens them to the group\)/,
    )
    expect(await runCommand(['keys', 'create', '--name', 'test', '--data', data])).toMatchObject({ code: 0, stderr: expect.not.stringContaining('now open') as string }) // prettier-ignore
    expect(await modesBelow(data)).toEqual({ folders: ['700'], files: ['600'] })

    const shared = await runCommand(['keys', 'list', '--shared', '--data', data])
    expect(shared.stderr).toMatch(/are now open to the account and its group only \(2770, 0660\)/)
    // Once opened to the group, data stays so without the option.
    await writeFile(join(data, 'landing', 'us-lists-contacts', 'more.csv'), 'name\n')
    expect(await runCommand(['suppress', 'add', '--phone', '512-555-0199', '--data', data])).toMatchObject({ code: 0 }) // prettier-ignore
    expect(await modesBelow(data)).toEqual({ folders: ['2770'], files: ['660'] })

    await runCommand(['keys', 'list', '--no-shared', '--data', data])
    expect(await modesBelow(data)).toEqual({ folders: ['700'], files: ['600'] })
  })
}, 120_000)

test('the first file of a new data folder is closed, or open to the group by the environment', async () => {
  await withFolder(async (folder) => {
    for (const [PLATBOOK_SHARED, folders, files] of [
      ['false', '700', '600'],
      ['true', '770', '660'],
    ] as const) {
      // prettier-ignore
      const data = join(folder, PLATBOOK_SHARED)
      const made = await runCommand(['keys', 'create', '--name', 'test', '--data', data], { env: { PLATBOOK_SHARED } }) // prettier-ignore
      expect(made.code).toBe(0)
      expect(await modesBelow(data)).toEqual({ folders: [folders], files: [files] })
    }
  })
})
