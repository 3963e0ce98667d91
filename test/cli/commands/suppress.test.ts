import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as enrich from '../../../src/cli/commands/enrich.ts'
import type { CommandIo } from '../../../src/cli/io.ts'
import * as keys from '../../../src/cli/commands/keys.ts'
import * as serve from '../../../src/cli/commands/serve.ts'
import * as suppress from '../../../src/cli/commands/suppress.ts'
import { systemClock } from '../../../src/clock.ts'
import { loadConfig } from '../../../src/config.ts'
import { loadLookup } from '../../../src/lookup/index.ts'
import { emailHash, NamedBirthHashes, phoneHash } from '../../../src/normalize/drop-hash.ts'
import { withFolder } from '../../support/folder.ts'
import { inventedSnapshot } from '../../support/invented-snapshot.ts'
import { INVENTED } from '../../support/published.ts'

interface Desk {
  readonly io: CommandIo
  readonly folder: string
  /** Runs `platbook suppress …` and gives what it said. */
  readonly suppress: (...argv: string[]) => Promise<string>
  readonly listed: () => Promise<{ suppression_id: string; kind: string; value: string }[]>
  readonly out: string[]
  readonly stop: () => void
}

async function withDesk(body: (desk: Desk) => Promise<void>, { isPublished = true } = {}): Promise<void> {
  await withFolder(async (folder) => {
    if (isPublished) await inventedSnapshot(join(folder, 'snapshots'))
    const out: string[] = []
    const stop = new AbortController()
    const io: CommandIo = {
      config: loadConfig({ PLATBOOK_DATA: folder, LOG_LEVEL: 'silent' }),
      out: (line) => void out.push(line),
      err: () => {},
      isTerminal: false,
      now: systemClock,
      signal: stop.signal,
    }
    const run = async (...argv: string[]): Promise<string> => {
      const from = out.length
      expect(await suppress.run(argv, io)).toBe(0)
      return out.slice(from).join('\n')
    }
    const listed = async (): Promise<never> => JSON.parse(await run('list', '--json')) as never
    await body({ io, folder, out, stop: () => stop.abort(), suppress: run, listed })
  })
}

