import { join } from 'node:path'
import { inject } from 'vitest'
import type { Database } from '../../src/state/database.ts'
import { isPostgresUrl, openPostgres } from '../../src/state/postgres.ts'
import { openSqlite } from '../../src/state/sqlite.ts'
import { newSchema } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the server's socket in `npm run test:postgres`; absent in all other runs. */
    postgres?: string
  }
}

/** Whether this run of the tests keeps states in PostgreSQL. */
export const IN_POSTGRES = inject('postgres') !== undefined

/** Returns the place of a new state: a path in `folder`, or the URL of an empty schema in `npm run test:postgres`. */
export async function newStatePlace(folder: string): Promise<string> {
  const socket = inject('postgres')
  return socket === undefined ? join(folder, 'state.sqlite') : newSchema(socket)
}

/** Opens a connection of its own to the state at `place`. */
export async function openPlace(place: string): Promise<Database> {
  return isPostgresUrl(place) ? openPostgres(place, { connections: 2 }) : openSqlite(place)
}
