import { type EndpointResponse, openSender, type SenderOptions } from '../../src/webhooks/sender.ts'

export const NOW = new Date('2026-08-14T12:00:00Z')

/** Sends one notification by a new sender, and closes the sender. */
export async function postOnce(url: string, options: Partial<SenderOptions>): Promise<EndpointResponse> {
  const sender = openSender({ now: () => NOW, perHost: 2, testHosts: new Set(), ...options })
  try {
    return await sender.post(url, { 'webhook-id': 'msg_1' }, '{"a":1}')
  } finally {
    await sender.close()
  }
}
