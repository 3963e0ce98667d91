/** A file name has only the year. A preliminary roll (P) counts as of July, a final one (F) as of October. */
export const ROLL_AS_OF = {
  group: 'year',
  format: '%Y',
  plusDays: { group: 'roll', days: { P: 181, F: 273 } },
}
