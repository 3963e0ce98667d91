import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Condition, Expression, FileKind, SourceDefinition } from '../../src/ingest/definition.ts'
import { engineFaults, staticFaults } from '../../src/ingest/definition-faults.ts'
import { loadSources, placedFaults, readSources } from '../../src/ingest/sources.ts'
import { withFolder } from '../support/folder.ts'
import { withWarehouse } from '../support/warehouse.ts'
import { landFile, rollSource } from './night.ts'

const definition = (id: string): string => JSON.stringify({ ...rollSource(), id })

test('definitions are found in folders of folders, as JSON and as TypeScript, and sorted by id', async () => {
  await withFolder(async (folder) => {
    await landFile(folder, 'fl/b.roll.json', definition('us/fl/b.roll'))
    await landFile(folder, 'a.roll.ts', `export default ${definition('us/fl/a.roll')}`)
    await landFile(folder, 'codes.ts', 'export const codes = { 1: 2 }')
    await landFile(folder, 'README.md', '#')
    expect((await loadSources([folder])).map(({ id }) => id)).toEqual(['us/fl/a.roll', 'us/fl/b.roll'])
  })
})

test('an id that two files define is an error that names both', async () => {
  await withFolder(async (folder) => {
    await landFile(folder, 'a.roll.json', definition('us/fl/a.roll'))
    await landFile(folder, 'b.roll.json', definition('us/fl/a.roll'))
    await expect(loadSources([folder])).rejects.toThrow(
      /b\.roll\.json and .*a\.roll\.json both define us\/fl\/a\.roll: give one of them another id/,
    )
  })
})

test.each([
  ['no JSON', 'a.roll.json', '{', /a\.roll\.json:1:2: a closing brace } is expected here/],
  ['no default export', 'a.roll.ts', 'export const a = 1', /a\.roll\.ts: .*: it has no default export/],
  [
    'not of the shape',
    'a.roll.json',
    '{"id":"us/fl/a.roll"}',
    /a\.roll\.json:1:1: title: Invalid input: expected string/,
  ],
  [
    'an expression over a column that is not there',
    'a.roll.json',
    definition('us/fl/a.roll').replace('"VALUE"}', '"WORTH"}'),
    /a\.roll\.json:1:\d+: us\/fl\/a\.roll, roll, parcels\.market_value_usd: there is no column WORTH/,
  ],
  [
    'columns that differ by case alone',
    'a.roll.json',
    definition('us/fl/a.roll').replace('"NOTE"', '"value"'),
    /column value has the name of VALUE/,
  ],
])(
  'a definition with a fault is an error that names the file or the place: %s',
  async (_name, file, content, message) => {
    await withFolder(async (folder) => {
      await landFile(folder, file, content)
      await expect(loadSources([folder])).rejects.toThrow(message)
    })
  },
)

test.each<[string, string, string, RegExp]>([
  ['a file pattern that is no regular expression', '"pattern":"roll_', '"pattern":"(roll_', /roll, pattern: \(roll_.* is not a regular expression/],
  ['a day from a group that the pattern lacks', '"group":"date"', '"group":"day"', /roll, asOf: the file pattern has no group day; it has date/],
  ['a misspelt column of the identity', '"identity":["CO"', '"identity":["COUNTY"', /roll, identity: there is no column COUNTY/],
  ['a misspelt column of a condition', '"when":{"notBlank":"OWNER"}', '"when":{"notBlank":"OWNR"}', /parcel_owners, when: there is no column OWNR/],
  ['a misspelt column of what is superseded', '"supersedes":["CO"]', '"supersedes":["C0"]', /roll, supersedes: there is no column C0/],
])('a definition with a fault is found without its files: %s', async (_name, from, to, message) => {
  await withFolder(async (folder) => {
    const text = definition('us/fl/a.roll')
    expect(text).toContain(from)
    await landFile(folder, 'a.roll.json', text.replace(from, to))
    const { sources, bad } = await readSources([folder])
    expect(sources).toEqual([])
    expect(bad).toEqual([
      { id: 'us/fl/a.roll', file: join(folder, 'a.roll.json'), message: expect.stringMatching(message) as string },
    ])
  })
}) // prettier-ignore

/** The definition over many lines, with one line changed; returns the line's number and where it begins. */
function withLine(text: string, from: string, to: string): { text: string; line: number; column: number } {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.includes(from))
  if (at < 0) throw new Error(`no line has ${from}`)
  lines[at] = lines[at]!.replace(from, to)
  return { text: lines.join('\n'), line: at + 1, column: lines[at].search(/\S/) + 1 }
}

