import * as fc from 'fast-check'

/** One UTF-16 code unit, lone halves of pairs too. fast-check's own 'binary' needs five seconds to set itself up. */
export const anyLetter = fc.nat(0xffff).map((code) => String.fromCharCode(code))
