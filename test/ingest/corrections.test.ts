import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Correction, correctionHead, readCorrectionHead } from '../../src/ingest/corrections.ts'
import { withFolder } from '../support/folder.ts'

test('the names in the first line of a correction have at most 4,096 characters', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'roll.correction')
    const read = async (fileName: number, member: number): Promise<Correction> => {
      const corrects = {
        file_name: 'f'.repeat(fileName),
        container_sha256: '0'.repeat(64),
        member: 'm'.repeat(member),
      }
      await writeFile(
        path,
        correctionHead({ source_id: 'us/fl/test', kind: 'roll', corrects, line_numbers: [2] }),
      )
      return readCorrectionHead(path, 'roll.correction')
    }
    expect((await read(4_096, 4_096)).line_numbers).toEqual([2])
    const refusal = /^roll\.correction: line 1 does not name the lines that the file corrects/
    await expect(read(4_097, 0)).rejects.toThrow(refusal)
    await expect(read(1, 4_097)).rejects.toThrow(refusal)
    await expect(read(0, 0)).rejects.toThrow(refusal)
  })
})
