import { z } from 'zod'

/** Why the holder of a key may look people up. Platbook records the purpose and requires none. */
export const Purpose = z.enum([
  'none',
  'fraud_prevention',
  'identity_verification',
  'legal_process',
  'debt_recovery',
  'insurance',
  'real_estate',
  'marketing',
  'research',
  'government',
])
export type Purpose = z.output<typeof Purpose>
