import { padded } from './latin.ts'

interface Field {
  readonly start: number
  readonly width: number
  readonly isNumber: boolean
}

/** A fixed-width layout from its fields (`name:c10 other:n12`); one character is one byte (latin-1). */
export class FixedLayout {
  readonly length: number
  private readonly fields = new Map<string, Field>()
  private readonly blank: string

  constructor(fields: string) {
    let start = 0
    let blank = ''
    for (const word of fields.trim().split(/\s+/)) {
      const [name = '', type = ''] = word.split(':')
      const width = Number(type.slice(1))
      const isNumber = type.startsWith('n')
      this.fields.set(name, { start, width, isNumber })
      blank += (isNumber ? '0' : ' ').repeat(width)
      start += width
    }
    this.length = start
    this.blank = blank
  }

  /** One record; what is not given is zeros or spaces. */
  record(values: Readonly<Record<string, string | number>>): string {
    const given = Object.entries(values)
      .map(([name, value]) => [this.field(name), String(value)] as const)
      .sort(([left], [right]) => left.start - right.start)
    const parts: string[] = []
    let at = 0
    for (const [{ start, width, isNumber }, value] of given) {
      parts.push(this.blank.slice(at, start), isNumber ? value.padStart(width, '0') : padded(value, width))
      at = start + width
    }
    parts.push(this.blank.slice(at))
    return parts.join('')
  }

  private field(name: string): Field {
    const field = this.fields.get(name)
    if (field === undefined) throw new Error(`the layout has no field ${name}`)
    return field
  }
}
