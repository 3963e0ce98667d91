import { expect, test } from 'vitest'
import { carryIdentities } from '../../../src/link/ids/identities.ts'
import { contact, linkStaged, restage } from '../../support/staged-world.ts'
import { rowsOf } from '../../support/warehouse.ts'
import { JANE, withStaging } from '../support.ts'

const named = { last_name: 'Abernathy', first_name: 'Jane' }
const moved = {
  ...named,
  phone: '9545550142',
  line_1: '12 Elm St',
  city: 'Austin',
  state: 'TX',
  zip: '78701',
}
const elder = { ...JANE, first_name: 'John', birth_date: null, phone: '9545550142' }

test('a parting says why in the history of a run', async () => {
  const tied = contact('a', { ...named, phone: '9545550142' })
  const other = contact('c', { ...moved, phone: null })
  await withStaging({ 'staging.person_mentions': [tied, contact('b', moved), other] }, async (db) => {
    expect(await linkStaged(db)).toMatchObject({ people: 1 })
    await restage(db, 'staging.person_mentions', [tied, other])
    expect(await linkStaged(db, '2025-11-03')).toMatchObject({ people: 2, split: 1 })
    expect(await rowsOf(db, `select reason from link.person_history where event = 'split'`)).toEqual([
      { reason: 'nothing ties their records; a record is gone' },
    ])
  })
})

test('a warehouse whose splits had no reasons gives reasons from now on', async () => {
  await withStaging({ 'staging.person_mentions': [contact('a', elder), contact('b', elder)] }, async (db) => {
    await linkStaged(db)
    await db.run('alter table link.person_history drop column reason')
    const [junior, senior] = [contact('a', { ...elder, name_suffix: 'Jr' }), contact('b', { ...elder, name_suffix: 'Sr' })] // prettier-ignore
    await restage(db, 'staging.person_mentions', [junior, senior])
    await linkStaged(db, '2025-11-03')
    expect(await rowsOf(db, 'select reason from link.person_history')).toEqual([
      { reason: 'one is JR, the other SR' },
    ])
  })
})

test('a new model that parts what is tied is told, with the tie', async () => {
  await withStaging({ 'staging.person_mentions': [contact('a', elder), contact('b', elder)] }, async (db) => {
    await linkStaged(db)
    await db.run('update link.clusters set cluster_key = mention_key')
    await db.run('update link.pair_edges set bits = 1.5')
    await carryIdentities(db, '2025-11-03', true)
    expect(await rowsOf(db, 'select reason from link.person_history')).toEqual([
      { reason: 'too little ties them: at most us/lists.contacts and us/lists.contacts, match weight 1.5; weighed by a new model' },
    ]) // prettier-ignore
  })
})
