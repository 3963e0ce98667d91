import { expect, test } from 'vitest'
import { serveMetrics } from '../../src/api/metrics-server.ts'

test('metrics are at one path for GET alone, on a port of their own until it is closed', async () => {
  const { address, close } = await serveMetrics({ host: '127.0.0.1', port: 0, read: async () => 'a 1\n' })
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
  const answer = await fetch(address)
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
    'a 1\n',
  ])
  expect((await fetch(address, { method: 'POST' })).status).toBe(404)
  expect((await fetch(address.replace('/metrics', '/'))).status).toBe(404)
  // The client keeps its connection open, but the server still closes.
  await close()
  await expect(fetch(address)).rejects.toThrow()
})

test('metrics that cannot be read are 503', async () => {
  const { address, close } = await serveMetrics({
    host: '127.0.0.1',
    port: 0,
    read: async () => Promise.reject(new Error('a worker does not answer')),
  })
  expect((await fetch(address)).status).toBe(503)
  await close()
})

test('an address of IPv6 can be opened as it is printed', async () => {
  const { address, close } = await serveMetrics({ host: '::1', port: 0, read: async () => 'a 1\n' })
  expect(new URL(address).hostname).toBe('[::1]')
  await close()
})
