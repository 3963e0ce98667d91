import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query, quotedLiteral } from '../../warehouse/query.ts'
import { chooseAttributes } from '../records/load-records.ts'
import type { LinkModel } from './model.ts'

/** A kind of identifier or trait that records have but the model does not know. It adds no match weight. */
export interface UnknownKind {
  readonly kind: string
  readonly records: number
  /** True when a newly trained model would compare this kind. A model compares a limited number of kinds. */
  readonly isLearnable: boolean
}

const Found = z.object({ kind: z.string(), records: z.int(), is_identifier: z.boolean() })

/**
 * Returns the kinds that the model does not compare, most records first. They were added after the training, or there
 * are more kinds than a model compares.
 */
export async function unknownKinds(
  db: DuckDBConnection,
  { attributes }: Pick<LinkModel, 'attributes'>,
): Promise<UnknownKind[]> {
  // Filter out the known kinds before counting: nearly all values are of known kinds.
  const isOther = attributes.map(({ kind }) => `not starts_with(value, ${quotedLiteral(`${kind}:`)})`)
  const columns = ['gender', 'employer'].filter((name) => !attributes.some(({ kind }) => kind === name))
  const found = await query(
    db,
    `with kinds as (
      select split_part(value, ':', 1) as kind, is_identifier
      from (
        select unnest(identifiers) as value, true as is_identifier from link.records where len(identifiers) > 0
        union all
        select unnest(traits), false from link.records where len(traits) > 0
      )
      where ${["position(':' in value) > 1", ...isOther].join(' and ')}
      ${columns.map((name) => `union all select '${name}', false from link.records where ${name} <> ''`).join(' ')}
    )
    -- A kind that is a trait in one record and an identifier in another counts as a trait.
    select kind, count(*)::integer as records, bool_and(is_identifier) as is_identifier
    from kinds group by kind order by records desc, kind`,
    Found,
  )
  const unknown = found.map(({ kind, is_identifier }) => ({ kind, isIdentifier: is_identifier }))
  const learnable = new Set(chooseAttributes([...attributes, ...unknown]).map(({ kind }) => kind))
  return found.map(({ kind, records }) => ({ kind, records, isLearnable: learnable.has(kind) }))
}
