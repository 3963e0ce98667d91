import { expect, test } from 'vitest'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type DictionaryReport, fillDictionaries } from '../../../src/normalize/run/dictionaries.ts'
import { silentLog } from '../../../src/log.ts'
import { buildModels, loadModels } from '../../../src/warehouse/models.ts'
import { createModelInputs } from '../../support/staging.ts'
import { contact, owner, staged } from '../../support/staged-world.ts'
import { given, rowsOf, withWarehouse } from '../../support/warehouse.ts'

const options = { log: silentLog, signal: new AbortController().signal, version: '1' }

/** Fills the dictionaries as a night does: behind the model that they read. */
async function filled(
  db: DuckDBConnection,
  more: { version?: string; threads?: number; leastTexts?: number } = {},
): Promise<DictionaryReport[]> {
  const read = (await loadModels()).filter((model) => model.name === 'normal.parcel_places')
  await buildModels(db, read, { layers: ['normal'], ...options })
  return fillDictionaries({ db, ...options, ...more })
}

test('each distinct string is asked once, and only new ones on the next night', async () => {
  await withWarehouse(async (db) => {
    await createModelInputs(db)
    const jane = {
      first_name: 'Jane',
      last_name: 'Abernathy',
      line_1: '12 Elm St',
      zip: '33301',
      phone: '9545550142',
    }
    await given(db, 'staging.person_mentions', [contact('a', jane), contact('b', jane)])
    const asked = async () => (await filled(db)).map((report) => report.rows)
    expect(await asked()).toEqual([1, 1, 1, 0])
    expect(await asked()).toEqual([0, 0, 0, 0])
    await given(db, 'staging.person_mentions', [
      contact('c', { ...jane, first_name: 'Peter', email: 'p@example.com' }),
    ])
    expect(await asked()).toEqual([1, 0, 0, 1])
  })
})

test('another normaliser version asks everything again', async () => {
  await withWarehouse(async (db) => {
    await createModelInputs(db)
    await given(db, 'staging.person_mentions', [contact('a', { first_name: 'Jane', last_name: 'Abernathy' })])
    await filled(db)
    const [names] = await filled(db, { version: '2' })
    expect(names).toMatchObject({ name: 'normal.name_dictionary', rows: 1 })
    expect(await rowsOf(db, 'select name_key from normal.name_people')).toHaveLength(1)
  })
})

test('an owner field gives every person it names, with what blocking needs', async () => {
  await withWarehouse(async (db) => {
    await createModelInputs(db)
    await given(db, 'staging.parcel_owners', [owner('1', 'ABERNATHY WILLIAM Q & PEGGY')])
    await filled(db)
    const people = await rowsOf(
      db,
      'select person_sequence, first_name, middle_name, last_name, nickname_class from normal.name_people order by 1',
    )
    expect(people).toEqual([
      {
        person_sequence: 1,
        first_name: 'WILLIAM',
        middle_name: 'Q',
        last_name: 'ABERNATHY',
        nickname_class: 'WILLIAM',
      },
      {
        person_sequence: 2,
        first_name: 'PEGGY',
        middle_name: null,
        last_name: 'ABERNATHY',
        nickname_class: 'MARGARET',
      },
    ])
  })
})

test('a deed that gives no ZIP for its parcel takes it from the roll', async () => {
  await withWarehouse(async (db) => {
    await createModelInputs(db)
    const bbl = { county_fips: '36061', parcel_number: '1000010001' }
    await given(db, 'staging.parcels', [
      staged('us/ny/nyc.pluto', 'pluto', '1', {
        ...bbl,
        line_1: '5 OAK AVENUE',
        city: 'New York',
        state: 'NY',
        zip: '10001',
      }),
    ])
    await given(db, 'staging.deed_parcels', [
      staged('us/ny/nyc.acris', 'legals', '1', {
        ...bbl,
        document_id: 'D1',
        line_1: '5 OAK AVE',
        line_2: 'Apt 7',
      }),
    ])
    await filled(db)
    const addresses = await rowsOf(db, 'select full_address from normal.address_dictionary order by 1')
    expect(addresses).toEqual([
      { full_address: '5 Oak Ave Apt 7, New York, NY 10001' },
      { full_address: '5 Oak Ave, New York, NY 10001' },
    ])
  })
})

test('threads answer as one does', async () => {
  const people = Array.from({ length: 4_500 }, (_, n) =>
    contact(`c${n}`, {
      first_name: ['Jane', 'Peter', 'Ann Marie'][n % 3] ?? '',
      last_name: `Aber${(n * 7919).toString(36).replaceAll(/\d/g, 'a')}`,
      line_1: `${n} Elm St Apt ${n % 40}`,
      zip: '33301',
      phone: `95455501${String(n % 100).padStart(2, '0')}`,
    }),
  )
  const answered = async (threads: number) =>
    withWarehouse(async (db) => {
      await createModelInputs(db)
      await given(db, 'staging.person_mentions', people)
      const reports = await filled(db, { threads, leastTexts: 100 })
      const tables = ['name_dictionary', 'name_people', 'address_dictionary', 'phone_dictionary']
      const rows = tables.map(async (table) => rowsOf(db, `select * from normal.${table} order by all`))
      return { asked: reports.map((report) => report.rows), rows: await Promise.all(rows) }
    })
  expect(await answered(3)).toEqual(await answered(1))
})
