import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { run } from '../../src/cli/commands/enrich.ts'
import { loadConfig } from '../../src/config.ts'
import { withFolder } from '../support/folder.ts'
import { inventedData } from '../support/invented-snapshot.ts'
import { PUBLISHED_ON } from '../support/published.ts'

export interface Desk {
  readonly folder: string
  /** Writes a file into the folder and gives its path. */
  readonly put: (name: string, content: string | Buffer) => Promise<string>
  readonly path: (name: string) => string
  /** Runs `platbook enrich` on the invented world in this thread. */
  readonly enrich: (
    argv: string[],
    options?: { signal?: AbortSignal; onErr?: (line: string) => void },
  ) => Promise<Told>
  /** The rows of a CSV file, by column. */
  readonly rows: (name: string, delimiter?: string) => Promise<Record<string, string>[]>
}

export interface Told {
  readonly code: number
  readonly out: string[]
  readonly err: string[]
}

/** Four leads who are one person each of the invented world, one who may be two, one who is nobody, and one that says nothing. */
export const LEADS = `id,Full Name,Street,City,State,Zip,Phone,Email,DOB,note
1,Jane Smith,123 N Main St Apt 4,Austin,TX,78701,512-555-0101,,,all right
2,"Smyth, Jonathan",125 N. Main Street,Austin,TX,78701,,,1990-01-31,"sounds, alike"
3,Cathrine OBrien,301 Oak Ave,Austin,TX,78704,,,,"a
note of two lines"
4,John Smith,,,,,,,,two of them
5,Nobody Whatsoever,1 Nowhere Rd,Austin,TX,78701,206-555-0142,,,
6,,,,,,,,,nothing
7,,,,,,,jane.smith@example.com,,
`

/** An empty folder, and the command at hand on the invented world (or on `data`). */
export async function withDesk<T>(body: (desk: Desk) => Promise<T>, data?: string): Promise<T> {
  return withFolder(async (folder) => {
    const root = data ?? (await inventedData())
    const path = (name: string): string => join(folder, name)
    return body({
      folder,
      path,
      async put(name, content) {
        await writeFile(path(name), content)
        return path(name)
      },
      async enrich(argv, { signal = new AbortController().signal, onErr } = {}) {
        const [out, err]: [string[], string[]] = [[], []]
        const code = await run([...argv, '--threads', '0'], {
          config: loadConfig({}, { data: root }),
          out: (line) => void out.push(line),
          err(line) {
            err.push(line)
            onErr?.(line)
          },
          isTerminal: false,
          now: () => new Date(`${PUBLISHED_ON}T12:00:00Z`),
          signal,
        })
        return { code, out, err }
      },
      async rows(name, delimiter = ',') {
        return parse(await readFile(path(name)), { columns: true, bom: true, delimiter })
      },
    })
  })
}
