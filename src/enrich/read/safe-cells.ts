// Beginnings that spreadsheets read as a formula. East Asian versions also accept full-width characters.
const FORMULA = /^\s*[=+\-@＝＋－＠]/u
/** Some programs remove these characters before they interpret a cell. */
const CONTROL = /^[\t\r\n]/
/** Signed numbers, phones and placeholders are not formulas: `-12.50`, `+1 (512) 555-0101`, `--`. */
const SIGNED = /^ *[+-][\d ().,/+-]*(?:\de[+-]?\d+)?%?$/i
/** The form in which spreadsheets keep text as text: `="00123"`. */
const CONSTANT = /^ *="[^"]*"$/

/** Returns whether a spreadsheet may interpret the text of a cell as a formula. */
export function isFormula(text: string): boolean {
  return (CONTROL.test(text) || FORMULA.test(text)) && !SIGNED.test(text) && !CONSTANT.test(text)
}

/**
 * Returns the text with an apostrophe before a possible formula, as OWASP recommends. `cellValue` removes the
 * apostrophe again.
 */
export function safeCell(text: string): string {
  return isFormula(text) ? `'${text}` : text
}
