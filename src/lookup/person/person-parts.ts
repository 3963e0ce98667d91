import { ageAt } from '../format/birth.ts'
import { CAPS, FIELD, field, NAME_START, personId } from '../format/person-document.ts'

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

export interface PersonFacts {
  readonly date_of_birth: string | null
  readonly linkedin_url: string | null
  readonly company_name: string | null
  readonly job_title: string | null
}

interface Middle extends PersonFacts {
  readonly phones: readonly PersonPhone[]
  readonly emails: readonly PersonEmail[]
  readonly current_addresses: readonly PersonAddress[]
}

/**
 * Reads parts of one person's document, and parses only the parts that are requested. The object is valid
 * until the next person is read.
 */
export class PersonParts {
  readonly #document: Buffer
  readonly #today: number
  #parsed: Middle | null = null

  constructor(document: Buffer, today: number) {
    this.#document = document
    this.#today = today
  }

  get id(): string {
    return personId(this.#document)
  }

  get name(): string | null {
    return JSON.parse(this.#document.toString('utf8', NAME_START, field(this.#document, FIELD.NAME_END))) as string | null // prettier-ignore
  }

  get age(): number | null {
    return ageAt(field(this.#document, FIELD.BIRTH), this.#today)
  }

  /** Company, job title, birth date and profile URL. */
  get facts(): PersonFacts {
    return this.#middle
  }

  /** Best first, as many as a search result shows. */
  get phones(): readonly PersonPhone[] {
    return this.#middle.phones.slice(0, CAPS.phones)
  }

  get emails(): readonly PersonEmail[] {
    return this.#middle.emails.slice(0, CAPS.emails)
  }

  /** The best current address. */
  get address(): PersonAddress | null {
    return this.#middle.current_addresses[0] ?? null
  }

  // These members are neighbours in the document. Parsing them together takes half the time of parsing each.
  get #middle(): Middle {
    if (this.#parsed === null) {
      const text = this.#text(FIELD.HEAD_END, FIELD.CURRENT_END)
      this.#parsed = JSON.parse(`{${text.slice(text.indexOf('"'))}]}`) as Middle
    }
    return this.#parsed
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
