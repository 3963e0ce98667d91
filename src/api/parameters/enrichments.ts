import { z } from 'zod'
import { FIELDS, REQUIREMENTS } from '../../enrich/fields.ts'
import { Flag, once } from './fields.ts'

const list = <T extends string>(values: readonly T[], what: string) =>
  z
    .string({ error: once })
    .transform((text) =>
      text
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    ) // prettier-ignore
    .refine(
      (all) => all.every((one) => values.includes(one as T)),
      `must be of ${values.join(', ')}, with commas between`,
    )
    .transform((all) => values.filter((one) => all.includes(one)))
    .meta({ type: 'string', description: `${what}: of ${values.join(', ')}, with commas between` })

/** What `POST /v1/enrichments` takes beside the list. */
export const EnrichmentOptions = z.object({
  fields: list(FIELDS, 'What to add to matched rows').exactOptional(),
  require: list(REQUIREMENTS, 'What a match must have').exactOptional(),
  min_score: z
    .string({ error: once })
    .regex(/^\d{1,2}$/, 'must be a whole number from 1 to 99')
    .transform(Number)
    .refine((score) => score >= 1, 'must be a whole number from 1 to 99')
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: 99,
      description: 'From which score on rows are matched; 50 by default',
    })
    .exactOptional(),
  map: z
    .string({ error: once })
    .max(4_000)
    .meta({
      description:
        'What columns are, as `Column=field`, with commas between; `Column=-` for a column not to use',
    })
    .exactOptional(),
})

/** What CSV results and rejected rows take. */
export const CsvOptions = z.object({
  safe_cells: Flag.meta({
    description:
      'CSV only, true by default: an apostrophe stands before cells that a spreadsheet may take for a formula, those that begin with = + - @, a tab or a line end. Signed numbers and phones such as -12.50 and +1 512 555 0101 stay as they are. Lists with such cells can be sent again: the apostrophe is not part of the value.',
  }).exactOptional(),
})

export const EnrichmentPath = z.object({
  id: z.string().regex(/^enr_[0-9A-Za-z]{22}$/, 'an enrichment id is enr_ followed by 22 letters and digits'),
})
