import { expect, test } from 'vitest'
import { contact, voter, withPublished } from '../support/staged-world.ts'
import { type Cell, rowsOf } from '../support/warehouse.ts'

type Row = Record<string, Cell>

const at = (line_1: string, last_name: string, first_name: string, birth_date: string | null): Row => ({
  line_1, last_name, first_name, birth_date,
}) // prettier-ignore

/** `Jane – Peter: why`, of the people of `rows`, one direction. */
async function relativesOf(...rows: Row[]): Promise<unknown[]> {
  return withPublished({ 'staging.person_mentions': rows }, async (db) => {
    const found = await rowsOf(
      db,
      `select l.first_name || ' – ' || r.first_name || ': ' || reason as line
       from published.relatives inner join published.people as l using (person_id)
       inner join published.people as r on r.person_id = relative_id
       where l.first_name < r.first_name order by line`,
    )
    return found.map(({ line }) => line)
  })
}

test('who share a surname and an address are relatives, and the reason tells the generations', async () => {
  const found = await relativesOf(
    voter('1', at('12 Elm St', 'Abernathy', 'Jane', '1980-03-04')),
    voter('2', at('12 Elm St', 'Abernathy', 'Peter', '1978-05-06')),
    voter('3', at('12 Elm St', 'Abernathy', 'Walter', '1945-07-08')),
    voter('4', at('12 Elm St', 'Quimby', 'Freda', '1981-09-10')),
    voter('5', at('77 Palm Way', 'Abernathy', 'Yvonne', '1982-11-12')),
    voter('6', at('12 Elm St', 'Abernathy', 'Zoe', null)),
  )
  expect(found).toEqual([
    'JANE – PETER: same surname and address, of one generation',
    'JANE – WALTER: same surname and address, a generation apart',
    'JANE – ZOE: same surname and address',
    'PETER – WALTER: same surname and address, a generation apart',
    'PETER – ZOE: same surname and address',
    'WALTER – ZOE: same surname and address',
  ])
})

test('a former name and a former address count', async () => {
  const jane = { ...at('12 Elm St', 'Fairweather', 'Jane', '1980-03-04'), other_last_name: 'Abernathy' }
  const found = await relativesOf(
    voter('1', { ...jane, line_1: '77 Palm Way' }),
    contact('a', { ...jane, city: 'Fort Lauderdale', state: 'FL', zip: '33301', observed_on: '2015-01-01' }),
    voter('3', at('12 Elm St', 'Abernathy', 'Walter', '1945-07-08')),
  )
  expect(found).toEqual(['JANE – WALTER: same surname and address, a generation apart'])
})

test('eight of one name at an address are a tower of namesakes, not a family', async () => {
  const names = ['Ann', 'Bruno', 'Celia', 'Dario', 'Edith', 'Felix', 'Greta', 'Hugo']
  const rows = names.map((name, i) => voter(`${i}`, at('1 Tower Plz', 'Smith', name, `19${50 + i}-03-0${i + 1}`)))
  expect(await relativesOf(...rows)).toEqual([])
  expect(await relativesOf(...rows.slice(1))).toHaveLength(21)
}) // prettier-ignore