const ROLL_LINES = JSON.stringify({ ...rollSource(), id: 'us/fl/a.roll' }, null, 2)

test.each<[string, string, string, string]>([
  ['a wrong type', '"everyDays": 365', '"everyDays": "365"', 'everyDays: Invalid input: expected number, received string'],
  ['a field that there is not', '"everyDays"', '"evryDays"', 'evryDays: there is no such field'],
  ['a misspelt kind of expression', '"number": "VALUE"', '"numbr": "VALUE"', 'set.market_value_usd.numbr: no expression or condition has this key'],
  ['a wrong part of an expression', '"%Y%m%d"', '5', 'Invalid input: expected string, received number'],
  ['a misspelt column', '"full_name": "OWNER"', '"full_name": "OWNR"', 'parcel_owners.full_name: there is no column OWNR'],
  ['a table that there is not', '"into": "parcels"', '"into": "plots"', 'files[0].rows[0].into: Invalid option'],
  ['a column that the table lacks', '"parcel_number":', '"colour":', 'files[0].rows[0].set.colour: roll: parcels has no column colour'],
])('the fault is named with file, line, column and field: %s', async (_name, from, to, message) => {
  await withFolder(async (folder) => {
    const { text, line, column } = withLine(ROLL_LINES, from, to)
    for (const [name, content] of [['a.roll.json', text], ['b.roll.ts', `const roll = ${text}\nexport default roll`]] as const) {
      await landFile(folder, name, content)
    }
    const { bad } = await readSources([folder])
    expect(bad.map((each) => each.file)).toEqual([join(folder, 'a.roll.json'), join(folder, 'b.roll.ts')])
    for (const { file, message: shown } of bad) {
      expect(shown).toContain(message)
      expect(shown.split('\n').some((each) => each.startsWith(`${file}:${line}:${column}: `) && each.includes(message))).toBe(true)
    }
  })
}) // prettier-ignore

test.each<[string, string, string, string]>([
  ['a missing comma', '{\n  "id": "us/fl/a.roll"\n  "title": "A"\n}', '3:3', 'a comma is expected here'],
  ['a comma too many', '{\n  "states": ["FL",]\n}', '2:19', 'a value is expected here'],
  ['a word without quotes', '{\n  "id": roll\n}', '2:9', 'a word that JSON does not know; text needs double quotes'],
  ['a text without an end', '{\n  "id": "us/fl/a.roll,\n  "title": "A"\n}', '2:9', 'a text has no closing double quote'],
  ['a file that is cut off', '{\n  "id": "us/fl/a.roll",\n  "files": [\n', '4:1', 'a closing bracket ] is expected here'],
  ['a comment', '{\n  // the roll\n  "id": "us/fl/a.roll"\n}', '2:3', 'JSON has no comments'],
  ['a control character', '{\n  "id": "us\tfl"\n}', '2:9', 'a control character in a text; write it as an escape such as \\t'],
])('JSON that cannot be read is named with line and column: %s', async (_name, text, place, message) => {
  await withFolder(async (folder) => {
    await landFile(folder, 'a.roll.json', text)
    const { bad } = await readSources([folder])
    expect(bad.map((each) => each.message)).toEqual([`${join(folder, 'a.roll.json')}:${place}: ${message}`])
  })
}) // prettier-ignore

