import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromArrays, tableToIPC } from 'apache-arrow'
import { expect, test } from 'vitest'
import { type InputOptions, openInput } from '../../src/enrich/read/read-input.ts'
import { withFolder } from '../support/folder.ts'
import { INVENTED } from '../support/published.ts'
import { LEADS, withDesk } from './support.ts'

const ANSWER = ['id', 'pb_match_status', 'pb_match_probability', 'pb_person_id', 'pb_reason']

test('the same rows give the same answers whatever file they come in', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', LEADS)
    await desk.enrich([list, '--out', desk.path('out.csv')])
    const expected = (await desk.rows('out.csv')).map((row) => ANSWER.map((column) => row[column]))
    const objects = await desk.rows('leads.csv')
    const columns = Object.keys(objects[0]!)
    const delimited = (delimiter: string): string =>
      `${[columns, ...objects.map((row) => columns.map((name) => row[name]!))].map((cells) => cells.map((cell) => (/[;|\t\n"]/.test(cell) ? `"${cell}"` : cell)).join(delimiter)).join('\r\n')}\r\n`
    const files: Record<string, string | Buffer> = {
      'semicolons.csv': delimited(';'),
      'tabs.tsv': delimited('\t'),
      'mark.csv': `\ufeff${LEADS}`,
      'returns.csv': LEADS.replaceAll('\n', '\r'),
      'unmarked.csv': Buffer.from(LEADS, 'utf16le'),
      'bars.csv': delimited('|'),
      'wide.csv': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(LEADS, 'utf16le')]),
      'zipped.csv.gz': gzipSync(LEADS),
      'lines.jsonl': objects.map((row) => JSON.stringify(row)).join('\n'),
      'file.arrow': Buffer.from(tableToIPC(tableFromArrays(Object.fromEntries(columns.map((name) => [name, objects.map((row) => row[name]!)]))), 'file')),
      'stream.arrow': Buffer.from(tableToIPC(tableFromArrays(Object.fromEntries(columns.map((name) => [name, objects.map((row) => row[name]!)]))), 'stream')),
    } // prettier-ignore
    const duckdb = await DuckDBInstance.create(':memory:')
    const connection = await duckdb.connect()
    await connection.run(
      `copy (select * from read_csv('${list}', all_varchar = true)) to '${desk.path('file.parquet')}' (format parquet)`,
    )
    for (const name of [...Object.keys(files), 'file.parquet']) {
      if (files[name] !== undefined) await desk.put(name, files[name])
      await desk.enrich([desk.path(name), '--out', desk.path('again.csv'), '--force'])
      const rows = await desk.rows(
        'again.csv',
        name.startsWith('semi') ? ';' : name.startsWith('bars') ? '|' : ',',
      )
      expect(
        rows.map((row) => ANSWER.map((column) => row[column])),
        name,
      ).toEqual(expected)
    }
  })
})

test('latin-1 is read as what it is, and said', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put(
      'latin.csv',
      Buffer.from('name,phone,city\nJosé Peña,512-555-0101,Köln\n', 'latin1'),
    )
    const { err } = await desk.enrich([list, '--out', desk.path('out.csv')])
    expect(err[0]).toMatch(/read as windows-1252/)
    expect((await desk.rows('out.csv'))[0]).toMatchObject({ name: 'José Peña', city: 'Köln' })
  })
})

test('a row that is not in the file’s encoding goes to the rejected rows', async () => {
  await withDesk(async (desk) => {
    // Beyond what is looked at to tell the encoding.
    const good =
      'Jane Smith,512-555-0101,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'.repeat(
        14_000,
      )
    await writeFile(
      desk.path('leads.csv'),
      Buffer.concat([
        Buffer.from(`name,phone,note\n${good}`),
        Buffer.from('Jos\xe9,512-555-0101,x\n', 'latin1'),
      ]),
    )
    const { out } = await desk.enrich([desk.path('leads.csv'), '--out', desk.path('out.csv'), '--json'])
    expect(JSON.parse(out[0]!)).toMatchObject({ rows: 14_000, rejected: 1 })
    expect((await desk.rows('out.rejected.csv'))[0]).toMatchObject({
      line: '14002',
      reason: 'the row is not UTF-8: name its --encoding',
    })
  })
})

