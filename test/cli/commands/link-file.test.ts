import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { inventedPeople } from '../../link-file/invented-people.ts'
import { type Ended, runCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'

const PEOPLE = inventedPeople(120)

/** A list of customers in which every third person stands twice, the second time as somebody else typed them. */
function customers(): string {
  const rows = PEOPLE.flatMap(({ first, middle, last, birth, phone, email, house, street, city, zip }, n) => {
    const address = `"${house} ${street}, ${city}, TX ${zip}"`
    const again = `"${last.toUpperCase()}, ${first.toUpperCase()} ${middle}",${birth},,${email},${address},p${n}`
    return [`${first} ${last},${birth},${phone},,${address},p${n}`, ...(n % 3 === 0 ? [again] : [])]
  })
  return ['customer,dob,phone,email,home address,true id', ...rows].join('\n')
}

async function inFolder(
  files: Record<string, string>,
  body: (folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    await body(folder)
  })
}

const link = (folder: string, ...argv: string[]): Promise<Ended> =>
  runCommand(['link-file', ...argv.map((word) => (/\.(csv|jsonl|html|tsv)$/.test(word) ? join(folder, word) : word))]) // prettier-ignore

const rowsOf = async (folder: string, name: string): Promise<Record<string, string>[]> =>
  parse(await readFile(join(folder, name)), { columns: true })

test('a file of people gets clusters, edges and a report, and is compared with its truth', async () => {
  await inFolder({ 'customers.csv': customers() }, async (folder) => {
    const argv = ['customers.csv', '--truth', 'true id', '--out', 'clusters.csv', '--edges', 'edges.csv', '--report', 'link.html'] // prettier-ignore
    const { code, stdout, stderr } = await link(folder, ...argv)
    expect([code, stderr]).toEqual([0, expect.stringMatching(/customer +→ name, either order +\(its values\)|customer +→ name/)]) // prettier-ignore
    expect(stderr).toMatch(/dob +→ birth_date +\(its name\)[^]*home address +→ address \(home\) +\(its name\)[^]*true id +→ not used +\(the truth, which is never compared\)/) // prettier-ignore
    const f1 = Number(/pairwise +precision [\d.]+ +recall [\d.]+ +F1 ([\d.]+)/.exec(stdout)?.[1])
    expect(f1).toBeGreaterThan(0.97)
    const rows = await rowsOf(folder, 'clusters.csv')
    // Rows in are rows out, in their order, with all that they had.
    const given: Record<string, string>[] = parse(customers(), { columns: true })
    expect(rows.map((row) => row['true id'])).toEqual(given.map((row) => row['true id']))
    expect(rows[0]).toMatchObject({ pb_cluster_id: '1', pb_cluster_size: '2', pb_source_row: '1', customer: 'Adela Abernathy' }) // prettier-ignore
    expect(Number(rows[0]!['pb_match_probability'])).toBeGreaterThan(0.9)
    const alone = rows.find((row) => row['pb_cluster_size'] === '1')
    expect(alone).toMatchObject({ pb_match_probability: '' })
    const edges = await rowsOf(folder, 'edges.csv')
    expect(edges[0]).toMatchObject({ left_row: '1', right_row: '2', same_cluster: 'true' })
    for (const edge of edges)
      expect(Number(edge['match_probability'])).toBeCloseTo(1 / (1 + 2 ** -Number(edge['match_weight'])), 4)
    const html = await readFile(join(folder, 'link.html'), 'utf8')
    expect(html).toMatch(/Columns[^]*home address[^]*Comparison with the truth[^]*Weights/)
    expect(html).not.toMatch(/NaN|undefined|https?:|Abernathy/)
    for (const name of ['clusters.csv', 'edges.csv', 'link.html'])
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    expect((await readdir(folder)).toSorted()).toEqual(['clusters.csv', 'customers.csv', 'edges.csv', 'link.html']) // prettier-ignore
    const first = await readFile(join(folder, 'clusters.csv'))
    // Nothing that is there is replaced unless that is said; another run writes the same bytes.
    expect(await link(folder, ...argv)).toMatchObject({ code: 2, stderr: expect.stringMatching(/clusters\.csv exists already[^]*--force/) }) // prettier-ignore
    expect((await link(folder, ...argv, '--force')).code).toBe(0)
    expect(await readFile(join(folder, 'clusters.csv'))).toEqual(first)
  })
})

