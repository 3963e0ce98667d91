import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Output } from '../../src/lookup/format/output.ts'

test('an answer stays as it was taken, however many are written behind it, also one longer than a slab', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ length: fc.oneof(fc.nat(9_000), fc.integer({ min: 200_000, max: 700_000 })), isDropped: fc.boolean() }), { maxLength: 40 }), // prettier-ignore
      (answers) => {
        const out = new Output()
        const taken: { answer: Buffer; text: string }[] = []
        for (const [index, { length, isDropped }] of answers.entries()) {
          const text = `${index}:${'é'.repeat(3)}${String(index % 10).repeat(length)}`
          const bytes = Buffer.from(text)
          const half = length >>> 1
          out.copy(bytes, 0, half)
          out.copy(bytes, half, bytes.length)
          out.ascii('.')
          if (isDropped) out.reset()
          else taken.push({ answer: out.take(), text: `${text}.` })
        }
        for (const { answer, text } of taken) expect(answer.equals(Buffer.from(text))).toBe(true)
        expect(out.length).toBe(0)
      },
    ),
    { numRuns: 60 },
  )
})
