import { join } from 'node:path'
import { DAY_1, DAY_2 } from './calendar.ts'
import { writeAcris } from './layouts/acris.ts'
import { writeBroward } from './layouts/broward.ts'
import { writeContacts } from './layouts/contacts.ts'
import { writeDeaths } from './layouts/deaths.ts'
import { writeFec } from './layouts/fec.ts'
import { writeHcad } from './layouts/hcad.ts'
import { writeNal } from './layouts/nal.ts'
import { writeNanpa } from './layouts/nanpa.ts'
import { writeNppes } from './layouts/nppes.ts'
import { writePacs } from './layouts/pacs.ts'
import { writePluto } from './layouts/pluto.ts'
import { writeSdf } from './layouts/sdf.ts'
import { writeVoters } from './layouts/voters.ts'
import { writeLeads } from './leads.ts'
import { Delivery, Truth } from './output.ts'
import type { World } from './types.ts'
import { buildWorld, type WorldOptions } from './world.ts'

export interface GenerateOptions extends WorldOptions {
  /** The folder for `day-1/<source>/<file>` and, for two days, `day-2/<source>/<file>`. */
  readonly out: string
  /** The CSV file for the truth, with the columns record_id and cluster. Null: no such file. */
  readonly truth: string | null
  /** The number of rows of `leads.csv` in `out`. Without it there is no such file. */
  readonly leads?: number
  readonly days: 1 | 2
  readonly signal: AbortSignal
  readonly progress?: (step: string, seconds: number) => void
}

/** The sources, in the order in which their files are written. */
const LAYOUTS: readonly [name: string, write: (world: World, delivery: Delivery) => void | Promise<void>][] =
  [
    ['acris', writeAcris],
    ['pluto', writePluto],
    ['nal', writeNal],
    ['sdf', writeSdf],
    ['broward', writeBroward],
    ['hcad', writeHcad],
    ['pacs', writePacs],
    ['voters', writeVoters],
    ['nppes', writeNppes],
    ['fec', writeFec],
    ['nanpa', writeNanpa],
    ['contacts', writeContacts],
    ['deaths', writeDeaths],
  ]

/** Builds a world and writes its files. The same options give the same bytes. */
export async function generate(options: GenerateOptions): Promise<World> {
  const { signal, progress } = options
  let started = performance.now()
  const done = (step: string): void => {
    progress?.(step, (performance.now() - started) / 1000)
    started = performance.now()
    signal.throwIfAborted()
  }
  const world = buildWorld(options)
  done('world')
  const truth = new Truth(options.truth, options.days)
  for (let day = 1; day <= options.days; day += 1) {
    truth.isLastDay = day === options.days
    const delivery = new Delivery(join(options.out, `day-${day}`), day === 1 ? DAY_1 : DAY_2, truth)
    for (const [name, write] of LAYOUTS) {
      await write(world, delivery)
      delivery.close()
      done(`day ${day} ${name}`)
    }
  }
  truth.close()
  if (options.leads !== undefined && options.leads > 0) {
    writeLeads(world, {
      count: options.leads,
      folder: options.out,
      days: options.days,
      named: truth.named,
    })
    done('leads')
  }
  return world
}