test('rows that can’t be read go to a file of their own, with line and reason, and no other row is lost', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put(
      'leads.csv',
      'name,phone\nJane Smith,5125550101\ntoo,many,fields\n"a\nb",1\n"x"y,2\nJohn Smith,5125550100\n"open,3\n',
    )
    const { out } = await desk.enrich([list, '--out', desk.path('out.csv'), '--json'])
    const report = JSON.parse(out[0]!) as { rows: number; rejected: number }
    expect(report).toMatchObject({ rows: 3, rejected: 3 })
    expect((await desk.rows('out.csv')).map((row) => row['name'])).toEqual([
      'Jane Smith',
      'a\nb',
      'John Smith',
    ])
    expect(await desk.rows('out.rejected.csv')).toEqual([
      { line: '3', row: '2', reason: 'the row has 3 fields, and the header has 2', text: 'too,many,fields' },
      { line: '6', row: '4', reason: 'a closing quote is followed by text', text: '"x"y,2' },
      { line: '8', row: '6', reason: 'a quote is never closed', text: '"open,3' },
    ])
  })
})

test('empty fields behind the last column, as spreadsheets write them, are no reason to reject a row', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', 'name,phone\nJane Smith,512-555-0101,,\n"Nobody\nat all",206-555-0142,"",\nTotal,2,x\nNobody,206-555-0142\n') // prettier-ignore
    const { code, out } = await desk.enrich([list, '--out', desk.path('out.csv')])
    expect(code).toBe(0)
    const rows = await desk.rows('out.csv')
    expect(rows.map((row) => [row['name'], row['phone'], row['pb_person_id']])).toEqual([
      ['Jane Smith', '512-555-0101', INVENTED.jane],
      ['Nobody\nat all', '206-555-0142', ''],
      ['Nobody', '206-555-0142', ''],
    ])
    expect(out).toContainEqual(expect.stringMatching(/rejected: 1 row, in .*out\.rejected\.csv/))
  })
})

test('a list whose rows have other columns than its header is refused before anything is looked up', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', `name,phone\n${'Jane,Smith,512-555-0101\n'.repeat(5)}`)
    await expect(desk.enrich([list, '--out', desk.path('out.csv')])).rejects.toThrow(
      /the header has 2 fields, but most rows have another number \(the first such row: 3\): skip lines above the header with --skip-lines N, name every column/,
    )
    expect(await readdir(desk.folder)).toEqual(['leads.csv'])
  })
})

test.each([
  ['csv', `${Array.from({ length: 1_001 }, (_, at) => `c${at}`).join(',')}\n`],
  [
    'jsonl',
    `${JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`c${at}`, 1])))}\n`,
  ],
])('a list of more than 1,000 columns is refused when it is opened (%s)', async (kind, list) => {
  await withFolder(async (folder) => {
    const path = join(folder, `list.${kind}`)
    await writeFile(path, list)
    await expect(openInput(path, { name: 'the list' })).rejects.toThrow(
      'the list has 1001 columns, and the limit is 1000: leave out columns that the output does not need',
    )
  })
})

test('of a list no more is read than may be, nor once it is not wanted any more; a row that never ends counts, too', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'list.csv.gz')
    const read = async (list: string, asked: InputOptions): Promise<number> => {
      await writeFile(path, gzipSync(list))
      const input = await openInput(path, { name: 'the list', ...asked })
      let rows = 0
      for await (const chunk of input.chunks()) rows += chunk.rows
      return rows
    }
    const rows = `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(100_000)}`
    expect(await read(rows, { limits: { bytes: 3 * 2 ** 20, rows: 1e9, ratio: 1e9 } })).toBe(100_000)
    const tooMuch = { code: 'too_large', message: 'the list has more than 2 MiB when it is unzipped: split it into smaller files' }
    await expect(read(rows, { limits: { bytes: 2 * 2 ** 20, rows: 1e9, ratio: 1e9 } })).rejects.toMatchObject(tooMuch)
    const endless = `name\nJane Smith\n${'x'.repeat(3 * 2 ** 20)}`
    await expect(read(endless, { limits: { bytes: 2 * 2 ** 20, rows: 1e9, ratio: 1e9 } })).rejects.toMatchObject(tooMuch)
    await expect(read(rows, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone')
  })
}) // prettier-ignore
