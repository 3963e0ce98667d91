import { z } from 'zod'
import { Phone } from './fields.ts'

/** Path of `GET /v2/phone/{phone}`. The parsed `phone` has eleven digits, beginning with 1. */
export const PhonePath = z.object({ phone: Phone })
