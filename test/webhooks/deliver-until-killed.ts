/** Delivers what is due and ends. Arguments: the state file, the receiver's `host:port`, and how far its clock is ahead. */
import { loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { openState } from '../../src/state/open.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'
import { openWebhooks } from '../../src/webhooks/open.ts'

const [path = '', host = '', ahead = '0'] = process.argv.slice(2)
const now = (): Date => new Date(Date.now() + Number(ahead))
const state = await openState(path, { now })
const webhooks = await openWebhooks({ state, config: loadConfig({ WEBHOOK_TEST_HOSTS: host }), now })
process.stdout.write('ready\n')
const counts = await deliverDue({ webhooks, signal: new AbortController().signal, log: silentLog })
process.stdout.write(`${JSON.stringify(counts)}\n`)
await webhooks.close()
await state.close()
