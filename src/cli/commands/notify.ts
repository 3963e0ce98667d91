import { hostname } from 'node:os'
import { parseArgs } from 'node:util'
import { AppError, messageOf } from '../../errors.ts'
import { channelsOf } from '../../notify/channels.ts'
import type { Message } from '../../notify/condition.ts'
import type { CommandIo } from '../io.ts'

export const summary = 'sends a test message through every channel that reaches the operator'
export const usage = 'platbook notify --test [--data DIR]'

/** Sends a test message through each configured channel. Returns exit code 0 when all channels accepted it, else 1. */
export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: { test: { type: 'boolean' } },
  })
  if (values.test !== true) throw new AppError('bad_usage', `notify needs --test\nusage: ${usage}`)
  const channels = channelsOf(io.config)
  if (channels.length === 0) {
    throw new AppError(
      'bad_config',
      'no channel is configured: set NOTIFY_URL, NOTIFY_COMMAND, NOTIFY_SMTP_URL or NOTIFY_DEADMAN_URL',
    )
  }
  const host = hostname()
  const message: Message = {
    text: `Platbook on ${host}: this is a test message. No action is needed.`,
    kind: 'test',
    host,
    at: io.now().toISOString(),
    began: [],
    resolved: [],
  }
  let isWhole = true
  for (const channel of channels) {
    try {
      await channel.send(message)
      io.out(`  ${channel.name.padEnd(8)} sent`)
    } catch (error) {
      isWhole = false
      io.out(`  ${channel.name.padEnd(8)} FAILED: ${messageOf(error)}`)
    }
  }
  return isWhole ? 0 : 1
}
