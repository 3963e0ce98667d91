import { COMMA, RecordSplitter, recordsOf } from '../read/records.ts'
import { fieldText } from '../read/rows.ts'
import { isFormula, safeCell } from '../read/safe-cells.ts'

/** Yields CSV with `safeCell` applied to every cell. Records without a possible formula keep their text. */
export async function* safeCsv(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const splitter = new RecordSplitter(COMMA)
  for await (const bytes of source) for (const chunk of splitter.push(bytes)) yield safeText(chunk.bytes)
  for (const chunk of splitter.end()) yield safeText(chunk.bytes)
}

function safeText(bytes: Uint8Array): Buffer {
  let text = ''
  for (const { cells, raw } of recordsOf(Buffer.from(bytes).toString('utf8'), COMMA, 1)) {
    const isSafe = cells === null || !(cells.some(isFormula) || raw.includes('\r'))
    text += `${isSafe ? raw : cells.map((cell) => fieldText(safeCell(cell), COMMA)).join(',')}\n`
  }
  return Buffer.from(text)
}
