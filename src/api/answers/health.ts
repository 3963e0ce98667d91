import { z } from 'zod'

export const Health = z.strictObject({
  status: z.literal('ok'),
  snapshot: z.string().nullable().describe('the version of the data that is served; null before the first'),
})
export const Ready = z.strictObject({
  status: z.literal('ready'),
  snapshot: z.string().describe('the version of the data that is served'),
  withheld: z
    .string()
    .nullable()
    .describe(
      'a newer version that cannot be served, because a file of it is damaged for example; null when there is none',
    ),
})