test('what DuckDB refuses is named with the line of the definition', async () => {
  await withFolder(async (folder) => {
    const changed = withLine(ROLL_LINES, '"full_name": "OWNER"', '"full_name": { "extract": "(", "of": "OWNER" }')
    await landFile(folder, 'a.roll.json', `\uFEFF${changed.text}`)
    const { sources: [source], bad } = await readSources([folder])
    expect(bad).toEqual([])
    await withWarehouse(async (db) => {
      const shown = await placedFaults(source!, await engineFaults(db, source!))
      expect(shown).toEqual([expect.stringMatching(/missing \)/)])
      expect(shown[0]).toContain(`${join(folder, 'a.roll.json')}:${changed.line}:${changed.column}: us/fl/a.roll, roll, parcel_owners.full_name: `)
    })
  })
}) // prettier-ignore

test('a definition with faults stops only itself, and every fault is named', async () => {
  await withFolder(async (folder) => {
    const wrong = definition('us/fl/b.roll')
      .replace('"VALUE"}', '"WORTH"}')
      .replace('"group":"date"', '"group":"day"')
    await landFile(folder, 'a.roll.json', definition('us/fl/a.roll'))
    await landFile(folder, 'b.roll.json', wrong)
    await landFile(folder, 'fl/c.roll.json', '{')
    await landFile(folder, 'z.roll.json', definition('us/fl/a.roll'))
    const { sources, bad } = await readSources([folder])
    expect(sources.map(({ id }) => id)).toEqual(['us/fl/a.roll'])
    expect(bad.map(({ id }) => id)).toEqual(['us/fl/b.roll', 'fl/c.roll', 'us/fl/a.roll'])
    expect(bad[0]?.message.split('\n')).toEqual([
      expect.stringContaining('no group day'),
      expect.stringContaining('parcels.market_value_usd: there is no column WORTH'),
    ])
    await expect(loadSources([folder])).rejects.toThrow(
      /b\.roll\.json:1:\d+: us[^]*c\.roll\.json:1:2: a closing brace[^]*both define/,
    )
  })
})

/** The faults of a roll after a change to its first kind. */
function faultsAfter(change: (source: SourceDefinition, kind: FileKind) => void): string[] {
  const source = rollSource()
  const [kind] = source.files
  if (kind === undefined) throw new Error('a roll has a kind')
  change(source, kind)
  return staticFaults(source).map(({ message }) => message)
}

test.each<[string, (source: SourceDefinition, kind: FileKind) => void, RegExp]>([
  [
    'a literal outside its closed list',
    (_source, kind) => (kind.rows[1]!.set.name_order = { literal: 'last_first' }),
    /^us\/fl\/test\.roll, roll, parcel_owners\.name_order: last_first is not allowed; allowed are surname_first, given_first$/,
  ],
  [
    'a value of a code table outside its closed list',
    (source, kind) => {
      source.codes.uses = { R: 'rowhouse', C: 'commercial' }
      kind.rows[0]!.set.property_purpose = { codes: 'uses', of: 'NOTE' }
    },
    /parcels\.property_purpose: rowhouse is not allowed; allowed are single_family, condominium/,
  ],
  [
    'an event type that is none, in a branch',
    (_source, kind) => {
      const otherwise = { literal: 'deed.warranty' }
      kind.rows.push({ into: 'deeds', set: { event_type: { when: { isBlank: 'NOTE' }, then: { literal: 'deed.other' }, otherwise } } })
    },
    /deeds\.event_type: deed\.warranty is not allowed; allowed are deed\.transfer, deed\.quitclaim/,
  ],
  [
    'a county that does not exist',
    (_source, kind) => (kind.rows[0]!.set.county_fips = { literal: '99999' }),
    /parcels\.county_fips: 99999 is not allowed; allowed are the FIPS codes of data\/reference\/counties\.csv/,
  ],
  ['a county of the source that does not exist', (source) => (source.counties = ['99999']), /test\.roll, counties: 99999 is not allowed/],
  [
    'bounds of a column that is no date',
    (_source, kind) => (kind.rows[0]!.bounds = { parcel_number: { notAfterDays: 0 } }),
    /parcels, bounds: parcel_number is not a date column that this entry of "rows" sets/,
  ],
  [
    'two parties of one record without tags',
    (_source, kind) => {
      kind.rows.push({ into: 'deed_parties', set: { full_name: 'OWNER' } }, { into: 'deed_parties', set: { full_name: 'NOTE' } })
      kind.rows.splice(0, 2)
    },
    /roll: entries 1 \(deed_parties\) and 2 \(deed_parties\) of "rows" make two rows with one record key; give one of them a "tag"/,
  ],
  [
    'a person and a business of one record without tags',
    (_source, kind) => {
      kind.rows.push({ into: 'person_mentions', tag: 'a', set: { full_name: 'OWNER' } }, { into: 'businesses', tag: 'a', when: { notBlank: 'NOTE' }, set: { business_name: 'NOTE' } })
    },
    /entries 3 \(person_mentions\) and 4 \(businesses\) of "rows" make two rows/,
  ],
])('a definition is refused for %s', (_name, change, message) => {
  expect(faultsAfter(change)).toEqual([expect.stringMatching(message)])
}) // prettier-ignore

