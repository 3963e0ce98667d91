import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { printReport } from '../../../src/cli/commands/nightly.ts'
import type { LinkReport } from '../../../src/link/link.ts'
import { parseModel } from '../../../src/link/model/model.ts'
import { inventedRecords, orderedOn } from '../../link/records/invented-records.ts'
import { runCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'
import { linkedData, saidOfLinked } from '../linked.ts'

test('the model is learned once, used by later runs, told of where it has drifted, and learned anew on demand', async () => {
  await withFolder(async (data) => {
    const first = await linkedData()
    const stdout = await saidOfLinked(first)
    expect(stdout).toMatch(/linked with the model of/)
    expect(stdout).toMatch(/^ {4}person ids: [\d,]+ allocated$/m)
    await cp(first, data, { recursive: true })
    expect((await runCommand(['link', '--data', data])).stdout).toMatch(
      /^ {2}nothing new to link, after .*\n$/,
    )
    const page = join(first, 'out', 'link-report.html')
    expect(stdout).toContain(page)
    const html = await readFile(page, 'utf8')
    expect(html).toContain('Compared with the run before')
    expect(html).not.toMatch(/NaN|undefined|https?:/)
    const file = join(data, 'warehouse', 'link-model.json')
    const learned = parseModel(await readFile(file, 'utf8'))
    expect(learned).toMatchObject({ version: 1, block_limit: expect.any(Number) })

    const old = structuredClone(learned)
    old.comparisons.find(({ comparison }) => comparison === 'last_name')!.levels[0]!.m /= 4
    await writeFile(file, JSON.stringify({ ...old, trained_on: '2001-02-03' }))
    const full = await runCommand(['link', '--full', '--data', data])
    expect(full.stdout).toMatch(/linked with the model of 2001-02-03, trained on/)
    expect(full.stdout.match(/drift: .*/g)).toEqual([
      expect.stringMatching(
        /^drift: last_name, exact: match weight [\d.]+ in the model, [\d.]+ in today's records$/,
      ),
    ])

    expect(full.stdout).toContain('`platbook link --train` trains a new model')
    expect(full.stdout).toMatch(/done after .*`platbook publish` makes a snapshot of the result/)
    const trained = await runCommand(['link', '--train', '--json', '--data', data])
    const report = JSON.parse(trained.stdout) as { link: { changed: boolean; drift: object[] } }
    expect(report.link).toMatchObject({ changed: true, drift: [{ comparison: 'last_name', level: 'exact' }] })
    expect(parseModel(await readFile(file, 'utf8'))).toEqual({ ...learned, trained_on: expect.any(String) })
  })
}, 120_000)

const joined = (name: string, column: string): object => ({ join: [{ literal: name }, column], with: ':' })

/** A register of one's own as its user would define it: a card number that one person alone has, and where they were born. */
function register(id: string, kind: string): object {
  const columns = ['CARD', 'FIRST', 'LAST', 'STREET', 'BIRTHPLACE']
  const person = {
    mention_kind: { literal: 'contact' },
    first_name: 'FIRST',
    last_name: 'LAST',
    line_1: 'STREET',
    city: { literal: 'Austin' },
    state: { literal: 'TX' },
    identifier: joined('library_card', 'CARD'),
    traits: joined('birthplace', 'BIRTHPLACE'),
  }
  return {
    id,
    title: 'A register of readers',
    publisher: 'The city',
    states: ['TX'],
    everyDays: 31,
    isDuplicateFree: true,
    files: [
      {
        kind,
        pattern: `${kind}_(?<as_of>\\d{8})\\.csv`,
        asOf: { group: 'as_of', format: '%Y%m%d' },
        format: { type: 'delimited', delimiter: ',', header: true, columns },
        identity: ['CARD'],
        supersedes: [],
        rows: [{ into: 'person_mentions', set: person }],
      },
    ],
    examples: [
      {
        note: 'a reader',
        kind,
        given: { CARD: '7', FIRST: 'LENA', LAST: 'MARCHBANKS', STREET: '1 ELM ST', BIRTHPLACE: 'OHIO' },
        expect: { person_mentions: [{ identifier: 'library_card:7', traits: 'birthplace:OHIO' }] },
      },
    ],
  }
}

test('a number that a source of one’s own maps is told until a model has learned it, and then joins who bear it', async () => {
  await withFolder(async (data) => {
    await cp(await linkedData(), data, { recursive: true })
    const sources = join(data, 'own')
    await mkdir(join(sources, 'us', 'tx'), { recursive: true })
    for (const [kind, surname] of [
      ['readers', 'Marchbanks'],
      ['members', 'Fairweather'],
    ] as const) {
      await writeFile(join(sources, 'us', 'tx', `austin.${kind}.json`), JSON.stringify(register(`us/tx/austin.${kind}`, kind))) // prettier-ignore
      const rows = Array.from({ length: 60 }, (_, at) => `${1000 + at},${FIRST[at % 6]},${surname}${at},${at + 1} ${kind} St,Ohio`) // prettier-ignore
      await writeFile(join(data, 'landing', `${kind}_20250601.csv`), `CARD,FIRST,LAST,STREET,BIRTHPLACE\n${rows.join('\n')}\n`) // prettier-ignore
    }
    const own = ['--data', data, '--sources', sources]
    expect((await runCommand(['ingest', ...own])).code).toBe(0)
    const { stdout } = await runCommand(['link', ...own])
    expect(stdout).toMatch(
      /'library_card' of 120 records is not part of the model.*`platbook link --train` trains a model with it/,
    )
    const trained = await runCommand(['link', '--train', ...own])
    expect(trained.stdout).not.toMatch(/is not part of the model|drift:/)
    const [reader, member] = ['readers', 'members'].map((kind) => `us/tx/austin.${kind}/${kind}/1007`)
    const explained = await runCommand(['explain', reader!, member!, '--data', data])
    expect(explained.stdout).toMatch(/library_card: same +\+[\d.]+[^]*birthplace: same/)
  })
}, 120_000)

/** A shop's customers, whose day of the last order is mapped as the birth date by mistake. */
const CUSTOMERS = {
  id: 'us/tx/austin.customers',
  title: 'The customers of a shop',
  publisher: 'A shop',
  states: ['TX'],
  everyDays: 31,
  files: [
    {
      kind: 'customers',
      pattern: 'customers_(?<as_of>\\d{8})\\.csv',
      asOf: { group: 'as_of', format: '%Y%m%d' },
      format: { type: 'delimited', delimiter: ',', header: true, columns: ['ID', 'FIRST', 'LAST', 'PHONE', 'EMAIL', 'DAY'] },
      identity: ['ID'],
      supersedes: [],
      rows: [
        {
          into: 'person_mentions',
          set: {
            mention_kind: { literal: 'contact' },
            first_name: 'FIRST',
            last_name: 'LAST',
            phone: 'PHONE',
            email: 'EMAIL',
            birth_date: { birthDate: 'DAY', formats: ['%Y-%m-%d'] },
          },
        },
      ],
    },
  ],
  examples: [
    {
      note: 'a customer',
      kind: 'customers',
      given: { ID: '7', FIRST: 'LENA', LAST: 'MARCHBANKS', PHONE: '512-555-0107', EMAIL: 'lena@example.com', DAY: '1977-08-09' },
      expect: { person_mentions: [{ birth_date: '1977-08-09' }] },
    },
  ],
} // prettier-ignore

test('a model that fails its checks is not used, doctor fails until one passes, and --accept uses it all the same', async () => {
  await withFolder(async (data) => {
    const sources = join(data, 'own')
    await mkdir(join(sources, 'us', 'tx'), { recursive: true })
    await mkdir(join(data, 'landing'))
    await writeFile(join(sources, 'us', 'tx', 'austin.customers.json'), JSON.stringify(CUSTOMERS))
    const rows = inventedRecords(700, orderedOn).map((row) => {
      const day = [row['birth_year'], row['birth_month'], row['birth_day']].map((part) => String(part).padStart(2, '0')).join('-') // prettier-ignore
      return [row['record_id'], row['first_name'], row['last_name'], ...[row['phones'], row['emails']].map((list) => (list as string[])[0] ?? ''), day].join(',') // prettier-ignore
    })
    await writeFile(join(data, 'landing', 'customers_20250601.csv'), `ID,FIRST,LAST,PHONE,EMAIL,DAY\n${rows.join('\n')}\n`) // prettier-ignore
    const own = ['--data', data, '--sources', sources]
    expect((await runCommand(['ingest', ...own])).code).toBe(0)
    const linked = await runCommand(['link', ...own])
    expect(linked).toMatchObject({ code: 3, stdout: expect.stringMatching(/linked with the default model of Platbook[^]*WARNING: the link model trained on [\d-]+ with 1,400 records was refused: [^]*several birth dates, \d+ % of the pairs of dates contradict each other[^]*platbook link --train, after/) }) // prettier-ignore
    const doctor = await runCommand(['doctor', ...own])
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/^link model trained on [\d-]+ with 1,400 records: refused, the default model is in use$[^]*problems that need action[^]*the link model trained on/m) }) // prettier-ignore
    expect((await runCommand(['link', '--accept', ...own])).stderr).toMatch(/--accept needs --train/)
    const accepted = await runCommand(['link', '--train', '--accept', ...own])
    expect(accepted).toMatchObject({ code: 0, stdout: expect.stringMatching(/linked with the model of [\d-]+, trained on 1,400/) }) // prettier-ignore
    const { linkModel, complaints } = JSON.parse((await runCommand(['doctor', '--json', ...own])).stdout) as { linkModel: object; complaints: string[] } // prettier-ignore
    expect(linkModel).toMatchObject({ outcome: 'used', linked_by: 'learned', record_count: 1_400 })
    expect(complaints.filter((text) => text.includes('link model'))).toEqual([])
  })
}, 120_000)

