import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const OPEN = 0
const SEALED = 1

/**
 * Encrypts signing secrets for the state file. The first stored byte marks a secret as plain or encrypted. Without a key, secrets
 * are stored as plain text (only the owner may read the file). The first key encrypts; each key can decrypt, so keys can change.
 */
export class Sealer {
  readonly #keys: readonly Buffer[]

  /** `keys`: 32 bytes each, in base64. */
  constructor(keys: readonly string[]) {
    this.#keys = keys.map((key) => Buffer.from(key, 'base64'))
  }

  /** Encrypts a secret for `owner` (a subscription id). It can only be decrypted with the same owner. */
  seal(secret: string, owner: string): Buffer {
    const [key] = this.#keys
    if (key === undefined) return Buffer.concat([Buffer.of(OPEN), Buffer.from(secret)])
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner))
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    return Buffer.concat([Buffer.of(SEALED), nonce, sealed, cipher.getAuthTag()])
  }

  open(kept: Uint8Array, owner: string): string {
    const bytes = Buffer.from(kept)
    if (bytes[0] === OPEN) return bytes.subarray(1).toString('utf8')
    for (const key of this.#keys) {
      const secret = openWith(key, bytes, owner)
      if (secret !== null) return secret
    }
    throw new AppError(
      'bad_config',
      `the signing secret of ${owner} was encrypted with a key that WEBHOOK_SECRETS_KEY does not contain: add the former key to it, separated by a comma`,
    )
  }

  /** Returns whether a stored secret should be encrypted again: it is plain although a key exists, or has an older key. */
  isStale(kept: Uint8Array, owner: string): boolean {
    const [key] = this.#keys
    if (key === undefined) return false
    const bytes = Buffer.from(kept)
    return bytes[0] === OPEN || openWith(key, bytes, owner) === null
  }
}

function openWith(key: Buffer, bytes: Buffer, owner: string): string | null {
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const opened = decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([opened, decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
