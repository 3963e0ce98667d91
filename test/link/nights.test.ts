import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import type { LinkOptions } from '../../src/link/link.ts'
import { filesBelow } from '../../src/publish/manifest.ts'
import { carryIdentities } from '../../src/link/ids/identities.ts'
import { contact, linkStaged, owner, parcel, restage, voter } from '../support/staged-world.ts'
import { withFolder } from '../support/folder.ts'
import { given, rowsOf } from '../support/warehouse.ts'
import { JANE, personOf, withStaging } from './support.ts'

/** Stops a run when it knows its clusters, and nobody has an id yet. */
function stoppedAfterClusters(): Pick<LinkOptions, 'signal' | 'progress'> {
  const stop = new AbortController()
  return {
    signal: stop.signal,
    progress: ({ detail }) => {
      if (detail === 'clusters') stop.abort()
    },
  }
}

/** What is one run's, or another's. */
async function decided(db: DuckDBConnection): Promise<unknown> {
  return {
    ties: await rowsOf(db, 'select * from link.edges order by all'),
    clusters: await rowsOf(db, 'select * from link.clusters order by all'),
    people: await rowsOf(db, 'select mention_key, person_id from link.person_mentions order by all'),
  }
}

describe('from night to night', () => {
  test('a person keeps the id when a record moves, changes and joins', async () => {
    await withStaging({ 'staging.person_mentions': [voter('5', JANE)] }, async (db) => {
      await linkStaged(db)
      const before = await personOf(db, 'voters/5')
      expect(before).toMatch(/^P[0-9A-Za-z]{10}$/)
      await restage(db, 'staging.person_mentions', [
        contact('a', { ...JANE, line_1: null }),
        voter('5', { ...JANE, line_1: '77 Palm Way' }),
      ])
      await given(db, 'staging.past_person_mentions', [{ ...voter('5', JANE), as_of_on: '2025-10-01' }])
      const report = await linkStaged(db, '2025-11-03')
      expect(await personOf(db, 'voters/5')).toBe(before)
      expect(await personOf(db, 'contacts/a')).toBe(before)
      expect(report).toMatchObject({ people: 1, allocated: 0, merged: 0, split: 0 })
    })
  })

  test('of two people who turn out to be one the older id stays and the other redirects', async () => {
    await withStaging({ 'staging.person_mentions': [voter('5', JANE)] }, async (db) => {
      await linkStaged(db)
      const older = await personOf(db, 'voters/5')
      const stranger = contact('a', { last_name: 'Abernathy', first_name: 'Jane', email: 'jane@example.com' })
      await restage(db, 'staging.person_mentions', [voter('5', JANE), stranger])
      await linkStaged(db, '2025-11-03')
      const younger = await personOf(db, 'contacts/a')
      expect(younger).not.toBe(older)
      await restage(db, 'staging.person_mentions', [
        voter('5', { ...JANE, email: 'jane@example.com' }),
        stranger,
      ])
      const report = await linkStaged(db, '2025-11-04')
      expect(report).toMatchObject({ people: 1, merged: 1 })
      expect(await personOf(db, 'contacts/a')).toBe(older)
      expect(await rowsOf(db, 'select * from link.person_redirects')).toMatchObject([
        {
          old_person_id: younger,
          person_id: older,
          merged_on: '2025-11-04',
          reason: expect.stringMatching(
            /one person's: us\/fl\/statewide\.voters and us\/lists\.contacts, match weight [\d.]+$/,
          ),
        },
      ])
    })
  })

  test('an id that goes into another over an edge below even odds is told which sources the edge ties', async () => {
    const stranger = contact('a', { last_name: 'Abernathy', first_name: 'Jane', email: 'jane@example.com' })
    await withStaging({ 'staging.person_mentions': [voter('5', JANE), stranger] }, async (db) => {
      expect(await linkStaged(db)).toMatchObject({ people: 2 })
      await db.run('update link.clusters set cluster_key = (select min(cluster_key) from link.clusters)')
      await db.run('delete from link.pair_edges')
      await db.run('delete from link.groups')
      await db.run('insert into link.pair_edges values (0, 1, -1.5)')
      await db.run('insert into link.groups values (0, 0, 0), (1, 0, 0)')
      await carryIdentities(db, '2025-11-03')
      expect(await rowsOf(db, 'select reason from link.person_redirects')).toEqual([
        { reason: "records of both turned out to be one person's: us/fl/statewide.voters and us/lists.contacts, match weight -1.5" },
      ]) // prettier-ignore
    })
  })

  test('of a person who turns out to be two the larger part keeps the id, and the parting is on record', async () => {
    const shared = { last_name: 'Abernathy', first_name: 'Jane', phone: '9545550142' }
    const [a, b, c] = [contact('a', shared), contact('b', shared), contact('c', shared)]
    await withStaging({ 'staging.person_mentions': [a, b, c] }, async (db) => {
      await linkStaged(db)
      const before = await personOf(db, 'contacts/a')
      await restage(db, 'staging.person_mentions', [a, b, { ...c, phone: '3055550177' }])
      const report = await linkStaged(db, '2025-11-03')
      expect(report).toMatchObject({ people: 2, allocated: 1, split: 1 })
      expect(await personOf(db, 'contacts/a')).toBe(before)
      expect(await personOf(db, 'contacts/c')).not.toBe(before)
      expect(await rowsOf(db, 'select person_id, event, other_person_id from link.person_history')).toEqual([
        { person_id: before, event: 'split', other_person_id: await personOf(db, 'contacts/c') },
      ])
    })
  })

  test('a seller keeps the id though the owner record names the buyer now', async () => {
    const roll = { 'staging.parcels': [parcel('000000000001', '12 ELM ST')] }
    await withStaging(
      { ...roll, 'staging.parcel_owners': [owner('000000000001', 'ABERNATHY JANE Q')] },
      async (db) => {
        await linkStaged(db)
        const seller = await personOf(db, '#1')
        await restage(db, 'staging.parcel_owners', [owner('000000000001', 'ABERNATHY CAROL')])
        await given(db, 'staging.past_parcel_owners', [
          { ...owner('000000000001', 'ABERNATHY JANE Q'), as_of_on: '2024-10-01' },
        ])
        await linkStaged(db, '2025-11-03')
        expect(await personOf(db, '@2024-10-01#1')).toBe(seller)
        expect(await personOf(db, '16|000000000001#1')).not.toBe(seller)
      },
    )
  })

  test('a couple who own everything together are not parted by what is new elsewhere', async () => {
    const numbers = ['1', '2', '3']
    const roll = {
      'staging.parcels': numbers.map((number) => parcel(number, `${number}2 Elm St`)),
      'staging.parcel_owners': numbers.map((number) =>
        owner(number, 'ABERNATHY JANE & PETER', {
          mail_line_1: '12 Elm St',
          mail_city: 'Fort Lauderdale',
          mail_zip: '33301',
        }),
      ),
    }
    await withStaging(roll, async (db) => {
      await linkStaged(db)
      await given(db, 'staging.person_mentions', [voter('9', { ...JANE, first_name: 'Carol' })])
      expect(await linkStaged(db, '2025-11-03')).toMatchObject({
        people: 3,
        allocated: 1,
        merged: 0,
        split: 0,
      })
      expect(await rowsOf(db, 'select event from link.person_history')).toEqual([])
    })
  })

  test('father and son of one name in one owner field are told apart night after night', async () => {
    const roll = {
      'staging.parcels': [parcel('1', '12 Elm St')],
      'staging.parcel_owners': [owner('1', 'ABERNATHY JOHN SR & ABERNATHY JOHN JR')],
    }
    await withStaging(roll, async (db) => {
      await linkStaged(db)
      const ids = [await personOf(db, '#1'), await personOf(db, '#2')]
      expect(new Set(ids).size).toBe(2)
      expect(await linkStaged(db, '2025-11-03', { full: true })).toMatchObject({
        allocated: 0,
        merged: 0,
        split: 0,
      })
      expect([await personOf(db, '#1'), await personOf(db, '#2')]).toEqual(ids)
      expect(await rowsOf(db, 'select event from link.person_history')).toEqual([])
    })
  })

  test('a night with nothing new compares nothing', async () => {
    await withStaging({ 'staging.person_mentions': [voter('5', JANE)] }, async (db) => {
      expect(await linkStaged(db)).toMatchObject({ changed: true, people: 1 })
      expect(await linkStaged(db, '2025-11-03')).toMatchObject({ changed: false, records: 1, people: 1 })
    })
  })

  test('a night that is stopped before people have their ids leaves ties, clusters and people of the one before', async () => {
    const [a, b] = [contact('a', JANE), contact('b', { ...JANE, line_1: null })]
    await withStaging({ 'staging.person_mentions': [a, b] }, async (db) => {
      expect(await linkStaged(db)).toMatchObject({ people: 1 })
      const before = await decided(db)
      await restage(db, 'staging.person_mentions', [
        a,
        { ...b, first_name: 'Carol', birth_date: '1962-07-08' },
      ])
      await expect(linkStaged(db, '2025-11-03', stoppedAfterClusters())).rejects.toMatchObject({
        name: 'AbortError',
      })
      expect(await decided(db)).toEqual(before)
      expect(await linkStaged(db, '2025-11-04')).toMatchObject({ changed: true, people: 2 })
    })
  })

  test('a model that was learned by a run that was stopped links the next one, though nothing is new', async () => {
    await withFolder(async (folder) => {
      const modelFile = join(folder, 'link-model.json')
      await withStaging({ 'staging.person_mentions': [voter('5', JANE)] }, async (db) => {
        await linkStaged(db, '2025-11-02', { modelFile })
        const stopped = linkStaged(db, '2025-11-03', { modelFile, train: true, ...stoppedAfterClusters() })
        await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
        const model = { trainedOn: '2025-11-03', records: 1 }
        expect(await linkStaged(db, '2025-11-04', { modelFile })).toMatchObject({ changed: true, model })
        expect(await linkStaged(db, '2025-11-05', { modelFile })).toMatchObject({ changed: false })
      })
    })
  })

  test('a run that finds its state damaged links everything anew, keeps every id, and reports the reason', async () => {
    await withFolder(async (folder) => {
      const modelFile = join(folder, 'link-model.json')
      const voters = Array.from({ length: 12 }, (_, n) =>
        voter(String(n), { ...JANE, first_name: 'Ann', last_name: `Marlowe${'abcdefghijkl'[n]!}` }),
      )
      await withStaging({ 'staging.person_mentions': voters.slice(0, 11) }, async (db) => {
        await linkStaged(db, '2025-11-02', { modelFile })
        const before = await decided(db)
        for (const file of await filesBelow(join(folder, 'link-model.state'))) {
          const bytes = await readFile(file)
          await writeFile(file, bytes.with(20, bytes[20]! ^ 1))
        }
        await restage(db, 'staging.person_mentions', voters)
        const report = await linkStaged(db, '2025-11-03', { modelFile })
        expect(report.stateFault).toMatch(/damaged/)
        expect(report).toMatchObject({ changed: true, records: 12, removed: 0, split: 0 })
        expect(await decided(db)).toMatchObject({ people: expect.arrayContaining((before as { people: unknown[] }).people) as unknown }) // prettier-ignore
        expect(await linkStaged(db, '2025-11-04', { modelFile })).toMatchObject({ changed: false })
      })
    })
  })

  test('what another version of the linkage decided is decided anew, though nothing is new', async () => {
    await withStaging({ 'staging.person_mentions': [voter('5', JANE)] }, async (db) => {
      const first = await linkStaged(db)
      await db.run(`update link.runs set fingerprint = regexp_replace(fingerprint, '^\\d+', '1')`)
      expect(await linkStaged(db, '2025-11-03')).toMatchObject({
        changed: true,
        people: first.people,
        allocated: 0,
      })
      expect(await linkStaged(db, '2025-11-04')).toMatchObject({ changed: false, people: first.people })
    })
  })
})