const FIRST = ['Lena', 'Elias', 'Oren', 'Tamsin', 'Ivo', 'Petra']

// prettier-ignore
const LINKED: LinkReport = {
  changed: true, records: 72_709, people: 46_327, edges: 728_506, model: null, drift: [], trained: false,
  refusedModel: null, stateFault: null, allocated: 37_299, merged: 0, split: 5, removed: 1, cutComponents: 1, droppedBlocks: 294, unknown: [],
  faults: 5, reportFile: 'out/link-report.html',
}

/** What is printed about a linkage, without the line that ends it. */
function printed(link: LinkReport): string[] {
  const lines: string[] = []
  printReport(
    {
      sources: [],
      unclaimed: [],
      held: null,
      failed: null,
      normalized: null,
      link,
      released: null,
      damage: null,
      warnings: [],
      published: false,
      uploaded: false,
      version: null,
      seconds: 1,
      exitCode: 0,
    },
    { out: (line) => lines.push(line) },
    ['link'],
  )
  return lines.slice(0, -1)
}

test('what a run did to ids, what it left out and what looks wrong is told, in numbers', () => {
  expect(printed(LINKED)).toEqual([
    '  72,709 records are 46,327 people',
    '    person ids: 37,299 allocated, 5 split, 1 removed',
    '    294 blocks left out: too large to compare, and no key divides them further',
    '    1 group of more than 100 records divided at the edges with the lowest match weight',
    '    5 findings of suspicious input: the report page lists values and sources',
    '  out/link-report.html is the report of the link run',
  ])
})

test('a drift asks for a training, or first for correct input', () => {
  const drift = [{ comparison: 'first_name', level: 'exact', bits: 8.2, fresh: 6.1 }]
  const training = (faults: number): string[] =>
    printed({ ...LINKED, drift, faults }).filter((line) => line.includes('--train'))
  expect(training(0)).toEqual(['    `platbook link --train` trains a new model'])
  expect(training(5)).toEqual([
    '    correct the input first (findings below), then train a new model with `platbook link --train`',
  ])
})

test('a step that links nothing refuses to train', async () => {
  await withFolder(async (data) => {
    expect(await runCommand(['publish', '--train', '--data', data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('platbook link'),
    })
  })
})
