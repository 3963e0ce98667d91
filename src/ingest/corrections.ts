import { createReadStream } from 'node:fs'
import { z } from 'zod'
import { AppError } from '../errors.ts'

/** The end of the names of correction files in landing. The patterns of definitions are not applied to such files. */
export const CORRECTION_SUFFIX = '.correction'

/** Highest number of lines that one correction file may replace. */
export const MAX_CORRECTED_LINES = 100_000

/** The first line of a correction file is at most this long: about ten bytes for each line number, and the names. */
const MAX_HEAD_BYTES = 2 << 20

/** Identifies a file in landing by its bytes. `member` is null for a file that is not an archive. */
const FileKey = z.strictObject({
  file_name: z.string().min(1).max(4_096),
  container_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  member: z.string().max(4_096).nullable(),
})

/** The first line of a correction file: the quarantined lines that it replaces, and their file. */
export const Correction = z.strictObject({
  source_id: z.string().min(1).max(200),
  kind: z.string().min(1).max(200),
  corrects: FileKey,
  line_numbers: z.array(z.int().min(1)).min(1).max(MAX_CORRECTED_LINES),
})
export type Correction = z.output<typeof Correction>

/**
 * Returns the first line of a correction file. After it follow the corrected records, with a header when the format
 * has one.
 */
export function correctionHead(correction: Correction): Buffer {
  return Buffer.from(`${JSON.stringify(correction)}\n`)
}

/** Reads the first line of a correction file. @throws `source_unreadable` when the line has another form */
export async function readCorrectionHead(path: string, name: string): Promise<Correction> {
  const blocks: Buffer[] = []
  for await (const block of createReadStream(path, { end: MAX_HEAD_BYTES }) as AsyncIterable<Buffer>) {
    blocks.push(block)
    if (block.includes(0x0a)) break
  }
  const bytes = Buffer.concat(blocks)
  try {
    return Correction.parse(JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(0x0a))))
  } catch (cause) {
    throw new AppError(
      'source_unreadable',
      `${name}: line 1 does not name the lines that the file corrects; create the file again with \`platbook quarantine replay\``,
      { cause },
    )
  }
}

/**
 * Returns the blocks of a correction file with an empty first line, so that line numbers count from the start of
 * the file.
 */
export async function* withoutHead(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isHead = true
  for await (const block of blocks) {
    const end = isHead ? block.indexOf(0x0a) : 0
    if (end < 0) continue
    isHead = false
    yield block.subarray(end)
  }
}
