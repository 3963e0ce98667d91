import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

/** One labelled string: its words with what each is. */
export interface Labelled {
  text: string
  words: { label: string; word: string }[]
  /** A quarter of the strings, chosen by their hash, is never looked at while rules are written. */
  heldOut: boolean
}

const FOLDER = new URL('../../../shared/data/labelled/', import.meta.url)

/** The strings of a labelled XML file of usaddress or probablepeople; null where the file is not on this machine. */
export function loadLabelled(file: string, element: string): Labelled[] | null {
  const path = new URL(file, FOLDER)
  if (!existsSync(path)) return null
  const xml = readFileSync(path, 'utf8')
  const strings = xml.match(new RegExp(`<${element}>[\\s\\S]*?</${element}>`, 'g')) ?? []
  return strings.map((string) => {
    const words = [...string.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map((match) => ({
      label: match[1]!,
      word: unescapeXml(match[2]!),
    }))
    const text = words.map(({ word }) => word).join(' ')
    return { text, words, heldOut: (createHash('sha256').update(text).digest()[0]! & 3) === 3 }
  })
}

function unescapeXml(text: string): string {
  return text
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
}
