import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { buildApp } from '../../api/app.ts'
import { Snapshots } from '../../api/snapshots.ts'
import { AppError, messageOf } from '../../errors.ts'
import { openEventArchive, searchOptions } from '../../events/archive.ts'
import { openLog } from '../../log.ts'
import { currentSnapshot, openLookup } from '../../lookup/open.ts'
import { openState } from '../../state/open.ts'
import type { CommandIo } from '../io.ts'

export const summary = 'answers lookups over HTTP from the current snapshot'
export const usage = 'platbook serve [--port 3000] [--host 127.0.0.1] [--data DIR]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: { data: { type: 'string' }, port: { type: 'string' }, host: { type: 'string' } },
  })
  const port = values.port === undefined ? io.config.PORT : parsePort(values.port)
  return serve(io, { port, host: values.host ?? io.config.HOST })
}

/**
 * Serves until `io.signal` is aborted, then finishes the requests under way (ten seconds at most) and writes what is
 * left of the access events. Resolves to the exit code. `onListening` is called once with the address.
 */
export async function serve(
  io: CommandIo,
  {
    port,
    host,
    onListening = (address) => io.out(`listening on ${address}`),
  }: { port: number; host: string; onListening?: (address: string) => void | Promise<void> },
): Promise<number> {
  const { config, now, signal } = io
  const log = openLog(config)
  const state = openState(config.paths.state, { now, log })
  try {
    const app = await buildApp({
      config,
      state,
      now,
      log,
      openSnapshots: () =>
        Snapshots.open({
          folder: config.paths.snapshots,
          open: openLookup,
          openEvents: (folder) => openEventArchive(folder, searchOptions(config)),
          current: currentSnapshot,
          log,
        }),
    })
    try {
      const address = await app.listen({ port, host }).catch((cause: unknown) => {
        throw new AppError('bad_config', `cannot listen on ${host} port ${port}: ${messageOf(cause)}`, {
          cause,
        })
      })
      await onListening(address)
      if (!signal.aborted) await once(signal, 'abort')
      log.info({}, 'stopping: requests under way are finished')
    } finally {
      await app.close()
    }
  } finally {
    await state.close()
  }
  return 0
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535))
    throw new AppError('bad_usage', `--port takes a number from 0 to 65535, not '${text}'`)
  return port
}
