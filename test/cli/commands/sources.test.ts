import { expect, test } from 'vitest'
import { landFile, rollSource } from '../../ingest/night.ts'
import { type Ended, runCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'

/** What `platbook sources --test` says of Platbook's own definitions and one with an example that promises `owner`. */
async function testedWith(owner: string, ...flags: string[]): Promise<Ended> {
  const example = {
    note: 'a parcel',
    kind: 'roll',
    given: { CO: '16', PARCEL: '1', OWNER: 'SMITH JANE', VALUE: '100' },
    expect: { parcels: [{ market_value_usd: 100 }], parcel_owners: [{ full_name: owner }] },
  }
  return withFolder(async (folder) => {
    const definition = { ...rollSource(), id: 'us/fl/invented.roll', examples: [example] }
    await landFile(folder, 'invented.roll.json', JSON.stringify(definition))
    return runCommand(['sources', '--test', ...flags, '--sources', folder, '--data', folder])
  })
}

const FAILED = `us/fl/invented.roll, example "a parcel": parcel_owners.full_name of row 1 is "SMITH JANE", "JANE SMITH" is expected`

test('sources --test ends with 0 when every example holds', async () => {
  const told = await testedWith('SMITH JANE')
  expect(told).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+ examples of \d+ sources hold\n$/),
  })
  const { code, stdout } = await testedWith('SMITH JANE', '--json')
  expect([code, JSON.parse(stdout)]).toEqual([0, { examples: Number.parseInt(told.stdout, 10), failed: [] }])
})

test('an example that does not hold is told by source, column and value, and ends sources --test with 1', async () => {
  const told = await testedWith('JANE SMITH')
  expect(told).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/; 1 fault, named above\n$/),
  })
  expect(told.stderr).toBe(`${FAILED}\n`)
  const { code, stdout, stderr } = await testedWith('JANE SMITH', '--json')
  expect([code, JSON.parse(stdout), stderr]).toEqual([
    1,
    { examples: expect.any(Number), failed: [FAILED] },
    '',
  ])
})

test('sources --test finds what a load would find, names file and field, and goes on with the others', async () => {
  await withFolder(async (folder) => {
    const text = JSON.stringify(rollSource())
    await landFile(folder, 'a.roll.json', text.replace('"VALUE"}', '"WORTH"}').replace('test.roll', 'a.roll'))
    await landFile(
      folder,
      'b.roll.json',
      text.replace('{"number":"VALUE"}', '{"extract":"(?<=X)Y","of":"VALUE"}').replace('test.roll', 'b.roll'),
    )
    const tested = await runCommand(['sources', '--test', '--sources', folder, '--data', folder])
    expect(tested.code).toBe(1)
    expect(tested.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /a\.roll\.json: us\/fl\/a\.roll, roll, parcels\.market_value_usd: there is no column WORTH$/,
      ),
      expect.stringMatching(/^us\/fl\/b\.roll, roll, parcels\.market_value_usd: .*invalid perl operator/),
    ])
    const doctor = await runCommand(['doctor', '--sources', folder, '--data', folder])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/us\/fl\/a\.roll is not loaded, its definition has a fault: .*WORTH/)
    expect(doctor.stdout).toMatch(
      /us\/fl\/b\.roll is not loaded, its definition has a fault: .*perl operator/,
    )
    const listed = await runCommand(['sources', '--sources', folder, '--data', folder])
    expect(listed).toMatchObject({ code: 1, stdout: expect.stringContaining('us/ny/nyc.acris') })
  })
})
