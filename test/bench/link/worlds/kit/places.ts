import { Dice } from './dice.ts'
import { FrequencyTable } from './frequency-table.ts'

export interface Address {
  readonly house_number: string
  readonly street_name: string
  readonly unit_number: string
  readonly city: string
  readonly state: string
  readonly zip: string
}

interface City {
  readonly name: string
  readonly state: string
  readonly zips: readonly string[]
}

const STATES = ['CA', 'TX', 'NY', 'OH', 'GA', 'WA', 'MO', 'AZ']
const CITY_BEGINNINGS =
  `CEDAR MAPLE CLEAR SPRING SILVER FORT GRAND LAKE NORTH SOUTH MOUNT SAINT RIVER STONE EAGLE PRAIRIE UNION
LIBERTY PINE BLUE`.split(/\s+/)
const CITY_ENDINGS =
  `RAPIDS FALLS GROVE PARK SPRINGS HEIGHTS HARBOR VALLEY CITY POINT JUNCTION MILLS CREEK BLUFF PRAIRIE`.split(
    /\s+/,
  )
const STREET_NAMES =
  `OAK MAPLE MAIN CHURCH PARK ELM HIGH WASHINGTON LAKE HILL WALNUT SPRING NORTH RIDGE SUNSET MEADOW FOREST MILL
RIVER CHERRY DOGWOOD HICKORY JACKSON LINCOLN JEFFERSON MADISON FRANKLIN CENTER PROSPECT LOCUST POPLAR WILLOW BIRCH ASPEN CHESTNUT
SYCAMORE MAGNOLIA LAUREL HEMLOCK JUNIPER COUNTRY ORCHARD VALLEY HIGHLAND FAIRVIEW PLEASANT COLLEGE SCHOOL DEPOT RAILROAD COURT
MARKET WATER BRIDGE CANAL HARBOR BEACH OCEAN SHORE BAY ISLAND CLIFF CANYON MESA PRAIRIE RANCH SADDLE FOX DEER ELK EAGLE HAWK`.split(
    /\s+/,
  )
const STREET_KINDS = ['ST', 'AVE', 'RD', 'DR', 'LN', 'CT', 'WAY', 'PL']

function cities(): Map<string, City> {
  const dice = new Dice('cities')
  const names = CITY_BEGINNINGS.flatMap((one) => CITY_ENDINGS.map((other) => `${one} ${other}`))
  let zip = 30_100
  return new Map(
    dice.shuffled(names).map((name, rank) => {
      const count = 1 + Math.floor(40 / (rank + 2))
      const zips = Array.from({ length: count }, () => String((zip += dice.between(1, 9))))
      return [name, { name, state: STATES[rank % STATES.length]!, zips }]
    }),
  )
}

const CITIES = cities()
const CITY_TABLE = new FrequencyTable([...CITIES.keys()], { exponent: 1, offset: 4 })

/** An address in an invented city; large cities have more people and more ZIP codes. Its ZIP is one of the city's. */
export function anyAddress(dice: Dice): Address {
  return addressIn(dice, CITIES.get(CITY_TABLE.draw(dice))!)
}

/** Another address, in the same city more often than not. */
export function nextAddress(dice: Dice, { city }: Address): Address {
  return dice.chance(0.6) ? addressIn(dice, CITIES.get(city)!) : anyAddress(dice)
}

function addressIn(dice: Dice, { name, state, zips }: City): Address {
  return {
    house_number: String(dice.between(1, 9) * 10 ** dice.between(0, 3) + dice.below(100)),
    street_name: `${dice.pick(STREET_NAMES)} ${dice.pick(STREET_KINDS)}`,
    unit_number: dice.chance(0.25) ? `${dice.between(1, 40)}` : '',
    city: name,
    state,
    zip: dice.pick(zips),
  }
}
