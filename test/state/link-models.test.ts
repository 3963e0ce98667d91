import { expect, test } from 'vitest'
import { LinkModels, refusalText } from '../../src/state/link-models.ts'
import { withState } from './support.ts'

test('the last model that was learned counts, used or refused', async () => {
  await withState(async ({ db }) => {
    const models = new LinkModels(db)
    expect(await models.latest()).toBeNull()
    const refused = { trained_on: '2026-08-14', record_count: 28_143, outcome: 'refused', linked_by: 'last', faults: ['birth date is off', 'too many pairs'] } as const // prettier-ignore
    await models.record(refused, new Date('2026-08-14T04:00:00Z'))
    expect(await models.latest()).toEqual({ ...refused, decided_at: '2026-08-14T04:00:00.000Z' })
    expect(refusalText(refused)).toBe(
      'the link model trained on 2026-08-14 with 28,143 records was refused: birth date is off; too many pairs; records are linked with the model used before',
    )
    const used = { trained_on: '2026-08-15', record_count: 28_200, outcome: 'used', linked_by: 'learned', faults: [] } as const // prettier-ignore
    await models.record(used, new Date('2026-08-14T04:00:00Z'))
    expect(await models.latest()).toMatchObject(used)
  })
})
