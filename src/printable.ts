// Control characters, line and paragraph separators, and marks that reverse the direction of text: a terminal obeys
// them, so text from outside could clear the screen, forge a line or show another address than it contains.
const COMMANDS = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u
const ALL_COMMANDS = new RegExp(COMMANDS, 'gu')
const ALL_BUT_LAYOUT = new RegExp(`(?![\\n\\t])${COMMANDS.source}`, 'gu')

/** Whether a terminal would obey a part of `text` instead of showing it. */
export function hasControls(text: string): boolean {
  return COMMANDS.test(text)
}

/** A value for one line of a terminal: every control character is shown as its code, such as `\u001b`. */
export function printable(value: string): string {
  return value.replace(ALL_COMMANDS, codeOf)
}

/** As `printable`, for whole messages: line ends and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(ALL_BUT_LAYOUT, codeOf)
}

// The form of JSON, so that escaped JSON output says the same.
function codeOf(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
}
