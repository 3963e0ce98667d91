import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CLUSTERS, linkRecords } from '../../src/link/link-records.ts'
import { createRecordTables } from '../support/linkage.ts'
import { parseModel } from '../../src/link/model/model.ts'
import { writeArrays } from '../../src/link/incremental/array-file.ts'
import { filesBelow } from '../../src/publish/manifest.ts'
import { reportPage } from '../../src/link/explain/report.ts'
import { withFolder } from '../support/folder.ts'
import { given, rowsOf, withWarehouse } from '../support/warehouse.ts'
import { inventedRecords, orderedOn } from './records/invented-records.ts'
import { randomMentions } from './records/random-mentions.ts'

test('the first night trains, the next compares what changed, a quiet one nothing, and a full one agrees with them', async () => {
  await withFolder(async (folder) => {
    await withWarehouse(async (db) => {
      const world = randomMentions(21)
      const options = { modelFile: join(folder, 'link-model.json'), threads: 1, today: '2026-01-01' }
      await createRecordTables(db)
      await given(db, 'link.records', world.take(200))
      expect(await linkRecords(db, options)).toMatchObject({ kind: 'trained', records: 200, changed: 200 })
      expect(await linkRecords(db, options)).toMatchObject({
        kind: 'unchanged',
        records: 200,
        changed: 0,
        pairs: 0,
      })
      await given(db, 'link.records', world.take(10))
      expect(await linkRecords(db, options)).toMatchObject({ kind: 'changes', records: 210, changed: 10 })
      const clusters = await rowsOf(db, `select * from (${CLUSTERS}) order by record_id`)
      expect(clusters).toHaveLength(210)
      expect(await rowsOf(db, 'select table_name from duckdb_tables() where temporary')).toEqual([])
      expect(await linkRecords(db, { ...options, full: true })).toMatchObject({ kind: 'full', records: 210 })
      expect(await rowsOf(db, `select * from (${CLUSTERS}) order by record_id`)).toEqual(clusters)
      const trained = await linkRecords(db, { ...options, train: true })
      expect(trained.kind).toBe('trained')
      const { page } = await reportPage(db, {
        report: trained,
        today: '2026-01-01',
        people: [{ label: 'people', now: 7, before: 9 }],
        events: ['Pold became Pnew'],
        unknown: [{ kind: 'library_card', records: 1_234, isLearnable: true }],
      })
      expect(page).toContain('<td>library_card</td><td class="n">1,234</td>')
      const edges = trained.edges.toLocaleString('en-US')
      expect(page).toMatch(/<td>prior<\/td><td>two records at random<\/td>.*?<td class="n">−[\d.]+<\/td>/)
      expect(page).toContain('<td>−2 to 0</td>')
      expect(page).toContain(`${edges} pairs with a match weight of −2.0 or more`)
      expect(page).toContain('Linkage of 2026-01-01')
      expect(page).toContain('<td>people</td><td class="n">7</td><td class="n">9</td><td class="n">−2</td>')
      expect(page).toContain('<li>Pold became Pnew</li>')
      expect(page).not.toMatch(/NaN|undefined|null|https?:|src=|url\(/)
    })
  })
})

test('what another version of the linkage decided is decided anew', async () => {
  await withFolder(async (folder) => {
    await withWarehouse(async (db) => {
      const options = { modelFile: join(folder, 'link-model.json'), threads: 1, today: '2026-01-01' }
      await createRecordTables(db)
      await given(db, 'link.records', randomMentions(22).take(60))
      await linkRecords(db, options)
      await db.run('update link.linkage_state set version = version - 1')
      expect(await linkRecords(db, options)).toMatchObject({ kind: 'full', records: 60 })
      expect(await linkRecords(db, options)).toMatchObject({ kind: 'unchanged', records: 60 })
      await db.run('alter table link.linkage_state drop column version')
      expect(await linkRecords(db, options)).toMatchObject({ kind: 'full', records: 60 })
    })
  })
})

test('no flipped byte of the state goes unnoticed: everything is linked anew, with the reason', async () => {
  await withFolder(async (folder) => {
    await withWarehouse(async (db) => {
      const world = randomMentions(23)
      const options = { modelFile: join(folder, 'link-model.json'), threads: 1, today: '2026-01-01' }
      const state = join(folder, 'link-model.state')
      await createRecordTables(db)
      await given(db, 'link.records', world.take(120))
      await linkRecords(db, options)
      await given(db, 'link.records', world.take(5))
      const outcome = async (): Promise<unknown> => {
        await db.run('begin')
        try {
          const { kind, stateFault } = await linkRecords(db, options)
          return stateFault ?? kind
        } finally {
          await db.run('rollback')
        }
      }
      const [file] = await filesBelow(state)
      const bytes = await readFile(file!)
      // The length of the header, its text, the first array, the middle, the last number.
      const header = 8 + bytes.readUInt32LE(0)
      for (const at of [1, 5, 20, header - 1, header + 3, bytes.length >>> 1, bytes.length - 3]) {
        await writeFile(file!, bytes.with(at, bytes[at]! ^ 4))
        expect(await outcome(), `byte ${at}`).toMatch(/is (damaged|cut off)/)
      }
      await rm(file!)
      expect(await outcome()).toBe(`${file} is missing`)
      writeArrays(file!, { version: 4 }, {})
      expect(await outcome()).toBe(`${file} was written by another version of Platbook`)
      await writeFile(file!, bytes)
      expect(await outcome()).toBe('changes')
      await rm(state, { recursive: true })
      const anew = await linkRecords(db, options)
      expect(anew).toMatchObject({ kind: 'full', records: 125 })
      expect(anew.stateFault).toMatch(/link-model.state is missing/)
      expect(await linkRecords(db, options)).toMatchObject({ kind: 'unchanged', stateFault: null })
    })
  })
})

test('a warehouse that is linked is never linked by another model unasked', async () => {
  await withFolder(async (folder) => {
    await withWarehouse(async (db) => {
      const modelFile = join(folder, 'link-model.json')
      const options = { modelFile, threads: 1, today: '2026-01-01' }
      await createRecordTables(db)
      await given(db, 'link.records', randomMentions(24).take(60))
      await linkRecords(db, options)
      await writeFile(modelFile, '{"version": ')
      await expect(linkRecords(db, options)).rejects.toThrow(/link-model.json is damaged.*--train/)
      await rm(modelFile)
      const missing = linkRecords(db, options)
      await expect(missing).rejects.toMatchObject({ code: 'bad_config' })
      await expect(missing).rejects.toThrow(/link-model.json is missing.*--train/)
      expect(await linkRecords(db, { ...options, train: true })).toMatchObject({ kind: 'trained' })
    })
  })
})

test('a full run reports where its model no longer fits; an incremental run reports no drift', async () => {
  await withFolder(async (folder) => {
    await withWarehouse(async (db) => {
      const world = randomMentions(8)
      const modelFile = join(folder, 'link-model.json')
      const options = { modelFile, threads: 1, today: '2026-01-01' }
      await createRecordTables(db)
      await given(db, 'link.records', world.take(400))
      await linkRecords(db, options)
      const fitting = await linkRecords(db, { ...options, full: true })
      expect(fitting.drift.filter(({ comparison }) => comparison === 'phone')).toEqual([])
      // As if telephones had hardly ever agreed when the model was learned.
      const model = parseModel(await readFile(modelFile, 'utf8'))
      const phone = model.comparisons.find(({ comparison }) => comparison === 'phone')!
      const [same, ...others] = phone.levels
      const less = same!.m * 0.9
      const levels = [
        { ...same!, m: same!.m - less },
        ...others.map((l) => ({ ...l, m: l.m + less / others.length })),
      ]
      const comparisons = model.comparisons.map((one) => (one === phone ? { ...one, levels } : one))
      await writeFile(modelFile, JSON.stringify({ ...model, comparisons }))
      const drifted = await linkRecords(db, { ...options, full: true })
      const found = drifted.drift.find(({ comparison, level }) => comparison === 'phone' && level === 'same')
      expect(found!.fresh - found!.bits).toBeGreaterThan(2)
      await given(db, 'link.records', world.take(10))
      expect(await linkRecords(db, options)).toMatchObject({ kind: 'changes', changed: 10, drift: [] })
    })
  })
})

test('a night without any records trains and ends', async () => {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    expect(await linkRecords(db, { threads: 1, today: '2026-01-01' })).toMatchObject({
      records: 0,
      edges: 0,
      pairs: 0,
    })
  })
})

