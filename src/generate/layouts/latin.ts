import { mojibake, RATES } from '../errors.ts'

/** Returns text for a Latin-1 file. Some texts with accents get UTF-8 bytes; the random `bits` decide. */
export function latin(text: string, bits: number): string {
  if (!/[À-ÿ]/.test(text)) return text
  return bits % 100 < RATES.mixedEncoding * 100 ? mojibake(text) : text
}
