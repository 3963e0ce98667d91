import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { explainBestPair, type PairExplanation, pathBetween, type PathStep } from './explain.ts'
import { LINKAGE_VERSION, storedLinkage } from '../model/stored-linkage.ts'
import { query, quotedLiteral } from '../../warehouse/query.ts'
import { EVENT_TEXT } from '../ids/identities.ts'

const PERSON_ID = /^P[0-9A-Za-z]{10}$/

const Mention = z.object({
  mention_key: z.string(),
  display_name: z.string().nullable(),
  person_id: z.string(),
})
type Mention = z.output<typeof Mention>

const Event = z.object({
  happened_on: z.string(),
  person_id: z.string(),
  event: z.string(),
  /** For the event `allocated`: the first record of the id. */
  mention_key: z.string().nullable(),
})

/** Explains why two people, or two source records, are or are not one person. */
export interface PairReport {
  /** The pair with the highest match weight among all pairs of a left and a right record. */
  readonly left: Mention
  readonly right: Mention
  readonly pair: PairExplanation
  /** The strongest path of edges from the left to the right record; empty when no edges connect them. */
  readonly path: readonly PathStep[]
  /** Events of the person ids, oldest first. */
  readonly history: readonly z.output<typeof Event>[]
}

/**
 * Explains the pair of two people or source records. Each item of `asked` is a person id (also one that was merged),
 * a record key, or a mention key.
 * @throws `unknown_id`; `bad_usage` when both name one record; `input_changed` when the warehouse must be linked
 * again first.
 */
export async function explainTwo(
  db: DuckDBConnection,
  asked: readonly [string, string],
): Promise<PairReport> {
  const linkage = await storedLinkage(db)
  if (linkage === undefined) throw new AppError('unknown_id', 'nothing is linked yet: run `platbook link`')
  if (linkage.version !== LINKAGE_VERSION)
    throw new AppError(
      'input_changed',
      'another version of Platbook linked this warehouse: run `platbook link`',
    )
  let [lefts, rights] = [await mentionsOf(db, asked[0]), await mentionsOf(db, asked[1])]
  if (asked.every((id) => PERSON_ID.test(id)) && lefts[0]!.person_id === rights[0]!.person_id) {
    // Both ids now name one person. Compare the records that the ids began with, because they show why the ids were
    // merged.
    lefts = await firstMention(db, asked[0], lefts)
    rights = await firstMention(db, asked[1], rights)
  }
  if (new Set([...keysOf(lefts), ...keysOf(rights)]).size < 2) {
    throw new AppError(
      'bad_usage',
      asked[0] === asked[1] && PERSON_ID.test(asked[0])
        ? `both ids are ${asked[0]}: \`platbook explain ${asked[0]}\` shows what joins its records`
        : `${asked.join(' and ')} name the same record: give two different records`,
    )
  }
  ;[lefts, rights] = apart(lefts, rights)
  const pair = await explainBestPair(db, linkage.model, keysOf(lefts), keysOf(rights))
  const left = lefts.find(({ mention_key }) => mention_key === pair.left_id)!
  const right = rights.find(({ mention_key }) => mention_key === pair.right_id)!
  return {
    left,
    right,
    pair,
    path: await pathBetween(db, pair.left_id, pair.right_id),
    history: await historyOf(db, [
      ...asked.filter((id) => PERSON_ID.test(id)),
      left.person_id,
      right.person_id,
    ]),
  }
}

async function mentionsOf(db: DuckDBConnection, asked: string): Promise<Mention[]> {
  const found = await query(
    db,
    `select mention_key, mentions.display_name, assigned.person_id
     from link.person_mentions as assigned
     inner join normal.person_mentions as mentions using (mention_key)
     where ${
       PERSON_ID.test(asked)
         ? `assigned.person_id = coalesce((select person_id from link.person_redirects where old_person_id = $asked), $asked)`
         : 'mention_key = $asked or mentions.record_key = $asked'
     }
     order by mention_key`,
    Mention,
    { asked },
  )
  if (found.length === 0) {
    throw new AppError(
      'unknown_id',
      `${asked} is neither a person id nor the key of a source record: \`platbook explain P…\` lists record keys`,
    )
  }
  return found
}

async function firstMention(db: DuckDBConnection, id: string, all: Mention[]): Promise<Mention[]> {
  const rows = await query(
    db,
    'select first_mention_key from link.people where person_id = $id',
    z.object({ first_mention_key: z.string() }),
    { id },
  )
  const first = all.filter(({ mention_key }) => mention_key === rows[0]?.first_mention_key)
  return first.length > 0 ? first : all
}

// Makes the two sides disjoint. Common records stay on the smaller side. If both sides have the same records, the
// first record is compared with the rest.
function apart(lefts: Mention[], rights: Mention[]): [Mention[], Mention[]] {
  const without = (all: Mention[], taken: Mention[]): Mention[] => {
    const keys = new Set(keysOf(taken))
    return all.filter(({ mention_key }) => !keys.has(mention_key))
  }
  const isLeftMore = lefts.length > rights.length
  const rest = isLeftMore ? without(lefts, rights) : without(rights, lefts)
  if (rest.length === 0) return [lefts.slice(0, 1), lefts.slice(1)]
  return isLeftMore ? [rest, rights] : [lefts, rest]
}

async function historyOf(db: DuckDBConnection, ids: readonly string[]): Promise<z.output<typeof Event>[]> {
  const list = [...new Set(ids)].map(quotedLiteral).join(', ')
  return query(
    db,
    `select allocated_on as happened_on, person_id, 'allocated' as event, first_mention_key as mention_key
     from link.people where person_id in (${list})
     union all
     select happened_on, person_id, ${EVENT_TEXT}, null
     from link.person_history
     -- Mergers are read from person_redirects, which also has the reason.
     where event <> 'merged' and (person_id in (${list}) or other_person_id in (${list}))
     union all
     select merged_on, old_person_id, 'became ' || person_id || ': ' || reason, null
     from link.person_redirects where old_person_id in (${list}) or person_id in (${list})
     order by happened_on, person_id, event`,
    Event,
  )
}

function keysOf(mentions: readonly Mention[]): string[] {
  return mentions.map(({ mention_key }) => mention_key)
}
