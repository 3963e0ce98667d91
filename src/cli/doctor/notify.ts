import { channelsOf } from '../../notify/channels.ts'
import { Notices } from '../../notify/notices.ts'
import type { DoctorContext, Finding } from './check.ts'

/** Reports the channels for messages to the operator, and checks which of them fail. */
export async function checkNotify({ config, state }: DoctorContext): Promise<Finding> {
  const channels = channelsOf(config).map(({ name }) => name)
  const configured = new Set<string>(channels)
  const failures = state.db === null ? [] : await new Notices(state.db).failures()
  return {
    fields: { notify: { channels, failures } },
    lines: [`notify     ${channels.join(', ') || 'no channel: no NOTIFY_… variable is set'}`],
    complaints: failures
      .filter(({ channel }) => configured.has(channel))
      .map(
        ({ channel, waiting, attempts, failure }) =>
          `notify by ${channel}: ${waiting} messages could not be sent after up to ${attempts} attempts: ${failure}; test the channel with \`platbook notify --test\``,
      ),
  }
}
