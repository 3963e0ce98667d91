import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { keepIdentities, keptRun } from '../../../src/link/ids/kept-identities.ts'
import { filesBelow } from '../../../src/publish/manifest.ts'
import { withFolder } from '../../support/folder.ts'
import { contact, linkStaged, restage, voter } from '../../support/staged-world.ts'
import { rowsOf } from '../../support/warehouse.ts'
import { JANE, withStaging } from '../support.ts'

const CAROL = { ...JANE, first_name: 'Carol', birth_date: '1962-07-08' }
const [A, B, C] = [contact('a', JANE), contact('b', { ...JANE, line_1: null }), voter('5', JANE)]
/** Two people become one on the second day, and a record of one becomes another person on the third. */
const DAYS = [
  [A, contact('b', CAROL), C],
  [A, B, C],
  [A, contact('b', { ...CAROL, line_1: null }), C],
]
const DATES = ['2025-11-02', '2025-11-03', '2025-11-04']

async function identitiesOf(db: DuckDBConnection): Promise<unknown> {
  return {
    records: await rowsOf(db, 'select mention_key, person_id from link.person_mentions order by all'),
    people: await rowsOf(db, 'select * from link.people order by all'),
    redirects: await rowsOf(db, 'select * from link.person_redirects order by all'),
    history: await rowsOf(db, 'select * from link.person_history order by all'),
  }
}

/** Links the three days one after the other, keeping identities and the model in `folder`. */
async function afterDays(folder: string): Promise<unknown> {
  let identities: unknown
  const options = { identities: join(folder, 'identities'), modelFile: join(folder, 'link-model.json') }
  await withStaging({ 'staging.person_mentions': DAYS[0]! }, async (db) => {
    for (const [n, day] of DAYS.entries()) {
      await restage(db, 'staging.person_mentions', day)
      await linkStaged(db, DATES[n], options)
    }
    identities = await identitiesOf(db)
  })
  return identities
}

test('a warehouse built anew gives every record the id it had, with mergers, splits and the model', async () => {
  await withFolder(async (folder) => {
    const before = await afterDays(folder)
    const options = { identities: join(folder, 'identities'), modelFile: join(folder, 'link-model.json') }
    const model = await readFile(options.modelFile, 'utf8')
    for (const name of await readdir(folder)) {
      if (name !== 'identities') await rm(join(folder, name), { recursive: true })
    }
    await withStaging({ 'staging.person_mentions': DAYS[2]! }, async (db) => {
      const report = await linkStaged(db, '2025-11-05', options)
      expect(report).toMatchObject({ changed: true, allocated: 0, merged: 0, split: 0, removed: 0 })
      expect(await identitiesOf(db)).toEqual(before)
    })
    expect(await readFile(options.modelFile, 'utf8')).toBe(model)
    expect(JSON.stringify(before)).toContain('merged')
  })
})

test('an older copy of the warehouse takes the identities of the last run', async () => {
  await withFolder(async (folder) => {
    const options = { identities: join(folder, 'identities') }
    await withStaging({ 'staging.person_mentions': DAYS[0]! }, async (older) => {
      await linkStaged(older, DATES[0], options)
      await withStaging({ 'staging.person_mentions': DAYS[1]! }, async (db) => {
        await linkStaged(db, DATES[1], options)
        await restage(older, 'staging.person_mentions', DAYS[1]!)
        expect(await linkStaged(older, DATES[2], options)).toMatchObject({ allocated: 0, merged: 0 })
        expect(await identitiesOf(older)).toEqual(await identitiesOf(db))
      })
    })
  })
})

test('a copy of an early version, whose mentions have numbers, is restored', async () => {
  await withFolder(async (folder) => {
    const options = { identities: join(folder, 'identities') }
    await withStaging({ 'staging.person_mentions': DAYS[0]! }, async (before) => {
      await linkStaged(before, DATES[0])
      await before.run('alter table link.person_mentions add column mention_number integer')
      await keepIdentities(before, options.identities, undefined)
      await withStaging({ 'staging.person_mentions': DAYS[0]! }, async (db) => {
        expect(await linkStaged(db, DATES[1], options)).toMatchObject({ allocated: 0, removed: 0 })
        await before.run('alter table link.person_mentions drop column mention_number')
        expect(await identitiesOf(db)).toEqual(await identitiesOf(before))
      })
    })
  })
})

test('a run that was killed after its link writes its identities the next time', async () => {
  await withFolder(async (folder) => {
    const identities = join(folder, 'identities')
    await withStaging({ 'staging.person_mentions': DAYS[0]! }, async (db) => {
      await linkStaged(db, DATES[0])
      expect(await keptRun(identities)).toBeNull()
      expect(await linkStaged(db, DATES[1], { identities })).toMatchObject({ changed: false })
      expect(await keptRun(identities)).toMatchObject({ run_number: 1 })
      const names = await readdir(identities)
      await keepIdentities(db, identities, undefined)
      expect(await readdir(identities)).toEqual(names)
    })
  })
})

test('damaged identities are written anew by a warehouse that has them, and refused by one that needs them', async () => {
  await withFolder(async (folder) => {
    const identities = join(folder, 'identities')
    await withStaging({ 'staging.person_mentions': DAYS[0]! }, async (db) => {
      await linkStaged(db, DATES[0], { identities })
      const [file = ''] = (await filesBelow(identities)).filter((path) =>
        path.endsWith('person_mentions.parquet'),
      )
      const bytes = await readFile(file)
      await writeFile(file, bytes.with(60, bytes[60]! ^ 1))
      await withStaging({ 'staging.person_mentions': DAYS[0]! }, async (other) => {
        const linking = linkStaged(other, DATES[1], { identities })
        await expect(linking).rejects.toMatchObject({ code: 'state_damaged' })
        await expect(linking).rejects.toThrow(/person_mentions.parquet has other bytes.*platbook restore/)
      })
      await writeFile(file, 'cut')
      await linkStaged(db, DATES[1], { identities })
      expect(await keptRun(identities)).toMatchObject({ run_number: 1 })
    })
  })
})
