/** A process of its own that enriches a list, noting after every chunk how far it is. Arguments: data folder, list, output. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { recogniseColumns } from '../../src/enrich/columns/recognise.ts'
import { DEFAULT_FIELDS } from '../../src/enrich/match/fields.ts'
import { openInput } from '../../src/enrich/read/read-input.ts'
import { runEnrichment } from '../../src/enrich/run/run.ts'
import { currentSnapshot } from '../../src/lookup/format/current.ts'
import { readManifest } from '../../src/lookup/format/manifest.ts'

const TODAY = '2026-06-01'
const [data = '', list = '', path = ''] = process.argv.slice(2)
const snapshot = await currentSnapshot(join(data, 'snapshots'))
if (snapshot === null) throw new Error(`no snapshot in ${data}`)
const input = await openInput(list)
await runEnrichment({
  input,
  mapping: recogniseColumns(input.header, input.sample, new Map(), TODAY).columns,
  counties: new Map(),
  match: {
    fields: DEFAULT_FIELDS,
    require: [],
    minScore: 50,
    top: 1,
    suppressions: null,
    reportsSuppressed: true,
    suppressesPeople: true,
    today: TODAY,
  },
  output: { path, kind: 'csv' },
  prefix: 'pb_',
  dedupe: true,
  limit: null,
  maxBillable: null,
  snapshot,
  snapshotFolder: async () => null,
  suppressions: [],
  personCount: readManifest(snapshot.folder).rows['people'] ?? 0,
  resume: (await stat(`${path}.partial.json`).catch(() => null)) !== null,
  threads: 0,
  checkpointEveryMs: 0,
  signal: new AbortController().signal,
})
