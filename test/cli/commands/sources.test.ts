import { expect, test } from 'vitest'
import { landFile, rollSource } from '../../ingest/night.ts'
import { type Ended, runCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'

/** A definition with an example that promises the owner `owner`; its row has SMITH JANE. */
function withExample(owner: string): string {
  const example = {
    note: 'a parcel',
    kind: 'roll',
    given: { CO: '16', PARCEL: '1', OWNER: 'SMITH JANE', VALUE: '100' },
    expect: { parcels: [{ market_value_usd: 100 }], parcel_owners: [{ full_name: owner }] },
  }
  return JSON.stringify({ ...rollSource(), id: 'us/fl/invented.roll', examples: [example] })
}

const FAILED = `us/fl/invented.roll, example "a parcel": parcel_owners.full_name of row 1 is "SMITH JANE", but "JANE SMITH" is expected`

// Each run tests the examples of every definition of Platbook too, so the tests below share two runs.
test('sources --test ends with 0 when every example holds', async () => {
  await withFolder(async (folder) => {
    await landFile(folder, 'invented.roll.json', withExample('SMITH JANE'))
    const { code, stdout } = await runCommand(['sources', '--test', '--json', '--sources', folder, '--data', folder]) // prettier-ignore
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { examples: expect.any(Number) as number, failed: [], shared_names: [] },
    ])
  })
})

test('sources --test finds what a load would find and an example that fails, names file and field, and goes on with the others', async () => {
  await withFolder(async (folder) => {
    const text = JSON.stringify(rollSource())
    await landFile(folder, 'a.roll.json', text.replace('"VALUE"}', '"WORTH"}').replace('test.roll', 'a.roll'))
    await landFile(
      folder,
      'b.roll.json',
      text.replace('{"number":"VALUE"}', '{"extract":"(?<=X)Y","of":"VALUE"}').replace('test.roll', 'b.roll'),
    )
    await landFile(folder, 'invented.roll.json', withExample('JANE SMITH'))
    const tested = await runCommand(['sources', '--test', '--sources', folder, '--data', folder])
    expect(tested).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/; 3 faults, named above\n$/) as string,
    })
    expect(tested.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^note: us\/fl\/b\.roll and us\/fl\/invented\.roll read files of the same name/),
      expect.stringMatching(
        /a\.roll\.json:1:\d+: us\/fl\/a\.roll, roll, parcels\.market_value_usd: there is no column WORTH$/,
      ),
      expect.stringMatching(
        /b\.roll\.json:1:\d+: us\/fl\/b\.roll, roll, parcels\.market_value_usd: .*invalid perl operator/,
      ),
      expect.stringMatching(new RegExp(`invented\\.roll\\.json:1:\\d+: ${FAILED}$`)),
    ])
    const doctor = await runCommand(['doctor', '--sources', folder, '--data', folder])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/us\/fl\/a\.roll is not loaded because its definition has a fault: .*WORTH/)
    expect(doctor.stdout).toMatch(
      /us\/fl\/b\.roll is not loaded because its definition has a fault: .*perl operator/,
    )
    const ingest = await runCommand(['ingest', '--sources', folder, '--data', folder])
    expect(ingest.code).toBe(3)
    expect(ingest.stdout).toMatch(/us\/fl\/a\.roll +nothing loaded\n +\S+a\.roll\.json:1:\d+: .*WORTH/)
    const listed = await runCommand(['sources', '--sources', folder, '--data', folder])
    expect(listed).toMatchObject({ code: 1, stdout: expect.stringContaining('us/ny/nyc.acris') })
  })
}, 120_000)

