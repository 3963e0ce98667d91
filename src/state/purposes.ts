import { z } from 'zod'

/** The purpose for which the holder of a key looks people up. Platbook records it and does not require one. */
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
