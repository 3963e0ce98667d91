import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asOfDates } from '../../src/ingest/as-of.ts'
import { rawColumns } from '../../src/ingest/canonical-rows.ts'
import { SourceDefinition } from '../../src/ingest/definition.ts'
import { exampleRows, failedExamples } from '../../src/ingest/examples.ts'
import { type FileName, groupNames, matchFileName } from '../../src/ingest/file-names.ts'
import { loadSources } from '../../src/ingest/sources.ts'
import { withFolder } from '../support/folder.ts'
import { withWarehouse } from '../support/warehouse.ts'

const folder = join(import.meta.dirname, '../../pipelines/sources')
const sources = await loadSources([folder])
const text = (pattern: RegExp): string => expect.stringMatching(pattern) as string

/** `[source id, file kind]` of all sources. */
const kinds = sources.flatMap((source) => source.files.map((kind) => ({ source, kind })))

function named(base: string, ...archives: string[]): FileName {
  return { base, archives }
}

function columnsOf(id: string, kind: string): string[] {
  const found = kinds.find((each) => each.source.id === id && each.kind.kind === kind)
  return found === undefined ? [] : rawColumns(found.kind)
}

function codes(id: string, table: string): Record<string, string | number | boolean> {
  return sources.find((source) => source.id === id)?.codes[table] ?? {}
}

describe('examples', () => {
  for (const source of sources) {
    test(`${source.id}: every example makes the rows it promises`, async () => {
      await withWarehouse(async (db) => {
        expect(await failedExamples(db, source)).toEqual([])
      })
    })
  }

  test('what an example promises and its definition does not make is told by table, column and row', async () => {
    const source = sources.find(({ id }) => id === 'us/lists.contacts')!
    const [example] = source.examples
    const [row] = example!.expect['person_mentions']!
    const wrong = {
      ...example!,
      expect: { person_mentions: [{ ...row, last_name: 'Elsewise' }], deaths: [{}] },
    }
    await withWarehouse(async (db) => {
      expect(await failedExamples(db, { ...source, examples: [wrong] })).toEqual([
        {
          path: ['examples', 0, 'expect', 'person_mentions'],
          message: text(/^us\/lists\.contacts, example ".*": 2 rows of person_mentions, 1 expected$/),
        },
        { path: ['examples', 0, 'expect', 'deaths'], message: text(/: 0 rows of deaths, 1 expected$/) },
      ])
      const name = { ...example!, expect: { person_mentions: [{ last_name: 'Elsewise' }, {}] } }
      expect(await failedExamples(db, { ...source, examples: [name] })).toEqual([
        {
          path: ['examples', 0, 'expect', 'person_mentions', 0, 'last_name'],
          message: text(/: person_mentions\.last_name of row 1 is "Fairbanks", but "Elsewise" is expected$/),
        },
      ])
    })
  })

  test('every source has two examples at least, and every kind of file has one', () => {
    for (const source of sources) expect(source.examples.length, source.id).toBeGreaterThanOrEqual(2)
    const shown = new Set(
      sources.flatMap((source) => source.examples.map((each) => `${source.id} ${each.kind}`)),
    )
    expect(
      kinds.map(({ source, kind }) => `${source.id} ${kind.kind}`).filter((each) => !shown.has(each)),
    ).toEqual([])
  })
})

