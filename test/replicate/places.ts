import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { type Moto, MOTO_ENV } from '../support/moto.ts'

/** A place of objects, and a way to its objects that does not go through the tested store. */
export interface Place {
  open(): Promise<Store>
  keys(): Promise<string[]>
  get(key: string): Promise<Buffer<ArrayBuffer>>
  put(key: string, body: string | Buffer<ArrayBuffer>): Promise<void>
  remove(key: string): Promise<void>
}

export async function folderPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'platbook-store-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return {
    open: () => opened(folder, {}),
    async keys() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile() && entry.name !== '.lock')
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
    },
    get: (key) => readFile(join(folder, key)),
    put: (key, body) => writeFile(join(folder, key), body),
    remove: (key) => rm(join(folder, key)),
  }
}

export async function bucketPlace(moto: Moto): Promise<Place> {
  const bucket = await moto.newBucket()
  return {
    open: () => opened(`${bucket}/snapshots`, { ...MOTO_ENV, AWS_ENDPOINT_URL_S3: moto.url }),
    keys: async () => (await moto.keys(bucket)).map((key) => key.replace('snapshots/', '')),
    get: (key) => moto.get(`${bucket}/snapshots/${key}`),
    put: (key, body) => moto.put(`${bucket}/snapshots/${key}`, body),
    remove: (key) => moto.remove(`${bucket}/snapshots/${key}`),
  }
}

async function opened(place: string, env: NodeJS.ProcessEnv): Promise<Store> {
  const store = await openStore(place, { settings: loadConfig(env), signal: new AbortController().signal })
  onTestFinished(() => store.close())
  return store
}
