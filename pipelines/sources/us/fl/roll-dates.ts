/** A preliminary roll (P) is of July, a final one (F) of October: the name has only the year. */
export const ROLL_AS_OF = {
  group: 'year',
  format: '%Y',
  plusDays: { group: 'roll', days: { P: 181, F: 273 } },
}
