import type { LookupAddress } from 'node:dns'
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createResolver } from '../../src/webhooks/connect.ts'
import { openSender, type SenderOptions } from '../../src/webhooks/sender.ts'
import { withNameServer } from './name-server.ts'
import { NOW, postOnce } from './post-once.ts'
import { answer, withReceiver } from './receiver.ts'

const names =
  (...addresses: string[]) =>
  async (): Promise<LookupAddress[]> =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** For these tests, 127.0.0.1 is public and every other address is private. */
const asInternet = (address: string): boolean => address === '127.0.0.1'

describe('an endpoint inside', () => {
  test.each([
    ['loopback', ['127.0.0.1']],
    ['loopback, in IPv6', ['::1']],
    ['a mapped address', ['::ffff:10.0.0.1']],
    ['a public and a private one', ['8.8.8.8', '10.0.0.1']],
    ['a private one first', ['169.254.169.254', '8.8.8.8']],
    ['NAT64', ['64:ff9b::7f00:1']],
  ])('behind a public name is not connected to: %s', async (_, addresses) => {
    await withReceiver(
      async (receiver) => {
        const came = await postOnce(`https://receiver.example.com:${receiver.port}/hook`, {
          resolve: names(...addresses),
          ca: receiver.certificate.cert,
        })
        expect(came).toMatchObject({ status_code: 0, failure: 'address_refused' })
        expect(receiver.received).toEqual([])
      },
      { isTls: true },
    )
  })

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])(
    'by its literal address %s is not connected to',
    async (host) => {
      await withReceiver(
        async (receiver) => {
          const came = await postOnce(`https://${host}:${receiver.port}/hook`, {
            ca: receiver.certificate.cert,
          })
          expect(came).toMatchObject({ status_code: 0, failure: 'address_refused' })
          expect(receiver.received).toEqual([])
        },
        { isTls: true },
      )
    },
  )

  test('without TLS is not connected to, wherever it is', async () => {
    await withReceiver(async (receiver) => {
      const came = await postOnce(`http://receiver.example.com:${receiver.port}/hook`, {
        resolve: names('127.0.0.1'),
        isPublic: asInternet,
      })
      expect(came).toMatchObject({ failure: 'address_refused' })
      expect(receiver.received).toEqual([])
    })
  })

  test('a test host opens its own port and no other', async () => {
    await withReceiver(async (closed) => {
      await withReceiver(async (open) => {
        const testHosts = new Set([open.host])
        expect(await postOnce(open.url, { testHosts })).toMatchObject({ status_code: 200 })
        expect(await postOnce(closed.url, { testHosts })).toMatchObject({ failure: 'address_refused' })
        expect(closed.received).toEqual([])
      })
    })
  })
})

describe('a name that rebinds', () => {
  test('is connected to at the very address that was looked at, and refused once it points inside', async () => {
    await withReceiver(
      async (receiver) => {
        let asked = 0
        const options: SenderOptions = {
          now: () => NOW,
          perHost: 1,
          testHosts: new Set(),
          isPublic: asInternet,
          ca: receiver.certificate.cert,
          resolve: () => names((asked += 1) === 1 ? '127.0.0.1' : '127.0.0.2')(),
        }
        const url = `https://receiver.example.com:${receiver.port}/hook`
        receiver.script = answer(200, { connection: 'close' })
        const sender = openSender(options)
        const first = await sender.post(url, {}, '{}')
        const second = await sender.post(url, {}, '{}')
        await sender.close()
        expect(first).toMatchObject({ status_code: 200, failure: null })
        expect(second).toMatchObject({ status_code: 0, failure: 'address_refused' })
        expect(asked).toBe(2)
        expect(receiver.received).toHaveLength(1)
      },
      { isTls: true, address: '127.0.0.1' },
    )
  })

  test('between the look and the connection gains nothing: the peer itself is looked at', async () => {
    await withReceiver(
      async (receiver) => {
        let reads = 0
        const turning: LookupAddress = {
          family: 4,
          get address() {
            return (reads += 1) === 1 ? '127.0.0.1' : '127.0.0.2'
          },
        }
        const came = await postOnce(`https://receiver.example.com:${receiver.port}/hook`, {
          isPublic: asInternet,
          ca: receiver.certificate.cert,
          resolve: async () => [turning],
        })
        expect(came).toMatchObject({ status_code: 0, failure: 'address_refused' })
        expect(receiver.received).toEqual([])
      },
      { isTls: true, address: '127.0.0.2' },
    )
  })

  test('or has no address at all is a failure like others', async () => {
    const nobody = await postOnce('https://receiver.example.com/', { resolve: async () => [] })
    expect(nobody).toMatchObject({ failure: 'name_unresolved' })
    const unknown = await postOnce('https://receiver.example.com/', {
      resolve: () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })),
    })
    expect(unknown).toMatchObject({ failure: 'name_unresolved' })
  })

  test('slowly is waited for no longer than a connection is', async () => {
    const came = await postOnce('https://receiver.example.com/', {
      resolve: () => new Promise(() => {}),
      connectWithinMs: 100,
    })
    expect(came).toMatchObject({ failure: 'connect_timeout' })
  })
})

describe('a public name', () => {
  test.each([true, false])('is connected to, with Node trying several addresses: %s', async (isTried) => {
    const before = getDefaultAutoSelectFamily()
    setDefaultAutoSelectFamily(isTried)
    try {
      await withReceiver(
        async (receiver) => {
          const came = await postOnce(`https://receiver.example.com:${receiver.port}/hook`, {
            isPublic: asInternet,
            ca: receiver.certificate.cert,
            resolve: names('127.0.0.1'),
          })
          expect(came).toMatchObject({ status_code: 200, failure: null })
        },
        { isTls: true },
      )
    } finally {
      setDefaultAutoSelectFamily(before)
    }
  })

  test('and a literal public address are connected to', async () => {
    await withReceiver(
      async (receiver) => {
        const came = await postOnce(`https://127.0.0.1:${receiver.port}/hook`, {
          isPublic: asInternet,
          ca: receiver.certificate.cert,
        })
        expect(came).toMatchObject({ status_code: 200, failure: null })
      },
      { isTls: true },
    )
  })
})

describe('a name is asked of the name servers', () => {
  const RECORDS = {
    'both.example.com': { ipv4: ['198.51.100.1', '198.51.100.2'], ipv6: ['2001:db8::1'] },
    'four.example.com': { ipv4: ['198.51.100.3'], ipv6: [] },
    'six.example.com': { ipv4: [], ipv6: ['2001:db8::2'] },
  }

  test('for its addresses of both families', async () => {
    await withNameServer(RECORDS, async (server) => {
      const resolve = createResolver([server])
      expect(await resolve('both.example.com')).toEqual([
        { address: '198.51.100.1', family: 4 },
        { address: '198.51.100.2', family: 4 },
        { address: '2001:db8::1', family: 6 },
      ])
      expect(await resolve('four.example.com')).toEqual([{ address: '198.51.100.3', family: 4 }])
      expect(await resolve('six.example.com')).toEqual([{ address: '2001:db8::2', family: 6 }])
      await expect(resolve('nobody.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    })
  })
})
