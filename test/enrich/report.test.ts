import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openState } from '../../src/state/open.ts'
import { withFolder } from '../support/folder.ts'
import { inventedWorld } from '../support/invented-world.ts'
import { INVENTED, publishedSnapshot } from '../support/published.ts'
import { LEADS, withDesk } from './support.ts'

test('the report stands by itself, adds up and names nobody', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    const { out } = await desk.enrich([
      list,
      '--out',
      desk.path('out.csv'),
      '--report',
      desk.path('report.html'),
      '--json',
    ])
    const report = JSON.parse(out[0]!) as {
      rows: number
      statuses: Record<string, number>
      matched_by: { rows: number }[]
      counties: { fips: string; rows: number }[]
      columns: { column: string; rows: number; matched: number; agreed: number }[]
      field_coverage: { field: string; rows: number }[]
    }
    expect(Object.values(report.statuses).reduce((sum, rows) => sum + rows, 0)).toBe(report.rows)
    expect(report.matched_by.reduce((sum, { rows }) => sum + rows, 0)).toBe(report.statuses['matched'])
    expect(report.counties).toEqual([{ fips: '48453', name: 'Travis', state: 'TX', rows: 4 }])
    const rows = await desk.rows('out.csv')
    const matched = rows.filter((row) => row['pb_match_status'] === 'matched')
    const having = (from: typeof rows, column: string): number =>
      from.filter((row) => row[column] !== '').length
    for (const { column, ...counts } of report.columns)
      expect([column, counts.rows, counts.matched]).toEqual([column, having(rows, column), having(matched, column)]) // prettier-ignore
    expect(report.columns.find(({ column }) => column === 'Phone')?.agreed).toBe(matched.filter((row) => row['Phone'] !== '' && row['pb_matched_by']!.includes('phone')).length) // prettier-ignore
    for (const [field, column] of [
      ['phones', 'pb_phone_1'],
      ['address', 'pb_address_line1'],
      ['age', 'pb_age'],
    ] as const)
      // prettier-ignore
      expect(report.field_coverage.find((one) => one.field === field)?.rows).toBe(having(matched, column))
    const html = await readFile(desk.path('report.html'), 'utf8')
    expect(html).not.toMatch(/(?:src|href)=|https?:\/\/(?!www\.w3\.org)|@import|url\(/)
    expect(html).not.toMatch(/Jane|Jonathan|555-0/)
    expect(html).toContain('Travis, TX: 4')
  })
})

interface Counts {
  readonly columns: { readonly column: string; readonly rows: number }[]
  readonly field_coverage: { readonly field: string; readonly rows: number }[]
}

test('the report counts what cells say, not what exports write where there is nothing, and a property also without an address', async () => {
  await withFolder(async (data) => {
    const world = inventedWorld()
    for (const property of world.properties!) property['address_id'] = null
    await publishedSnapshot(join(data, 'snapshots'), world)
    await (await openState(join(data, 'state', 'state.sqlite'))).close()
    await withDesk(async (desk) => {
      const list = await desk.put(
        'leads.csv',
        `name,phone,email,property_id\nJane Smith,512-555-0101,N/A,\nJane Smith,512-555-0101," ",NULL\n-,,,${INVENTED.house}\n`,
      )
      const argv = [list, '--out', desk.path('out.csv'), '--fields', 'property,owners', '--json']
      const { columns, field_coverage } = JSON.parse((await desk.enrich(argv)).out[0]!) as Counts
      expect(columns.map(({ column, rows }) => [column, rows])).toEqual([
        ['name', 2],
        ['phone', 2],
        ['email', 0],
        ['property_id', 1],
      ])
      const rows = await desk.rows('out.csv')
      const found = rows.filter((row) => row['pb_property_id'] !== '').length
      expect(rows.map((row) => row['pb_property_address'])).toEqual(['', '', ''])
      expect(field_coverage.map(({ field, rows: having }) => [field, having])).toEqual([
        ['property', found],
        ['owners', found],
      ])
      expect(found).toBeGreaterThan(0)
    }, data)
  })
})
