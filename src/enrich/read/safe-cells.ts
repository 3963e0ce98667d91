// Spreadsheets take a cell that begins so for a formula; in East Asian versions with full-width characters, too.
const FORMULA = /^\s*[=+\-@＝＋－＠]/u
/** Some programs remove these before they look at a cell. */
const CONTROL = /^[\t\r\n]/
/** Signed numbers, phones and placeholders call no function and refer to no cell: `-12.50`, `+1 (512) 555-0101`, `--`. */
const SIGNED = /^ *[+-][\d ().,/+-]*(?:\de[+-]?\d+)?%?$/i
/** By this mark spreadsheets keep text as text: `="00123"`. */
const CONSTANT = /^ *="[^"]*"$/

/** Returns whether a spreadsheet may take the text of a cell for a formula that does something. */
export function isFormula(text: string): boolean {
  return (CONTROL.test(text) || FORMULA.test(text)) && !SIGNED.test(text) && !CONSTANT.test(text)
}

/** Returns the text, with an apostrophe before what may be a formula, as OWASP recommends. `cellValue` reads both alike. */
export function safeCell(text: string): string {
  return isFormula(text) ? `'${text}` : text
}
