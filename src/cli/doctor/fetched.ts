import { messageOf } from '../../errors.ts'
import { currentSnapshot } from '../../lookup/format/current.ts'
import { CURRENT_KEY, parseCurrent } from '../../replicate/layout.ts'
import { fetchStatus } from '../../replicate/status.ts'
import { openStore } from '../../store/open.ts'
import type { DoctorContext, Finding } from './check.ts'

/** Checks whether the newest snapshot of the store is here, where `platbook serve --snapshots` fetches snapshots. */
export async function checkFetched({ config }: DoctorContext): Promise<Finding> {
  const { snapshots } = config.paths
  const status = await fetchStatus(snapshots)
  if (status === null) return { fields: { fetched: null }, lines: [], complaints: [] }
  const here = (await currentSnapshot(snapshots).catch(() => null))?.version ?? null
  const complaints: string[] = []
  if (status.fault !== null) {
    const { version, reason, since } = status.fault
    const what = version === null ? `${status.store} cannot be used` : `snapshot ${version} cannot be fetched`
    complaints.push(`${what} since ${since.slice(0, 16)}Z: ${reason}`)
  }
  let newest: string | null = null
  const store = await openStore(status.store, { settings: config, signal: new AbortController().signal })
  try {
    const found = await store.readTagged(CURRENT_KEY)
    if (found !== null && found !== 'same') newest = parseCurrent(store, found.text).version
  } catch (cause) {
    if (status.fault === null) complaints.push(messageOf(cause))
  } finally {
    store.close()
  }
  const state = newest === null ? 'no snapshot there' : newest === here ? 'its newest snapshot is here' : `${newest} is not here yet` // prettier-ignore
  return {
    fields: { fetched: { store: status.store, newest, here, fault: status.fault } },
    lines: [`store      ${status.store}, ${state}`],
    complaints,
  }
}