describe('platbook suppress', () => {
  test('takes somebody out of a running service within seconds, and lets them back in', async () => {
    await withDesk(async ({ io, out, stop, suppress: run }) => {
      await keys.run(['create', '--name', 'desk'], io)
      const key = out.at(-1)!
      const ended = serve.run(['--port', '0'], io)
      await expect.poll(() => out.at(-1), { timeout: 20_000 }).toMatch(/^listening on /)
      const address = out.at(-1)!.replace('listening on ', '')
      const status = async (): Promise<number> =>
        (await fetch(`${address}/v2/person/${INVENTED.jane}`, { headers: { 'x-api-key': key } })).status
      expect(await status()).toBe(200)
      const said = await run('add', '--person', INVENTED.jane)
      expect(said).toMatch(
        /^sup_\w{22} matches 1 person in the current snapshot; running servers apply it within 2 seconds$/,
      )
      await expect.poll(status, { timeout: 20_000 }).toBe(404)
      await run('remove', said.split(' ')[0]!)
      await expect.poll(status, { timeout: 20_000 }).toBe(200)
      stop()
      expect(await ended).toBe(0)
    })
  })

  test.each<[string, string[], string, string]>([
    ['phone', ['--phone', '(512) 555-0101'], INVENTED.janesPhone, '1'],
    ['email', ['--email', 'Jane.Smith@Example.com'], INVENTED.janesEmail, '1'],
    [
      'address',
      ['--address', '123 North Main Street #4, Austin, TX 78701'],
      '123 NORTH MAIN STREET #4, AUSTIN, TX 78701|||',
      '2',
    ],
    [
      'name',
      ['--first-name', 'Jane', '--last-name', 'Smith', '--born', '5/17/1980', '--zip', '78701'],
      'JANE|SMITH|1980-05-17|78701',
      '1',
    ],
  ])('somebody can be named by %s', async (kind, argv, value, people) => {
    await withDesk(async ({ suppress: run, listed }) => {
      expect(await run('add', ...argv)).toContain(
        ` matches ${people} ${people === '1' ? 'person' : 'people'} in the current snapshot`,
      )
      expect(await listed()).toMatchObject([{ kind, value }])
      expect(await run('list')).toMatch(
        new RegExp(`sup_\\w{22}  ${kind} +${value.replaceAll(/[|#]/g, '\\$&')} +- +20`),
      )
    })
  })

  test('whoever is not there yet is kept for the day they come, also before the first snapshot', async () => {
    await withDesk(async ({ suppress: run }) => {
      expect(await run('add', '--phone', '206-555-0142')).toContain('matches nobody in the current snapshot')
    })
    await withDesk(
      async ({ suppress: run }) => {
        expect(await run('add', '--person', INVENTED.jane)).toContain(
          'is recorded and applies from the first snapshot on',
        )
      },
      { isPublished: false },
    )
  })

  test.each<[string, string[]]>([
    ['name an action', []],
    ["there is no action 'suppress forget'", ['forget']],
    ['give exactly one of --person', ['add']],
    ['give exactly one of --person', ['add', '--phone', '512-555-0101', '--email', 'jane@example.com']],
    ["--person 'P1' is not P followed by 10 letters and digits", ['add', '--person', 'P1']],
    ["--phone '555' is not a North American phone number", ['add', '--phone', '555']],
    ["--email 'jane' is not an e-mail address", ['add', '--email', 'jane']],
    ["--address 'Main St, Austin, TX' needs a house number", ['add', '--address', 'Main St, Austin, TX']],
    ["--address '12 Main St' needs a house number", ['add', '--address', '12 Main St']],
    [
      "--born '1980' is not a date",
      ['add', '--first-name', 'Jane', '--last-name', 'Smith', '--born', '1980', '--zip', '78701'],
    ],
    [
      "--zip '787' is not 5 digits",
      ['add', '--first-name', 'Jane', '--last-name', 'Smith', '--born', '1980-05-17', '--zip', '787'],
    ],
    ['a name needs', ['add', '--born', '1980-05-17']],
    ["--list takes email, phone, ndz, not 'fax'", ['import', 'some.csv', '--list', 'fax']],
    [
      "--found-status takes 2, 3 or 4, not '5'",
      ['import', 'some.csv', '--list', 'email', '--found-status', '5'],
    ],
    ['there is no suppression sup_none', ['remove', 'sup_none']],
  ])('%s: %j', async (reason, argv) => {
    await withDesk(async ({ io, listed }) => {
      await expect(suppress.run(argv, io)).rejects.toThrow(reason)
      expect(await listed()).toEqual([])
    })
  })

  test('purge rewrites the kept snapshots without the people on the list, and says which', async () => {
    await withDesk(async ({ folder, suppress: run }) => {
      expect(await run('purge')).toMatch(/^\S+ {2}contains no suppressed person$/)
      await run('add', '--person', INVENTED.jane)
      expect(await run('purge')).toMatch(/^\S+ {2}rewritten as \S+ without 1 person$/)
      const current = (await readFile(join(folder, 'snapshots', 'current'), 'utf8')).trim()
      const lookup = await loadLookup(join(folder, 'snapshots', current))
      expect(lookup.person(INVENTED.jane, '2026-06-01')).toBeNull()
      expect(lookup.person(INVENTED.john, '2026-06-01')).not.toBeNull()
      lookup.close()
      expect(JSON.parse(await run('purge', '--json'))).toMatchObject([{ version: current, outcome: 'clean' }])
    })
  })

  test('who is suppressed comes out of no list that is enriched, in this thread or in others', async () => {
    await withDesk(async ({ io, folder, suppress: run }) => {
      await run('add', '--person', INVENTED.jane)
      const list = join(folder, 'leads.csv')
      await writeFile(list, 'name,phone\nJane Smith,512-555-0101\nJonathan Smythe,\n')
      for (const threads of ['0', '2']) {
        const path = join(folder, `out-${threads}.csv`)
        expect(await enrich.run([list, '--out', path, '--yes', '--threads', threads], io)).toBe(0)
        const text = await readFile(path, 'utf8')
        expect(text.split('\n')[1]).toMatch(/^Jane Smith,512-555-0101,suppressed,/)
        expect(text).not.toContain(INVENTED.jane)
        expect(text).toContain(INVENTED.jonathan)
      }
    })
  })
})

