// Uses up the cap of a key as fast as possible. Prints the number of answered requests when it is refused for good.
import { setTimeout as delay } from 'node:timers/promises'
import { openState } from '../../src/state/open.ts'
import { accessEvent } from './access-event.ts'

const [path = '', account_id = '', api_key_id = '', cap = '0'] = process.argv.slice(2)
const state = await openState(path)
const capped = { account_id, monthly_cap: Number(cap) }
console.log('ready')
process.stdin.once('data', () => void spend())

async function spend(): Promise<void> {
  let answered = 0
  let refusedInARow = 0
  // A process gives its unused lease back within two seconds.
  while (refusedInARow < 25) {
    const at = Date.now()
    if (!(await state.allowances.take(capped, at))) {
      refusedInARow += 1
      await delay(100)
      continue
    }
    refusedInARow = 0
    // Every third request is given back, as if it were not billable.
    const billable = answered % 3 !== 0
    if (!billable) await state.allowances.giveBack(account_id, at)
    answered += 1
    state.events.record(
      accessEvent({ event_ts: at, api_key_id, status_code: billable ? 200 : 400, billable }),
    )
    // Yield to the event loop, as a server does between requests.
    if (answered % 50 === 0) await delay(1)
  }
  await state.close()
  console.log('done')
  process.exit(0)
}
