import { AREA_CODES, type AreaCode, type LineType } from '../area-codes.ts'
import { compactDate, DAY_2 } from '../calendar.ts'
import type { Delivery } from '../output.ts'
import { mix, stream } from '../random.ts'
import type { World } from '../types.ts'
import { CSV, RecordFormat, TABS, type Values } from './record-format.ts'

const SOURCE = 'us/nanpa.central-office-codes'
const CODE_FORMAT = new RecordFormat('nanpa', 'codes', TABS)
const COMPANY_FORMAT = new RecordFormat('nanpa', 'ocn', CSV)
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
  const codes = delivery.table(SOURCE, `allutlzd_${date}.txt`, 'latin1', CODE_FORMAT)
  AREA_CODES.forEach((area, row) => {
    if (area.line === 'tollfree') return
    // Exchange 555 and up to three others. Some exchanges have no company.
    const exchanges = [555, ...Array.from({ length: 3 }, (_, i) => 200 + (mix(CODES, row, i) % 350))]
    for (const exchange of [...new Set(exchanges)].sort((left, right) => left - right)) {
      codes.row({
        State: area.state,
        'NPA-NXX': `${area.code}-${exchange}`,
        ...company(area, exchange, mix(CODES, row, exchange)),
      })
    }
  })
  const companies = delivery.table(SOURCE, `ocn_categories_${date}.csv`, 'utf8', COMPANY_FORMAT)
  for (const [ocn, name, category] of Object.values(CARRIERS).flat())
    companies.row({ OCN: ocn, Company: name, Category: category })
}

function company(area: AreaCode, exchange: number, bits: number): Values {
  if (exchange !== 555 && bits % 5 === 0) return {}
  const carriers = CARRIERS[area.line]
  const [ocn, name] = carriers[bits % carriers.length]!
  return { OCN: ocn, Company: name, RateCenter: `ZONE ${1 + (bits % 9)}` }
}
