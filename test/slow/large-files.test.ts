import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rollSource } from '../ingest/night.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { silentLog } from '../../src/log.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { withFolder } from '../support/folder.ts'
import { rowsOf } from '../support/warehouse.ts'

// In a file, and so in a process, of its own: the peak is that of the load.
test('two gigabytes are loaded and staged in six', async () => {
  await withFolder(async (folder) => {
    const landing = join(folder, 'landing')
    await mkdir(landing)
    const rowCount = await writeRoll(join(landing, 'roll_20250701.csv'), 1_000_000_000, 'ANN')
    await writeRoll(join(landing, 'roll_20250702.csv'), 1_000_000_000, 'BEA')
    const warehouse = await openWarehouse(join(folder, 'w.duckdb'), { memoryLimit: '4GB', threads: 2 })
    let peak = 0
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 200)
    try {
      const report = await ingest({
        db: warehouse.db,
        sources: [rollSource()],
        landing,
        now: () => new Date('2025-07-03'),
        log: silentLog,
        signal: new AbortController().signal,
      })
      expect(report.exitCode).toBe(0)
      expect(await rowsOf(warehouse.db, 'select count(*)::integer as n from staging.parcels')).toEqual([
        { n: rowCount },
      ])
      expect(peak / 2 ** 30).toBeLessThan(6)
    } finally {
      clearInterval(watch)
      await warehouse.close()
    }
  })
}, 3_600_000)

async function writeRoll(path: string, bytes: number, name: string): Promise<number> {
  const file = createWriteStream(path)
  file.write('CO,PARCEL,OWNER,VALUE\n')
  let row = 0
  while (file.bytesWritten < bytes) {
    let text = ''
    for (let index = 0; index < 20_000; index++, row++) {
      text += `${16 + (row % 60)},${row},"OWNER ${(row * 7919) % 1_000_003}, ${name} OF A LONG ENOUGH NAME",${row % 1_000_000}.00\n`
    }
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
  return row
}
