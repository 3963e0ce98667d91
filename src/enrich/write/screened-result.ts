import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { rowsOf } from './columnar-output.ts'
import { NO_SUCH_ID, NOBODY_FOUND } from '../match/match-row.ts'
import { COMMA } from '../read/records.ts'
import { RESULT_PREFIX, resultColumns, type ResultShape } from './result-formats.ts'
import { fieldText } from '../read/rows.ts'

export interface Screening {
  readonly mayBeSuppressed: (person_id: string) => boolean
  /** For an owner without id: returns whether the name may belong to a suppressed person. */
  readonly mayNameSuppressed: (name: string) => boolean
}

/**
 * Copies the CSV result at `path` to `to` without people who may have been suppressed since the result was made. Their
 * rows keep the input's own columns and get the answer that nobody was found. Suppressed owners lose name and id.
 */
export async function writeScreened(
  path: string,
  to: string,
  shape: ResultShape,
  { mayBeSuppressed, mayNameSuppressed }: Screening,
): Promise<void> {
  const added = resultColumns(shape)
  const at = (name: string): number => added.indexOf(RESULT_PREFIX + name)
  const [person, status, reason] = [at('person_id'), at('match_status'), at('reason')]
  const matchedBy = at('matched_by')
  const owners = added.flatMap((name, index) =>
    name.startsWith(`${RESULT_PREFIX}owner_`) && name.endsWith('_id') ? [index] : [],
  )
  const screened = (cells: string[]): string[] => {
    const own = cells.slice(0, cells.length - added.length)
    const answer = cells.slice(own.length)
    if (answer[person] !== '' && mayBeSuppressed(answer[person]!)) {
      const why = answer[matchedBy] === 'id' ? NO_SUCH_ID : NOBODY_FOUND
      answer.fill('')
      answer[status] = 'no_match'
      answer[reason] = why
    }
    for (const owner of owners) {
      const [name, id] = [answer[owner - 1]!, answer[owner]!]
      if (id === '' ? mayNameSuppressed(name) : mayBeSuppressed(id)) answer.fill('', owner - 1, owner + 1)
    }
    return [...own, ...answer]
  }
  async function* lines(): AsyncGenerator<string> {
    let isHeader = true
    for await (const rows of rowsOf(path, true)) {
      let text = ''
      for (const row of rows) {
        const cells = isHeader ? row : screened(row)
        isHeader = false
        text += `${cells.map((cell) => fieldText(cell, COMMA)).join(',')}\n`
      }
      yield text
    }
  }
  await pipeline(lines, createWriteStream(to))
}
