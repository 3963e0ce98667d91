import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { generate } from '../../src/generate/generate.ts'
import { withFolder } from '../support/folder.ts'
import { membersOf } from './zip-members.ts'

const options = { people: 400, seed: 5, truth: null, days: 1, signal: new AbortController().signal } as const

test('a world has the sources of its counties only', async () => {
  await withFolder(async (out) => {
    await generate({ ...options, counties: ['12086', '12099'], out })
    expect(readdirSync(join(out, 'day-1')).sort()).toEqual([
      'us-fec-contributions',
      'us-fl-statewide-nal',
      'us-fl-statewide-sdf',
      'us-fl-statewide-voters',
      'us-lists-contacts',
      'us-lists-deaths',
      'us-nanpa-central-office-codes',
      'us-nppes-providers',
    ])
    expect(readdirSync(join(out, 'day-1/us-fl-statewide-voters'))).toEqual([
      'DAD_20260105.txt',
      'PAL_20260105.txt',
    ])
  })
})

test('counties whose clerk numbers books and pages have no instruments in their sales', async () => {
  await withFolder(async (out) => {
    await generate({ ...options, counties: ['12086'], out })
    const text = readFileSync(join(out, 'day-1/us-fl-statewide-sdf/SDF23F202501.csv'), 'utf8')
    const sales: Record<string, string>[] = parse(text, { columns: true })
    expect(sales.length).toBeGreaterThan(5)
    for (const sale of sales) {
      expect(sale['CLERK_NO']).toBe('')
      expect(sale['OR_BOOK']).toMatch(/^\d{5}$/)
      expect(sale['PARCEL_ID']).toMatch(/^\d{13}$/)
    }
  })
})

test('Williamson sends the longer records of a later PACS version, Bexar those of 8.0.18', async () => {
  await withFolder(async (out) => {
    await generate({ ...options, counties: ['48491', '48029'], out })
    for (const [county, length] of [
      ['williamson', 9247],
      ['bexar', 8602],
    ] as const) {
      const [info] = await membersOf(join(out, `day-1/us-tx-${county}-pacs/${county}_20260105.zip`))
      const records = info![1].toString('latin1').split('\r\n').slice(0, -1)
      expect(records.length).toBeGreaterThan(50)
      for (const record of records) expect(record).toHaveLength(length)
    }
  })
})

test('a world can be stopped between two sources', async () => {
  await withFolder(async (out) => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(generate({ ...options, counties: ['12011'], out, signal })).rejects.toThrow('stopped')
  })
})

test('one row in five thousand has a tab too many, and the truth says nothing of it', async () => {
  await withFolder(async (out) => {
    const truth = join(out, 'truth.csv')
    await generate({ ...options, people: 4000, counties: ['12011'], out, truth })
    const rows = readFileSync(join(out, 'day-1/us-fl-statewide-voters/BRO_20260105.txt'), 'latin1')
      .split('\r\n')
      .slice(0, -1)
      .map((line) => line.split('\t'))
    const broken = rows.flatMap((fields, row) => (fields.length === 38 ? [] : [row]))
    expect(broken).toEqual([1999])
    const id = rows[1999]![2]!
    expect(readFileSync(truth, 'utf8')).not.toContain(`us/fl/statewide.voters/voters/${id},`)
    expect(readFileSync(truth, 'utf8')).toContain(`us/fl/statewide.voters/voters/${rows[1998]![1]},`)
  })
})
