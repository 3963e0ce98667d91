// Control characters, line and paragraph separators, and marks that change the direction of text. A terminal executes them, so
// untrusted text could clear the screen, forge a line or hide its real content.
const COMMANDS = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u
const ALL_COMMANDS = new RegExp(COMMANDS, 'gu')
const ALL_BUT_LAYOUT = new RegExp(`(?![\\n\\t])${COMMANDS.source}`, 'gu')

/** Returns whether `text` has characters that a terminal executes instead of showing them. */
export function hasControls(text: string): boolean {
  return COMMANDS.test(text)
}

/** Returns a value for one line of a terminal, with each control character replaced by its code, such as `\u001b`. */
export function printable(value: string): string {
  return value.replace(ALL_COMMANDS, codeOf)
}

/** Like `printable`, for texts of several lines: keeps line ends and tabs. */
export function printableLines(text: string): string {
  return text.replace(ALL_BUT_LAYOUT, codeOf)
}

// Writes the code as JSON does (`\u202e`), so that a JSON parser restores the character from printed JSON.
function codeOf(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
}
