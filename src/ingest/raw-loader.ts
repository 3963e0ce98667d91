import { isAscii, isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { execute, jsonRows, query, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { rawColumns, rawTable, type Refusal, refusals } from './canonical-rows.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import { fromWindows1252, isUtf8Text, utf8Note } from './encoding.ts'
import { RAW_BYTES_KEPT, type RecordSink } from './framing.ts'
import { expectedColumns, type Layout } from './header.ts'
import { jsonSink } from './json-lines.ts'
import type { LoadContext } from './loading.ts'
import { Spool, type SpoolChunk } from './spool.ts'

const FIELD_SEPARATOR = '\u001f'

/** Returns the columns of each raw table of a source. All are text, except file id and line number. */
export function rawTables(source: SourceDefinition): Record<string, Record<string, string>> {
  return Object.fromEntries(
    source.files.map((kind) => [
      rawTable(source.id, kind.kind).replaceAll('"', ''),
      {
        file_id: 'integer',
        line_number: 'integer',
        ...Object.fromEntries(rawColumns(kind).map((column) => [column, 'varchar'])),
      },
    ]),
  )
}

/** A file whose records are written to a raw table. */
export interface FileInLoad {
  readonly fileId: number
  readonly shownName: string
}

/** The lines of one file that correction files replace. */
export interface CorrectedLines {
  readonly file_id: number
  readonly line_numbers: readonly number[]
}

export interface RawCounts {
  readonly loaded: number
  readonly refused: number
}

type RawLoadContext = Pick<LoadContext, 'db' | 'source' | 'scratch' | 'at'>

/**
 * Fills the raw table of one kind of files. A sink takes the records of one file and writes them, with file id and
 * line number, to a temporary file (spool), which DuckDB loads. A second spool takes refused records to
 * `ledger.quarantine`.
 */
export class RawLoader {
  private readonly context: RawLoadContext
  private readonly kind: FileKind
  private readonly quarantine: Spool
  private readonly refusedWhileReading = new Map<number, number>()
  private readonly discarded: number[] = []
  private spool: { columns: string; spool: Spool } | null = null

  constructor(context: RawLoadContext, kind: FileKind) {
    this.context = context
    this.kind = kind
    this.quarantine = new Spool({
      folder: context.scratch,
      name: 'quarantine',
      delimiter: ',',
      load: (chunk) => this.loadRefused(chunk),
    })
  }

  /** The delimiter of the spool. A delimited file keeps its own, so that its records are copied unchanged. */
  private get delimiter(): string {
    const { format } = this.kind
    return format.type === 'delimited' ? format.delimiter : FIELD_SEPARATOR
  }

  get table(): string {
    return rawTable(this.context.source.id, this.kind.kind)
  }

  /** Returns the sink for the records of a file with these columns. */
  async sink(file: FileInLoad, { columns }: Layout): Promise<RecordSink> {
    const { format } = this.kind
    const spool = await this.spoolFor(columns)
    const refuse = (line: number, raw: Buffer, reason: string): void => this.refuse(file, line, raw, reason)
    if (format.type === 'jsonl') return jsonSink(spool, file, expectedColumns(this.kind), refuse)
    if (format.type === 'fixed') return fixedSink(spool, file.fileId, format, refuse)
    if (format.type === 'delimited') return delimitedSink(spool, file.fileId, format, refuse)
    throw new Error(`${format.type} has no records of lines`)
  }

  /** Lets DuckDB load the spools that have reached their size. */
  async loadFullChunks(): Promise<void> {
    if (this.spool?.spool.isFull === true) await this.spool.spool.hand()
    // Both spools load through one connection, which cannot run two statements at the same time.
    if (this.quarantine.isFull) {
      await this.spool?.spool.settle()
      await this.quarantine.settle()
    }
  }

  refuse(file: FileInLoad, line: number, raw: Buffer, reason: string): void {
    const { fileId } = file
    this.refusedWhileReading.set(fileId, (this.refusedWhileReading.get(fileId) ?? 0) + 1)
    const fields = [file.shownName, reason].map((text) => Buffer.from(text))
    this.quarantine.writeFields(fileId, line, [...fields, shownText(raw.subarray(0, RAW_BYTES_KEPT))])
  }

  /** Makes `finish` delete the rows of a file. */
  discard(fileId: number): void {
    this.discarded.push(fileId)
  }

  /**
   * Loads the remaining records, moves rows that the definition refuses to the quarantine, and counts the rows of
   * each file. Also refuses the lines in `corrected`, because their correction is a file of its own.
   */
  async finish(fileIds: number[], corrected: readonly CorrectedLines[]): Promise<Map<number, RawCounts>> {
    await this.spool?.spool.settle()
    await this.quarantine.settle()
    for (const fileId of this.discarded) {
      await execute(this.context.db, `delete from ${this.table} where file_id = ${fileId}`)
      await execute(this.context.db, `delete from ledger.quarantine where file_id = ${fileId}`)
    }
    if (fileIds.length === 0) return new Map()
    const rules = [...refusals(this.context.source, this.kind), ...(await this.correctedRule(corrected))]
    const isRefused = rules.map(({ sql }) => `(${sql})`).join(' or ')
    const rows = await query(
      this.context.db,
      `select r.file_id, count(*)::integer as row_count, count(*) filter (${isRefused})::integer as refused_count
       from ${this.table} as r join temp.loading as f on f.file_id = r.file_id
       where r.file_id in (${fileIds.join(', ')}) group by r.file_id`,
      z.object({ file_id: z.number(), row_count: z.number(), refused_count: z.number() }),
    )
    if (rows.some((row) => row.refused_count > 0)) await this.refuseByRule(fileIds, rules)
    const counts = new Map(rows.map((row) => [row.file_id, row]))
    return new Map(
      fileIds.map((id) => {
        const { row_count = 0, refused_count = 0 } = counts.get(id) ?? {}
        const refused = refused_count + (this.refusedWhileReading.get(id) ?? 0)
        return [id, { loaded: row_count - refused_count, refused }]
      }),
    )
  }

  private async correctedRule(corrected: readonly CorrectedLines[]): Promise<Refusal[]> {
    if (corrected.length === 0) return []
    await execute(
      this.context.db,
      `create or replace temp table corrected as
       select file_id, unnest(line_numbers) as line_number
       from ${jsonRows('corrected', { file_id: 'integer', line_numbers: 'integer[]' })}`,
      { corrected: JSON.stringify(corrected) },
    )
    const sql = '(r.file_id, r.line_number) in (select (file_id, line_number) from temp.corrected)'
    return [{ sql, reason: 'replaced by a correction', field: null }]
  }

  /** Stops without loading the rest. */
  async abandon(): Promise<void> {
    await this.spool?.spool.abandon()
    await this.quarantine.abandon()
  }

  private async spoolFor(columns: readonly (string | null)[]): Promise<Spool> {
    const key = JSON.stringify(columns)
    if (this.spool?.columns === key) return this.spool.spool
    await this.spool?.spool.settle()
    const spool = new Spool({
      folder: this.context.scratch,
      name: 'records',
      delimiter: this.delimiter,
      load: (chunk) => this.loadRecords(chunk, columns),
    })
    this.spool = { columns: key, spool }
    return spool
  }

  private async loadRecords(chunk: SpoolChunk, columns: readonly (string | null)[]): Promise<void> {
    // Uses `c0`, `c1`… as column names, because `read_csv` could take a column's own name for an option.
    const names = columns.map((_, index) => `c${index}`)
    const read = columns.flatMap((column, index) =>
      column === null ? [] : [{ from: `c${index}`, to: quotedIdentifier(column) }],
    )
    await execute(
      this.context.db,
      `insert into ${this.table} (file_id, line_number, ${read.map(({ to }) => to).join(', ')})
       select file_id, line_number, ${read.map(({ from }) => from).join(', ')}
       from ${spoolReader(chunk, names, this.delimiter)}`,
    )
  }

  private async loadRefused(chunk: SpoolChunk): Promise<void> {
    const names = ['file_name', 'reason', 'raw_text']
    await execute(
      this.context.db,
      `insert into ledger.quarantine by name
       select file_id, ${quotedLiteral(this.context.source.id)} as source_id, file_name, line_number, raw_text, reason,
         null as field, $at::timestamp as quarantined_at
       from ${spoolReader(chunk, names, ',')}`,
      { at: this.context.at },
    )
  }

  private async refuseByRule(fileIds: number[], rules: readonly Refusal[]): Promise<void> {
    const isRefused = rules.map(({ sql }) => `(${sql})`).join(' or ')
    await execute(
      this.context.db,
      `create or replace temp table refused as
       select r.file_id, r.line_number,
         case ${rules.map(({ sql }, index) => `when ${sql} then ${index}`).join(' ')} end as rule
       from ${this.table} as r join temp.loading as f on f.file_id = r.file_id
       where r.file_id in (${fileIds.join(', ')}) and (${isRefused})`,
    )
    const { format } = this.kind
    const delimiter = format.type === 'delimited' ? format.delimiter : '|'
    const reasons = rules.map(({ reason }) => quotedLiteral(reason))
    const fields = rules.map(({ field }) => (field === null ? 'null' : quotedLiteral(field)))
    const cells = rawColumns(this.kind).map((name) => `coalesce(r.${quotedIdentifier(name)}, '')`)
    await execute(
      this.context.db,
      `insert into ledger.quarantine by name
       select r.file_id, ${quotedLiteral(this.context.source.id)} as source_id,
         f.file_name || coalesce('!' || f.member, '') as file_name, r.line_number,
         concat_ws(${quotedLiteral(delimiter)}, ${cells.join(', ')}) as raw_text,
         ([${reasons.join(', ')}])[refused.rule + 1] as reason, ([${fields.join(', ')}])[refused.rule + 1] as field,
         $at::timestamp as quarantined_at
       from ${this.table} as r join refused using (file_id, line_number) join temp.loading as f using (file_id)`,
      { at: this.context.at },
    )
    await execute(
      this.context.db,
      `delete from ${this.table} as r using refused
       where r.file_id = refused.file_id and r.line_number = refused.line_number`,
    )
  }
}

/** Returns SQL that reads a spool chunk as a table of `file_id`, `line_number` and text columns. */
function spoolReader(chunk: SpoolChunk, names: string[], delimiter: string): string {
  const columns = [
    `'file_id': 'integer'`,
    `'line_number': 'integer'`,
    ...names.map((name) => `${quotedLiteral(name)}: 'varchar'`),
  ]
  // Quoting and decoding can make a record of 1 MB six times as long. `buffer_size` is given because DuckDB's
  // default for such lines is larger and slower.
  return `read_csv(${quotedLiteral(chunk.path)}, auto_detect = false, header = false,
    delim = ${quotedLiteral(delimiter)}, quote = '"', escape = '"', new_line = '\\n',
    max_line_size = 8000000, buffer_size = 16000000, parallel = ${!chunk.hasLineEndInField},
    columns = {${columns.join(', ')}})`
}

type Refuse = RecordSink['refuse']

function delimitedSink(
  spool: Spool,
  fileId: number,
  format: Extract<FileKind['format'], { type: 'delimited' }>,
  refuse: Refuse,
): RecordSink {
  const delimiter = format.delimiter.charCodeAt(0)
  const isLatin1 = format.encoding === 'latin-1'
  const trailing = format.trailingDelimiter ? 1 : 0
  let utf8Records = 0
  return {
    refuse,
    end: () => utf8Note(utf8Records),
    record(line, bytes, start, end, traits) {
      let source = bytes
      let from = start
      let to = end - trailing
      if (isLatin1 && !traits.isAscii && !isAscii(bytes.subarray(from, to))) {
        if (isUtf8Text(bytes.subarray(from, to))) utf8Records++
        else {
          source = Buffer.from(fromWindows1252(bytes.subarray(from, to)))
          from = 0
          to = source.length
        }
      }
      if (traits.hasLooseBytes) {
        const record = source.subarray(from, to)
        spool.writeFields(fileId, line, fieldsOf(record, delimiter, format.quote !== null))
      } else {
        spool.write(fileId, line, source, from, to, traits.spansLines)
      }
    },
  }
}

/** Splits a well-formed record into its fields, without their quotes. */
function fieldsOf(record: Buffer, delimiter: number, hasQuotes: boolean): Buffer[] {
  const fields: Buffer[] = []
  let at = 0
  for (;;) {
    if (hasQuotes && record[at] === 0x22) {
      let end = at + 1
      while (record[end] !== 0x22 || record[end + 1] === 0x22) end += record[end] === 0x22 ? 2 : 1
      fields.push(Buffer.from(record.toString('latin1', at + 1, end).replaceAll('""', '"'), 'latin1'))
      at = end + 1
    } else {
      const found = record.indexOf(delimiter, at)
      const end = found < 0 ? record.length : found
      fields.push(record.subarray(at, end))
      at = end
    }
    if (at >= record.length) return fields
    at++
  }
}

function fixedSink(
  spool: Spool,
  fileId: number,
  format: Extract<FileKind['format'], { type: 'fixed' }>,
  refuse: Refuse,
): RecordSink {
  const slices = format.columns.map(({ start, end }) => ({ from: start - 1, to: end }))
  const delimiter = FIELD_SEPARATOR.charCodeAt(0)
  const isLatin1 = format.encoding === 'latin-1'
  // The length of the last record that has one byte per character. It may be longer than in the definition, when the
  // file has a later layout.
  let width = format.recordLength
  let utf8Records = 0

  /**
   * Writes a UTF-8 record of a Latin-1 file. Its column positions count bytes when the record has `width` bytes, and
   * characters when it has `width` characters. Refuses any other record.
   */
  const writeUtf8 = (line: number, record: Buffer): void => {
    const text = record.toString('utf8')
    const isByBytes = record.length === width
    if (!isByBytes && text.length !== width) {
      const found = `${record.length} bytes and ${text.length} characters instead of ${width}`
      refuse(
        line,
        record,
        `the record is in UTF-8, so the places of its columns are unknown: it has ${found}`,
      )
      return
    }
    utf8Records++
    const fields = slices.map(({ from, to }) =>
      isByBytes ? record.toString('utf8', from, to) : text.slice(from, to),
    )
    spool.writeFields(
      fileId,
      line,
      fields.map((field) => Buffer.from(field.replace(/^ +| +$/g, ''))),
    )
  }

  return {
    refuse,
    end: () => utf8Note(utf8Records),
    record(line, bytes, start, end, traits) {
      const record = bytes.subarray(start, end)
      const isAsciiRecord = traits.isAscii || isAscii(record)
      if (isLatin1 && !isAsciiRecord && isUtf8Text(record)) {
        writeUtf8(line, record)
        return
      }
      width = end - start
      const isPlain =
        isAsciiRecord && !record.includes(0x22) && !record.includes(0x0d) && !record.includes(delimiter)
      spool.begin(fileId, line, isPlain ? end - start + slices.length : (end - start) * 6 + slices.length * 3)
      for (const slice of slices) {
        let from = start + slice.from
        let to = Math.min(start + slice.to, end)
        while (to > from && bytes[to - 1] === 0x20) to--
        while (from < to && bytes[from] === 0x20) from++
        if (isPlain) spool.plainField(bytes, from, to)
        else {
          const field = bytes.subarray(from, to)
          spool.field(isLatin1 ? Buffer.from(fromWindows1252(field)) : field)
        }
      }
      spool.end()
    },
  }
}

/** Returns refused bytes as UTF-8 text. Reads bytes that are not UTF-8 as Latin-1, and shows NUL as `␀`. */
function shownText(raw: Buffer): Buffer {
  const text = isUtf8(raw) ? raw.toString('utf8') : raw.toString('latin1')
  return Buffer.from(text.replaceAll('\0', '\u2400'))
}

/** @throws `source_unreadable` when a file's records are not exactly those that were loaded or refused */
export function checkAccount(file: string, physical: number, counts: RawCounts): void {
  if (physical === counts.loaded + counts.refused) return
  throw new AppError(
    'source_unreadable',
    `${file}: ${physical} records were read, but ${counts.loaded} were loaded and ${counts.refused} refused; this is a fault of Platbook: report it`,
  )
}
