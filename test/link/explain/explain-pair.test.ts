import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { explainTwo } from '../../../src/link/explain/explain-pair.ts'
import { silentLog } from '../../../src/log.ts'
import { buildModels, loadModels } from '../../../src/warehouse/models.ts'
import { contact, linkStaged, restage, voter } from '../../support/staged-world.ts'
import { rowsOf, withWarehouse } from '../../support/warehouse.ts'
import { withStaging } from '../support.ts'

const JANE = { last_name: 'Abernathy', first_name: 'Jane', birth_date: '1980-03-04', line_1: '12 Elm St' }
const VOTER = 'us/fl/statewide.voters/voters/5'
const CONTACT = 'us/lists.contacts/contacts/a'

async function withPeople(
  rows: Parameters<typeof restage>[2],
  body: (db: DuckDBConnection) => Promise<void>,
): Promise<void> {
  await withStaging({ 'staging.person_mentions': rows }, async (db) => {
    await linkStaged(db)
    await body(db)
  })
}

async function personOf(db: DuckDBConnection, key: string): Promise<string> {
  const rows = await rowsOf(db, `select person_id from link.person_mentions where mention_key = '${key}'`)
  return String(rows[0]?.['person_id'])
}

test('two records of one person: terms that add up, keys, the edge between them, the id', async () => {
  await withPeople([voter('5', JANE), contact('a', { ...JANE, line_1: null })], async (db) => {
    const { left, right, pair, path, history } = await explainTwo(db, [VOTER, CONTACT])
    expect([left.mention_key, right.mention_key]).toEqual([VOTER, CONTACT])
    expect(left.person_id).toBe(right.person_id)
    expect(pair.terms.reduce((sum, { bits }) => sum + bits, 0)).toBeCloseTo(pair.bits, 9)
    expect(pair.keys).toContain('birth_date+first_letter')
    expect(path).toMatchObject([{ left_id: VOTER, right_id: CONTACT }])
    expect(history).toEqual([
      { person_id: left.person_id, happened_on: '2025-11-02', event: 'allocated', mention_key: VOTER },
    ])
  })
})

test('two people: of all their pairs the one of most bits, and what all of them say together', async () => {
  const peter = { ...JANE, first_name: 'Peter', birth_date: '1979-01-02' }
  const rows = [voter('5', JANE), voter('6', peter), contact('a', { ...JANE, phone: '9545550142' })]
  await withPeople(rows, async (db) => {
    const [jane, other] = [await personOf(db, VOTER), await personOf(db, 'us/fl/statewide.voters/voters/6')]
    const forth = await explainTwo(db, [jane, other])
    expect(forth.pair).toMatchObject({ pairs: 2, right_id: 'us/fl/statewide.voters/voters/6' })
    expect(forth.pair.groupBits).toBeLessThan(0)
    const back = await explainTwo(db, [other, jane])
    expect(back.pair.bits).toBe(forth.pair.bits)
    expect(back.path).toEqual([])
  })
})

test('two people whom one pair of their records bars from being one: that pair is named, whichever is most alike', async () => {
  const john = { ...JANE, first_name: 'John' }
  const junior = voter('5', { ...john, name_suffix: 'Jr' })
  const senior = voter('6', { ...john, name_suffix: 'Sr', birth_date: null })
  const rows = [junior, senior, contact('a', { ...john, city: 'Fort Lauderdale', state: 'FL', zip: '33301' })]
  await withPeople(rows, async (db) => {
    const { pair } = await explainTwo(db, [await personOf(db, VOTER), await personOf(db, 'us/fl/statewide.voters/voters/6')]) // prettier-ignore
    expect(pair.pairs).toBe(2)
    expect(pair.left_id).toBe(CONTACT)
    expect(pair.bar).toEqual({
      left_id: VOTER,
      right_id: 'us/fl/statewide.voters/voters/6',
      reason: 'different name suffixes',
    })
    expect(pair.groupBits).toBe(-Infinity)
  })
})

test('the way from one record to another of one person leads through no other person’s record', async () => {
  const rows = ['a', 'b', 'c'].map((id) => contact(id, { ...JANE, phone: '9545550142' }))
  await withPeople(rows, async (db) => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => `us/lists.contacts/contacts/${id}`)
    await db.run('update link.pair_edges set bits = 9')
    await db.run(
      `update link.pair_edges set bits = 2 where (left_number, right_number) in (
         select (least(l.record_number, r.record_number), greatest(l.record_number, r.record_number))
         from link.coded_records as l, link.coded_records as r where l.record_id = '${a}' and r.record_id = '${b}')`,
    )
    const steps = async (): Promise<number[]> => (await explainTwo(db, [a!, b!])).path.map(({ bits }) => bits)
    expect(await steps()).toEqual([9, 9])
    await db.run(
      `update link.groups set cluster = -1 where record_number =
         (select record_number from link.coded_records where record_id = '${c}')`,
    )
    expect(await steps()).toEqual([2])
  })
})

