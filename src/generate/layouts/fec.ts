import { placeOf, stateOf } from '../addresses.ts'
import { businessName } from '../businesses.ts'
import { homeOn } from '../changes.ts'
import { compactDate, DAY_1, DAY_2, NEVER, usDate, yearOf } from '../calendar.ts'
import { isBroken, RATES } from '../errors.ts'
import type { Delivery } from '../output.ts'
import { JOBS } from '../people.ts'
import { ageOnDayOne, withComma, writtenName } from '../persons.ts'
import { mix, Random, stream } from '../random.ts'
import type { World } from '../types.ts'
import { RecordFormat } from './record-format.ts'

const SOURCE = 'us/fec.contributions'
const FORMAT = new RecordFormat('fec', 'itcont', { separator: '|', end: '\n' })

const DONORS = stream('donors')

/** Writes one to five gifts of one person in forty. The file of day 2 has the same bytes and another name. */
export function writeFec(world: World, delivery: Delivery): void {
  const sink = delivery.file(SOURCE, `itcont_${compactDate(delivery.day)}.txt`, 'latin1')
  const random = new Random(world.seed)
  let row = 0
  for (let person = 0; person < world.people.sex.length; person += 1) {
    const bits = mix(DONORS, person, 1)
    if (bits % 40 !== 0) continue
    for (let gift = 0; gift < 1 + ((bits >>> 8) % 5); gift += 1) {
      const [id, text] = record(world, person, gift, random.at(DONORS, person * 8 + gift))
      sink.write(isBroken(row) ? text.replace('|IND|', '|IND||') : text)
      if (delivery.day !== DAY_2 && !isBroken(row)) delivery.names(`${SOURCE}/itcont/${id}`, person)
      row += 1
    }
  }
}

function record(world: World, person: number, gift: number, random: Random): [id: string, text: string] {
  const { people } = world
  const died = people.diedOn.get(person)
  const latest = died === NEVER || died > DAY_1 - 15 ? DAY_1 - 12 : died
  const day = latest - random.int(900)
  const id = `4${usDate(day, '')}${String(1_000_000_000 + person * 8 + gift)}`
  const home = homeOn(world, person, day)
  const place = placeOf(world, home)
  const employer = people.employer.get(person)
  const isRetired = ageOnDayOne(world, person) > 66 && employer < 0
  const none = random.pick(['NOT EMPLOYED', 'N/A', 'SELF-EMPLOYED', 'INFORMATION REQUESTED'])
  const name = writtenName(world, person, day, { casual: true, marks: false }, random)
  const text = FORMAT.line({
    CMTE_ID: `C00${900_000 + random.int(80)}`,
    RPT_TP: random.pick(['M3', 'Q1', 'Q2', 'YE', '12P']),
    TRANSACTION_PGI: `${random.pick(['P', 'G'])}${yearOf(day)}`,
    IMAGE_NUM: `${yearOf(day)}0${100_000_000 + random.int(899_999_999)}`,
    NAME: random.chance(RATES.title)
      ? `${withComma(name)} ${random.pick(['MR.', 'MRS.', 'MS.', 'DR.'])}`
      : withComma(name),
    CITY: place.city.toUpperCase(),
    STATE: stateOf(world, home),
    ZIP_CODE: random.chance(0.5) ? `${place.zip}${1000 + random.int(9000)}` : place.zip,
    EMPLOYER: isRetired ? 'RETIRED' : employer < 0 ? none : businessName(world, employer),
    OCCUPATION: isRetired ? 'RETIRED' : employer < 0 ? none : JOBS[people.job.get(person)]!,
    TRANSACTION_DT: usDate(day, ''),
    SUB_ID: id,
  })
  return [id, text]
}
