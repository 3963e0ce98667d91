import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWarehouse } from '../../../src/warehouse/open.ts'
import { runCommand } from '../../support/command.ts'
import { rowsOf } from '../../support/warehouse.ts'
import { linkedData } from '../linked.ts'

// The strongest edge between a voter and somebody on a list.
const PAIR = `
select left_id, right_id, person_id from link.edges
inner join link.person_mentions on mention_key = left_id
where left_id like 'us/fl/%' and right_id like 'us/lists%' order by bits desc, left_id, right_id limit 1`

function bits(line: string): number {
  return Number(/([+−])([\d.]+)/.exec(line)?.slice(1).join('').replace('−', '-'))
}

test('two records are explained by their terms, keys, path and ids, in eighty columns', async () => {
  const data = await linkedData()
  const warehouse = await openWarehouse(join(data, 'warehouse', 'warehouse.duckdb'), {
    memoryLimit: '1GB',
    threads: 1,
    readOnly: true,
  })
  const [pair] = await rowsOf(warehouse.db, PAIR)
  await warehouse.close()
  const [left, right, id] = [pair!['left_id'], pair!['right_id'], pair!['person_id']].map(String)
  const { stdout, code } = await runCommand(['explain', left!, right!, '--data', data])
  expect(code).toBe(0)
  const sections = stdout.trimEnd().split('\n\n')
  expect(sections).toHaveLength(5)
  expect(sections[0]).toMatch(new RegExp(`^one person, ${id}\n`))
  const terms = sections[1]!.split('\n').filter((line) => /: \w.* [+−]\d/.test(line))
  const sum = sections[1]!.split('\n').find((line) => line.startsWith('  sum'))!
  expect(terms.length).toBeGreaterThan(4)
  // Every term is rounded to a tenth.
  const total = terms.reduce((all, line) => all + bits(line), 0)
  expect(Math.abs(total - bits(sum))).toBeLessThanOrEqual(0.05 * (terms.length + 1))
  expect(sections[2]).toMatch(/^shared blocking keys\n {2}\w/)
  expect(sections[3]).toMatch(/^edges that connect the two records\n/)
  for (const key of [left!, right!]) expect(sections[3]).toContain(`  ${key}`)
  expect(sections[4]).toMatch(new RegExp(`^history\n {2}\\d{4}-\\d\\d-\\d\\d {2}${id} allocated, first for\\s+us/`))
  for (const line of stdout.split('\n')) if (!line.includes('us/')) expect(line.length).toBeLessThanOrEqual(80)

  const twice = await runCommand(['explain', left!, left!, '--data', data])
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('name the same record') })
  const unknown = await runCommand(['explain', left!, 'P0000000000', '--data', data])
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('P0000000000 is neither a person id') })
}, 120_000) // prettier-ignore
