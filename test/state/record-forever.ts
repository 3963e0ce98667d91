// Records events until it is killed. Prints after each flush how many events are in the file.
import { openState } from '../../src/state/open.ts'
import { accessEvent } from './access-event.ts'

const state = await openState(process.argv[2] ?? '')
for (let count = 0; ;) {
  for (let index = 0; index < 250; index += 1, count += 1) {
    state.events.record(accessEvent({ event_ts: Date.now(), trace_id: String(count).padStart(32, '0') }))
  }
  await state.events.flush()
  console.log(count)
}