test('the page of a run shows nothing of the people in it, also where a value is shared by thousands', async () => {
  await withFolder(async (folder) => {
    await withWarehouse(async (db) => {
      await createRecordTables(db)
      await db.run(
        `insert into link.records by name
         select 'FT_' || i || '|1|KOWALSKI, ANNELIESE#1' as record_id, 'contacts' as source_id, 'ANNELIESE' as first_name,
           'KOWALSKI' as last_name, ['12065550100'] as phones, ['anneliese.k@example.com'] as emails
         from range(2500) as r(i)`,
      )
      const modelFile = join(folder, 'link-model.json')
      const report = await linkRecords(db, { modelFile, threads: 1, today: '2026-01-01' })
      const { page } = await reportPage(db, {
        report,
        today: '2026-01-01',
        people: [],
        events: [],
        unknown: [],
      })
      expect(page).toMatch(
        /Largest blocks not compared.*<td>phone \+ first letter<\/td><td class="n">2,500<\/td>/s,
      )
      expect(page).toContain('one telephone (1206…)')
      expect(page).not.toMatch(/KOWALSKI|ANNELIESE|12065550100|555-?0100/i)
    })
  })
})

test('a model that fails its checks is refused: the default is used the first time, later the model before, and the run goes on', async () => {
  await withFolder(async (folder) => {
    await withWarehouse(async (db) => {
      const modelFile = join(folder, 'link-model.json')
      const options = { modelFile, threads: 1, today: '2026-01-01' }
      const saved = async (): Promise<string> => readFile(modelFile, 'utf8')
      const terms = (): Promise<unknown> => rowsOf(db, 'select count(*)::integer as n, bit_xor(hash(t))::varchar as hash from link.term_counts as t') // prettier-ignore
      await createRecordTables(db)
      // The birth dates are those of orders: training learns that one person has several.
      await given(db, 'link.records', inventedRecords(510, orderedOn))
      const first = await linkRecords(db, options)
      expect(first).toMatchObject({ kind: 'trained', records: 1_020, model: { is_default: true }, refused: { instead: 'default', trainedOn: '2026-01-01', records: 1_020 } }) // prettier-ignore
      expect(first.refused!.faults.map(({ what }) => what).join()).toMatch(/in \d+ clusters with several birth dates, \d+ % of the pairs of dates contradict each other/) // prettier-ignore
      expect(parseModel(await saved())).toEqual(first.model)
      expect(await linkRecords(db, options)).toMatchObject({ kind: 'unchanged', refused: null })
      // The column is corrected, and the next training is accepted.
      await db.run('delete from link.records')
      await given(db, 'link.records', inventedRecords(510))
      const trained = await linkRecords(db, { ...options, train: true })
      expect(trained).toMatchObject({ kind: 'trained', refused: null })
      expect(trained.model.is_default).toBeUndefined()
      const [good, goodTerms] = [await saved(), await terms()]
      // It comes back wrong: the good model is kept with its frequencies, and links on.
      await db.run('delete from link.records')
      await given(db, 'link.records', inventedRecords(520, orderedOn))
      const again = await linkRecords(db, { ...options, train: true })
      expect(again).toMatchObject({ kind: 'full', records: 1_040, model: trained.model, refused: { instead: 'last' } }) // prettier-ignore
      expect([await saved(), await terms()]).toEqual([good, goodTerms])
      expect(await linkRecords(db, options)).toMatchObject({ kind: 'unchanged' })
      expect(await rowsOf(db, 'select table_name from duckdb_tables() where temporary')).toEqual([])
      const { page } = await reportPage(db, { report: again, today: '2026-01-01', people: null, events: [], unknown: [] }) // prettier-ignore
      expect(page).toMatch(/Model refused[^]*Records are linked by the model used before[^]*birth dates<\/td><td>in \d+ clusters with several birth dates/) // prettier-ignore
    })
  })
}, 120_000)

/** A whole file of records that an earlier version could have written: its arrays are none, its version is another. */
