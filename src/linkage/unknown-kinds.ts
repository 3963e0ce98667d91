import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../warehouse/query.ts'
import type { LinkModel } from './model.ts'

const Unknown = z.object({ kind: z.string(), records: z.int() })
/** A kind of identifier or trait that records have and the model has no weights for: it counts nothing. */
export type UnknownKind = z.output<typeof Unknown>

/** The kinds that came after the model was learned (or are more than it can compare), most records first. */
export async function unknownKinds(db: DuckDBConnection, model: LinkModel): Promise<UnknownKind[]> {
  const kinds = await query(
    db,
    `select split_part(value, ':', 1) as kind, count(*)::integer as records
     from (select unnest(list_concat(identifiers, traits)) as value from link.records)
     where position(':' in value) > 1
     group by kind order by records desc, kind`,
    Unknown,
  )
  const known = new Set(model.attributes.map(({ kind }) => kind))
  return kinds.filter(({ kind }) => !known.has(kind))
}