test.each<[string, Condition, Condition]>([
  ['values of one column', { is: 'NOTE', in: ['1'] }, { is: 'NOTE', in: ['2', '3'] }],
  ['blank and not blank', { isBlank: 'NOTE' }, { all: [{ notBlank: 'OWNER' }, { notBlank: 'NOTE' }] }],
  ['a condition and its opposite', { matches: 'LLC', of: 'OWNER' }, { not: { matches: 'LLC', of: 'OWNER' } }],
  ['a code and none', { inCodes: 'counties', of: 'CO' }, { not: { inCodes: 'counties', of: 'CO' } }],
  ['each of two', { any: [{ is: 'NOTE', in: ['1'] }, { isBlank: 'NOTE' }] }, { is: 'NOTE', in: ['2'] }],
])('two rows of a table need no tags where only one condition can hold: %s', (_name, left, right) => {
  const faults = faultsAfter((_source, kind) => {
    kind.rows = [
      { into: 'person_mentions', when: left, set: { full_name: 'OWNER' } },
      { into: 'businesses', when: right, set: { business_name: 'OWNER' } },
    ]
  })
  expect(faults).toEqual([])
})

/** The roll with one expression in place of the value. */
function rollWith(value: Expression): SourceDefinition {
  const source = rollSource()
  const set = source.files[0]?.rows[0]?.set
  if (set === undefined) throw new Error('a roll sets columns')
  set.market_value_usd = value
  return source
}

test.each<[string, Expression, RegExp]>([
  ['a look-behind', { extract: '(?<=X)Y', of: 'VALUE' }, /market_value_usd: .*invalid perl operator/],
  ['an open bracket in a branch', { when: { matches: '(', of: 'VALUE' }, then: 'VALUE' }, /market_value_usd: .*missing \)/],
  ['an open bracket in a replacement', { firstOf: [{ literal: 'a' }, { replace: '(', of: 'VALUE', with: '' }] }, /missing \)/],
  ['a date format that is none', { date: 'VALUE', formats: ['%Q'] }, /market_value_usd: .*%Q/],
])('DuckDB finds %s without a file', async (_name, value, message) => {
  await withWarehouse(async (db) => {
    expect(await engineFaults(db, rollWith(value))).toEqual([{ path: ['files', 0, 'rows', 0, 'set', 'market_value_usd'], message: expect.stringMatching(message) as string }])
    expect(await engineFaults(db, rollSource())).toEqual([])
  })
}) // prettier-ignore

test('a folder that is not there is an error that names it', async () => {
  await expect(loadSources(['/nowhere/sources'])).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringMatching(/\/nowhere\/sources cannot be read/) as string,
  })
})
