import { z } from 'zod'

export const Health = z.strictObject({
  status: z.literal('ok'),
  snapshot: z
    .string()
    .nullable()
    .describe('The version of the data that is served. Null before the first nightly run has ended.'),
})
export const Ready = z.strictObject({
  status: z.literal('ready'),
  snapshot: z.string().describe('The version of the data that is served.'),
  withheld: z
    .string()
    .nullable()
    .describe(
      'A newer version that cannot be served, for example because a file is damaged. Otherwise null.',
    ),
})