test('of two files without duplicates only records of different files are joined', async () => {
  const before = PEOPLE.map(({ first, middle, last, birth, zip }, n) => `${first},${middle},${last},${birth},${zip},p${n}`) // prettier-ignore
  // Ten years later: some people moved away, others came, and everybody was typed anew. Two of one name are in each file.
  const after = PEOPLE.slice(20).map(({ first, last, birth, zip }, n) => JSON.stringify({ given: first, family: last, dob: birth, postal: zip, truth: `p${n + 20}` })) // prettier-ignore
  const files = {
    'census2020.csv': ['first_name,middle_initial,last_name,date_of_birth,zipcode,truth', ...before, before[5]].join('\n'), // prettier-ignore
    'census2030.jsonl': after.join('\n'),
  }
  await inFolder(files, async (folder) => {
    const argv = ['census2020.csv', 'census2030.jsonl', '--duplicate-free', '--truth', 'truth', '--map', 'given=first_name', '--map', 'family=last_name', '--map', 'postal=zip', '--out', 'both.jsonl'] // prettier-ignore
    const { code, stdout } = await link(folder, ...argv)
    expect([code, stdout]).toEqual([0, expect.stringContaining('pairs between files')])
    // The file was said to be without duplicates, and has one.
    expect(stdout).toContain(
      'the truth column has 1 duplicates within a file, which contradicts --duplicate-free',
    )
    const rows = (await readFile(join(folder, 'both.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line)) // prettier-ignore
    expect(rows).toHaveLength(221)
    expect(rows.at(-1)).toMatchObject({ pb_source_row: 100, family: expect.any(String), truth: 'p119' })
    const clusters = Map.groupBy(rows, (row) => row.pb_cluster_id)
    for (const members of clusters.values())
      expect(new Set(members.map((row) => row.pb_source_file)).size).toBe(members.length)
    expect(Number(/pairwise .* F1 ([\d.]+)/.exec(stdout)?.[1])).toBeGreaterThan(0.97)
  })
})

test('rows that cannot be read are named by file and line and kept apart; all others are in the output', async () => {
  const lines = customers().split('\n')
  const spoilt = [...lines.slice(0, 10), '', 'too,few', ...lines.slice(10), '"open', ''].join('\r\n')
  await inFolder({ 'customers.csv': spoilt }, async (folder) => {
    const { code, stdout } = await link(folder, 'customers.csv', '--out', 'clusters.csv')
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /162 rows, 2 rejected[^]*customers\.csv, line 12: the row has 2 fields, and the header has 6/,
    )
    expect(await rowsOf(folder, 'clusters.csv')).toHaveLength(lines.length - 1)
    expect(await rowsOf(folder, 'clusters.rejected.csv')).toMatchObject([{ line: '12', row: '10', text: 'too,few' }, { reason: 'a quote is never closed' }]) // prettier-ignore
  })
})

test('a truth that names nobody twice, or everybody alike, is refused, as are files and columns that are not there', async () => {
  const lines = customers().split('\n')
  const files = {
    'ids.csv': lines.map((line, n) => (n === 0 ? line : line.replace(/p\d+$/, `row${n}`))).join('\n'),
    'one.csv': lines.map((line, n) => (n === 0 ? line : line.replace(/p\d+$/, 'x'))).join('\n'),
    'blank.csv': lines.map((line, n) => (n === 0 ? line : line.replace(/p\d+$/, ''))).join('\n'),
    'noise.csv': 'a,b\n1,2\n3,4\n',
  }
  await inFolder(files, async (folder) => {
    const refused = async (...argv: string[]): Promise<string> => {
      const { code, stderr } = await link(folder, ...argv, '--out', 'clusters.csv')
      return `${code} ${stderr.trim().split('\n').at(-1)!.replaceAll(`${folder}/`, '')}`
    }
    const [ids, one, blank, none, other, missing] = await Promise.all([
      refused('ids.csv', '--truth', 'true id'),
      refused('one.csv', '--truth', 'true id'),
      refused('blank.csv', '--truth', 'true id'),
      refused('noise.csv'),
      refused('ids.csv', '--truth', 'person'),
      refused('nowhere.csv'),
    ])
    expect(ids).toMatch(/^2 .*--truth true id: no two of the 160 records have the same value/)
    expect(one).toMatch(/^2 .*--truth true id: all 160 records have one value/)
    expect(blank).toMatch(/^2 .*--truth true id: the column is blank in every row/)
    expect(none).toMatch(/^1 .*noise\.csv: no column was recognised that can identify people.*--map/)
    expect(other).toMatch(
      /^2 .*ids\.csv has no column 'person', which --truth names; its columns are customer, dob/,
    )
    expect(missing).toMatch(/^1 .*nowhere\.csv: there is no such file/)
    expect((await readdir(folder)).toSorted()).toEqual(Object.keys(files).toSorted())
  })
})
