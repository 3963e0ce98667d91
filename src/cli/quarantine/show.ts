import { AppError } from '../../errors.ts'
import { landedContent, readRecords } from '../../ingest/landed-records.ts'
import type { QuarantinedLine } from '../../ingest/quarantine.ts'
import { decode } from '../../ingest/encoding.ts'
import { faultyColumn, hintOf } from '../../ingest/refusal-hints.ts'
import { printable } from '../../printable.ts'
import { type Defined, definitions, type QuarantineRequest, selectedLines, withScratch } from './request.ts'

/** How many neighbouring lines are shown before and after a refused line, and how many characters of each line. */
const NEIGHBOURS = 2
const SHOWN_CHARACTERS = 400

interface Shown {
  readonly line: number
  readonly text: string
}

/** Prints refused lines with their neighbouring lines, the faulty column and a hint. Returns exit code 1 when no line matches. */
export async function showLines(request: QuarantineRequest, limit: number): Promise<number> {
  const { io, isJson } = request
  const files = await selectedLines(request, ['waiting', 'failed'], limit)
  if (files.length === 0) return 1
  const defined = await definitions(request.sourceFolders)
  for (const lines of files) {
    const found = await contextOf(request, lines, defined)
    for (const line of lines) {
      const column = line.column ?? found.columns.get(line.line_number) ?? null
      const around = found.around(line.line_number)
      const raw = around.length > 0 ? around : [{ line: line.line_number, text: cut(line.raw_text ?? '') }]
      if (isJson) {
        const { source_id, kind, file_name, line_number, reason, state } = line
        io.out(JSON.stringify({ source_id, kind, file_name, line_number, reason, column, hint: hintOf(reason), state, lines: raw })) // prettier-ignore
        continue
      }
      io.out(`${line.source_id}  ${line.file_name}, line ${line.line_number}: ${line.reason}`)
      if (column !== null) io.out(`  column  ${printable(column)}`)
      io.out(`  hint    ${hintOf(line.reason)}`)
      if (found.problem !== null) io.out(`  note    no neighbouring lines: ${found.problem}`)
      for (const each of raw) {
        const mark = each.line === line.line_number ? '>' : ' '
        io.out(`${mark} ${String(each.line).padStart(8)} | ${printable(each.text)}`)
      }
      io.out('')
    }
  }
  return 0
}

interface Context {
  readonly columns: ReadonlyMap<number, string | null>
  around(line: number): Shown[]
  readonly problem: string | null
}

/** Reads the lines around refused lines from the landed file. If the file is missing, changed or binary, returns the reason instead. */
async function contextOf(
  { io }: QuarantineRequest,
  lines: readonly QuarantinedLine[],
  defined: (source: string, kind: string) => Defined,
): Promise<Context> {
  const first = lines[0]!
  const columns = new Map<number, string | null>()
  const texts = new Map<number, string>()
  const none = (problem: string): Context => ({ columns, around: () => [], problem })
  try {
    const { kind } = defined(first.source_id, first.kind)
    const { format } = kind
    if (format.type === 'parquet') return none('the file is Parquet')
    const encoding = format.type === 'jsonl' ? 'utf-8' : format.encoding
    const refused = new Map(lines.map((line) => [line.line_number, line]))
    const near = new Set([...refused.keys()].flatMap(neighbours))
    const content = await landedContent(io.config.paths.landing, first)
    const { sha256 } = await withScratch((scratch) =>
      readRecords(content, kind, scratch, near, ({ line, bytes, columns: names }) => {
        texts.set(line, cut(decode(bytes.subarray(0, SHOWN_CHARACTERS * 4 + 4), encoding), bytes.length))
        const own = refused.get(line)
        if (own !== undefined) columns.set(line, faultyColumn(own.reason, bytes, kind, names))
      }),
    )
    const isSame = content.file.correction !== null || first.sha256 === null || sha256 === first.sha256
    if (!isSame) return none('the file in landing has changed')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return none(error.message)
  }
  return {
    columns,
    around: (line) =>
      neighbours(line).flatMap((each) => {
        const text = texts.get(each)
        return text === undefined ? [] : [{ line: each, text }]
      }),
    problem: null,
  }
}

function neighbours(line: number): number[] {
  return Array.from({ length: 2 * NEIGHBOURS + 1 }, (_, index) => line - NEIGHBOURS + index)
}

function cut(text: string, bytes = Buffer.byteLength(text)): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}… (${bytes} bytes)`
}
