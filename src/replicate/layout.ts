import { randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import { MANIFEST_FILE } from '../lookup/format/manifest.ts'
import { objectUrl, type Store } from '../store/store.ts'

/** The object that names the upload to serve. */
export const CURRENT_KEY = 'current'

/**
 * The name of an upload: the version of the snapshot and a random part. Two uploads of one version never share objects, so removing
 * the remains of one never touches the other.
 */
const UPLOAD = /^(\d{8}T\d{9}Z-[0-9a-f]{8})-[0-9a-f]{8}$/

export interface Current {
  readonly upload: string
  readonly version: string
  /** The SHA-256 of the manifest, which has the SHA-256 of all other files. */
  readonly manifestSha256: string
}

export function newUploadName(version: string): string {
  return `${version}-${randomBytes(4).toString('hex')}`
}

/** Returns the version of an upload; null when `name` is not the name of an upload. */
export function versionOf(name: string): string | null {
  return UPLOAD.exec(name)?.[1] ?? null
}

export function manifestKey(upload: string): string {
  return `${upload}/${MANIFEST_FILE}`
}

export function formatCurrent({ upload, manifestSha256 }: Omit<Current, 'version'>): string {
  return `${upload} ${manifestSha256}\n`
}

/** Reads the content of the object `current`. @throws `bad_snapshot` */
export function parseCurrent(store: Pick<Store, 'url'>, text: string): Current {
  const [, upload = '', manifestSha256 = ''] = /^(\S+) ([0-9a-f]{64})\n?$/.exec(text) ?? []
  const version = versionOf(upload)
  if (version !== null) return { upload, version, manifestSha256 }
  throw new AppError(
    'bad_snapshot',
    `${objectUrl(store, CURRENT_KEY)} does not name a snapshot: publish again, or name another place`,
  )
}

/** The keys of each upload in a store, by the name of the upload. Other objects are left out. */
export async function uploadsIn(store: Store): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for await (const { key } of store.list('')) {
    const [name = ''] = key.split('/')
    if (versionOf(name) === null) continue
    const keys = found.get(name)
    if (keys === undefined) found.set(name, [key])
    else keys.push(key)
  }
  return found
}