describe('definitions', () => {
  test('the path of a definition is its id', async () => {
    const files = (await readdir(folder, { recursive: true })).filter((name) =>
      /\.[a-z0-9-]+\.ts$/.test(name),
    )
    expect(files.map((name) => name.replace(/\.ts$/, '')).sort()).toEqual(sources.map(({ id }) => id))
  })

  test('the sources of the first step are all there', () => {
    expect(sources.map(({ id }) => id)).toEqual([
      'us/fec.contributions',
      'us/fl/broward.official-records',
      'us/fl/statewide.nal',
      'us/fl/statewide.sdf',
      'us/fl/statewide.voters',
      'us/lists.contacts',
      'us/lists.deaths',
      'us/nanpa.central-office-codes',
      'us/nppes.providers',
      'us/ny/nyc.acris',
      'us/ny/nyc.pluto',
      'us/tx/bexar.pacs',
      'us/tx/harris.hcad',
      'us/tx/travis.pacs',
      'us/tx/williamson.pacs',
    ])
  })

  test('no source has a column twice', () => {
    for (const { source, kind } of kinds) {
      const columns = rawColumns(kind)
      expect(new Set(columns).size, `${source.id} ${kind.kind}`).toBe(columns.length)
    }
  })

  test('the date of a file comes from a group that its pattern has', () => {
    for (const { source, kind } of kinds) {
      if (kind.asOf === undefined) continue
      const groups = groupNames(kind)
      expect(groups, `${source.id} ${kind.kind}`).toContain(kind.asOf.group)
      if (kind.asOf.plusDays !== undefined) expect(groups).toContain(kind.asOf.plusDays.group)
    }
  })

  test('a final Florida roll is of a later day than the preliminary one of its year, and earlier than the next', async () => {
    const rolls = kinds.filter(({ source }) => /statewide\.(nal|sdf)$/.test(source.id))
    expect(rolls).toHaveLength(2)
    for (const { source, kind } of rolls) {
      const prefix = kind.kind.toUpperCase()
      const files = ['P202501', 'f202501', 'P202601'].map((name) => {
        const groups = matchFileName(kind, named(`${prefix}16${name}.csv`))
        if (groups === null) throw new Error(`${source.id} does not read ${prefix}16${name}.csv`)
        return { kind, groups }
      })
      const days = await withWarehouse((db) => asOfDates(db, files))
      expect(days, source.id).toEqual(['2025-07-01', '2025-10-01', '2026-07-01'])
    }
  })

  test('what is superseded can be told from a row', () => {
    for (const { source, kind } of kinds) {
      const names = kind.supersedes.filter((each) => typeof each === 'string')
      expect(rawColumns(kind), `${source.id} ${kind.kind}`).toEqual(expect.arrayContaining(names))
    }
  })

  test('names of real files find their kind and no other', () => {
    const files = {
      'us/ny/nyc.acris master': named('acris_real_property_master_20250110.csv'),
      'us/ny/nyc.acris parties': named('ACRIS_-_Real_Property_Parties_20250110.csv'),
      'us/ny/nyc.pluto pluto': named('pluto_25v2_1.csv', 'nyc_pluto_25v2_1_csv.zip'),
      'us/ny/nyc.pluto pluto_socrata': named('pluto_latest_socrata.csv'),
      'us/fl/statewide.nal nal': named('NAL16P202501.csv'),
      'us/fl/statewide.sdf sdf': named('SDF16P202501.csv'),
      'us/fl/broward.official-records doc': named('10-09-2024doc-ver.txt'),
      'us/fl/broward.official-records lgl': named('CY1998lgl-rec.txt'),
      'us/fl/statewide.voters voters': named('BRO_20250107.txt', '20250107_VoterDetail.zip'),
      'us/tx/harris.hcad real_acct': named('real_acct.txt', 'Real_acct_owner.zip'),
      'us/tx/travis.pacs info': named('2025-07-22_001234_APPRAISAL_INFO.TXT', 'travis_20250722.zip'),
      'us/tx/bexar.pacs imp_det': named('IMP_DET.TXT', 'BCAD certified 2025.zip'),
      'us/nppes.providers npi': named('npidata_pfile_20050523-20251109.csv'),
      'us/fec.contributions itcont': named('itcont.txt', 'indiv24.zip'),
      'us/nanpa.central-office-codes codes': named('allutlzd.txt'),
      'us/lists.contacts contacts_jsonl': named('contacts_20250110.jsonl'),
    }
    for (const [wanted, file] of Object.entries(files)) {
      const found = kinds.filter(({ kind }) => matchFileName(kind, file) !== null)
      expect(found.map(({ source, kind }) => `${source.id} ${kind.kind}`)).toEqual([wanted])
    }
    const noDeeds = named('10-09-2024doc-ver-rng.txt')
    const votes = named('BRO_H_20250107.txt')
    for (const file of [noDeeds, votes]) {
      expect(kinds.filter(({ kind }) => matchFileName(kind, file) !== null)).toEqual([])
    }
  })
})

describe('what ties people', () => {
  // Whatever a source has of these it maps: the linker knows people by them.
  const FACTS = ['identifier', 'traits', 'birth_date', 'gender', 'occupation', 'employer', 'phone', 'email', 'other_last_name', 'name_suffix'] // prettier-ignore

  test.each([
    ['us/fl/statewide.voters', 'voters', ['identifier', 'birth_date', 'gender', 'phone', 'email', 'name_suffix']],
    ['us/nppes.providers', 'npi', ['identifier', 'gender', 'occupation', 'employer', 'phone', 'other_last_name', 'name_suffix']],
    ['us/lists.contacts', 'contacts', ['identifier', 'birth_date', 'occupation', 'employer', 'phone', 'email', 'other_last_name', 'name_suffix']],
    ['us/fec.contributions', 'itcont', ['occupation', 'employer']],
  ])('%s maps whatever it knows of a person', (id, kind, facts) => {
    const source = sources.find((one) => one.id === id)
    const rows = source?.files.find((file) => file.kind === kind)?.rows ?? []
    const mapped = rows.filter(({ into }) => into === 'person_mentions').flatMap(({ set }) => Object.keys(set))
    expect(FACTS.filter((fact) => mapped.includes(fact)).sort()).toEqual(facts.toSorted())
  }) // prettier-ignore

  test('only the register of voters gives everybody one record', () => {
    expect(sources.filter(({ isDuplicateFree }) => isDuplicateFree).map(({ id }) => id)).toEqual([
      'us/fl/statewide.voters',
    ])
  })
})

