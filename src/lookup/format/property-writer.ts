import { DEAD } from './birth.ts'
import { Output } from './output.ts'
import { BEFORE_AGE, FIELD, field, HEADER_LENGTH, writeOccupantForm } from './person-document.ts'
import {
  AGE_DIGITS,
  BEFORE_RESIDENTS,
  BEFORE_SCORE,
  PERSON_FIELD,
  PERSON_LENGTH,
  PROPERTY_FIELD,
  PROPERTY_HEADER_LENGTH,
  RESIDENT_LIMIT,
} from './property-document.ts'

// Quotes inside JSON texts are escaped, so no name contains these texts.
const ANY_BUSINESS = '"business_owners":[{'
const ANY_LENDER = '"lender_name":"'

export interface PropertyPeople {
  readonly owners: ArrayLike<number>
  readonly residents: ArrayLike<number>
}

/** Returns the document of the person whom a property's document names by this number. */
export type DocumentOf = (person: number) => Buffer

/**
 * Builds the stored documents of properties, from which API responses are copied. Copies the JSON of each owner and
 * resident out of that person's document. Each call returns a new buffer, which later calls do not overwrite.
 */
export class PropertyWriter {
  readonly #text = new Output()
  #header = Buffer.alloc(0)
  /** The offset of the text in the document. */
  #textStart = 0

  /**
   * Builds one document. `bytes` has five texts one after another, and `ends` has their ends: the head of the
   * search form, the head of the details form, the owners without a person id, the middle and the tail of the
   * details form. `documentOf` returns the document of an owner or resident; its bytes may be valid until the
   * next call.
   */
  document(
    bytes: Uint8Array,
    ends: readonly number[],
    { owners, residents }: PropertyPeople,
    documentOf: DocumentOf,
  ): Buffer {
    const [searchHead = 0, detailsHead = 0, unresolved = 0, middle = 0, tail = 0] = ends
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const text = this.#text
    text.reset()
    this.#textStart = PROPERTY_HEADER_LENGTH + (owners.length + residents.length) * PERSON_LENGTH
    this.#header = Buffer.alloc(this.#textStart)
    this.#put(PROPERTY_FIELD.OWNER_COUNT, owners.length)
    this.#put(PROPERTY_FIELD.RESIDENT_COUNT, residents.length)
    this.#mark(PROPERTY_FIELD.TEXT_START)
    text.copy(source, 0, searchHead)
    this.#mark(PROPERTY_FIELD.OWNERS_START)
    for (let i = 0; i < owners.length; i++)
      this.#form(i, owners[i]!, documentOf, i > 0, 'person_owner_metadata')
    if (owners.length > 0 && unresolved > detailsHead) text.ascii(',')
    this.#mark(PROPERTY_FIELD.UNRESOLVED_START)
    text.copy(source, detailsHead, unresolved)
    this.#mark(PROPERTY_FIELD.OWNERS_END)
    text.ascii(BEFORE_RESIDENTS)
    for (let i = 0; i < residents.length; i++) {
      if (i < RESIDENT_LIMIT)
        this.#form(owners.length + i, residents[i]!, documentOf, i > 0, 'resident_metadata')
      else this.#putPerson(owners.length + i, PERSON_FIELD.NUMBER, residents[i]!)
    }
    text.ascii(BEFORE_SCORE)
    this.#mark(PROPERTY_FIELD.SEARCH_END)
    text.copy(source, searchHead, detailsHead)
    this.#mark(PROPERTY_FIELD.DETAILS_HEAD_END)
    text.copy(source, unresolved, middle)
    this.#mark(PROPERTY_FIELD.DETAILS_MIDDLE_END)
    text.copy(source, middle, tail)
    this.#mark(PROPERTY_FIELD.DETAILS_TAIL_END)
    const isNaming = unresolved > detailsHead || source.includes(ANY_BUSINESS) || source.includes(ANY_LENDER)
    this.#put(PROPERTY_FIELD.HAS_NAMES, isNaming ? 1 : 0)
    return Buffer.concat([this.#header, text.written()])
  }

  #form(
    index: number,
    person: number,
    documentOf: DocumentOf,
    hasOthers: boolean,
    metadataName: 'person_owner_metadata' | 'resident_metadata',
  ): void {
    const document = documentOf(person)
    const birth = field(document, FIELD.BIRTH)
    const isAged = birth > 0 && birth < DEAD
    if (hasOthers) this.#text.ascii(',')
    const start = this.#end()
    writeOccupantForm(this.#text, document, isAged ? AGE_DIGITS : 'null', metadataName)
    const ageAt = start + field(document, FIELD.NAME_END) - HEADER_LENGTH + BEFORE_AGE.length
    this.#putPerson(index, PERSON_FIELD.NUMBER, person)
    this.#putPerson(index, PERSON_FIELD.BIRTH, birth)
    this.#putPerson(index, PERSON_FIELD.AGE_AT, isAged ? ageAt : 0)
    this.#putPerson(index, PERSON_FIELD.FORM_START, start)
    this.#putPerson(index, PERSON_FIELD.FORM_END, this.#end())
  }

  #end(): number {
    return this.#textStart + this.#text.length
  }

  #mark(of: number): void {
    this.#put(of, this.#end())
  }

  #put(of: number, value: number): void {
    this.#header.writeUInt32LE(value, of * 4)
  }

  #putPerson(index: number, of: number, value: number): void {
    this.#header.writeUInt32LE(value, PROPERTY_HEADER_LENGTH + index * PERSON_LENGTH + of * 4)
  }
}
