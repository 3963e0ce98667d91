import { openState, type State } from '../state/open.ts'
import type { CommandIo } from './io.ts'

/** Opens the state file, runs `body` and closes the state file. */
export async function withState<T>(
  { config, now }: CommandIo,
  body: (state: State) => T | Promise<T>,
): Promise<T> {
  const state = await openState(config.state, { now, snapshots: config.paths.snapshots })
  try {
    return await body(state)
  } finally {
    await state.close()
  }
}
