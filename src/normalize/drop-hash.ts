import { hash } from 'node:crypto'
import { fold } from './fold.ts'

/**
 * Returns the hash of a phone for California's DROP deletion lists (technical specifications 1.2.0, "Standardization
 * and Hashing"): SHA-256 of the standardised value in base64. `NamedBirthHashes` hashes several values: it takes the
 * SHA-256 of their joined hashes.
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

/**
 * Computes the hash of name, date of birth and ZIP code ("NDZ list"). Keeps the hashes of single values, because few
 * different names, dates and ZIP codes occur.
 */
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

// Drops the last four of nine digits and leading zeros: '02139-4307' gives '2139'.
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
