import { z } from 'zod'
import { Phone } from './fields.ts'

/** `phone` comes out as eleven digits. */
export const PhonePath = z.object({ phone: Phone })
