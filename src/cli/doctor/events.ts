import { type UnreachableEvents, unreachableEvents } from '../../events/unreachable.ts'
import { currentSnapshot } from '../../lookup/format/current.ts'
import { count } from '../progress.ts'
import type { DoctorContext, Finding } from './check.ts'

/** Checks for published deed events that no region contains. A snapshot that cannot be read is reported by `checkSnapshot`. */
export async function checkEvents({ config }: DoctorContext): Promise<Finding> {
  const snapshot = await currentSnapshot(config.paths.snapshots).catch(() => null)
  const unreachable =
    snapshot === null ? [] : await unreachableEvents(snapshot.folder, config.EVENT_STATES).catch(() => [])
  return { fields: { unreachable_events: unreachable }, lines: [], complaints: unreachable.map(complaintOf) }
}

function complaintOf({ state, event_count }: UnreachableEvents): string {
  const events = `${count(event_count)} deed events`
  return state === null
    ? `${events} name counties that data/reference/counties.csv does not list, so no region contains them: correct county_fips in the source definition`
    : `${events} of ${state} are published but cannot be searched: add ${state} to EVENT_STATES, or set EVENT_STATES=loaded`
}
