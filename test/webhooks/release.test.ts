import { expect, test } from 'vitest'
import { releaseEvents, replay } from '../../src/webhooks/release.ts'
import { withWebhooks, type World } from './support.ts'

const URL = 'https://receiver.example.com/hook'

async function deliveriesOf(world: World): Promise<string[]> {
  return (
    await world.rows(
      'select url, event_id from deliveries join subscriptions using (subscription_id) order by url, event_id',
    )
  ).map((row) => `${String(row['url']).split('/').at(-1)} ${String(row['event_id'])}`)
}

test('an event makes a delivery for every active subscription to its state or county, and to its type', async () => {
  await withWebhooks(async (world) => {
    await world.subscribe('https://receiver.example.com/texas')
    await world.subscribe('https://receiver.example.com/travis', { region: 'county:48453', area: '48453' })
    await world.subscribe('https://receiver.example.com/quitclaims', { event_type: 'deed.quitclaim' })
    await world.subscribe('https://receiver.example.com/florida', { region: 'state:fl', area: 'FL' })
    const asleep = await world.subscribe('https://receiver.example.com/asleep')
    await world.webhooks.subscriptions.update(asleep.account_id, asleep.id, { status: 'inactive' })
    const release = await world.release([
      { id: 'e1' },
      { id: 'e2', county: '48201' },
      { id: 'e3', type: 'deed.quitclaim' },
      { id: 'e4', state: 'FL', county: '12011' },
      { id: 'e5', state: 'NY', county: '36047' },
    ])
    expect(await deliveriesOf(world)).toEqual([
      'florida e4',
      'quitclaims e3',
      'texas e1',
      'texas e2',
      'texas e3',
      'travis e1',
      'travis e3',
    ])
    expect(release).toEqual({ event_count: 5, delivery_count: 7 })
  })
})

test('an event that was released before makes nothing more', async () => {
  await withWebhooks(async (world) => {
    await world.subscribe(URL)
    await world.release([{ id: 'e1' }])
    await world.subscribe(`${URL}/later`)
    expect(await world.release([{ id: 'e1' }, { id: 'e2' }])).toEqual({ event_count: 1, delivery_count: 2 })
    expect(await deliveriesOf(world)).toEqual(['hook e1', 'hook e2', 'later e2'])
  })
})

test('who is not invited any more, or whose key is revoked, is told nothing', async () => {
  await withWebhooks(async (world) => {
    await world.subscribe(URL, { account_id: await world.account(['events']) })
    const revoked = await world.subscribe(URL)
    await world.state.keys.revoke((await world.state.keys.list(revoked.account_id))[0]!.api_key_id)
    expect(await world.release([{ id: 'e1' }])).toEqual({ event_count: 1, delivery_count: 0 })
  })
})

test('a release is all or nothing, with what its caller writes beside it', async () => {
  await withWebhooks(async (world) => {
    await world.subscribe(URL)
    const event = { event_id: 'e1', event_type: 'deed.transfer', state: 'TX', county_fips: '48453' }
    const { db } = world.state
    const interrupted = function* () {
      yield event
      throw new Error('the snapshot cannot be read further')
    }
    await expect(releaseEvents(db, interrupted(), world.at())).rejects.toThrow(/cannot be read/)
    await expect(
      db.transaction(async () => {
        await releaseEvents(db, [event], world.at())
        throw new Error('the note of the release cannot be written')
      }),
    ).rejects.toThrow(/cannot be written/)
    expect(await world.rows('select * from released_events')).toEqual([])
    expect(await world.rows('select * from deliveries')).toEqual([])
  })
})

test('a replay makes due again what was released since, for one subscription or for all', async () => {
  await withWebhooks(async (world) => {
    const one = await world.subscribe(`${URL}/one`)
    await world.subscribe(`${URL}/two`)
    await world.release([{ id: 'e1' }])
    world.pass(3_600_000)
    const since = world.at()
    await world.release([{ id: 'e2' }, { id: 'e3' }])
    await world.state.db.exec(`update deliveries set status = 'failed', attempt_count = 10, finished_at = 1`)
    world.pass(3_600_000)
    const again = async (subscription_id: string | null): Promise<number> =>
      replay(world.state.db, { since, subscription_id, at: world.at() })
    expect(await again(one.id)).toBe(2)
    expect(await again(null)).toBe(4)
    expect(
      await world.rows(
        'select distinct event_id, status, attempt_count, due_at, finished_at from deliveries order by event_id',
      ),
    ).toEqual([
      {
        event_id: 'e1',
        status: 'failed',
        attempt_count: 10,
        due_at: since.getTime() - 3_600_000,
        finished_at: 1,
      },
      {
        event_id: 'e2',
        status: 'pending',
        attempt_count: 0,
        due_at: world.at().getTime(),
        finished_at: null,
      },
      {
        event_id: 'e3',
        status: 'pending',
        attempt_count: 0,
        due_at: world.at().getTime(),
        finished_at: null,
      },
    ])
  })
})

test('a replay reaches who was inactive, or not there yet', async () => {
  await withWebhooks(async (world) => {
    const asleep = await world.subscribe(`${URL}/asleep`)
    await world.webhooks.subscriptions.update(asleep.account_id, asleep.id, { status: 'inactive' })
    const since = world.at()
    await world.release([{ id: 'e1' }])
    expect(await replay(world.state.db, { since, at: world.at() })).toBe(0)
    await world.webhooks.subscriptions.update(asleep.account_id, asleep.id, { status: 'active' })
    await world.subscribe(`${URL}/new`)
    expect(await replay(world.state.db, { since, at: world.at() })).toBe(2)
    expect(await deliveriesOf(world)).toEqual(['asleep e1', 'new e1'])
  })
})

test('a replay leaves alone what is being tried at this moment', async () => {
  await withWebhooks(async (world) => {
    const { id } = await world.subscribe(URL)
    const since = world.at()
    await world.release([{ id: 'e1' }, { id: 'e2' }])
    const [claim] = await world.webhooks.deliveries.claim(
      await world.webhooks.subscriptions.find(id),
      world.at().getTime(),
      'lease',
      60_000,
      1,
    )
    expect(await replay(world.state.db, { since, at: world.at() })).toBe(1)
    expect(await world.rows(`select event_id, lease from deliveries where lease is not null`)).toEqual([
      { event_id: claim?.event_id, lease: 'lease' },
    ])
    // After the end of the lease, no process tries the delivery.
    world.pass(60_000)
    expect(await replay(world.state.db, { since, at: world.at() })).toBe(2)
  })
})