describe('fixed-width layouts', () => {
  const fixed = kinds.flatMap(({ source, kind }) =>
    kind.format.type === 'fixed' ? [{ name: `${source.id} ${kind.kind}`, format: kind.format }] : [],
  )

  test('columns lie within the record and do not overlap', () => {
    expect(fixed).toHaveLength(12)
    for (const { name, format } of fixed) {
      let end = 0
      for (const column of format.columns.toSorted((a, b) => a.start - b.start)) {
        expect(column.start, `${name} ${column.name}`).toBeGreaterThan(end)
        expect(column.end, `${name} ${column.name}`).toBeGreaterThanOrEqual(column.start)
        end = column.end
      }
      expect(end, name).toBeLessThanOrEqual(format.recordLength)
    }
  })

  test('the fields that everything hangs on stand where the layout of version 8.0.18 has them', () => {
    const info = fixed.find(({ name }) => name === 'us/tx/travis.pacs info')
    const place = (field: string) => {
      const column = info?.format.columns.find(({ name }) => name === field)
      return column === undefined ? null : [column.start, column.end]
    }
    expect(info?.format.recordLength).toBe(8602)
    expect(place('prop_id')).toEqual([1, 12])
    expect(place('geo_id')).toEqual([547, 596])
    expect(place('py_owner_name')).toEqual([609, 678])
    expect(place('py_confidential_flag')).toEqual([990, 990])
    expect(place('legal_acreage')).toEqual([1660, 1675])
    expect(place('deed_dt')).toEqual([2034, 2058])
    expect(place('market_value')).toEqual([4214, 4227])
    expect(place('situs_num')).toEqual([4460, 4474])
    expect(place('deed_num')).toEqual([5358, 5407])
  })
})

describe('headers', () => {
  test.each([
    ['us/fl/statewide.nal', 'nal', 165, 'CO_NO', 'SPC_CIR_TXT'],
    ['us/fl/statewide.sdf', 'sdf', 23, 'CO_NO', 'STATE_PARCEL_ID'],
    ['us/ny/nyc.pluto', 'pluto', 92, 'borough', 'notes'],
    ['us/ny/nyc.pluto', 'pluto_socrata', 108, 'borough', 'zoningdate'],
    ['us/tx/harris.hcad', 'real_acct', 71, 'acct', 'jurs'],
    ['us/tx/harris.hcad', 'building_res', 31, 'acct', 'lump_sum_adj'],
    ['us/fl/broward.official-records', 'doc', 19, 'instrument_number', 'case_number'],
    ['us/fl/statewide.voters', 'voters', 38, 'County Code', 'Email address'],
    ['us/nppes.providers', 'npi', 330, 'NPI', 'Certification Date'],
    ['us/fec.contributions', 'itcont', 21, 'CMTE_ID', 'SUB_ID'],
  ])('%s: %s has %i columns', (id, kind, count, first, last) => {
    const columns = columnsOf(id, kind)
    expect([columns.length, columns[0], columns.at(-1)]).toEqual([count, first, last])
  })

  test('the sale change code is spelt in two ways, and one ACRIS header ends in a space', () => {
    expect(columnsOf('us/fl/statewide.nal', 'nal')).toContain('SAL_CHNG_CD1')
    expect(columnsOf('us/fl/statewide.sdf', 'sdf')).toContain('SAL_CHG_CD')
    expect(columnsOf('us/ny/nyc.acris', 'references')).toContain('REFERENCE BY CRFN ')
  })
})

