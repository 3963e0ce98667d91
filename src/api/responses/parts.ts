import { z } from 'zod'

// Parts that several responses share. Objects are strict, so the tests find a missing or additional field.

export const NationalNumber = z
  .string()
  .regex(/^\(\d{3}\) \d{3}-\d{4}$/)
  .meta({ examples: ['(206) 555-0142'] })
export const Score = z.int().min(0).max(100)
export const Zip = z
  .string()
  .regex(/^(\d{5})?$/)
  .describe('Empty when the ZIP code is unknown.')
export const PersonId = z
  .string()
  .regex(/^P[0-9A-Za-z]{10}$/)
  .meta({ examples: ['P19Xrg1Zr34'] })
export const PropertyId = z
  .string()
  .regex(/^R[0-9A-Za-z]{10}$/)
  .meta({ examples: ['R19Xrg1Zr34'] })
export const AddressId = z
  .string()
  .regex(/^A[0-9A-Za-z]{10}$/)
  .meta({ examples: ['A19Xrg1Zr34'] })
export const LineType = z.enum(['mobile', 'landline', 'voip', 'tollfree', 'unknown'])

export const Shown = z.strictObject({ displayed: z.int().min(0), additional: z.int().min(0) }).meta({
  id: 'Shown',
  description:
    '`displayed`: the number of items in this response. `additional`: the number of further items, left out because the array has a maximum length.',
})
export const Point = z.strictObject({ lat: z.number(), lng: z.number() }).meta({ id: 'Point' })

export const AddressSummary = z
  .strictObject({
    address_id: AddressId,
    full_address: z.string(),
    city: z.string(),
    state: z.string(),
    line1: z.string(),
    zip: Zip,
  })
  .meta({ id: 'AddressSummary' })

export const Phones = z.array(
  z.strictObject({ number: NationalNumber, type: LineType, score: Score }).meta({ id: 'ScoredPhone' }),
)
export const Emails = z.array(z.strictObject({ email: z.email(), score: Score }).meta({ id: 'ScoredEmail' }))
