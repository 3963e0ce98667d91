import { expect, test } from 'vitest'
import * as fc from 'fast-check'
import { parseStreetLine } from '../../src/normalize/street-line.ts'
import { anyLetter } from '../support/any-text.ts'

// number | pre | name | suffix | post | building | unit type | unit number | PO box | other street; '-' for none
const LINES: [text: string, parts: string][] = [
  ['123 N Main St Apt 4', '123|N|MAIN|ST|-|-|APT|4|-|-'],
  ['  123   north  MAIN   street,  apartment 4 ', '123|N|MAIN|ST|-|-|APT|4|-|-'],
  ['Main St', '-|-|MAIN|ST|-|-|-|-|-|-'],
  ['123 Main', '123|-|MAIN|-|-|-|-|-|-|-'],
  ['12 1/2 Elm Ave', '12 1/2|-|ELM|AVE|-|-|-|-|-|-'],
  ['12½ Elm Ave', '12 1/2|-|ELM|AVE|-|-|-|-|-|-'],
  ['12A Elm Ave', '12A|-|ELM|AVE|-|-|-|-|-|-'],
  ['12 A Elm Ave', '12A|-|ELM|AVE|-|-|-|-|-|-'],
  ['12 A St', '12|-|A|ST|-|-|-|-|-|-'],
  ['45-12 21st St', '45-12|-|21ST|ST|-|-|-|-|-|-'],
  ['100 - 110 Oak Rd', '100-110|-|OAK|RD|-|-|-|-|-|-'],
  ['N6W23001 Bluff Rd', 'N6W23001|-|BLUFF|RD|-|-|-|-|-|-'],
  ['One Harbor Pl', 'ONE|-|HARBOR|PL|-|-|-|-|-|-'],
  ['77 North Ave', '77|-|NORTH|AVE|-|-|-|-|-|-'],
  ['77 E St', '77|-|E|ST|-|-|-|-|-|-'],
  ['77 N E St NW', '77|N|E|ST|NW|-|-|-|-|-'],
  ['77 West End Ave', '77|-|WEST END|AVE|-|-|-|-|-|-'],
  ['77 S. Avenue H', '77|S|AVENUE H|-|-|-|-|-|-|-'],
  ['77 S DR MARTIN LUTHER KING JR DR', '77|S|DR MARTIN LUTHER KING JR|DR|-|-|-|-|-|-'],
  ['500 E 400 S', '500|E|400|-|S|-|-|-|-|-'],
  ['77 East West Hwy', '77|-|EAST WEST|HWY|-|-|-|-|-|-'],
  ['77 S Lake Park Blvd', '77|S|LAKE PARK|BLVD|-|-|-|-|-|-'],
  ['9 Oak St S E', '9|-|OAK|ST|SE|-|-|-|-|-'],
  ['9 Front St Rear', '9|-|FRONT|ST|-|-|REAR|-|-|-'],
  ['9 Lower Rd', '9|-|LOWER|RD|-|-|-|-|-|-'],
  ['9 Oak St # 4B', '9|-|OAK|ST|-|-|#|4B|-|-'],
  ['9 Oak St 4B', '9|-|OAK|ST|-|-|#|4B|-|-'],
  ['9 Oak St No 12', '9|-|OAK|ST|-|-|#|12|-|-'],
  ['9 Oak St Bldg C Apt 12', '9|-|OAK|ST|-|BLDG C|APT|12|-|-'],
  ['9 Oak St Second Floor', '9|-|OAK|ST|-|-|FL|2|-|-'],
  ['9 Oak St Fl 2', '9|-|OAK|ST|-|-|FL|2|-|-'],
  ['9 Oak St Lower Level', '9|-|OAK|ST|-|-|LVL|LOWER|-|-'],
  ['9 Oak St PH', '9|-|OAK|ST|-|-|PH|-|-|-'],
  ['9 Oak St PH 2', '9|-|OAK|ST|-|-|PH|2|-|-'],
  ['9 Oak St Lot 7', '9|-|OAK|ST|-|-|LOT|7|-|-'],
  ['9 Oak St PMB 310', '9|-|OAK|ST|-|-|PMB|310|-|-'],
  ['9 Oak St Ste200', '9|-|OAK|ST|-|-|STE|200|-|-'],
  ['Apt 4, 9 Oak St', '9|-|OAK|ST|-|-|APT|4|-|-'],
  ['Acme Widgets Inc, 9 Oak St', '9|-|OAK|ST|-|-|-|-|-|-'],
  ['PO Box 12', '-|-|-|-|-|-|-|-|12|-'],
  ['P.O. Box 12', '-|-|-|-|-|-|-|-|12|-'],
  ['P O BOX 12', '-|-|-|-|-|-|-|-|12|-'],
  ['POB 12', '-|-|-|-|-|-|-|-|12|-'],
  ['Post Office Box # 12', '-|-|-|-|-|-|-|-|12|-'],
  ['9 Oak St PO Box 12', '9|-|OAK|ST|-|-|-|-|12|-'],
  ['RR 2 Box 18A', '-|-|RR 2|-|-|-|BOX|18A|-|-'],
  ['Rural Route 2, Box 18A', '-|-|RR 2|-|-|-|BOX|18A|-|-'],
  ['HC 5 Box 7', '-|-|HC 5|-|-|-|BOX|7|-|-'],
  ['PSC 802 Box 74', '-|-|PSC 802|-|-|-|BOX|74|-|-'],
  ['1200 US Hwy 290 W', '1200|-|US HWY 290|-|W|-|-|-|-|-'],
  ['1200 FM 1960 Rd W Ste 9', '1200|-|FM 1960|RD|W|-|STE|9|-|-'],
  ['1200 County Road 12', '1200|-|COUNTY ROAD 12|-|-|-|-|-|-|-'],
  ['1200 State Route 7', '1200|-|STATE ROUTE 7|-|-|-|-|-|-|-'],
  ['1200 N Highway 71 Business', '1200|N|HIGHWAY 71 BUSINESS|-|-|-|-|-|-|-'],
  ['1200 I-35', '1200|-|I-35|-|-|-|-|-|-|-'],
  ['1200 RR 620 N', '1200|-|RR 620|-|N|-|-|-|-|-'],
  ['Oak St & 2nd Ave', '-|-|OAK|ST|-|-|-|-|-|2ND AVE'],
  ['Corner of Oak and Elm', '-|-|OAK|-|-|-|-|-|-|ELM'],
]

