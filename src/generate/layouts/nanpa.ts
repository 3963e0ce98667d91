import { Layout } from '../../layouts.ts'
import { AREA_CODES, type AreaCode, type LineType } from '../area-codes.ts'
import { compactDate, DAY_2, usDate } from '../calendar.ts'
import type { Delivery } from '../output.ts'
import { mix, stream } from '../random.ts'
import type { World } from '../types.ts'
import { csvLine } from '../csv.ts'
import { RecordFormat } from './record-format.ts'

export const SOURCE = 'us/nanpa.central-office-codes'

const LAYOUT = new Layout('nanpa')
const CODE_FORMAT = new RecordFormat(LAYOUT, 'codes', { separator: '\t', end: '\r\n' })

const CODES = stream('nanpa')

/** Invented carriers by kind of line, each with the category of its operating company number. */
const CARRIERS: Readonly<
  Record<LineType, readonly (readonly [ocn: string, name: string, category: string])[]>
> = {
  mobile: [
    ['9101', 'BLUEBIRD WIRELESS LLC', 'WIRELESS'],
    ['9102', 'CELLULAR PLAINS LP', 'WIRELESS'],
    ['9103', 'GULFSTREAM MOBILE INC', 'PCS'],
    ['9104', 'POCKET RESALE LLC', 'W RESELLER'],
  ],
  landline: [
    ['9201', 'EMPIRE LINE TELEPHONE CO', 'RBOC'],
    ['9202', 'COASTAL BELLS TELEPHONE CO', 'RBOC'],
    ['920A', 'PRAIRIE EXCHANGE CARRIER', 'ILEC'],
    ['9204', 'METRO FIBER LOCAL LLC', 'CLEC'],
  ],
  voip: [
    ['930E', 'CLOUDLINE VOICE INC', 'IPES'],
    ['9302', 'PACKET TALK LLC', 'IPES'],
  ],
  tollfree: [],
}

/** Writes the exchanges with their companies, and the companies with their categories, on day 1. */
export function writeNanpa(world: World, delivery: Delivery): void {
  if (delivery.day === DAY_2 || world.people.sex.length === 0) return
  const date = compactDate(delivery.day)
  const sink = delivery.file(SOURCE, `allutlzd_${date}.txt`, 'latin1', CODE_FORMAT.header)
  AREA_CODES.forEach((area, row) => {
    if (area.line === 'tollfree') return
    // Exchange 555 and up to three others. Some exchanges have no company.
    const exchanges = [555, ...Array.from({ length: 3 }, (_, i) => 200 + (mix(CODES, row, i) % 350))]
    for (const exchange of [...new Set(exchanges)].sort((left, right) => left - right)) {
      sink.write(line(area, row, exchange, delivery.day))
    }
  })
  sink.close()
  const companies = delivery.file(SOURCE, `ocn_categories_${date}.csv`, 'utf8', csvLine(LAYOUT.names('ocn')))
  for (const carrier of Object.values(CARRIERS).flat()) companies.write(csvLine(carrier))
  companies.close()
}

function line(area: AreaCode, row: number, exchange: number, day: number): string {
  const bits = mix(CODES, row, exchange)
  const isVacant = exchange !== 555 && bits % 5 === 0
  const carriers = CARRIERS[area.line]
  const [ocn, company] = carriers[bits % carriers.length]!
  const assigned = day - 1000 - (bits % 9000)
  const values = { State: area.state, 'NPA-NXX': `${area.code}-${exchange}` }
  if (isVacant) return CODE_FORMAT.line({ ...values, Use: 'VC' })
  return CODE_FORMAT.line({
    ...values,
    OCN: ocn,
    Company: company,
    RateCenter: `ZONE ${1 + (bits % 9)}`,
    EffectiveDate: usDate(assigned + 60),
    Use: 'AS',
    AssignDate: usDate(assigned),
    'Initial/Growth': 'I',
    'Pooled Code': bits % 3 === 0 ? 'Y' : 'N',
  })
}
