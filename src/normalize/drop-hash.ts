import { hash } from 'node:crypto'
import { fold } from './fold.ts'

/**
 * Hashes as the deletion lists of California's DROP have them (technical specifications 1.2.0, "Standardization and
 * Hashing"): a standardised value's SHA-256 in base64; of several values the hash of their hashes, one behind the other.
 */
export function phoneHash(phone: string): string {
  return hashOf(phone.replace(/\D/g, '').slice(-10))
}

export function emailHash(email: string): string {
  return hashOf(email.replace(/\s/g, '').toLowerCase())
}

export interface NamedBirth {
  readonly first_name: string
  readonly last_name: string
  /** `YYYY-MM-DD` */
  readonly birth_date: string
  readonly zip: string
}

/** Hashes of the list that its makers call NDZ. Remembers those of names, dates and ZIP codes, which come again and again. */
export class NamedBirthHashes {
  readonly #names = new Map<string, string>()
  readonly #dates = new Map<string, string>()
  readonly #zips = new Map<string, string>()

  of({ first_name, last_name, birth_date, zip }: NamedBirth): string {
    return hashOf(
      remembered(this.#names, first_name, nameHash) +
        remembered(this.#names, last_name, nameHash) +
        remembered(this.#dates, birth_date, dateHash) +
        remembered(this.#zips, zip, zipHash),
    )
  }
}

function remembered(known: Map<string, string>, text: string, make: (text: string) => string): string {
  let made = known.get(text)
  if (made === undefined) known.set(text, (made = make(text)))
  return made
}

function nameHash(name: string): string {
  return hashOf(
    fold(name)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, ''),
  )
}

function dateHash(date: string): string {
  return hashOf(date.replaceAll('-', ''))
}

// Without the last four of nine digits, and without leading zeros: '02139-4307' is '2139'.
function zipHash(zip: string): string {
  return hashOf(
    zip
      .replace(/-\d{4}$/, '')
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '')
      .replace(/^0+/, '')
      .slice(0, 5),
  )
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64')
}
