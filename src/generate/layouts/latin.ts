import { mojibake, RATES } from '../errors.ts'

/** Text for a latin-1 file; of the names with accents, some carry UTF-8 bytes. `bits` decides, the same every time. */
export function latin(text: string, bits: number): string {
  if (!/[À-ÿ]/.test(text)) return text
  return bits % 100 < RATES.mixedEncoding * 100 ? mojibake(text) : text
}