describe('a deletion list', () => {
  const jane = new NamedBirthHashes().of({
    first_name: 'JANE',
    last_name: 'Smith',
    birth_date: '1980-05-17',
    zip: '78664',
  })

  test.each<[string, string, string]>([
    ['20260801_4821_Email.csv', emailHash(INVENTED.janesEmail), '4'],
    ['20260801_4821_Phone.csv', phoneHash(INVENTED.sharedPhone), '4'],
    ['20260801_4821_NDZ_2.csv', jane, '4'],
  ])('%s is taken whole, and the reply says who was found', async (name, hash, status) => {
    await withDesk(async ({ io, folder, suppress: run, listed }) => {
      const list = join(folder, name)
      await writeFile(
        list,
        `\uFEFFID,Hash\r\nAAAAAAAAAAAA,${hash}\r\nBBBBBBBBBBBB,${emailHash('nobody@example.com')}\r\n`,
      )
      const reply = join(folder, 'reply.csv')
      expect(await run('import', list, '--reply', reply)).toMatch(/^2 listed, 1 of them found/)
      expect(await readFile(reply, 'utf8')).toBe(`Id,Status\nAAAAAAAAAAAA,${status}\nBBBBBBBBBBBB,5\n`)
      expect(await listed()).toHaveLength(2)
      await expect(suppress.run(['import', list, '--reply', reply], io)).rejects.toThrow(
        /cannot write the reply .*reply\.csv/,
      )
    })
  })

  test('the operator says what a match is answered with', async () => {
    await withDesk(async ({ folder, suppress: run }) => {
      const list = join(folder, 'opted-out.csv')
      await writeFile(list, `ID,Hash\nAAAAAAAAAAAA,${jane}\n`)
      const reply = join(folder, 'reply.csv')
      await run('import', list, '--list', 'ndz', '--reply', reply, '--found-status', '3')
      expect(await readFile(reply, 'utf8')).toBe('Id,Status\nAAAAAAAAAAAA,3\n')
    })
  })

  test('work items that were withdrawn are taken off again', async () => {
    await withDesk(async ({ folder, suppress: run, listed }) => {
      const list = join(folder, 'Email.csv')
      await writeFile(list, `ID,Hash\nAAAAAAAAAAAA,${emailHash(INVENTED.janesEmail)}\n`)
      await run('import', list)
      const removed = join(folder, 'Removed.csv')
      await writeFile(removed, `ID,Hash,ListType\nAAAAAAAAAAAA,${emailHash(INVENTED.janesEmail)},Email\n`)
      expect(await run('import', removed)).toBe('1 of 1 withdrawn work items were on the list')
      expect(await listed()).toEqual([])
    })
  })

  test.each<[string, string, RegExp]>([
    ['an unknown kind', 'ID,Hash\n', /contains neither Email, Phone nor NDZ: give --list email\|phone\|ndz/],
    [
      'other columns',
      'Id;Hash\n1;2\n',
      /has the columns Id;Hash; a deletion list has the columns ID and Hash/,
    ],
    [
      'a broken hash',
      `ID,Hash\nA,${emailHash('a@example.com')}\nB,nonsense\n`,
      /list\.csv, line 3: Hash is not a SHA-256/,
    ],
    ['a line without an id', `ID,Hash\n,${emailHash('a@example.com')}\n`, /list\.csv, line 2: ID is empty/],
    [
      'a line of other length',
      'ID,Hash\nA\n',
      /is not a CSV file with the columns ID and Hash: Invalid Record Length/,
    ],
  ])('with %s is refused whole', async (_, content, reason) => {
    await withDesk(async ({ io, folder, listed }) => {
      const list = join(folder, 'list.csv')
      await writeFile(list, content)
      await expect(suppress.run(['import', list], io)).rejects.toThrow(reason)
      expect(await listed()).toEqual([])
    })
  })
})