test('a file that two sources would read is refused and named by --test, ingest and doctor, until one of them has it', async () => {
  await withFolder(async (folder) => {
    const command = (...words: string[]): Promise<Ended> =>
      runCommand([...words, '--sources', `${folder}/sources`, '--data', folder])
    for (const id of ['us/fl/one.roll', 'us/fl/two.roll']) {
      const [example] = rollSource().examples
      const examples = [{ ...example, expect: { parcels: [{}] } }]
      await landFile(folder, `sources/${id}.json`, JSON.stringify({ ...rollSource(), id, examples }))
    }
    expect(await command('sources', '--test')).toMatchObject({
      code: 0,
      stderr:
        'note: us/fl/one.roll and us/fl/two.roll read files of the same name (roll_(?<date>\\d{8})[^.]*\\.csv); ' +
        'put the files of each into a folder of its own in landing: us-fl-one-roll, us-fl-two-roll\n',
    })
    await landFile(folder, 'landing/roll_20250601.csv', parcels(3))
    const reason =
      'us/fl/one.roll and us/fl/two.roll would both read this file, and its records would count twice: narrow a "pattern", ' +
      'move the file into the folder us-fl-one-roll or us-fl-two-roll, or reject it for one of the sources'
    const ingested = await command('ingest')
    expect(ingested.code).toBe(3)
    expect(ingested.stdout).toContain(`roll_20250601.csv: ${reason}`)
    const doctor = await command('doctor')
    expect(doctor.stdout).toContain(`us/fl/one.roll: roll_20250601.csv failed: ${reason}`)
    expect(doctor.stdout).toContain(`us/fl/two.roll: roll_20250601.csv failed: ${reason}`)
    const name = ['--file', 'roll_20250601.csv']
    expect((await command('sources', 'reject', 'us/fl/two.roll', ...name)).code).toBe(0)
    const settled = await command('ingest', '--json')
    expect(settled.code).toBe(0)
    expect(JSON.parse(settled.stdout)).toMatchObject({ failed: [], held: [] })
    await landFile(folder, 'landing/us-fl-two-roll/roll_20250602.csv', parcels(4))
    await landFile(folder, 'landing/us-fl-one-roll/us-fl-two-roll/roll_20250603.csv', parcels(5))
    expect((await command('ingest')).code).toBe(0)
    expect((await command('doctor')).stdout).not.toContain('count twice')
  })
}, 120_000)

const ROLL_HEADER = 'CO,PARCEL,OWNER,VALUE\n'

function parcels(count: number): string {
  return ROLL_HEADER + Array.from({ length: count }, (_, n) => `16,${n},OWNER ${n},1\n`).join('')
}

test('a load that shrank is held with its figures, in doctor too, until it is accepted or rejected', async () => {
  await withFolder(async (folder) => {
    const command = (...words: string[]): Promise<Ended> =>
      runCommand([...words, '--sources', `${folder}/sources`, '--data', folder])
    await landFile(
      folder,
      'sources/roll.json',
      JSON.stringify({ ...rollSource(), id: 'us/fl/invented.roll' }),
    )
    await landFile(folder, 'landing/roll_20250601.csv', parcels(447))
    expect((await command('ingest')).code).toBe(0)
    expect(await command('sources', 'held')).toMatchObject({
      code: 0,
      stdout: 'no load is held, and no file failed\n',
    })
    await landFile(folder, 'landing/roll_20250701.csv', parcels(12))
    await landFile(folder, 'landing/roll_20250702.csv', 'CO,PARCEL,OWNER_NAME,VALUE\n')
    const figures =
      'county 12011: 12 rows, 447 before (-97.3 %, allowed -20 % to +50 %; compared with the last accepted load)'
    const ingested = await command('ingest')
    expect(ingested.code).toBe(3)
    expect(ingested.stdout).toContain(`roll_20250701.csv: ${figures}`)
    expect(ingested.stdout).toContain('`platbook sources held` lists the held files; ')
    const held = await command('sources', 'held')
    expect(held.code).toBe(3)
    expect(held.stdout).toContain(figures)
    expect(held.stdout).toContain('roll_20250702.csv  failed')
    const doctor = await command('doctor')
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain(
      `us/fl/invented.roll: roll_20250701.csv is held: ${figures}; ` +
        'load it with `platbook sources accept us/fl/invented.roll` or leave it out with `platbook sources reject us/fl/invented.roll`',
    )
    expect(doctor.stdout).toMatch(/us\/fl\/invented\.roll: roll_20250702\.csv failed: .*OWNER_NAME/)
    const wrong = await command('sources', 'accept', 'us/fl/invented.roll', '--file', 'roll_20250702.csv')
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'roll_20250702.csv failed and cannot be accepted: correct the file, or leave it out with `platbook sources reject us/fl/invented.roll --file roll_20250702.csv`',
      ) as string,
    })
    const rejected = await command('sources', 'reject', 'us/fl/invented.roll', '--file', 'roll_20250702.csv')
    expect(rejected).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('roll_20250702.csv: rejected') as string,
    })
    const accepted = await command('sources', 'accept', 'us/fl/invented.roll', '--always', '--json')
    expect(JSON.parse(accepted.stdout)).toMatchObject({
      decided: [{ file_name: 'roll_20250701.csv', decision: 'accept_always' }],
    })
    expect((await command('ingest')).code).toBe(0)
    const settled = await command('sources', 'held')
    expect(settled.code).toBe(0)
    expect(settled.stdout).toMatch(
      /\nus\/fl\/invented\.roll {2}roll_20250702\.csv {2}rejected on \d{4}-\d\d-\d\d\n$/,
    )
    const back = 'platbook sources accept us/fl/invented.roll --file roll_20250702.csv'
    expect(await command('sources', 'accept', 'us/fl/invented.roll')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `roll_20250702.csv was rejected: \`${back}\` loads it after all`,
      ) as string,
    })
    expect(await command('sources', 'forget')).toMatchObject({ code: 2 })
    for (const action of ['held', 'accept', 'reject']) {
      expect(await command('sources', action, 'us/fl/invented.rol')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          'there is no source us/fl/invented.rol: `platbook sources` lists them',
        ) as string,
      })
    }
  })
}, 120_000)