test('a person and a record: the record beside whichever of the person’s says most', async () => {
  const peter = { ...JANE, first_name: 'Peter', birth_date: '1979-01-02' }
  const rows = [voter('5', JANE), voter('6', peter), contact('a', { ...JANE, line_1: null })]
  await withPeople(rows, async (db) => {
    const six = 'us/fl/statewide.voters/voters/6'
    const { left, right, pair } = await explainTwo(db, [await personOf(db, VOTER), six])
    // The home that the voters share is what relatives share; the contact has none to tell them apart by.
    expect([left.mention_key, right.mention_key]).toEqual([CONTACT, six])
    expect(pair.pairs).toBe(2)
    await expect(explainTwo(db, ['P0000000000', six])).rejects.toThrow(
      /P0000000000 is neither a person id nor the key of a source record/,
    )
    await expect(explainTwo(db, [six, 'P0000000000'])).rejects.toMatchObject({ code: 'unknown_id' })
  })
})

test('a person and a record of that very person: the record beside the others, each of them once', async () => {
  const rows = [voter('5', JANE), contact('a', { ...JANE, line_1: null }), contact('b', JANE)]
  await withPeople(rows, async (db) => {
    const jane = await personOf(db, VOTER)
    expect(await rowsOf(db, 'select distinct person_id from link.person_mentions')).toEqual([
      { person_id: jane },
    ])
    const forth = await explainTwo(db, [jane, CONTACT])
    expect(forth.pair).toMatchObject({ pairs: 2, right_id: CONTACT })
    expect((await explainTwo(db, [CONTACT, jane])).pair).toMatchObject({
      pairs: 2,
      groupBits: forth.pair.groupBits,
    })
    // Two ids of one person whose first records are gone: its first record beside the others.
    await db.run("update link.people set first_mention_key = 'gone'")
    const { left, pair } = await explainTwo(db, [jane, jane])
    expect(left.mention_key).toBe(VOTER)
    expect(pair).toMatchObject({ pairs: 2, groupBits: (await explainTwo(db, [jane, VOTER])).pair.groupBits })
  })
})

test('an id that was merged is explained by the record it began with, and its end is told', async () => {
  const stranger = contact('a', { last_name: 'Abernathy', first_name: 'Jane', email: 'jane@example.com' })
  await withPeople([voter('5', JANE), stranger], async (db) => {
    const ids = [await personOf(db, VOTER), await personOf(db, CONTACT)] as const
    await restage(db, 'staging.person_mentions', [
      voter('5', { ...JANE, email: 'jane@example.com' }),
      stranger,
    ])
    await linkStaged(db, '2025-11-04')
    const { left, right, pair, history } = await explainTwo(db, [ids[1], ids[0]])
    expect([left.mention_key, right.mention_key]).toEqual([CONTACT, VOTER])
    expect(pair.bits).toBeGreaterThan(0)
    const gone = ids.filter((id) => id !== left.person_id)
    expect(history.filter(({ happened_on }) => happened_on === '2025-11-04')).toEqual([
      {
        person_id: gone[0],
        happened_on: '2025-11-04',
        event: expect.stringContaining(`became ${left.person_id}`),
        mention_key: null,
      },
    ])
  })
})

test('what is not linked, and a record beside itself, are refused by name', async () => {
  await withPeople([voter('5', JANE), contact('a', JANE)], async (db) => {
    await expect(explainTwo(db, [VOTER, 'nobody'])).rejects.toMatchObject({ code: 'unknown_id' })
    await expect(explainTwo(db, [VOTER, VOTER])).rejects.toMatchObject({ code: 'bad_usage' })
    const person = await personOf(db, VOTER)
    await expect(explainTwo(db, [person, person])).rejects.toThrow(`\`platbook explain ${person}\` shows`)
  })
  await withWarehouse(async (db) => {
    await expect(explainTwo(db, [VOTER, CONTACT])).rejects.toThrow(/platbook link/)
  })
})

test('what has to be linked again before it can be explained says so', async () => {
  const peter = { ...JANE, first_name: 'Peter', birth_date: '1979-01-02' }
  const six = 'us/fl/statewide.voters/voters/6'
  await withPeople([voter('5', JANE), voter('6', peter), contact('a', JANE)], async (db) => {
    await db.run('update link.linkage_state set version = version - 1')
    await expect(explainTwo(db, [VOTER, CONTACT])).rejects.toMatchObject({
      code: 'input_changed',
      message: 'another version of Platbook linked this warehouse: run `platbook link`',
    })
    await db.run('update link.linkage_state set version = version + 1')
    // A night that was killed before it linked: another row comes first, and one has changed.
    await restage(db, 'staging.person_mentions', [
      voter('4', peter),
      voter('5', { ...JANE, birth_date: '1980-03-05' }),
      voter('6', peter),
      contact('a', JANE),
    ])
    const signal = new AbortController().signal
    await buildModels(db, await loadModels(), { layers: ['normal', 'link'], log: silentLog, signal })
    await expect(explainTwo(db, [VOTER, CONTACT])).rejects.toMatchObject({
      code: 'input_changed',
      message: `${VOTER} changed since it was linked: run \`platbook link\``,
    })
    const { left, right } = await explainTwo(db, [six, CONTACT])
    expect([left, right]).toMatchObject([
      { mention_key: six, person_id: await personOf(db, six) },
      { mention_key: CONTACT, person_id: await personOf(db, CONTACT) },
    ])
  })
})