describe('code tables', () => {
  const purposes =
    'single_family condominium townhouse multi_family mobile_home vacant_land agricultural commercial industrial institutional government other'.split(
      ' ',
    )

  test('the register’s documents are all known, and every conveyance is an event', () => {
    expect(Object.keys(codes('us/ny/nyc.acris', 'document_types'))).toHaveLength(123)
    const events = codes('us/ny/nyc.acris', 'event_types')
    expect(Object.keys(events)).toHaveLength(31)
    expect(Object.keys(codes('us/ny/nyc.acris', 'document_types'))).toEqual(
      expect.arrayContaining(Object.keys(events)),
    )
    expect(Object.keys(codes('us/ny/nyc.acris', 'property_purposes'))).toHaveLength(46)
  })

  test('an event type is no more than the description of the document type supports', () => {
    const acris = codes('us/ny/nyc.acris', 'event_types')
    for (const code of ['DEEDO', 'DCTO', 'TORREN', 'SI CORR']) expect(acris[code], code).toBe('deed.other')
    // The county's layout and examples show these types and no other deed.
    expect(Object.keys(codes('us/fl/broward.official-records', 'event_types'))).toEqual(['D', 'TSD', 'CET', 'AGD', 'EAS']) // prettier-ignore
  })

  test('every event type is one of the closed list', () => {
    const known = ['deed.transfer', 'deed.quitclaim', 'deed.foreclosure', 'deed.correction', 'deed.other']
    for (const source of sources) {
      for (const value of Object.values(source.codes['event_types'] ?? {}))
        expect(known, source.id).toContain(value)
    }
  })

  test('every property purpose is one of the closed list', () => {
    for (const source of sources) {
      for (const [name, table] of Object.entries(source.codes)) {
        if (!name.includes('purposes')) continue
        for (const value of Object.values(table)) expect(purposes, `${source.id} ${name}`).toContain(value)
      }
    }
  })

  test('all 100 Florida land uses have a purpose', () => {
    const uses = Array.from({ length: 100 }, (_, use) => String(use).padStart(3, '0'))
    expect(Object.keys(codes('us/fl/statewide.nal', 'property_purposes')).sort()).toEqual(uses)
  })

  test('Florida’s 67 counties are the same by number and by letters', async () => {
    const byNumber = codes('us/fl/statewide.nal', 'fips')
    const byLetters = codes('us/fl/statewide.voters', 'fips')
    expect(Object.keys(byNumber).sort()).toEqual(Array.from({ length: 67 }, (_, at) => String(at + 11)))
    expect(new Set(Object.values(byNumber)).size).toBe(67)
    expect(new Set(Object.values(byLetters))).toEqual(new Set(Object.values(byNumber)))
    expect([byNumber['23'], byLetters['DAD'], byNumber['65'], byNumber['16']]).toEqual([
      '12086',
      '12086',
      '12109',
      '12011',
    ])
  })
})

/** The worked example of adding-a-source.md, as a user would copy it. */
const guide = await readFile(join(folder, 'adding-a-source.md'), 'utf8')
const worked = SourceDefinition.parse(JSON.parse(/ {3}```json\n([^]*?) {3}```/.exec(guide)?.[1] ?? ''))

describe("a user's own definition", () => {
  test('as JSON in another folder it stands beside ours and makes rows', async () => {
    await withFolder(async (own) => {
      await writeFile(join(own, 'delaware.owners.json'), JSON.stringify(worked))
      const both = await loadSources([folder, own])
      expect(both).toHaveLength(sources.length + 1)
      const source = both.find(({ id }) => id === worked.id)
      const example = source?.examples[0]
      if (source === undefined || example === undefined) throw new Error('the definition was not loaded')
      await withWarehouse(async (db) => {
        expect(await exampleRows(db, source, example)).toMatchObject({
          parcels: [
            {
              record_key: 'us/oh/delaware.owners/owners/318-210',
              county_fips: '39041',
              parcel_number: '318-210',
              property_purpose: 'single_family',
            },
          ],
        })
      })
    })
  })

  test('a column that no canonical table has is an error that names file, kind and column', async () => {
    await withFolder(async (own) => {
      const wrong = structuredClone(worked)
      Object.assign(wrong.files[0]?.rows[0]?.set ?? {}, { colour: 'USE' })
      await writeFile(join(own, 'delaware.owners.json'), JSON.stringify(wrong))
      await expect(loadSources([own])).rejects.toThrow(
        /delaware\.owners\.json[^]*owners: parcels has no column colour/,
      )
    })
  })

  test('an id that is taken is an error that names both files', async () => {
    await withFolder(async (own) => {
      await writeFile(join(own, 'a.json'), JSON.stringify({ ...worked, id: 'us/ny/nyc.acris' }))
      await expect(loadSources([folder, own])).rejects.toThrow(
        /a\.json and .*nyc\.acris\.ts both define us\/ny\/nyc\.acris/,
      )
    })
  })
})