test('a rejected load is taken back by name and loaded; a run names what waits since an earlier run', async () => {
  await withFolder(async (folder) => {
    const command = (...words: string[]): Promise<Ended> =>
      runCommand([...words, '--sources', `${folder}/sources`, '--data', folder])
    const id = 'us/fl/invented.roll'
    await landFile(folder, 'sources/roll.json', JSON.stringify({ ...rollSource(), id }))
    await landFile(folder, 'landing/roll_20250601.csv', parcels(447))
    expect((await command('ingest')).code).toBe(0)
    await landFile(folder, 'landing/roll_20250701.csv', parcels(12))
    await landFile(folder, 'landing/roll_20250702.csv', 'CO,PARCEL,OWNER_NAME,VALUE\n')
    expect((await command('ingest')).code).toBe(3)
    await landFile(folder, 'landing/roll_20250501.csv', parcels(440))
    const ingested = await command('ingest')
    expect(ingested).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /440 rows of 1 file\n {4}roll_20250701\.csv is still held: county 12011: 12 rows.*\n {4}roll_20250702\.csv is still failed: .*OWNER_NAME.*\n.*`platbook sources held`/,
      ) as string,
    })
    expect((await command('sources', 'reject', id)).code).toBe(0)
    expect((await command('ingest')).code).toBe(0)
    const name = ['--file', 'roll_20250701.csv']
    expect(await command('sources', 'accept', id, ...name)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${id}  roll_20250701.csv: accepted\n`) as string,
    })
    expect(await command('ingest')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('12 rows of 1 file\n') as string,
    })
    const held = await command('sources', 'held', id, '--json')
    expect(JSON.parse(held.stdout)).toMatchObject({
      held: [],
      failed: [],
      rejected: [{ file_name: 'roll_20250702.csv', decision: 'reject' }],
    })
  })
}, 120_000)

test('a definition in TypeScript that Node cannot load is named with file, line and column', async () => {
  const modules: [string, string, RegExp][] = [
    ['syntax.roll.ts', 'export default {\n  id: "x"\n  title: "y",\n}', /syntax\.roll\.ts:3:3: cannot be read as a source definition: Expected/],
    ['enum.roll.ts', '\nenum A { B }\nexport default A', /enum\.roll\.ts:2:1: cannot be read .*enum/],
    ['name.roll.ts', 'const a = 1\nexport default { id: nothing, a }', /name\.roll\.ts:2:22: cannot be read .*: nothing is not defined/],
    ['export.roll.ts', "import { b } from './codes.ts'\nexport default b", /export\.roll\.ts:1:10: cannot be read .*codes\.ts/],
    ['import.roll.ts', "import { b } from './broken.ts'\nexport default b", /broken\.ts:2:1: cannot be read .*Expected/],
    ['missing.roll.ts', "import { b } from './gone.ts'\nexport default b", /missing\.roll\.ts: cannot be read .*gone\.ts/],
  ] // prettier-ignore
  await withFolder(async (folder) => {
    await landFile(folder, 'codes.ts', 'export const a = 1')
    await landFile(folder, 'broken.ts', 'export const b = [1\nexport const c = 2')
    for (const [name, text] of modules) await landFile(folder, name, text)
    const { code, stderr } = await runCommand(['sources', '--sources', folder, '--data', folder])
    expect(code).toBe(1)
    for (const [, , message] of modules) expect(stderr).toMatch(message)
  })
})
