/** Texts that source files write in place of an unknown value. */
export const PLACEHOLDERS: ReadonlySet<string> = new Set(
  `UNKNOWN|UNKNOWN OWNER|UNKNOWN NAME|UNK|OWNER|CURRENT OWNER|PROPERTY OWNER|OWNER UNKNOWN|RESIDENT|CURRENT RESIDENT|OCCUPANT
  |NONE|NULL|NA|N A|N/A|NOT AVAILABLE|NOT PROVIDED|NOT APPLICABLE|NO NAME|NO LAST NAME|NO FIRST NAME|FNU|LNU|NFN|NLN|NMN
  |TEST|TBD|REFUSED|ANONYMOUS|CONFIDENTIAL|REDACTED|WITHHELD|VACANT|DECEASED|MISSING|BLANK|EMPTY|XXX|ESTATE|ET AL|ET UX
  |BABY BOY|BABY GIRL|MALE INFANT|FEMALE INFANT|UNKNOWN UNKNOWN|NOT EMPLOYED|SELF|SELF EMPLOYED|SELF-EMPLOYED|RETIRED
  |INFORMATION REQUESTED|NOT@PROVIDED.COM|NONE@NONE.COM|NOEMAIL@NOEMAIL.COM|NA@NA.COM|TEST@TEST.COM|NONE@GMAIL.COM`
    .split('|')
    .map((text) => text.trim()),
)

/**
 * Returns whether an upper-case text is empty or stands for an unknown value: UNKNOWN OWNER, N/A, XXX, 0000000. The linker treats such a text
 * as no value.
 */
export function isPlaceholder(text: string): boolean {
  return text === '' || PLACEHOLDERS.has(text) || isOneSign(text)
}

function isOneSign(text: string): boolean {
  // III is a real name suffix.
  if (text.length < 3 || text === 'III') return false
  for (let k = 1; k < text.length; k++) if (text[k] !== text[0]) return false
  return true
}