test.each(LINES)('street line %j has its parts', (text, parts) => {
  const line = parseStreetLine(text)
  const found = [
    line.house_number,
    line.pre_directional,
    line.street_name,
    line.street_suffix,
    line.post_directional,
    line.building,
    line.unit_type,
    line.unit_number,
    line.po_box,
    line.cross_street,
  ]
  expect(found.map((part) => part ?? '-').join('|')).toBe(parts)
})

test.each([
  ['9 Oak St', 'street'],
  ['PO Box 9', 'po_box'],
  ['RR 1 Box 9', 'rural_route'],
  ['CMR 45 Box 9', 'military'],
  ['9 County Road 12', 'highway'],
  ['', 'unknown'],
  ['   ', 'unknown'],
])('street line %j is of kind %s', (text, kind) => {
  expect(parseStreetLine(text).kind).toBe(kind)
})

test('whatever is typed, reading a street line gives an answer', () => {
  const words = fc.constantFrom('12', 'N', 'MAIN', 'ST', 'APT', '#', '&', '-', 'BOX', 'PO', 'RR', 'FL', 'HWY', '1/2', 'C/O', ',', 'FLOOR', '2ND', 'AND', 'UNIT') // prettier-ignore
  const typed = fc.oneof(
    fc.string({ unit: anyLetter }),
    fc.array(words, { maxLength: 9 }).map((list) => list.join(' ')),
  )
  fc.assert(
    fc.property(typed, (text) => {
      expect(parseStreetLine(text)).toHaveProperty('kind')
    }),
    { numRuns: 1000 },
  )
})
