import { ageAt } from './birth.ts'
import { FIELD, field, HEADER_LENGTH, personId } from './person-document.ts'

export interface PersonPhone {
  readonly number: string
  readonly type: string
  readonly score: number
}

export interface PersonEmail {
  readonly email: string
  readonly score: number
}

export interface PersonAddress {
  readonly address_id: string
  readonly full_address: string | null
  readonly line1: string | null
  readonly city: string | null
  readonly state: string | null
  readonly zip: string | null
}

/** One person's document, of which only what is asked for is parsed. Valid until the next read of the store. */
export class PersonParts {
  readonly #document: Buffer
  readonly #today: number

  constructor(document: Buffer, today: number) {
    this.#document = document
    this.#today = today
  }

  get id(): string {
    return personId(this.#document)
  }

  get name(): string | null {
    const end = field(this.#document, FIELD.NAME_END)
    return (JSON.parse(`${this.#document.toString('utf8', HEADER_LENGTH, end)}}`) as { name: string | null })
      .name
  }

  get age(): number | null {
    return ageAt(field(this.#document, FIELD.BIRTH), this.#today)
  }

  /** Company and job title, a birth date as the documents show it, a profile's address. */
  get facts(): {
    date_of_birth: string | null
    linkedin_url: string | null
    company_name: string | null
    job_title: string | null
  } {
    return JSON.parse(`{${this.#text(FIELD.HEAD_END, FIELD.JOB_END).slice(1)}}`) as PersonParts['facts']
  }

  /** Best first, as many as a search result shows. */
  get phones(): readonly PersonPhone[] {
    return this.#list(FIELD.PHONES_START, FIELD.PHONES_CAP)
  }

  get emails(): readonly PersonEmail[] {
    return this.#list(FIELD.EMAILS_START, FIELD.EMAILS_CAP)
  }

  /** The current address that is surest. */
  get address(): PersonAddress | null {
    return this.#list<PersonAddress>(FIELD.CURRENT_START, FIELD.CURRENT_END)[0] ?? null
  }

  get ownedCount(): number {
    return field(this.#document, FIELD.OWNED_COUNT)
  }

  get owned(): readonly { id: string; address: string | null }[] {
    return this.#list(FIELD.OWNED_START, FIELD.OWNED_CAP)
  }

  #text(from: number, to: number): string {
    return this.#document.toString('utf8', field(this.#document, from), field(this.#document, to))
  }

  #list<T>(from: number, to: number): T[] {
    const text = this.#text(from, to)
    return text === '' ? [] : (JSON.parse(`[${text}]`) as T[])
  }
}
