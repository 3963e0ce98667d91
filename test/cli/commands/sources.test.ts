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
    stdout: expect.stringMatching(/; 1 values or tables are otherwise\n$/),
  })
  expect(told.stderr).toBe(`${FAILED}\n`)
  const { code, stdout, stderr } = await testedWith('JANE SMITH', '--json')
  expect([code, JSON.parse(stdout), stderr]).toEqual([
    1,
    { examples: expect.any(Number), failed: [FAILED] },
    '',
  ])
})
